// The server can go away and come back, there or at another address; what was typed is kept.

import { fill, h } from "./dom.js";
import { handover, keepToken } from "./state.js";

const SOONEST = 500; // milliseconds until the next try
const LATEST = 5_000;
const STRANGER = 401; // the status of an answer to a page with another token
const LOOPBACK = new Set(["127.0.0.1", "localhost"]);

/** The token of an address that `pdl play` has printed, and its origin; null if it is no such address. */
export function addressOf(text, origin) {
  const typed = text.trim();
  if (/^[\w-]{8,}$/.test(typed)) return { token: typed, origin };
  const [, token] = /#token=([\w-]+)/.exec(typed) ?? [];
  const url = URL.canParse(typed) ? new URL(typed) : null;
  return token && url?.protocol === "http:" && LOOPBACK.has(url.hostname) ? { token, origin: url.origin } : null;
}

/** A form that takes the address that `pdl play` has printed; `onAddress({token, origin})`. */
export function tokenForm(onAddress) {
  const field = h("input", { type: "text", name: "address", "aria-label": "Address that pdl play has printed", placeholder: "http://127.0.0.1:…/#token=…", autocomplete: "off", spellcheck: "false" });
  const told = h("span", { class: "bad", role: "alert" });
  const submit = (event) => {
    event.preventDefault();
    const address = addressOf(field.value, location.origin);
    fill(told, address ? "" : "This is not an address that pdl play prints.");
    if (address) onAddress(address);
    else field.focus();
  };
  return h("form", { class: "token", onsubmit: submit }, field, h("button", { type: "submit" }, "Connect"), told);
}

/** Tells of a server that is gone, and goes on when it is back. */
export class Connection {
  constructor(app, notices) {
    this.app = app;
    this.notices = notices;
    this.isGone = false;
    app.on("failed", (error) => this.failed(error));
    app.on("look", () => notices.hide("failed"));
    app.on("language", (state) => state === "connecting" && this.check());
  }

  failed(error) {
    if (error.isGone) this.gone();
    else if (error.status === STRANGER) this.refused();
    else this.notices.show("failed", { kind: "bad", text: error.message, hint: error.hint ?? "", closes: true });
  }

  gone() {
    if (this.isGone) return;
    this.isGone = true;
    this.wait = SOONEST;
    const hint = "What you typed is kept, and the page continues when pdl play runs again at this address. If it has printed another address, paste that here:";
    this.notices.show("server", { kind: "bad", text: "The server of this page can’t be reached.", hint, children: this.form() });
    this.app.emit("connection", "gone");
    this.again();
  }

  again() {
    setTimeout(() => this.attempt(), this.wait);
    this.wait = Math.min(LATEST, this.wait * 2);
  }

  async attempt() {
    try {
      await this.app.backend.hello();
      this.back();
    } catch (error) {
      if (error.isGone) this.again();
      else if (error.status === STRANGER) this.refused();
      else this.again();
    }
  }

  /** Asks whether the server is there, since something else has lost it. */
  async check() {
    if (this.isGone) return;
    await this.app.backend.hello().catch((error) => (error.isGone || error.status === STRANGER) && this.failed(error));
  }

  /** Another server answers, which does not know the token of this page. */
  refused() {
    this.isGone = true;
    this.notices.show("server", { kind: "bad", text: "pdl play was started again, with another token.", hint: "What you typed is kept. Paste the address that it has printed:", children: this.form() });
    this.app.emit("connection", "refused");
  }

  form() {
    return [tokenForm((address) => this.follow(address))];
  }

  /** Goes on with a server: here, or at another address, which is given what was typed. */
  async follow({ token, origin }) {
    if (origin === location.origin) {
      keepToken(token);
      this.app.backend.token = token;
      this.attempt();
      return;
    }
    const fragment = await handover(token, this.app.files.kept());
    if (fragment) this.app.leave(`${origin}/${fragment}`);
    else this.notices.show("moved", { kind: "bad", text: "This is too much text for an address.", hint: "Copy what you typed, and open the other address by hand.", closes: true });
  }

  back() {
    this.isGone = false;
    this.notices.hide("server");
    this.notices.hide("failed");
    this.app.emit("connection", "on");
    this.app.announce("The server is back.");
    this.app.refresh();
  }
}
