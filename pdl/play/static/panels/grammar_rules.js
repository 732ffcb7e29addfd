// The rules of a grammar in GBNF, each name a link to its rule.

import { fill, h } from "../dom.js";
import { highlighted } from "../highlight.js";
import { List } from "../lists.js";
import { menu } from "../widgets.js";
import { counted } from "../words.js";

const FIRST = 150; // rules that are shown at first
const START = /^([A-Za-z][\w-]*)\s*::=/;

/** The rules of a grammar: [name, text] each. */
export function rulesOf(text) {
  const rules = [];
  for (const line of text.split("\n")) {
    const [, name] = START.exec(line) ?? [];
    if (name || !rules.length) rules.push([name ?? "", [line]]);
    else rules.at(-1)[1].push(line);
  }
  return rules.map(([name, lines]) => [name, lines.join("\n").trimEnd()]).filter(([, one]) => one);
}

export function rulesView(app, onDiagram) {
  const pre = h("div", { class: "rules code-text", onclick: follow });
  const more = h("button", { type: "button", class: "small more", onclick: showAll });
  const back = h("button", { type: "button", class: "small", hidden: true, onclick: goBack });
  const names = menu("Rule", (name) => open(name));
  const draw = h("button", { type: "button", class: "small", onclick: () => onDiagram(names.element.querySelector("select").value) }, "Draw it");
  const list = new List(pre, ruleView);
  const trail = [];
  let known = new Set();
  let rules = [];
  let all = false;
  let text = "";

  function ruleView([name, source]) {
    const seen = { first: true };
    const nodes = highlighted(source, "gbnf", (kind, piece) => {
      if (kind !== "name" || !known.has(piece)) return null;
      if (piece === name && seen.first) {
        seen.first = false;
        return h("strong", { class: "t-key" }, piece);
      }
      return h("button", { type: "button", class: "link", "data-rule": piece }, piece);
    });
    return { element: h("div", { class: "rule", tabindex: "-1", "data-name": name }, nodes) };
  }

  function follow(event) {
    const target = event.target.closest("[data-rule]");
    if (!target) return;
    trail.push(target.closest(".rule").dataset.name);
    open(target.dataset.rule);
  }

  function goBack() {
    open(trail.pop());
  }

  function open(name) {
    const at = rules.findIndex(([one]) => one === name);
    if (at >= FIRST && !all) showAll();
    const rule = pre.children[at];
    if (!rule) return;
    rule.scrollIntoView({ block: "nearest" });
    rule.focus();
    names.set([...known], name);
    back.hidden = !trail.length;
    fill(back, `Back to ${trail.at(-1)}`);
  }

  function showAll() {
    all = true;
    show();
  }

  function show() {
    list.set(all ? rules : rules.slice(0, FIRST));
    more.hidden = all || rules.length <= FIRST;
    fill(more, `Show all ${counted(rules.length, "rule")}`);
  }

  return {
    element: h("div", {}, h("div", { class: "tools sticky" }, names.element, draw, back), pre, more),
    set(grammar) {
      if (grammar.text === text) return;
      text = grammar.text;
      known = new Set(grammar.rules);
      rules = rulesOf(text);
      names.set(grammar.rules, grammar.rules[0]);
      show();
    },
  };
}
