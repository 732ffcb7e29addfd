// What a check says: its verdict, the findings, the value, and what a model would be told.

import { code, fill, h } from "../dom.js";
import { findings, headline } from "./marks.js";

const MOST = 200; // findings that are listed
const LONGEST = 20_000; // characters of a value that are shown at once

/** A place whose content is made anew only if what it shows is another; `make(value)` gives elements. */
export function slot(tag, attributes, make) {
  const element = h(tag, attributes);
  let shown;
  return {
    element,
    show(value) {
      const key = JSON.stringify(value) ?? "";
      if (key === shown) return;
      shown = key;
      const at = [...element.querySelectorAll("button")].indexOf(document.activeElement);
      fill(element, make(value));
      if (at >= 0) element.querySelectorAll("button")[at]?.focus();
    },
  };
}

/** A text with what is between backticks in the fixed font. */
export function worded(text) {
  return text.split(/`([^`\n]+)`/).map((part, at) => (at % 2 ? h("code", {}, part) : part));
}

/** A text that may be long: its start, and a button for the rest. */
export function long(text, label) {
  if (text.length <= LONGEST) return code(text, label);
  const box = h("div", {}, code(`${text.slice(0, LONGEST)}…`, label));
  const more = h("button", { type: "button", onclick: () => fill(box, code(text, label)) }, `Show all ${text.length.toLocaleString("en")} characters`);
  box.append(more);
  return box;
}

function finding({ kind, title, words, detail, span }, jump) {
  const body = [h("span", { class: `kind ${kind}` }, title), " ", worded(words), detail ? h("span", { class: "detail" }, ` ${detail}`) : null];
  return h("li", {}, span && jump ? h("button", { type: "button", class: "finding", title: "Show the place", onclick: () => jump(span) }, body) : h("p", { class: "finding" }, body));
}

/** The verdict as a view: {element, show(check)}. `jump(span)` goes to a place of the reply; null: it can't. */
export function verdictView(jump) {
  const head = slot("p", { class: "verdict" }, (check) => [h("span", { class: check.ok ? "good" : "bad", "aria-hidden": "true" }, check.ok ? "✓ " : "✗ "), h("strong", { class: check.ok ? "good" : "bad" }, worded(headline(check)))]);
  const list = slot("div", {}, (found) => [
    found.length ? h("ul", { class: "findings", "aria-label": "Repairs and errors" }, found.slice(0, MOST).map((one) => finding(one, jump))) : null,
    found.length > MOST ? h("p", { class: "hint" }, `and ${found.length - MOST} more`) : null,
  ]);
  const value = slot("section", {}, (check) => (check.ok ? [h("h3", {}, "Value"), long(JSON.stringify(check.value, null, 2), "value")] : null));
  const feedback = slot("section", {}, (text) => (text ? [h("h3", {}, "What a model would be told"), code(text, "feedback")] : null));
  const element = h("div", { class: "verdict-view" }, head.element, list.element, value.element, feedback.element);
  return {
    element,
    show(check) {
      element.hidden = !check;
      if (!check) return;
      head.show({ ok: check.ok, summary: check.summary, reason: check.reason, repairs: check.repairs.map(() => 0) });
      list.show(findings(check));
      value.show({ ok: check.ok, value: check.value });
      feedback.show(check.feedback);
    },
  };
}
