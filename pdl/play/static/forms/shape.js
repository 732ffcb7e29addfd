// What a form asks for a JSON Schema.

const LONG = /text|body|review|message|document|article|question|content|email|transcript|code|notes|description|context/i;
const FORMATS = { date: "date", "date-time": "date-time", time: "time" };

/** A schema without its reference, with its sibling keywords. */
export function resolved(schema, root) {
  let found = schema;
  for (let hops = 0; hops < 20 && typeof found?.$ref === "string"; hops += 1) {
    const steps = found.$ref.replace(/^#\/?/, "").split("/").filter(Boolean);
    const { $ref, ...siblings } = found;
    const target = steps.reduce((at, step) => at?.[decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")], root);
    found = target && typeof target === "object" ? { ...target, ...siblings } : siblings;
  }
  return found && typeof found === "object" ? found : {};
}

function ofString(schema, name) {
  if (FORMATS[schema.format]) return { kind: FORMATS[schema.format] };
  const long = (schema.maxLength ?? Infinity) > 80 && ((schema.minLength ?? 0) > 80 || LONG.test(name));
  return { kind: long ? "long" : "text" };
}

function ofObject(schema, root) {
  if (!schema.properties) return { kind: "json", texts: false };
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties).map(([name, one]) => field(name, one, required.has(name), root));
  return { kind: "object", fields };
}

/**
 * What to ask for: {kind, …}, where a kind is text, long, date, date-time, time, number, integer,
 * choice (values), list (of: () => shape), object (fields), or json (texts: whether a text fits too).
 */
export function shapeOf(schema, root, name = "") {
  const found = resolved(schema, root);
  const choices = found.enum ?? ("const" in found ? [found.const] : null);
  if (choices?.every((one) => typeof one !== "object" || one === null)) return { kind: "choice", values: choices };
  switch (found.type) {
    case "string": return ofString(found, name);
    case "boolean": return { kind: "choice", values: [true, false] };
    case "integer": return { kind: "integer" };
    case "number": return { kind: "number" };
    case "array": return found.prefixItems ? { kind: "json", texts: false } : { kind: "list", of: () => shapeOf(found.items ?? {}, root, name) };
    case "object": return ofObject(found, root);
    default: return { kind: "json", texts: takesText(found, root) };
  }
}

function takesText(schema, root) {
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return branches.some((one) => takesText(resolved(one, root), root));
  return schema.type === undefined ? !schema.enum && !schema.allOf && !("const" in schema) : [schema.type].flat().includes("string");
}

/** A field of a form; `shape()` is what to ask for, made when needed, since schemas refer to themselves. */
export function field(name, schema, required, root, type = "") {
  const found = resolved(schema, root);
  let shape;
  return {
    name,
    required,
    type,
    description: found.description ?? "",
    default: found.default,
    shape: () => (shape ??= shapeOf(schema, root, name)),
  };
}

/** The fields of a look's inputs: those declared, or the variables that the prompt reads. */
export function fieldsOf({ declared, names, schema, fields }) {
  if (!declared) return names.map((name) => field(name, {}, true, {}));
  return fields.map((one) => field(one.name, one.schema, one.required, schema ?? {}, one.type));
}

/** What a new item of a list is. */
export function blank({ kind, values, fields }) {
  if (kind === "object") return Object.fromEntries(fields.filter(({ required }) => required).map((one) => [one.name, blank(one.shape())]));
  return { integer: 0, number: 0, list: [], json: null, choice: values?.[0] }[kind] ?? "";
}

/** The steps of a JSONPath such as `$.items[0]['a b']`, or of the name of an input. */
export function steps(path) {
  const found = [];
  const step = /(?:^|\.)([^.[\]]+)|\[(\d+)\]|\[(['"])((?:\\.|(?!\3).)*)\3\]/gs;
  for (const [, name, index, , quoted] of path.replace(/^\$/, "").matchAll(step)) {
    found.push(index === undefined ? (name ?? quoted.replace(/\\(.)/g, "$1")) : Number(index));
  }
  return found;
}
