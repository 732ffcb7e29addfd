// HTML of the language server's Markdown, of which only the tags of a text are kept. A prompt's own
// words are in it, and a prompt can come from anyone.

import { named } from "./visible.js";

const KEPT = new Set("p br pre code strong em b i del ul ol li h1 h2 h3 h4 h5 h6 hr blockquote table thead tbody tr th td".split(" "));
const EMPTY = new Set(["br", "hr"]);
const DROPPED = new Set("script style template iframe object embed svg math noscript textarea title select".split(" "));
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A text as it is written in HTML. */
export const escaped = (text) => text.replace(/[&<>"]/g, (one) => ENTITIES[one]);

/** The HTML of a node's children, without attributes, and without tags that are not of a text. */
export function inner(node) {
  let made = "";
  for (const child of node.childNodes) {
    if (child.nodeType === 3) made += escaped(named(child.data));
    else if (child.nodeType === 1) made += outer(child);
  }
  return made;
}

function outer(element) {
  const name = element.localName;
  if (DROPPED.has(name)) return "";
  if (!KEPT.has(name)) return inner(element);
  return EMPTY.has(name) ? `<${name}>` : `<${name}>${inner(element)}</${name}>`;
}

/** HTML that has no scripts, no addresses and no attributes. */
export function sanitize(html) {
  return inner(new DOMParser().parseFromString(html, "text/html").body);
}
