// Makes elements. Text is always text: nothing here reads HTML.

/**
 * An element with attributes and children. An attribute `onclick` is a listener, `class` a string,
 * true an empty attribute; false, null and undefined leave it out. Children are elements and texts.
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

/** Replaces what is in an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

/** A text of several lines in the fixed font, with a button that copies it. */
export function code(text, label) {
  const copy = h("button", { type: "button", class: "copy", onclick: () => navigator.clipboard.writeText(text) }, "Copy");
  copy.setAttribute("aria-label", `Copy ${label}`);
  return h("div", { class: "code" }, copy, h("pre", { tabindex: "0", "aria-label": label }, text));
}

/** What a panel shows instead of a part that is not there. */
export function empty(...children) {
  return h("p", { class: "empty" }, ...children);
}

/** What a panel shows for a part that could not be made: `failed` of a Look. */
export function failure(failed) {
  const place = failed.line ? `Line ${failed.line}: ` : "";
  return h("div", { class: "failure", role: "alert" }, h("p", {}, place, failed.message), failed.hint ? h("p", { class: "hint" }, failed.hint) : null);
}
