// Asks pdl in a worker of this page, which is started again when it dies or takes too long.

import { Refused } from "./server_backend.js";

const LONGEST = 10_000; // milliseconds of one message
const START = 300_000; // until a worker has loaded Python, over a slow line too
const FIRST = 30_000; // of the first of its kind, for which Python imports more
const DEATHS = 3; // of workers with the language server in a while, before it is left out
const REST = 30_000; // milliseconds of that while, and for which it is left out
const TOO_LONG = "This took longer than 10 seconds, so it was stopped.";
const TOO_DEEP = "This is too deep or too large for Python in a browser.";
const HINT = "Nothing that you wrote is lost. `pdl play` on your computer has more room and time.";

const STORED = `pdl-files:${location.pathname}`;

/** The files that this page has kept in the browser. */
function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(STORED));
    return Object.fromEntries(Object.entries(found ?? {}).filter(([, text]) => typeof text === "string"));
  } catch {
    return {};
  }
}

/** One message of the worker at a time: those that wait can be given up, and outlive a worker. */
export class WorkerBackend {
  /** `onStage(text)` says how far a worker is that starts; `onRestart(isBack, why)` is for its bar. */
  constructor(onStage = () => {}) {
    this.onStage = onStage;
    this.onRestart = () => {};
    this.why = null; // the one before was ended, until this one is ready
    this.queue = [];
    this.current = null;
    this.files = kept(); // what was saved, for each worker
    this.transport = null;
    this.deaths = 0;
    this.tried = -REST; // when the language server ended last, or was let in again
    this.broken = null; // why no worker can be started
    this.start();
  }

  start() {
    this.ready = false;
    this.known = new Set();
    clearTimeout(this.starting);
    this.starting = setTimeout(() => this.fail("it took longer than 5 minutes"), START);
    this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module", name: "pdl" });
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = ({ message }) => {
      if (this.ready) this.restart(TOO_DEEP, message);
      else this.fail(message || "the worker cannot be started");
    };
    if (Object.keys(this.files).length) this.queue.unshift({ kind: "files", content: this.files, settle() {} });
  }

  receive({ stage, ready, ended, died, language, failed, result }) {
    if (stage) this.onStage(stage);
    else if (language !== undefined) this.transport?.take(language);
    else if (failed !== undefined) this.fail(failed);
    else if (died !== undefined) this.restart(TOO_DEEP, died);
    else if (ready) {
      this.ready = true;
      clearTimeout(this.starting);
      if (this.why !== null) this.onRestart(true, this.why);
      this.why = null;
      this.next();
    } else if (ended) this.end().settle(null, result);
  }

  post(message) {
    if (this.broken) message.settle(this.broken);
    else this.queue.push(message);
    this.next();
    return message;
  }

  /** Sends what waits first, if the worker is free. */
  next() {
    if (!this.ready || this.current || !this.queue.length) return;
    const { kind, content, method } = (this.current = this.queue.shift());
    this.timer = setTimeout(() => this.restart(TOO_LONG), this.known.has(kind) ? LONGEST : FIRST);
    this.worker.postMessage({ kind, method, content: kind === "language" ? content : JSON.stringify(content) });
  }

  /** The message that the worker is done with. */
  end() {
    const ended = this.current;
    clearTimeout(this.timer);
    if (ended) this.known.add(ended.kind);
    this.current = null;
    this.next();
    return ended;
  }

  /** Ends the worker with the message that it works on, and starts another for those that wait. */
  restart(told, why = "") {
    if (why) console.warn(why);
    this.worker.terminate();
    this.ready = false;
    const culprit = this.end();
    this.queue = this.queue.filter(({ kind }) => kind === "call");
    if (this.transport) this.died(); // it works between messages too
    this.start();
    this.why = culprit?.kind === "call" ? "" : told; // who calls is told
    this.onRestart(false, this.why);
    this.transport?.close();
    this.transport = null;
    culprit?.settle(new Refused(500, { message: told, hint: HINT }));
  }

  /** Counts the ends of workers with the language server that follow each other soon. */
  died() {
    const now = performance.now();
    this.deaths = now - this.tried < REST ? this.deaths + 1 : 1;
    this.tried = now;
  }

  /** Whether the language server may start: later if it was ended too often, in a worker that answers. */
  admits() {
    if (this.deaths < DEATHS) return true;
    if (!this.known.has("call") || performance.now() - this.tried < REST) return false;
    this.tried = performance.now();
    return true;
  }

  /** Refuses everything: Python cannot be loaded. */
  fail(why) {
    clearTimeout(this.starting);
    this.worker.terminate();
    this.broken = new Refused(500, { message: `Python cannot be loaded: ${why}`, hint: "Load the page again." });
    for (const one of this.queue.splice(0)) one.settle(this.broken);
  }

  hello() {
    return this.call("hello");
  }

  /** The result of a method. Throws Refused, and AbortError if the signal stops it. */
  async call(method, params = {}, { signal } = {}) {
    signal?.throwIfAborted();
    const text = await new Promise((resolve, reject) => {
      const settle = (error, result) => (error ? reject(error) : resolve(result));
      const message = this.post({ kind: "call", method, content: params, settle });
      signal?.addEventListener("abort", () => {
        this.queue = this.queue.filter((one) => one !== message);
        reject(signal.reason);
      });
    });
    const { status, result, files } = JSON.parse(text);
    if (files) this.keep(files);
    if (status !== 200) throw new Refused(status, { ...result, ...result.error });
    return result;
  }

  keep(files) {
    this.files = { ...kept(), ...files };
    try {
      localStorage.setItem(STORED, JSON.stringify(this.files));
    } catch {
      const hint = "Copy the text, or delete what other pages of this place keep.";
      throw new Refused(507, { message: "The browser has no room for the file.", hint });
    }
  }

  async stream() {
    const hint = "`pdl play` on your computer can.";
    throw new Refused(404, { message: "A page without a server cannot run a model.", hint });
  }

  /** A transport of `LSPClient`, over which the language server starts anew. */
  async language() {
    if (!this.admits()) throw new Error("The language server was stopped too often; it is tried again later.");
    this.transport?.close();
    const handlers = new Set();
    let method = "start";
    let close;
    const closed = new Promise((resolve) => (close = resolve));
    const transport = {
      send: (content) => {
        if (this.transport !== transport) return;
        this.post({ kind: "language", method, content, settle() {} });
        method = "go on";
      },
      subscribe: (handler) => handlers.add(handler),
      unsubscribe: (handler) => handlers.delete(handler),
      take: (message) => handlers.forEach((handler) => handler(message)),
      close,
      closed,
    };
    this.transport = transport;
    return transport;
  }
}
