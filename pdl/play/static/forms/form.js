// The form of the data: fields with their errors, lists and objects within each other.

import { fill, h } from "../dom.js";
import { control } from "./controls.js";
import { write } from "./json_text.js";
import { unseen } from "../visible.js";
import { prose } from "../widgets.js";
import { blank, steps } from "./shape.js";

/** What a field cannot show of a text. */
function unseenWords(value) {
  const codes = typeof value === "string" ? [...new Set(unseen(value).map(({ code }) => code))] : [];
  const more = codes.length > MOST ? " …" : "";
  return codes.length ? `contains ${codes.slice(0, MOST).join(", ")}${more}` : "";
}

const MOST = 8; // characters that are listed
const DEEPEST = 8;
let made = 0;

/** A form of fields; `edit(path, value)` is called at each change of its user. */
export class Form {
  constructor(fields, edit) {
    this.edit = edit;
    this.places = new Map();
    this.parts = fields.map((one) => this.field(one, [one.name]));
    this.general = h("div", { class: "errors" });
    this.element = h("div", { class: "form" }, this.general, this.parts.map(({ element }) => element));
    this.fields = fields;
  }

  /** Shows other data. What is the same is not touched. */
  set(value) {
    this.parts.forEach((part, at) => part.set(value?.[this.fields[at].name]));
  }

  /** Shows problems, each at its field, or above the form. */
  mark(problems) {
    const texts = new Map();
    for (const { path, message } of problems) {
      const place = this.nearest(path, message);
      texts.set(place, [...(texts.get(place) ?? []), message]);
    }
    for (const [key, place] of this.places) this.tell(place, texts.get(key) ?? []);
    fill(this.general, (texts.get("") ?? []).map((one) => h("p", { class: "error" }, prose(one))));
  }

  /** The key of the innermost field of a path; "" if there is none. */
  nearest(path, message) {
    let found = path && path !== "$" ? steps(path) : [/`([^`]+)`/.exec(message)?.[1]];
    for (; found.length; found = found.slice(0, -1)) {
      const key = JSON.stringify(found);
      if (this.places.has(key)) return key;
    }
    return "";
  }

  tell({ slot, input }, messages) {
    const text = messages.join("\n");
    if (slot.dataset.text !== text) fill(slot, prose(text));
    slot.dataset.text = text;
    if (text) input?.setAttribute("aria-invalid", "true");
    else input?.removeAttribute("aria-invalid");
  }

  /** A field with its name, its type, its description and its errors. */
  field(one, path) {
    const id = `field-${(made += 1)}`;
    const slot = h("p", { class: "error", id: `${id}-error` });
    const about = one.description ? h("p", { class: "hint", id: `${id}-about` }, one.description) : null;
    const labels = { id, "aria-describedby": [about?.id, slot.id].filter(Boolean).join(" "), "aria-required": one.required ? "true" : null };
    const body = this.body(one.shape(), path, labels, one.required);
    const out = h("button", { type: "button", class: "quiet", onclick: () => (this.edit(path, undefined), body.input?.focus()) }, "Leave out");
    out.setAttribute("aria-label", `Leave out ${one.name}`);
    const state = h("span", { class: "state" });
    this.places.set(JSON.stringify(path), { slot, input: body.input });
    const absent = one.default === undefined ? (one.required ? "required" : "optional, not given") : `default ${write(one.default)}`;
    const name = body.input ? h("label", { for: id }, one.name) : h("span", { class: "name" }, one.name);
    const head = h("div", { class: "head" }, name, one.type ? h("code", {}, one.type) : null, state, out);
    return {
      element: h("div", body.input ? { class: "field" } : { class: "field", role: "group", "aria-label": one.name }, head, about, body.element, slot),
      set(value) {
        out.hidden = value === undefined || one.required;
        fill(state, value === undefined ? absent : unseenWords(value));
        body.set(value);
      },
    };
  }

  body(shape, path, labels, required) {
    if (path.length > DEEPEST) return control({ kind: "json", texts: false }, labels, (value) => this.edit(path, value));
    if (shape.kind === "list") return this.list(shape, path);
    if (shape.kind === "object") return this.object(shape, path, required);
    return control(shape, labels, (value) => this.edit(path, value));
  }

  /** The fields of an object, which is made when it is asked for if it need not be there. */
  object(shape, path, required) {
    const element = h("div", { class: "nested" });
    const add = h("button", { type: "button", onclick: () => this.edit(path, blank(shape)) }, `Add ${path.at(-1)}`);
    let parts = null;
    return {
      element,
      set: (value) => {
        if (value === undefined && !required) {
          fill(element, add);
          parts = null;
          return;
        }
        if (!parts) {
          parts = shape.fields.map((one) => this.field(one, [...path, one.name]));
          fill(element, parts.map((part) => part.element));
        }
        parts.forEach((part, at) => part.set(value?.[shape.fields[at].name]));
      },
    };
  }

  list(shape, path) {
    const of = shape.of();
    const items = h("ol", { class: "items" });
    const add = h("button", { type: "button", onclick: () => this.append(path, of, parts) }, "Add an item");
    const parts = [];
    return {
      element: h("div", { class: "nested" }, items, add),
      set: (value) => {
        const values = Array.isArray(value) ? value : [];
        while (parts.length > values.length) parts.pop().element.remove();
        while (parts.length < values.length) {
          const part = this.item(of, [...path, parts.length], add);
          parts.push(part);
          items.append(part.element);
        }
        parts.forEach((part, at) => part.set(values[at]));
      },
    };
  }

  append(path, of, parts) {
    this.edit([...path, parts.length], blank(of));
    parts.at(-1)?.element.querySelector("textarea, input, select")?.focus();
  }

  item(shape, path, add) {
    const label = `${path.at(-2)} ${path.at(-1) + 1}`;
    const slot = h("p", { class: "error", id: `field-${(made += 1)}-error` });
    const body = this.body(shape, path, { "aria-label": label, "aria-describedby": slot.id }, true);
    const remove = h("button", { type: "button", class: "quiet", onclick: () => (this.edit(path, undefined), add.focus()) }, "Remove");
    remove.setAttribute("aria-label", `Remove ${label}`);
    this.places.set(JSON.stringify(path), { slot, input: body.input });
    return { element: h("li", {}, h("div", { class: "item" }, body.element, remove), slot), set: body.set };
  }
}
