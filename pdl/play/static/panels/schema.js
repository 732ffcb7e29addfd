// The schema of the answer in all its forms.

import { empty, fill, h } from "../dom.js";
import { frame, schemaUsesData } from "../frame.js";
import { jsonView } from "../json_view.js";
import { choice, copyButton, longText, prose } from "../widgets.js";

const FORMS = { json: "JSON", text: "text", yesno: "yes or no", code: "code", tasklist: "a list of tasks" };

/** [value, title, language, what it says]. */
const TEXTS = [
  ["words", "In words", "", "What `{{ schema }}` tells the model."],
  ["notation", "Notation", "notation", "As in a prompt file."],
  ["dataclass", "Dataclass", "python", "What `pdl types` writes."],
  ["pydantic", "Pydantic", "python", "What `pdl types` writes."],
  ["typeddict", "TypedDict", "python", "What `pdl types` writes."],
  ["typescript", "TypeScript", "typescript", "What `pdl types` writes."],
  ["example", "Example", "json", "An answer that the schema accepts."],
];
const TREES = [["json_schema", "JSON Schema", "Draft 2020-12."]];
const ORDER = ["words", "notation", "json_schema", "dataclass", "pydantic", "typeddict", "typescript", "example"];

function textView(app, title, language) {
  const text = longText("", { label: title, language });
  const tools = h("div", { class: "tools" }, copyButton(app, title, () => text.text));
  return { element: h("div", {}, tools, text.element), set: (next) => text.set(next ?? "") };
}

export function create(app) {
  const views = new Map();
  const said = new Map();
  for (const [id, title, language, words] of TEXTS) {
    views.set(id, textView(app, title, language));
    said.set(id, words);
  }
  for (const [id, title, words] of TREES) {
    views.set(id, jsonView(app, null, { label: title, depth: 4 }));
    said.set(id, words);
  }
  const titles = Object.fromEntries([...TEXTS, ...TREES].map(([id, title]) => [id, title]));
  const about = h("p", { class: "quiet" });
  const choices = choice("Form of the schema", ORDER.map((id) => [id, titles[id]]), "words", show);
  let chosen = "words";
  let schema = null;

  function show(id) {
    chosen = id;
    const value = schema.types?.[id] ?? schema[id];
    const isThere = value !== null && value !== undefined;
    for (const [other, view] of views) view.element.hidden = other !== id || !isThere;
    fill(about, `The answer is ${FORMS[schema.form] ?? schema.form}. `, isThere ? prose(said.get(id)) : "There is nothing of this kind for it.");
    if (isThere) views.get(id).set(value);
  }

  function draw(next) {
    schema = next;
    show(chosen);
  }

  return frame(app, {
    id: "schema",
    title: "Schema",
    body: h("div", {}, h("div", { class: "tools" }, choices.element), about, [...views.values()].map(({ element }) => element)),
    nothing: () => empty("No schema: the answer is any text. A turn ", h("code", {}, "<|schema|>"), " says what the answer must be."),
    draw,
    usesData: schemaUsesData,
  });
}
