// The data as one text, JSON or YAML, which the form and the editor both change.

import { edited, tree, withValue, write } from "./json_text.js";
import { editedField } from "./yaml_text.js";

/** What a text of data is: "empty", "json", "yaml", or "broken" for JSON that has an error. */
export function kindOf(text) {
  const start = text.replace(/^\ufeff/, "").trimStart();
  if (!start) return "empty";
  if (!/^[{[]/.test(start)) return "yaml";
  return tree(text) ? "json" : "broken";
}

/** The data of a text; `given` is what the server read, which alone knows YAML. */
export function valueOf(text, given) {
  const kind = kindOf(text);
  if (kind === "empty") return {};
  if (kind === "json") return tree(text).value;
  return kind === "yaml" ? given : undefined;
}

/**
 * A text with another value at a path, or without it if the value is undefined. Only that place is
 * rewritten; YAML that is no mapping of blocks becomes JSON.
 */
export function withField(text, given, path, value) {
  if (kindOf(text) !== "yaml") return edited(text, path, value);
  const whole = withValue(given ?? {}, path, value);
  return editedField(text, path[0], whole[path[0]]) ?? `${write(whole, 2)}\n`;
}
