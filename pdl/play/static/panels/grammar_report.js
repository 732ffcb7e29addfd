// What a grammar enforces of a schema, keyword by keyword.

import { fill, h } from "../dom.js";
import { List } from "../lists.js";
import { choice, prose } from "../widgets.js";
import { counted } from "../words.js";

const WORDS = {
  EXACT: ["good", "✓", "exact"],
  BOUNDED: ["warn", "≈", "bounded"],
  POST_HOC: ["bad", "→", "after generation"],
};
const FIRST = 200; // keywords that are shown at first

function row({ path, keyword, verdict, why }) {
  const [kind, sign, words] = WORDS[verdict] ?? ["", "", verdict];
  const about = why ? h("span", { class: "why" }, prose(why)) : null;
  return { element: h("li", {}, h("span", { class: kind }, h("span", { "aria-hidden": "true" }, `${sign} `), words), h("code", {}, keyword), h("code", { class: "path" }, path), about) };
}

export function reportView() {
  const list = h("ul", { class: "report", "aria-label": "What the grammar enforces" });
  const rows = new List(list, row);
  const about = h("p", { class: "quiet" });
  const more = h("button", { type: "button", class: "small more", onclick: () => show((all = true)) });
  const which = choice("Which keywords", [["some", "Not exact"], ["all", "All"]], "some", (value) => show((everything = value === "all")));
  let everything = false;
  let all = false;
  let report = [];
  let beyond = 0;

  function show() {
    const wanted = everything ? report : report.filter((one) => one.verdict !== "EXACT");
    const counts = Object.entries(WORDS).map(([verdict, [, , words]]) => [words, report.filter((one) => one.verdict === verdict).length]);
    fill(about, counts.map(([words, count]) => `${count} ${words}`).join(", "), beyond ? `; ${counted(beyond, "more keyword")} not listed` : "", wanted.length || beyond ? "." : ". Nothing is left to the check.");
    list.hidden = !wanted.length;
    rows.set(all ? wanted : wanted.slice(0, FIRST));
    more.hidden = all || wanted.length <= FIRST;
    fill(more, `Show all ${counted(wanted.length, "keyword")}`);
  }

  return {
    element: h("div", {}, h("div", { class: "tools" }, which.element, about), list, more),
    set(grammar) {
      report = grammar.report;
      beyond = grammar.more ?? 0;
      show();
    },
  };
}
