// What a grammar enforces of a schema, keyword by keyword.

import { fill, h } from "../dom.js";
import { List } from "../lists.js";
import { choice, counted, prose } from "../widgets.js";

const WORDS = {
  EXACT: ["good", "✓", "exact"],
  BOUNDED: ["warn", "≈", "bounded"],
  POST_HOC: ["bad", "→", "after generation"],
};
const FIRST = 200; // rows that are shown at first

function row({ path, keyword, verdict, why }) {
  const [kind, sign, words] = WORDS[verdict] ?? ["", "", verdict];
  const cells = [h("td", {}, h("code", {}, path)), h("td", {}, h("code", {}, keyword))];
  return { element: h("tr", {}, cells, h("td", { class: kind }, h("span", { "aria-hidden": "true" }, `${sign} `), words), h("td", {}, prose(why))) };
}

export function reportView() {
  const body = h("tbody");
  const rows = new List(body, row);
  const about = h("p", { class: "quiet" });
  const heads = ["Place", "Keyword", "Enforced", "Why not exactly"].map((title) => h("th", { scope: "col" }, title));
  const table = h("table", { "aria-label": "What the grammar enforces" }, h("thead", {}, h("tr", {}, heads)), body);
  const more = h("button", { type: "button", class: "small more", onclick: () => show((all = true)) });
  const which = choice("Which keywords", [["some", "Not exact"], ["all", "All"]], "some", (value) => show((everything = value === "all")));
  let everything = false;
  let all = false;
  let report = [];

  function show() {
    const wanted = everything ? report : report.filter((one) => one.verdict !== "EXACT");
    const counts = Object.entries(WORDS).map(([verdict, [, , words]]) => [words, report.filter((one) => one.verdict === verdict).length]);
    fill(about, counts.map(([words, count]) => `${count} ${words}`).join(", "), wanted.length ? "" : ". Nothing is left to the check.");
    table.hidden = !wanted.length;
    rows.set(all ? wanted : wanted.slice(0, FIRST));
    more.hidden = all || wanted.length <= FIRST;
    fill(more, `Show all ${counted(wanted.length, "row")}`);
  }

  return {
    element: h("div", {}, h("div", { class: "tools" }, which.element, about), h("div", { class: "across" }, table), more),
    set(grammar) {
      report = grammar.report;
      show();
    },
  };
}
