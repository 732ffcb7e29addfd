// What one types a single value into. Each control is {element, input, set(value)}; it calls
// `edit(value)` when its user changes it, with undefined for a value that is not given.

import { fill, h } from "../dom.js";
import { number, shown, tree, write } from "./json_text.js";

const EXAMPLES = { "date-time": "2026-11-23T18:30:00Z", time: "18:30:00" };

/** The control of a shape that has no parts. */
export function control(shape, labels, edit) {
  switch (shape.kind) {
    case "choice": return choice(shape.values, labels, edit);
    case "integer":
    case "number": return numeric(labels, edit);
    case "date": return date(labels, edit);
    case "json": return raw(shape.texts, labels, edit);
    default: return text(shape.kind, labels, edit);
  }
}

/** Writes into a field only what differs, so that its caret stays. */
function put(input, value) {
  if (input.value !== value) input.value = value;
}

function text(kind, labels, edit) {
  const input = h("textarea", { ...labels, rows: kind === "long" ? 5 : 1, class: kind, oninput: () => edit(input.value) });
  const hint = EXAMPLES[kind] ?? "";
  return {
    element: input,
    input,
    set(value) {
      put(input, value === undefined ? "" : shown(value));
      input.placeholder = value === undefined ? hint : "";
    },
  };
}

function numeric(labels, edit) {
  const typed = () => (input.value.trim() ? (number(input.value.trim()) ?? input.value) : undefined);
  const input = h("input", { ...labels, type: "text", inputmode: "decimal", autocomplete: "off", oninput: () => edit(typed()) });
  return {
    element: input,
    input,
    set(value) {
      if (value === undefined ? typed() !== undefined : shown(value) !== input.value.trim()) put(input, value === undefined ? "" : shown(value));
    },
  };
}

function date(labels, edit) {
  const input = h("input", { ...labels, type: "date", oninput: () => edit(input.value || undefined) });
  return {
    element: input,
    input,
    set(value) {
      // What is no date would not be shown by a field of dates.
      const odd = value !== undefined && !/^\d{4}-\d\d-\d\d$/.test(value);
      if (document.activeElement !== input) input.type = odd ? "text" : "date";
      put(input, value === undefined ? "" : shown(value));
    },
  };
}

function choice(values, labels, edit) {
  const texts = values.map((one) => write(one));
  const input = h("select", { ...labels, onchange: () => edit(input.value ? JSON.parse(input.value) : undefined) });
  const option = (value) => h("option", { value }, value.startsWith('"') ? JSON.parse(value) || '""' : value);
  let others = null;
  return {
    element: input,
    input,
    set(value) {
      const chosen = value === undefined ? "" : write(value);
      const other = chosen && !texts.includes(chosen) ? chosen : "";
      if (other !== others) {
        others = other;
        fill(input, h("option", { value: "" }, "not given"), texts.map(option), other ? option(other) : null);
      }
      input.value = chosen;
    },
  };
}

/** A text, or anything as JSON: for what has several types, or none. */
function raw(texts, labels, edit) {
  const told = h("p", { class: "hint" });
  const input = h("textarea", { ...labels, rows: 1, class: "raw", spellcheck: "false", oninput: () => changed() });
  const kind = h("select", { "aria-label": "Written as", onchange: () => changed() }, h("option", { value: "text" }, "Text"), h("option", { value: "json" }, "JSON"));
  kind.hidden = !texts;
  kind.value = texts ? "text" : "json";
  let last;

  function changed() {
    const found = kind.value === "text" ? { value: input.value } : tree(input.value);
    input.classList.toggle("as-json", kind.value === "json");
    fill(told, found || !input.value.trim() ? "" : "This is not JSON yet; the data keep the last value that was.");
    if (!found && input.value.trim()) return;
    last = found ? write(found.value) : undefined;
    edit(found?.value);
  }

  return {
    element: h("div", { class: "either" }, kind, input, told),
    input,
    set(value) {
      const next = value === undefined ? undefined : write(value);
      if (next === last && last !== undefined) return;
      if (next === undefined && last === undefined && input.value) input.value = "";
      last = next;
      if (value === undefined) return put(input, "");
      kind.value = texts && typeof value === "string" ? "text" : "json";
      put(input, kind.value === "text" ? value : write(value, 2));
      fill(told);
    },
  };
}
