// "Save as test": the reply, its data and its verdict as a case of the file NAME.tests.pdl.

import { code, fill, h } from "../dom.js";
import { slot } from "./verdict.js";

const PAUSE = 200; // milliseconds after a keystroke

export class CaseDialog {
  constructor(app) {
    this.app = app;
    this.timer = 0;
    this.name = h("input", { type: "text", id: "case-name", required: true, autocomplete: "off", oninput: () => this.later() });
    this.preview = slot("div", { class: "preview" }, (text) => (text ? code(text, "case") : h("p", { class: "hint" }, "Writing the case …")));
    this.told = h("p", { role: "status" });
    this.save = h("button", { type: "submit", class: "main" }, "Save");
    const close = h("button", { type: "button", onclick: () => this.element.close() }, "Close");
    const form = h("form", { onsubmit: (event) => (event.preventDefault(), this.keep()) },
      h("h2", { id: "case-title" }, "Save as a test"),
      h("p", { class: "hint", id: "case-about" }),
      h("label", { for: "case-name" }, "Name of the case"), this.name, this.preview.element, this.told,
      h("div", { class: "row" }, this.save, close));
    this.about = form.querySelector("#case-about");
    this.element = h("dialog", { class: "case-dialog", "aria-labelledby": "case-title", "aria-describedby": "case-about" }, form);
  }

  get params() {
    const { prompt, data, reply, file } = this.app.state;
    return { name: this.name.value.trim() || "a reply", prompt, data, reply, ...(file ? { file } : {}) };
  }

  open(check) {
    const saves = Boolean(this.app.hello.files && this.app.state.file);
    const wants = check?.ok ? "The case expects the value that this reply has now." : "The case expects that this reply is refused.";
    fill(this.about, `${wants} ${saves ? "It is added to the file of tests beside the prompt." : "There is no file here to save it to: copy it into NAME.tests.pdl beside your prompt."}`);
    this.save.hidden = !saves;
    this.name.value = check?.ok ? "a good reply" : `a reply that is ${check?.reason ?? "refused"}`;
    fill(this.told);
    this.element.showModal();
    this.name.select();
    this.write();
  }

  later() {
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
      this.preview.show(text);
    } catch (error) {
      this.preview.show("");
      this.tell([error.message, error.hint].filter(Boolean).join("; "), "error");
    }
  }

  async keep() {
    this.save.disabled = true;
    try {
      const { file, line } = await this.app.backend.call("save_case", this.params);
      this.tell(`Saved: ${file}, line ${line}.`, "good");
    } catch (error) {
      this.tell([error.message, error.hint].filter(Boolean).join("; "), "error");
    } finally {
      this.save.disabled = false;
    }
  }
}
