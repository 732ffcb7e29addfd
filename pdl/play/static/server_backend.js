// Asks the server that `pdl play` runs.

/** What a method answered instead of a result. */
export class Refused extends Error {
  constructor(status, told) {
    super(told?.message ?? `The server answered with status ${status}.`);
    this.hint = told?.hint ?? "";
    this.status = status;
    this.told = told;
  }
}

/** The server did not answer. */
export class Gone extends Error {
  isGone = true;
}

export class ServerBackend {
  constructor(token) {
    this.token = token;
  }

  async ask(method, params, signal) {
    const answer = await fetch(`api/${method}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Pdl-Token": this.token },
      body: JSON.stringify(params ?? {}),
      signal,
    }).catch((error) => {
      throw error.name === "AbortError" ? error : new Gone("The server can’t be reached.");
    });
    if (answer.ok) return answer;
    const told = await answer.json().catch(() => ({}));
    throw new Refused(answer.status, { ...told, ...told.error });
  }

  hello() {
    return this.call("hello");
  }

  /** The result of a method. Throws Refused, and AbortError if the signal stops it. */
  async call(method, params, { signal } = {}) {
    return (await this.ask(method, params, signal)).json();
  }

  /** Gives each event of a method to a function as it comes. */
  async stream(method, params, onEvent, { signal } = {}) {
    const answer = await this.ask(method, params, signal);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      const lines = (rest + (value ?? "")).split("\n");
      rest = lines.pop();
      for (const line of lines) if (line && !signal?.aborted) onEvent(JSON.parse(line));
      if (done) return;
    }
  }

  /** A transport of `LSPClient`, when the socket is open. */
  language() {
    const address = new URL("language", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    address.search = `?token=${encodeURIComponent(this.token)}`;
    const socket = new WebSocket(address);
    const handlers = new Set();
    socket.onmessage = ({ data }) => handlers.forEach((handler) => handler(data));
    const transport = {
      send: (message) => socket.send(message),
      subscribe: (handler) => handlers.add(handler),
      unsubscribe: (handler) => handlers.delete(handler),
      closed: new Promise((resolve) => socket.addEventListener("close", resolve)),
    };
    return new Promise((resolve, reject) => {
      socket.onopen = () => resolve(transport);
      socket.onerror = () => reject(new Error("The language server cannot be reached."));
    });
  }
}
