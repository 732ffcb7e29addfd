import assert from "node:assert/strict";
import { test } from "node:test";

import { compared } from "../../../pdl/play/static/conflict_dialog.js";
import { unix } from "../../../pdl/play/static/files.js";
import { createdName, freeName, matching } from "../../../pdl/play/static/open_dialog.js";
import { escaped, inner } from "../../../pdl/play/static/sanitize.js";
import { callWords, isAccepted, problemWords, spoken, verdictWords, worst } from "../../../pdl/play/static/words.js";

const problem = (severity) => ({ severity });

test("problems are counted by their severity", () => {
  assert.equal(problemWords([]), "No problems");
  assert.equal(problemWords([problem("warning"), problem("error"), problem("error")]), "2 errors, 1 warning");
  assert.equal(worst([problem("note"), problem("warning")]), "warning");
  assert.equal(worst([]), "");
});

test("parts that failed are no lack of problems", () => {
  assert.equal(problemWords([], { turns: {} }), "1 part failed");
  assert.equal(problemWords([problem("warning")], { turns: {}, requests: {} }), "1 warning, 2 parts failed");
  assert.equal(problemWords([problem("error")], { turns: {} }), "1 error");
  assert.equal(problemWords(null, { problems: {} }), "1 part failed");
  assert.equal(spoken({ problems: [], failed: { turns: {} }, check: null }), "1 part failed.");
});

test("a verdict is said with the number of repairs, and spoken with its reason", () => {
  assert.equal(verdictWords(null), "");
  assert.equal(verdictWords({ ok: true, repairs: [1] }), "Reply accepted, 1 repair");
  assert.equal(spoken({ problems: [], check: { ok: false, summary: "`stars` is missing." } }), "No problems. Reply rejected: `stars` is missing.");
  assert.equal(spoken({ problems: [], check: null }), "No problems.");
});

test("line ends are the editor's", () => assert.equal(unix("a\r\nb\rc\n"), "a\nb\nc\n"));

test("lines that only one text has are marked", () => {
  assert.deepEqual(compared("a\nb\nc", "a\nc"), [[["a", false], ["b", true], ["c", false]], [["a", false], ["c", false]]]);
  assert.deepEqual(compared("", ""), [[["", false]], [["", false]]]);
});

test("names match by all words, and those that begin with them come first", () => {
  assert.deepEqual(matching(["a/review.pdl", "preview.pdl", "mail.pdl"], "rev"), ["a/review.pdl", "preview.pdl"]);
  assert.deepEqual(matching(["b.pdl", "a.pdl"], ""), ["a.pdl", "b.pdl"]);
});

test("a name that no file has is suggested", () => {
  assert.equal(freeName([]), "prompt.pdl");
  assert.equal(freeName(["prompt.pdl", "prompt-2.pdl", "a.pdl"]), "prompt-3.pdl");
});

test("only a name of a file is created", () => {
  assert.equal(createdName(["a.pdl"], "a"), null);
  assert.equal(createdName([], " mails/new "), "mails/new.pdl");
  for (const typed of ["", "  ", "../a", "/a", ".hidden", "a//b", "a:b", "a\\b"]) assert.equal(createdName([], typed), null);
});

const text = (data) => ({ nodeType: 3, data });
const element = (localName, ...childNodes) => ({ nodeType: 1, localName, childNodes });

test("of HTML, only the tags of a text are kept", () => {
  const made = inner(element("body", element("p", text("a < b")), element("script", text("alert(1)")), element("a", text("link")), element("img"), element("br"), { nodeType: 8, data: "comment" }));
  assert.equal(made, "<p>a &lt; b</p>link<br>");
  assert.equal(escaped('<&">'), "&lt;&amp;&quot;&gt;");
});

test("calls that are wrong are told, whatever the text of the reply is", () => {
  assert.equal(callWords(null), "");
  assert.equal(callWords({ calls: [] }), "");
  assert.equal(callWords({ calls: [{ ok: true }, { ok: true }] }), "2 calls accepted");
  assert.equal(callWords({ calls: [{ ok: true }, { ok: false }] }), "1 call rejected");
  assert.equal(spoken({ problems: [], check: { ok: true }, tools: { calls: [{ ok: false }] } }), "No problems. Reply accepted. 1 call rejected.");
});

test("a reply is accepted with all calls in it, or not at all", () => {
  const [right, wrong] = [{ ok: true }, { ok: false }];
  assert.equal(isAccepted({ check: null, tools: null }), null);
  assert.equal(isAccepted({ check: null, tools: { calls: [] } }), null);
  assert.equal(isAccepted({ check: right, tools: null }), true);
  assert.equal(isAccepted({ check: right, tools: { calls: [right, wrong] } }), false);
  assert.equal(isAccepted({ check: wrong, tools: { calls: [right] } }), false);
  assert.equal(isAccepted({ check: null, tools: { calls: [right] } }), true);
});
