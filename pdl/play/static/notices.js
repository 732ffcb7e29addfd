// Bars above the page: what happened, and what can be done about it.

import { fill, h, prose } from "./dom.js";

export class Notices {
  constructor(element) {
    this.element = element;
    this.shown = new Map();
  }

  /**
   * Shows a bar in place of the one with this id. `actions`: [{label, run}]; `closes`: its user can
   * close it; `kind`: "bad", "warn" or "note".
   */
  show(id, { kind = "note", text, hint = "", actions = [], children = [], closes = false }) {
    const key = JSON.stringify([kind, text, hint, actions.map(({ label }) => label)]);
    if (this.shown.get(id)?.key === key) return;
    const buttons = actions.map(({ label, run }) => h("button", { type: "button", onclick: run }, label));
    const close = closes ? h("button", { type: "button", class: "plain", "aria-label": "Close", onclick: () => this.hide(id) }, "×") : null;
    const words = h("p", {}, h("strong", {}, prose(text)), hint ? [" ", prose(hint)] : null);
    const element = h("div", { class: `notice ${kind}`, role: kind === "note" ? "status" : "alert" }, words, children, buttons, close);
    this.shown.set(id, { key, element });
    this.draw();
  }

  has(id) {
    return this.shown.has(id);
  }

  hide(id) {
    if (this.shown.delete(id)) this.draw();
  }

  draw() {
    fill(this.element, [...this.shown.values()].map(({ element }) => element));
  }
}
