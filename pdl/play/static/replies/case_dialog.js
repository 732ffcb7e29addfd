// "Save as test": the reply, its data and its verdict as a case of the file NAME.tests.pdl.

import { dialog } from "../dialog.js";
import { fill, h } from "../dom.js";
import { copyButton, longText } from "../widgets.js";

const PAUSE = 200; // milliseconds after a keystroke

const words = (error) => [error.message, error.hint].filter(Boolean).join("; ");

class CaseForm {
  constructor(app, check) {
    this.app = app;
    this.timer = 0;
    this.saves = Boolean(app.hello.files && app.state.file);
    this.name = h("input", { type: "text", id: "case-name", required: true, autocomplete: "off", oninput: () => this.later() });
    this.name.value = check.ok ? "a good reply" : `a reply that is refused: ${check.reason}`;
    this.text = longText("", { label: "The case" });
    this.preview = h("div", { class: "preview", hidden: true }, copyButton(app, "the case", () => this.text.text), this.text.element);
    this.told = h("p", { role: "status" });
    this.save = h("button", { type: "submit", class: "main", hidden: !this.saves }, "Save");
    const wants = check.ok ? "The case expects the value that this reply has now." : "The case expects that this reply is refused.";
    const where = this.saves ? "It is added to the file of tests of this prompt." : "The prompt is not a file here: copy the case into NAME.tests.pdl next to your prompt.";
    this.element = h("form", { class: "case", onsubmit: (event) => this.keep(event) },
      h("p", { class: "hint" }, wants, " ", where),
      h("label", { for: "case-name" }, "Name of the case"), this.name, this.preview, this.told, this.save);
  }

  get params() {
    const { prompt, data, reply, file } = this.app.state;
    return { name: this.name.value.trim() || "a reply", prompt, data, reply, ...(file ? { file } : {}) };
  }

  later() {
    this.save.disabled = false; // another name is another case
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), PAUSE);
  }

  tell(text, kind = "") {
    this.told.className = kind;
    fill(this.told, text);
  }

  async write() {
    try {
      const { text } = await this.app.backend.call("case", this.params);
      this.text.set(text);
      this.preview.hidden = false;
      if (!this.save.disabled) this.tell(""); // what a save says stays
    } catch (error) {
      this.preview.hidden = true;
      if (!this.save.disabled) this.tell(words(error), "error");
    }
  }

  async keep(event) {
    event.preventDefault();
    if (!this.saves) return;
    this.save.disabled = true;
    try {
      const { file, line } = await this.app.backend.call("save_case", this.params);
      this.tell(`Saved: ${file}, line ${line}.`, "good");
      this.app.emit("recorded", file);
    } catch (error) {
      this.save.disabled = false;
      this.tell(words(error), "error");
    }
  }
}

/** Shows the case of the reply and its check, to save or to copy. */
export function showCase(app, check) {
  const form = new CaseForm(app, check);
  dialog("Save as a test", form.element, { kind: "viewer" });
  form.name.select();
  form.write();
}
