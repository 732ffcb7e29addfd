// Makes elements. Text is always text: nothing here reads HTML.

const given = (children) => children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false);

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
  element.append(...given(children));
  return element;
}

/** Replaces what is in an element. */
export function fill(element, ...children) {
  element.replaceChildren(...given(children));
  return element;
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
