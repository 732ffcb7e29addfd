// The server can go away and come back; what was typed stays in the page.

import { h } from "./dom.js";
import { keepToken } from "./state.js";

const SOONEST = 500; // milliseconds until the next try
const LATEST = 5_000;

/** A form that takes the address that `pdl play` has printed. */
export function tokenForm(onToken) {
  const field = h("input", { type: "text", name: "address", "aria-label": "Address that pdl play has printed", placeholder: "http://127.0.0.1:…/#token=…", autocomplete: "off", spellcheck: "false" });
  const submit = (event) => {
    event.preventDefault();
    const token = /(?:token=)?([\w-]{8,})\s*$/.exec(field.value)?.[1];
    if (token) onToken(token);
    else field.focus();
  };
  return h("form", { class: "token", onsubmit: submit }, field, h("button", { type: "submit" }, "Connect"));
}

/** Tells of a server that is gone, and goes on when it is back. */
export class Connection {
  constructor(app, notices) {
    this.app = app;
    this.notices = notices;
    this.isGone = false;
    app.on("failed", (error) => this.failed(error));
    app.on("look", () => notices.hide("failed"));
  }

  failed(error) {
    if (error.isGone) this.gone();
    else if (error.status === 403) this.refused();
    else this.notices.show("failed", { kind: "bad", text: error.message, hint: error.hint ?? "", closes: true });
  }

  gone() {
    if (this.isGone) return;
    this.isGone = true;
    this.wait = SOONEST;
    this.notices.show("server", { kind: "bad", text: "The server of this page can’t be reached.", hint: "What you typed is kept; the page continues when pdl play runs again." });
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
      else if (error.status === 403) this.refused();
      else this.again();
    }
  }

  /** Another server answers, which does not know the token of this page. */
  refused() {
    this.isGone = true;
    const children = [tokenForm((token) => {
      keepToken(token);
      this.app.backend.token = token;
      this.attempt();
    })];
    this.notices.show("server", { kind: "bad", text: "pdl play was started again, with another token.", hint: "Paste the address that it has printed:", children });
    this.app.emit("connection", "refused");
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
