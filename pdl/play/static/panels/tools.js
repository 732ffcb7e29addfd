// The tools of a prompt, their form for each family of providers, and the calls of the reply.

import { empty, fill, h } from "../dom.js";
import { frame } from "../frame.js";
import { highlighted } from "../highlight.js";
import { jsonView } from "../json_view.js";
import { List } from "../lists.js";
import { choice, copyButton, longText, menu, prose } from "../widgets.js";
import { counted } from "../words.js";

function toolView(app, first) {
  const signature = h("pre", {});
  const about = h("p", {});
  const schema = jsonView(app, first.json_schema, { label: `the parameters of ${first.name}`, depth: 3 });
  const details = h("details", {}, h("summary", {}, "Parameters as JSON Schema"), schema.element);
  const copy = copyButton(app, `the signature of ${first.name}`, () => signature.textContent);

  function update({ name, notation, description, json_schema: document }) {
    if (name !== first.name) return false;
    fill(signature, highlighted(notation, "notation"));
    fill(about, description);
    about.hidden = !description || notation.includes("//");
    schema.set(document);
    return true;
  }

  update(first);
  return { element: h("article", { class: "tool", "aria-label": `Tool ${first.name}` }, h("header", {}, h("h3", {}, first.name), copy), about, signature, details), update };
}

function errorView({ path, message }) {
  return h("li", { class: "bad" }, h("code", {}, path), " ", prose(message));
}

/** A button that leads to a call in the reply, if it has a place there. */
function placeButton(app, span) {
  const go = () => {
    app.open("reply");
    app.emit("place", span);
  };
  return span ? h("button", { type: "button", class: "small", onclick: go }, "Show in the reply") : null;
}

function callView(app, call) {
  const { name, arguments: given, ok, errors, span } = call;
  const sign = ok ? "✓" : "✕";
  const words = ok ? "the arguments are valid" : counted(errors.length, "error");
  const head = h("header", {}, h("h3", {}, h("span", { class: ok ? "good" : "bad", "aria-hidden": "true" }, `${sign} `), name || "no tool"), h("span", { class: ok ? "good" : "bad" }, words), placeButton(app, span));
  const value = given && jsonView(app, given, { label: `the arguments of ${name}`, depth: 2 });
  return { element: h("article", { class: "call", "aria-label": `Call of ${name || "no tool"}` }, head, errors.length ? h("ul", {}, errors.map(errorView)) : null, value?.element) };
}

export function create(app) {
  const tools = h("div");
  const calls = h("div");
  const noCall = h("p", { class: "empty" });
  const more = h("p", { class: "quiet" });
  const told = h("h3", {}, "What the model is told");
  const feedback = longText("");
  const json = jsonView(app, [], { label: "the tools", depth: 3 });
  const families = menu("Provider", show);
  const formats = h("div", { hidden: true }, h("div", { class: "tools" }, families.element), json.element);
  const replied = h("div", { hidden: true }, noCall, calls, more, told, feedback.element);
  const parts = { tools, formats, calls: replied };
  const lists = { tools: new List(tools, (one) => toolView(app, one)), calls: new List(calls, (one) => callView(app, one)) };
  const views = choice("What is shown of the tools", [["tools", "Tools"], ["formats", "As sent"], ["calls", "Calls of the reply"]], "tools", (name) => {
    for (const [other, element] of Object.entries(parts)) element.hidden = other !== name;
  });
  let family = "";
  let part = null;

  function draw(next) {
    part = next;
    show(family);
    lists.tools.set(next.tools);
    lists.calls.set(next.calls);
    noCall.hidden = next.calls.length > 0;
    fill(noCall, app.state.reply ? "The reply calls no tool." : "No reply yet. Paste one under Reply to see its calls.");
    more.hidden = !next.more;
    fill(more, `${counted(next.more ?? 0, "more call")} not listed.`);
    feedback.element.hidden = !next.feedback;
    told.hidden = !next.feedback;
    feedback.set(next.feedback ?? "");
  }

  function show(chosen) {
    const names = Object.keys(part.formats);
    family = names.includes(chosen) ? chosen : names[0];
    families.set(names, family);
    if (family) json.set(part.formats[family]);
  }

  return frame(app, {
    id: "tools",
    title: "Tools",
    body: h("div", {}, h("div", { class: "tools" }, views.element), tools, formats, replied),
    nothing: () => empty("No tools. A turn ", h("code", {}, "<|tools|>"), " declares what the model may call."),
    draw,
    depends: () => Boolean(app.state.reply),
  });
}
