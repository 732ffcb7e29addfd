// Small parts that several panels are made of.

import { fill, h } from "./dom.js";
import { highlighted } from "./highlight.js";

export { prose } from "./dom.js";

const SAID = 1_500; // milliseconds for which a button says what it has done
const SHOWN = 6_000; // characters of a long text

/** Copies a text; false if the browser does not let it. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedByHand(text);
  }
}

/** The older way, for pages that are not in a secure context. */
function copiedByHand(text) {
  const field = h("textarea", { class: "unseen", "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  const focused = document.activeElement;
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  focused?.focus?.();
  return done;
}

/** A button that copies what `text()` returns. `label` says what that is: "the schema". */
export function copyButton(app, label, text, words = "Copy") {
  const button = h("button", { type: "button", class: "small" }, words);
  if (words === "Copy") button.setAttribute("aria-label", `Copy ${label}`);
  button.addEventListener("click", async () => {
    const done = await copied(text());
    const said = done ? "Copied" : "Could not copy";
    fill(button, said);
    app.announce(done ? `Copied ${label}` : `Could not copy ${label}: the browser does not allow it`);
    setTimeout(() => fill(button, words), SAID);
  });
  return button;
}

let groups = 0;

/**
 * Radio buttons in a row. `options`: [[value, words]]. `onChange(value)` is called when its user
 * chooses; `choose(value)` only shows a choice.
 */
export function choice(label, options, chosen, onChange) {
  const name = `choice-${(groups += 1)}`;
  const inputs = new Map();
  const element = h("fieldset", { class: "choice" }, h("legend", { class: "unseen" }, label));
  for (const [value, words] of options) {
    const input = h("input", { type: "radio", name, value, checked: value === chosen, onchange: () => onChange(value) });
    inputs.set(value, input);
    element.append(h("label", {}, input, h("span", {}, words)));
  }
  return {
    element,
    choose(value) {
      if (inputs.has(value)) inputs.get(value).checked = true;
    },
  };
}

/** A list to choose from, for many names: `set(names, chosen)` fills it if they have changed. */
export function menu(label, onChange) {
  const id = `menu-${(groups += 1)}`;
  const select = h("select", { id, onchange: () => onChange(select.value) });
  let known = "";
  return {
    element: h("span", { class: "menu" }, h("label", { for: id }, label), select),
    set(names, chosen) {
      if (known !== JSON.stringify(names)) fill(select, names.map((name) => h("option", { value: name }, name)));
      known = JSON.stringify(names);
      select.value = chosen;
    },
  };
}

/** A text in the fixed font, shortened if it is long; `set(text)` changes it in place. */
export function longText(text, { label, language = "" } = {}) {
  const pre = h("pre", label ? { tabindex: "0", role: "region", "aria-label": label } : {});
  const more = h("button", { type: "button", class: "small more", onclick: () => show(true) });
  const element = h("div", { class: "long" }, pre, more);
  let whole = text;
  let all = false;

  function show(everything) {
    all = everything;
    const cut = !all && whole.length > SHOWN + 1_000;
    fill(pre, highlighted(cut ? whole.slice(0, SHOWN) : whole, language));
    more.hidden = !cut;
    fill(more, `Show all ${whole.length.toLocaleString("en")} characters`);
  }

  show(false);
  return {
    element,
    set(next) {
      if (next === whole) return;
      whole = next;
      show(all);
    },
    get text() {
      return whole;
    },
  };
}
