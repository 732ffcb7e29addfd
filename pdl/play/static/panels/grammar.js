// The grammar of the answer: its rules, what it enforces of the schema, and a diagram of a rule.

import { empty, fill, h } from "../dom.js";
import { frame, schemaUsesData } from "../frame.js";
import { choice, copyButton } from "../widgets.js";
import { counted } from "../words.js";
import { diagramView } from "./grammar_diagram.js";
import { reportView } from "./grammar_report.js";
import { rulesView } from "./grammar_rules.js";

function verdict({ exact, report }) {
  const after = report.filter((one) => one.verdict === "POST_HOC").length;
  const bounded = report.filter((one) => one.verdict === "BOUNDED").length;
  if (exact && !after && !bounded) return ["good", "✓", "The grammar enforces the whole schema."];
  const parts = [bounded && `${counted(bounded, "keyword")} within bounds`, after && `${counted(after, "keyword")} only by the check after generation`];
  return ["warn", "!", `The grammar enforces the schema exactly, except: ${parts.filter(Boolean).join(", ")}.`];
}

export function create(app) {
  const told = h("p", {});
  const diagram = diagramView(app, (rule) => app.update({ options: { ...app.state.options, rule } }));
  const rules = rulesView(app, (rule) => {
    views.choose("diagram");
    show("diagram");
    diagram.choose(rule);
  });
  const report = reportView();
  const copy = copyButton(app, "the grammar", () => grammar.text, "Copy grammar");
  const views = choice("What is shown of the grammar", [["rules", "Rules"], ["report", "Enforced"], ["diagram", "Diagram"]], "rules", show);
  const parts = { rules, report, diagram };
  let shown = "rules";
  let grammar = null;

  function show(name) {
    shown = name;
    for (const [other, part] of Object.entries(parts)) part.element.hidden = other !== name;
    parts[name].set(grammar);
  }

  function draw(next) {
    grammar = next;
    const [kind, sign, words] = verdict(next);
    told.className = kind;
    fill(told, h("span", { "aria-hidden": "true" }, `${sign} `), words);
    show(shown);
  }

  return frame(app, {
    id: "grammar",
    title: "Grammar",
    body: h("div", {}, h("div", { class: "tools" }, views.element, copy), told, rules.element, report.element, diagram.element),
    nothing: () => empty("No grammar: without a ", h("code", {}, "<|schema|>"), " turn every text is an answer."),
    draw,
    usesData: schemaUsesData,
  });
}
