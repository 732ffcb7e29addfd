// The form of the data: what it asks for, and how a text is edited at one place.

import assert from "node:assert/strict";
import { test } from "node:test";

import { kindOf, valueOf, withField } from "../../../pdl/play/static/forms/document.js";
import { Exact, edited, number, tree, withValue, write } from "../../../pdl/play/static/forms/json_text.js";
import { blank, fieldsOf, resolved, shapeOf, steps } from "../../../pdl/play/static/forms/shape.js";
import { editedField } from "../../../pdl/play/static/forms/yaml_text.js";

const EDITS = [
  ["", ["a"], 1, '{\n  "a": 1\n}\n'],
  ["{}", ["a"], "x", '{\n  "a": "x"\n}'],
  ['{"a": 1, "b": 2}', ["a"], 3, '{"a": 3, "b": 2}'],
  ['{"a":1,"b" : 2}', ["b"], 3, '{"a":1,"b" : 3}'],
  ['{"a": 1.0, "b": 2}', ["b"], 3, '{"a": 1.0, "b": 3}'],
  ['{"a": 1.0}', ["a"], new Exact("1.0"), '{"a": 1.0}'],
  ['{"a": 1}', ["b"], [1], '{"a": 1, "b": [1]}'],
  ['{\n    "a": 1\n}\n', ["b"], { c: 1 }, '{\n    "a": 1,\n    "b": {\n      "c": 1\n    }\n}\n'],
  ['{"a": 1, "b": 2, "c": 3}', ["b"], undefined, '{"a": 1, "c": 3}'],
  ['{"a": 1, "b": 2}', ["a"], undefined, '{"b": 2}'],
  ['{"a": 1, "b": 2}', ["b"], undefined, '{"a": 1}'],
  ['{ "a": 1 }', ["a"], undefined, "{}"],
  ['{"a": 1}', ["z"], undefined, '{"a": 1}'],
  ['{"a": [1, 2, 3]}', ["a", 1], undefined, '{"a": [1, 3]}'],
  ['{"a": [1]}', ["a", 1], 2, '{"a": [1, 2]}'],
  ['{"a": []}', ["a", 0], { b: "c" }, '{"a": [{"b": "c"}]}'],
  ['{"a": "s"}', ["a", "b"], 1, '{"a": {"b": 1}}'],
  ['{"a": 1, "a": 2}', ["a"], 3, '{"a": 1, "a": 3}'],
  ['{"q\\"\\u00e9": "}"}', ['q"é'], "]", '{"q\\"\\u00e9": "]"}'],
];

test("an edit changes one place of a JSON text and keeps the rest", () => {
  for (const [text, path, value, expected] of EDITS) assert.equal(edited(text, path, value), expected, text);
  assert.equal(edited('{"a": ', ["a"], 1), null);
});

/** A small generator of numbers, the same each time. */
function chance(seed) {
  let state = seed;
  return (below) => (state = (state * 1103515245 + 12345) % 2147483648) % below;
}

function drawn(next, depth = 0) {
  const kind = next(depth > 3 ? 5 : 7);
  if (kind < 5) return [null, true, next(1000), `a"\\é😀\n${next(9)}`, -0.5][kind];
  const count = next(4);
  if (kind === 5) return Array.from({ length: count }, () => drawn(next, depth + 1));
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, drawn(next, depth + 1)]));
}

test("whatever is edited, the text means the value with that change", () => {
  const next = chance(7);
  for (let round = 0; round < 2000; round += 1) {
    const value = { a: drawn(next), b: drawn(next), c: drawn(next) };
    const text = JSON.stringify(value, null, next(3));
    const path = ["abcd"[next(4)], ...[[], ["k0"], ["k1", "k0"]][next(3)]];
    const put = next(4) ? drawn(next) : undefined;
    const result = edited(text, path, put);
    assert.deepEqual(JSON.parse(result || "null"), JSON.parse(write(put === undefined && !has(value, path) ? value : withValue(value, path, put))), `${text} ${path} ${put}`);
    assert.equal(edited(result, path, put), result);
  }
});

const has = (value, [key, ...rest]) =>
  value !== null && typeof value === "object" && Object.hasOwn(value, key) && (!rest.length || has(value[key], rest));

test("numbers stay as they were typed", () => {
  assert.equal(write(tree('{"a": 12345678901234567890, "b": [1e5, 2]}').value), '{"a": 12345678901234567890, "b": [1e5, 2]}');
  assert.equal(number("1."), null);
  assert.equal(number("01"), null);
  assert.equal(number("7"), 7);
});

const FIELDS = [
  ["a: 1\nb: 2\n", "a", 3, "a: 3\nb: 2\n"],
  ["a: 1  # one\n# two\nb: 2\n", "a", 3, "a: 3  # one\n# two\nb: 2\n"],
  ['a: "x # \\" "  # one\n', "a", 3, "a: 3  # one\n"],
  ["a: 'it''s # x' # one\n", "a", 3, "a: 3 # one\n"],
  ["a: don't #1\n", "a", 3, "a: 3 #1\n"],
  ["a: c#d\n", "a", 3, "a: 3\n"],
  ['a: ["x #y"]\n', "a", 3, "a: 3\n"],
  ["a: [1, 2] # list\n", "a", [3], "a: [3] # list\n"],
  ["a: # none\nb: 1\n", "a", 3, "a: 3 # none\nb: 1\n"],
  ["a: x # one\nb: 1\n", "a", "x\ny", "a: |- # one\n  x\n  y\nb: 1\n"],
  ["a: |- # one\n  x\n  y\nb: 1\n", "a", "x", "a: x # one\nb: 1\n"],
  ["a: |\n  x\n\n  y\n\n# end\nb: 2", "a", "z", "a: z\n\n# end\nb: 2"],
  ["a:\n- 1\n- 2\nb: 2\n", "a", [3], "a: [3]\nb: 2\n"],
  ["a: 1\n", "b", "yes", 'a: 1\nb: "yes"\n'],
  ["a: 1", "b", "It broke.", "a: 1\nb: It broke.\n"],
  ["a: 1\nb: 2\n", "a", undefined, "b: 2\n"],
  ["a: 1\n", "a", "x\ny", "a: |-\n  x\n  y\n"],
  ["a: 1\n", "a", "x\ny\n", "a: |\n  x\n  y\n"],
  ["a: 1\n", "a", "- no: #", 'a: "- no: #"\n'],
  ["a: 1\n", "a", "x\u0085y", 'a: "x\\u0085y"\n'],
  ["a: 1\n", "a", "x\n\u2028y", 'a: "x\\n\\u2028y"\n'],
  ["'it''s': 1\n", "it's", 2, "'it''s': 2\n"],
  ["a: 1\r\nb: 2\r\n", "b", 3, "a: 1\r\nb: 3\r\n"],
  ["--- \na: 1\n", "a", 2, null],
  ["a: &x 1\nb: *x\n", "a", 2, null],
  ["just words", "a", 2, null],
  ["a: 1\na: 2\n", "a", 2, null],
];

test("a field of YAML is edited where it stands", () => {
  for (const [text, name, value, expected] of FIELDS) assert.equal(editedField(text, name, value), expected, text);
});

test("the form and the text are one state", () => {
  assert.deepEqual(["", " {", "{}", "a: 1", "[1"].map(kindOf), ["empty", "broken", "json", "yaml", "broken"]);
  assert.deepEqual(valueOf("a: 1", { a: 1 }), { a: 1 });
  assert.equal(valueOf("{", { a: 1 }), undefined);
  assert.equal(withField("a:\n  b: 1\nc: 2 # kept\n", { a: { b: 1 }, c: 2 }, ["a", "b"], 5), 'a: {"b": 5}\nc: 2 # kept\n');
  assert.equal(withField("--- {a: 1}", { a: 1 }, ["a"], 2), '{\n  "a": 2\n}\n');
});

test("a schema says what is asked for", () => {
  const root = { $defs: { P: { type: "object", properties: { kids: { type: "array", items: { $ref: "#/$defs/P" } } } }, N: { type: "string", description: "of the type" } } };
  const kinds = [
    [{ type: "string" }, "text"], [{ type: "string", format: "date" }, "date"], [{ type: "string", minLength: 200 }, "long"],
    [{ type: "integer" }, "integer"], [{ type: "number" }, "number"], [{ type: "boolean" }, "choice"], [{ enum: ["a", 1, null] }, "choice"],
    [{ type: "array" }, "list"], [{ $ref: "#/$defs/P" }, "object"], [{ anyOf: [{ type: "integer" }, { type: "string" }] }, "json"], [{}, "json"], [true, "json"],
  ];
  for (const [schema, kind] of kinds) assert.equal(shapeOf(schema, root).kind, kind, JSON.stringify(schema));
  assert.equal(shapeOf({ type: ["string", "null"] }, root).texts, true);
  assert.equal(shapeOf({ anyOf: [{ type: "integer" }, { type: "array" }] }, root).texts, false);
  assert.equal(shapeOf({ $ref: "#/$defs/P" }, root).fields[0].shape().of().kind, "object");
  assert.equal(resolved({ $ref: "#/$defs/N", description: "of the field" }, root).description, "of the field");
  assert.deepEqual(blank(shapeOf({ type: "object", required: ["a"], properties: { a: { enum: ["x"] }, b: {} } }, {})), { a: "x" });
  assert.deepEqual(fieldsOf({ declared: false, names: ["a"], fields: [] }).map(({ name, required }) => [name, required]), [["a", true]]);
});

test("a path leads to its field", () => {
  assert.deepEqual(steps("$.items[0].n"), ["items", 0, "n"]);
  assert.deepEqual(steps("$['a b'][2]"), ["a b", 2]);
  assert.deepEqual(steps("name"), ["name"]);
  assert.deepEqual(steps("$"), []);
});
