// Makes elements. Text is always text: nothing here reads HTML, and no character of it is hidden.

import { named, unseen } from "./visible.js";

const ONLY_TEXT = new Set(["option", "textarea", "title"]); // what has no elements in it
const READ = new Set(["aria-label", "placeholder", "title", "alt"]);

/** A text as nodes: a character that cannot be seen is an element that shows its code. */
export function texts(text) {
  const nodes = [];
  let end = 0;
  for (const { at, char, code } of unseen(text)) {
    if (at > end) nodes.push(text.slice(end, at));
    const sign = document.createElement("span");
    sign.className = "unseen-char";
    sign.dataset.code = code;
    sign.append(char);
    nodes.push(sign);
    end = at + char.length;
  }
  return end ? [...nodes, text.slice(end)] : [text];
}

function given(children, tag) {
  const found = children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false);
  return found.flatMap((one) => (one instanceof Node ? one : ONLY_TEXT.has(tag) ? named(String(one)) : texts(String(one))));
}

/**
 * An element with attributes and children. An attribute `onclick` is a listener, `class` a string,
 * true an empty attribute; false, null and undefined leave it out. Children are elements and texts.
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : READ.has(name) ? named(String(value)) : value);
  }
  element.append(...given(children, tag));
  return element;
}

/** Replaces what is in an element. */
export function fill(element, ...children) {
  element.replaceChildren(...given(children, element.localName));
  return element;
}

/** A sentence of pdl: what is between backticks is code. */
export function prose(text) {
  return text.split(/(`[^`\n]+`)/).map((part) => (/^`.+`$/.test(part) ? h("code", {}, part.slice(1, -1)) : part));
}

/** What a panel shows instead of a part that is not there. */
export function empty(...children) {
  return h("p", { class: "empty" }, ...children);
}

/** What a panel shows for a part that could not be made: `failed` of a Look. */
export function failure(failed) {
  const place = failed.line ? `Line ${failed.line}: ` : "";
  return h("div", { class: "failure", role: "alert" }, h("p", {}, place, prose(failed.message)), failed.hint ? h("p", { class: "hint" }, prose(failed.hint)) : null);
}
