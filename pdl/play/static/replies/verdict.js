// What a check says: its verdict, the findings, the value, and what a model would be told.

import { fill, h } from "../dom.js";
import { jsonView } from "../json_view.js";
import { List } from "../lists.js";
import { copyButton, longText, prose } from "../widgets.js";
import { counted } from "../words.js";
import { findings, headline } from "./marks.js";

const MOST = 200; // findings that are listed

/** A finding of a list; `jump(span)` leads to its place. */
function finding({ kind, title, words, detail, span }, jump) {
  const body = [h("span", { class: `kind ${kind}` }, title), h("span", { class: "what" }, prose(words), detail ? h("span", { class: "detail" }, ` ${detail}`) : null)];
  const leads = span && jump;
  return { element: h("li", {}, leads ? h("button", { type: "button", class: "finding", title: "Show the place", onclick: () => jump(span) }, body) : h("p", { class: "finding" }, body)) };
}

/** A text that can be copied, under a title; `set(text)` hides it if there is none. */
function told(app, title, label) {
  const text = longText("", { label });
  const element = h("section", {}, h("header", { class: "row" }, h("h3", {}, title), copyButton(app, label, () => text.text)), text.element);
  return {
    element,
    set(next) {
      element.hidden = !next;
      text.set(next);
    },
  };
}

/** The verdict as a view: {element, show(check)}. `jump(span)` goes to a place of the reply; null: it can't. */
export function verdictView(app, jump) {
  const head = h("p", { class: "verdict" });
  const items = h("ul", { class: "findings", "aria-label": "Repairs and errors" });
  const list = new List(items, (one) => finding(one, jump));
  const more = h("p", { class: "quiet" });
  const value = jsonView(app, null, { label: "the value", depth: 3 });
  const shown = h("section", {}, h("h3", {}, "Value"), value.element);
  const feedback = told(app, "What a model would be told", "the feedback");
  const element = h("div", { class: "verdict-view" }, head, items, more, shown, feedback.element);
  return {
    element,
    show(check) {
      element.hidden = !check;
      if (!check) return;
      fill(head, h("span", { class: check.ok ? "good" : "bad", "aria-hidden": "true" }, check.ok ? "✓ " : "✗ "), h("strong", { class: check.ok ? "good" : "bad" }, prose(headline(check))));
      const found = findings(check);
      items.hidden = !found.length;
      list.set(found.slice(0, MOST));
      const left = Math.max(0, found.length - MOST) + (check.more ?? 0);
      fill(more, left ? `and ${counted(left, "more finding")}` : "");
      shown.hidden = !check.ok;
      value.set(check.ok ? check.value : null);
      feedback.set(check.feedback);
    },
  };
}
