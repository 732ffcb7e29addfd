// A run as its events tell it, and texts in which spaces are seen.

import assert from "node:assert/strict";
import { test } from "node:test";

import { attemptWords, begun, ended, statusWords, take, usageWords } from "../../../pdl/play/static/asking/run_state.js";
import { around, escapedJson, named, unseen, visible, whole } from "../../../pdl/play/static/visible.js";

test("a run is told by its events", () => {
  const run = begun("a model");
  assert.equal(statusWords(run, 0.26), "a model is answering … 0.3 s");
  const events = [
    { event: "attempt", number: 1, request: { model: "m" } }, { event: "text", delta: "{" }, { event: "text", delta: "}" },
    { event: "verdict", check: { ok: false } }, { event: "attempt", number: 2, request: {} }, { event: "text", delta: "[" },
    { event: "partial", value: [], complete: false }, { event: "later" }, { event: "usage", number: 1, seconds: 2, input: 1000, output_tokens: 3, model: "m" }, { event: "usage", number: 2, input: 200 },
  ];
  events.forEach((event) => take(run, event));
  assert.deepEqual(run.attempts.map(({ text }) => text), ["{}", "["]);
  assert.equal(statusWords(run, 2), "Attempt 2 of a model … 2.0 s");
  assert.equal(usageWords(run.usage), "1,200 input tokens, 3 output tokens");
  take(run, { event: "done", ok: true, attempts: 2, seconds: 1.5, value: [] });
  assert.equal(ended(run, { stopped: true }).status, "done");
  assert.equal(statusWords(run, 9), "A valid answer after 2 attempts, in 1.5 s.");
});

test("a run ends when it is stopped, and when its connection does", () => {
  assert.equal(ended(begun("m"), { stopped: true }).status, "stopped");
  assert.match(ended(begun("m")).error.message, /connection/);
  assert.equal(ended(begun("m"), { error: new Error("gone") }).error.message, "gone");
  const failed = take(begun("m"), { event: "error", message: "no key", hint: "set it" });
  assert.equal(statusWords(ended(failed), 1), "The run failed after 1.0 s.");
  assert.equal(take(begun("m"), { event: "text", delta: "a" }).attempts[0].text, "a");
});

test("a failed run says after how many attempts", () => {
  const run = take(take(begun("m"), { event: "error", message: "no valid answer", hint: "" }), { event: "done", ok: false, attempts: 3, seconds: 1, usage: { input: 5 } });
  assert.equal(statusWords(ended(run), 1), "No valid answer after 3 attempts, in 1.0 s.");
  assert.equal(run.error.message, "no valid answer");
  assert.equal(usageWords(run.usage), "5 input tokens");
  assert.equal(attemptWords({ ok: false, reason: "rate limit", pause: 2 }), "The attempt failed: rate limit. The next attempt follows after 2.0 s.");
  assert.equal(attemptWords({ ok: false, reason: "A call is invalid. Give the answer." }), "The attempt failed: A call is invalid. Give the answer.");
});

test("calls are no answer, and are counted", () => {
  const told = (calls) => statusWords(ended(take(begun("m"), { event: "done", ok: true, attempts: 1, seconds: 1, calls })), 1);
  assert.equal(told([{}]), "The model calls 1 tool after 1 attempt, in 1.0 s.");
  assert.equal(told([{}, {}]), "The model calls 2 tools after 1 attempt, in 1.0 s.");
  assert.equal(told([]), "A valid answer after 1 attempt, in 1.0 s.");
});

test("what cannot be seen is shown by its code, and what is part of a sign is not", () => {
  const shown = (text) => unseen(text).map(({ at, code }) => [at, code]);
  assert.deepEqual(shown("a\u202eb\u0000\ud800"), [[1, "U+202E"], [3, "U+0000"], [4, "U+D800"]]);
  assert.deepEqual(shown("x\u{e0041}\u2066\u200b\ufeff\u00ad\u2028\r"), [[1, "U+E0041"], [3, "U+2066"], [4, "U+200B"], [5, "U+FEFF"], [6, "U+00AD"], [7, "U+2028"], [8, "U+000D"]]);
  assert.deepEqual(shown("a\u200db \u200c"), [[4, "U+200C"]]);
  for (const plain of ["a\n\tb", "👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 👍🏽", "می‌خواهم", "क्‍ष", "日本語 é", ""]) assert.deepEqual(shown(plain), []);
  assert.equal(named("a\u202eb"), "a⟨U+202E⟩b");
});

test("JSON with escapes for what cannot be seen is the same JSON", () => {
  for (const value of ["\u202e{}\u{e0041}\u0000\ud800", { "\u2066": ["👨‍👩‍👧"] }]) {
    const text = escapedJson(JSON.stringify(value));
    assert.deepEqual(JSON.parse(text), value);
    assert.deepEqual(unseen(text), []);
  }
});

test("spaces and controls are seen, and no character is cut", () => {
  assert.equal(visible(" a\n\t\r\u0000\u200b😀"), "·a↵→␍\\u{0}\\u{200b}😀");
  assert.deepEqual([-1, 0, 1, 2, 3, 9, NaN].map((at) => whole("a😀b", at)), [0, 0, 1, 1, 3, 4, 0]);
  assert.deepEqual(around("x😀y", 3, 1), { before: "😀", after: "y", cutBefore: true, cutAfter: false });
});
