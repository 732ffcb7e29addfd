// The reply: what is marked where, and the replies that are made of an example.

import assert from "node:assert/strict";
import { test } from "node:test";

import { findings, headline, marks } from "../../../pdl/play/static/replies/marks.js";
import { variants } from "../../../pdl/play/static/replies/variants.js";
import { change, moved } from "../../../pdl/play/static/text_change.js";

const check = (changes) => ({ ok: false, reason: "wrong-schema", summary: "", value: null, span: null, repairs: [], errors: [], rejected: [], feedback: "", ...changes });

test("one change leads from a text to another", () => {
  const texts = ["", "a", "abc", "abcabc", "😀", "😁", "x😀y", "x😁y", "x\ude00y", "aaa", "aaaa"];
  for (const old of texts) {
    for (const next of texts) {
      const one = change(old, next);
      assert.equal(one ? old.slice(0, one.from) + one.insert + old.slice(one.to) : old, next);
      if (!one || one.from < old.length) assert.equal(moved(old.length, one), next.length);
      for (let at = 0; at <= old.length; at += 1) assert.ok(moved(at, one) <= next.length);
    }
  }
  assert.deepEqual(change("x😀y", "x😁y"), { from: 1, to: 3, insert: "😁" });
  assert.deepEqual(change("one two", "one 2 two"), { from: 4, to: 4, insert: "2 " });
});

test("places are marked within the text, and none is empty", () => {
  const found = marks(check({ span: [2, 20], errors: [{ path: "$.a", message: "is bad", span: [5, 6] }, { path: "$", message: "is cut off", span: [20, 20] }], rejected: [{ span: [2, 20], why: "no" }, { span: [0, 1], why: "a link" }] }), 20);
  assert.deepEqual(found.map(({ from, to, kind }) => [from, to, kind]), [[0, 1, "rejected"], [2, 20, "answer"], [5, 6, "error"], [19, 20, "error"]]);
  assert.deepEqual(marks(check({ errors: [{ path: "$", message: "is long", span: [0, 900] }] }), 1000).map(({ from, to }) => [from, to]), [[0, 1]]);
  assert.deepEqual(marks(check({ span: [5, 9], errors: [{ path: "$", message: "x", span: [0, 0] }] }), 0), []);
  assert.deepEqual(marks(null, 10), []);
});

test("each finding is told in words", () => {
  const told = findings(check({ errors: [{ path: "$.a", message: "is bad", keyword: "type", span: null }, { path: "$", message: "is empty", keyword: "absent", span: null }], repairs: [{ kind: "quotes", words: "`'` is read as `\"`", path: "$.b", span: [0, 1] }] }));
  assert.deepEqual(told.map(({ words }) => words), ["$.a is bad", "The reply is empty", "`'` is read as `\"`"]);
  assert.equal(headline(check({ ok: true })), "The reply is valid.");
  assert.equal(headline(check({ ok: true, repairs: [1] })), "The reply is valid, after 1 repair.");
  assert.equal(headline(check({ ok: true, repairs: [1, 2], more: 9 })), "The reply is valid, after more than 2 repairs.");
  assert.equal(headline(check({ summary: "wrong-schema: must be 5 (and 1 more; characters 8 to 35)" })), "wrong-schema: must be 5 (and 1 more)");
  assert.equal(headline(check({ summary: "absent: none (characters 8 to 35)" })), "absent: none");
});

test("replies are made of an example", () => {
  const made = Object.fromEntries(variants('{"stars": 5, "refund": true, "why": ["it\'s \\"x\\""]}').map(({ label, text }) => [label, text]));
  assert.equal(Object.keys(made).length, 12);
  assert.deepEqual(JSON.parse(made["As it should be"]), { stars: 5, refund: true, why: ['it\'s "x"'] });
  assert.match(made["With single quotes"], /'it\\'s "x"'/);
  assert.match(made["With keys that are not quoted"], /^\{\n {2}stars: 5,/);
  assert.match(made["With True, False and None"], /"refund": True/);
  assert.deepEqual(JSON.parse(made["With numbers as texts"]).stars, "5");
  assert.deepEqual(Object.keys(JSON.parse(made["Without its last field"])), ["stars", "refund"]);
  assert.throws(() => JSON.parse(made["Cut off"]));
  assert.deepEqual(variants("yes").map(({ label }) => label), ["As it should be", "With prose around it", "In a fenced code block", "After its reasoning", "Cut off"]);
  assert.ok(variants("{}").length >= 4);
});
