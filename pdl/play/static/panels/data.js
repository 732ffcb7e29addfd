// The data of the prompt: a form, or the text of a JSON or YAML file. Both change one text.

import { empty, failure, fill, h } from "../dom.js";
import { makeEditor } from "../editor.js";
import { kindOf, valueOf, withField } from "../forms/document.js";
import { Form } from "../forms/form.js";
import { withValue } from "../forms/json_text.js";
import { fieldsOf } from "../forms/shape.js";
import { choice, prose } from "../widgets.js";

const DECLARE = "<|input|>\n{ review: str, stars?: int<1,5> }";
const NOTES = {
  broken: "The text is not JSON, so the form can't show it. Correct it in the text.",
  other: "The text is not an object with a field for each input, so the form can't show it. Correct it in the text.",
};

class DataPanel {
  constructor(app) {
    this.app = app;
    this.given = {};
    this.told = h("div", { class: "told" });
    this.offer = h("p", { class: "offer" });
    this.formHost = h("div");
    this.textHost = h("div", { class: "editor" });
    this.views = choice("Write the data as", [["form", "Form"], ["text", "Text"]], "form", (id) => this.choose(id));
    this.element = h("div", { class: "data-panel" }, this.views.element, this.offer, this.formHost, this.textHost, this.told);
    this.editor = makeEditor(this.textHost, {
      label: "Data, as JSON or YAML",
      text: app.state.data,
      hint: "review: It broke after a week.",
      onChange: (data) => app.update({ data }),
    });
    app.on("change", (names) => names.includes("data") && this.synchronize());
    app.on("opened", () => this.clear());
    app.on("failed", (error) => app.look || fill(this.told, failure(error)));
    this.choose("form");
  }

  choose(id) {
    this.view = id;
    this.formHost.hidden = id !== "form";
    this.textHost.hidden = id !== "text";
    if (id === "text") this.editor.view.requestMeasure();
  }

  /** Takes over a text that something else has changed. */
  synchronize() {
    if (this.editor.text !== this.app.state.data) this.editor.set(this.app.state.data);
  }

  /** Shows nothing of another prompt. */
  clear() {
    this.given = {};
    this.key = null;
    this.form = null;
    for (const one of [this.offer, this.formHost, this.told]) fill(one);
  }

  edit(path, value) {
    const { data } = this.app.state;
    const next = withField(data, this.given, path, value);
    if (next === null || next === data) return;
    this.given = withValue(this.given ?? {}, path, value);
    this.app.update({ data: next });
    this.form.set(valueOf(next, this.given));
  }

  render({ inputs, failed }) {
    const text = this.app.state.data;
    // A look at an older text must not take back what was typed meanwhile.
    if (inputs && this.app.looked?.data === text) this.given = inputs.given;
    if (inputs) this.shape(inputs);
    const value = valueOf(text, this.given);
    const shows = typeof value === "object" && value !== null && !Array.isArray(value);
    const note = shows ? null : NOTES[kindOf(text) === "broken" ? "broken" : "other"];
    this.form?.set(shows ? value : {});
    this.form?.mark(inputs?.problems ?? []);
    if (this.form) this.form.element.hidden = !shows;
    fill(this.offer, shows && this.view === "form" ? this.invented(inputs) : null);
    fill(this.told, note && this.view === "form" ? h("p", { class: "hint" }, note) : null, this.problems(inputs, failed.inputs, shows));
  }

  /** What the form does not show at its fields. */
  problems(inputs, failed, shows) {
    if (failed) return failure(failed);
    if (this.view === "form" && shows) return null;
    return (inputs?.problems ?? []).map(({ path, message, hint, line, column }) => {
      const words = prose(path && path !== "$" ? `${path}: ${message}` : message);
      const go = line ? h("button", { type: "button", class: "small", onclick: () => this.goTo(line, column) }, `Line ${line}`) : null;
      return h("p", { class: "error" }, words, " ", go, hint ? h("span", { class: "hint" }, " ", prose(hint)) : null);
    });
  }

  /** Puts the cursor of the text at a line and a column, which count from 1. */
  goTo(line, column) {
    this.views.choose("text");
    this.choose("text");
    const { view } = this.editor;
    const { from, to } = view.state.doc.line(Math.min(line, view.state.doc.lines));
    view.dispatch({ selection: { anchor: Math.min(from + Math.max(0, (column ?? 1) - 1), to) }, scrollIntoView: true });
    view.focus();
  }

  /** Offers to take what the turns show where data are missing. */
  invented(inputs) {
    const names = Object.keys(inputs?.stand_ins ?? {});
    if (!names.length) return null;
    const take = () => {
      for (const name of names) this.edit([name], inputs.stand_ins[name]);
    };
    return [h("span", { class: "hint" }, "The turns show an example of what is missing. "), h("button", { type: "button", class: "small", onclick: take }, "Use the examples")];
  }

  /** Makes another form, if the inputs are others than before. */
  shape(inputs) {
    const key = JSON.stringify([inputs.declared, inputs.schema, inputs.declared ? inputs.fields : inputs.names]);
    if (key === this.key) return;
    this.key = key;
    const fields = fieldsOf(inputs);
    this.form = new Form(fields, (path, value) => this.edit(path, value));
    const nothing = [empty("This prompt takes no data. A template reads a value with {{ review }}; declare its type in a turn:"), h("pre", {}, DECLARE)];
    const advice = empty("The inputs are not declared: any value fits. An <|input|> turn gives them types, and this form its fields.");
    fill(this.formHost, fields.length ? [inputs.declared ? null : advice, this.form.element] : nothing);
  }
}

export function create(app) {
  const panel = new DataPanel(app);
  return {
    id: "data",
    title: "Data",
    element: panel.element,
    render: (look) => panel.render(look),
  };
}
