import assert from "node:assert/strict";
import { test } from "node:test";

import { decodedName, encodedName } from "../../../pdl/play/static/language.js";
import { applied, diagnosticsOf, diagnosticsOfProblems, foldsOf, offsetOf, tokensOf } from "../../../pdl/play/static/language_marks.js";
import { EditorState } from "../../../pdl/play/static/vendor.js";

const docOf = (text) => EditorState.create({ doc: text }).doc;
const DOC = docOf("<|user|>\n𝒳 {{ a }}\nend");
const range = (line, from, to) => ({ start: { line, character: from }, end: { line, character: to } });

test("a place is kept inside of its line, and a line that is not there is none", () => {
  assert.equal(offsetOf(DOC, { line: 1, character: 0 }), 9);
  assert.equal(offsetOf(DOC, { line: 1, character: 99 }), 19);
  assert.equal(offsetOf(DOC, { line: 3, character: 0 }), null);
  assert.equal(offsetOf(DOC, { line: -1, character: 0 }), null);
});

test("diagnostics of a text that was longer are left out", () => {
  const items = [{ range: range(1, 6, 7), severity: 2, message: "m", code: "a/b" }, { range: range(7, 0, 1), message: "old" }];
  assert.deepEqual(diagnosticsOf(DOC, items), [{ from: 15, to: 16, severity: "warning", message: "m", source: "a/b", markClass: undefined }]);
});

test("problems of a look without a line are not marked", () => {
  const problems = [{ severity: "error", message: "m", hint: "h", code: "c", line: 3, column: 1, end_line: 3, end_column: 4 }, { severity: "note", message: "n", line: null }];
  assert.deepEqual(diagnosticsOfProblems(DOC, problems), [{ from: 20, to: 23, severity: "error", message: "m\nhint: h", source: "c", markClass: undefined }]);
});

test("semantic tokens count from the one before", () => {
  const data = [0, 0, 8, 0, 0, 1, 6, 1, 1, 0, 0, 2, 2, 9, 0];
  assert.deepEqual(tokensOf(DOC, data, ["keyword", "variable"]), [{ from: 0, to: 8, kind: "keyword" }, { from: 15, to: 16, kind: "variable" }]);
  assert.deepEqual(tokensOf(DOC, [9, 0, 3, 0, 0], ["keyword"]), []);
});

test("ranges fold from the end of their first line", () => {
  assert.deepEqual([...foldsOf(DOC, [{ startLine: 0, endLine: 1 }, { startLine: 0, endLine: 2 }, { startLine: 1, endLine: 9 }])], [[1, { from: 8, to: 19 }]]);
});

test("edits are of the text before all of them", () => {
  const edits = [{ range: range(0, 2, 6), newText: "system" }, { range: range(1, 3, 4), newText: "[[" }, { range: range(9, 0, 0), newText: "!" }];
  assert.equal(applied("<|user|>\n𝒳 {{ a }}\nend", edits), "<|system|>\n𝒳 [[{ a }}\nend!");
  assert.equal(applied("a", []), "a");
});

test("a name is in a URI as its bytes are, whether they are UTF-8 or not", () => {
  const names = { "%E4%C3%A9": "\udce4é", "%FF.pdl": "\udcff.pdl", "a%20%C3%A9": "a é", "%E4%B8%AD%80%F0%9F%98%80": "中\udc80😀", "%F0%9F%98": "\udcf0\udc9f\udc98", "%C3(": "\udcc3(", "%ED%A0%80": "\udced\udca0\udc80", "100%25": "100%" };
  for (const [part, name] of Object.entries(names)) {
    assert.equal(decodedName(part), name);
    assert.equal(encodedName(name), part);
  }
});
