// A reply of a model: what is read as the answer, what was repaired, what is wrong, live.

import { empty, failure, fill, h } from "../dom.js";
import { schemaUsesData, standInNote } from "../frame.js";
import { makeBox } from "../replies/box.js";
import { showCase } from "../replies/case_dialog.js";
import { presets } from "../replies/presets.js";
import { verdictView } from "../replies/verdict.js";
import { callWords } from "../words.js";

const EMPTY = "Paste a reply, or choose an example: you see what is read as the answer, what is repaired, and what is wrong.";
const WAITS = "The reply is being checked …";

class ReplyPanel {
  constructor(app) {
    this.app = app;
    this.host = h("div", { class: "editor" });
    this.told = h("div");
    this.calls = h("div");
    this.note = h("div");
    this.box = makeBox(this.host, {
      text: app.state.reply,
      onChange: (reply) => app.update({ reply }),
      onMove: (at) => this.move(at),
    });
    this.verdict = verdictView(app, (span) => this.box.jump(span));
    this.presets = presets(app, (one) => this.use(one));
    this.keep = h("button", { type: "button", onclick: () => showCase(app, app.look?.check) }, "Save as test …");
    this.bar = h("div", { class: "row" }, this.presets.element, this.keep);
    this.element = h("div", { class: "reply-panel" }, this.bar, this.host, this.note, this.told, this.calls, this.verdict.element);
    app.on("change", (names) => this.changed(names));
    app.on("opened", () => this.clear());
    app.on("failed", (error) => app.look || fill(this.told, failure(error)));
    app.on("place", (span) => this.box.jump(span));
    this.presets.load(app.state.file);
  }

  changed(names) {
    if (names.includes("reply")) this.box.set(this.app.state.reply);
    if (names.includes("file")) this.presets.load(this.app.state.file);
  }

  /** Shows nothing of another prompt. */
  clear() {
    this.lent = undefined;
    this.keep.disabled = true;
    this.box.mark(null, "");
    this.verdict.show(null);
    this.presets.show("");
    for (const one of [this.told, this.calls, this.note]) fill(one);
  }

  move(at) {
    this.app.state.at = at;
    this.app.emit("at", at);
  }

  /** Takes a reply of the menu, with the data that it was recorded with. */
  use({ text, data }) {
    const other = data !== undefined && data.trim() !== this.app.state.data.trim();
    const free = !this.app.state.data.trim() || this.app.state.data === this.lent;
    if (other && free) this.lent = data;
    this.app.update(other && free ? { reply: text, data } : { reply: text });
    const take = h("button", { type: "button", onclick: () => (fill(this.note), this.app.update({ data })) }, "Use its data");
    fill(this.note, other && !free ? h("p", { class: "hint" }, "This reply was recorded with other data. ", take) : null);
    this.box.focus();
  }

  /** What is wrong with calls in the reply, which its verdict does not speak of; null if nothing is. */
  rejected(tools) {
    const words = callWords(tools);
    if (!words.endsWith("rejected")) return null;
    const show = h("button", { type: "button", class: "small", onclick: () => this.app.open("tools", true) }, "Show the tools");
    return h("p", { class: "bad" }, `✗ ${words} `, show);
  }

  render(look) {
    const { check, schema, tools, failed } = look;
    const checked = this.app.looked?.reply ?? "";
    this.box.mark(checked ? check : null, checked);
    this.verdict.show(failed.check ? null : check);
    fill(this.calls, this.rejected(tools));
    this.keep.disabled = !check;
    this.presets.show(schema?.example ?? "");
    const invented = check && schemaUsesData(look) ? standInNote(this.app, look) : null;
    fill(this.told, failed.check ? failure(failed.check) : check ? invented : empty(this.app.state.reply ? WAITS : EMPTY));
  }
}

export function create(app) {
  const panel = new ReplyPanel(app);
  return {
    id: "reply",
    title: "Reply",
    element: panel.element,
    render: (look) => panel.render(look),
    show: () => panel.box.measure(),
  };
}
