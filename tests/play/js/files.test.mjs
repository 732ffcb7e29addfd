// What is typed outlives a reload, at whatever moment.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Files } from "../../../pdl/play/static/files.js";

const kept = new Map();
let full = false;
globalThis.location = { pathname: "/", search: "", hash: "" };
globalThis.history = { replaceState: (state, title, address) => (location.hash = address.startsWith("#") ? address : "") };
globalThis.sessionStorage = {
  getItem: (key) => kept.get(key) ?? null,
  setItem(key, text) {
    if (full) throw new Error("full");
    kept.set(key, text);
  },
  removeItem: (key) => kept.delete(key),
};

const opened = (state) => new Files({ hello: { root: "prompts" }, state: { file: null, data: "", reply: "", ...state }, on() {}, emit() {} });

beforeEach(() => {
  kept.clear();
  full = false;
  location.hash = "";
});

test("a prompt without a name is in the address, and before that in the tab", async () => {
  const files = opened({ prompt: "a" });
  assert.ok(files.keepNow());
  assert.equal(opened({}).left().prompt, "a");
  await files.keep();
  assert.match(location.hash, /^#s=/);
  assert.deepEqual(opened({}).left(), {});
  files.app.state.prompt = "ab";
  files.keepNow();
  assert.equal(opened({}).left().prompt, "ab");
});

test("a text that is too long for an address is kept in the tab", async () => {
  const prompt = Array.from({ length: 60_000 }, (_, at) => String.fromCharCode(33 + ((at * at * 7919 + at * 31) % 65_003))).join("");
  await opened({ prompt }).keep();
  assert.equal(location.hash, "");
  assert.equal(opened({}).left().prompt, prompt);
});

test("a text can be lost only where neither has it", async () => {
  full = true;
  const files = opened({ prompt: "a" });
  assert.equal(files.keepNow(), false);
  await files.keep();
  assert.equal(files.keepNow(), true);
});

test("a damaged address stays until something is typed", async () => {
  location.hash = "#s=AAAA";
  const files = opened({ prompt: "a" });
  files.hold();
  await files.keep();
  assert.equal(location.hash, "#s=AAAA");
  files.app.state.prompt = "b";
  await files.keep();
  assert.notEqual(location.hash, "#s=AAAA");
});

test("typing without a pause is kept too", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const files = opened({ prompt: "a" });
  let times = 0;
  files.keep = () => {
    times += 1;
    files.timer = 0;
  };
  for (let at = 0; at < 30; at++) {
    files.changed();
    context.mock.timers.tick(100);
  }
  assert.ok(times >= 3);
});

test("a reload shows the file that the tab had open, while it is there", () => {
  const files = opened({ prompt: "a" });
  assert.equal(files.first(["a.pdl", "b.pdl"]), "a.pdl");
  files.remember("b.pdl");
  assert.equal(opened({}).first(["a.pdl", "b.pdl"]), "b.pdl");
  assert.equal(opened({}).first(["a.pdl"]), "a.pdl");
  full = true;
  files.remember("a.pdl");
  assert.equal(files.first(["a.pdl", "b.pdl"]), "b.pdl");
});

test("no file is said to be saved that has changed meanwhile", async () => {
  const refusal = Object.assign(new Error("changed"), { status: 409, told: { text: "theirs", digest: "2" } });
  const files = opened({ file: "a.pdl", prompt: "mine" });
  files.known.set("a.pdl", { saved: "a", digest: "1", prompt: "mine" });
  files.app.backend = { call: () => Promise.reject(refusal) };
  await assert.rejects(files.saveOther("a.pdl"), /a\.pdl has changed/);
  assert.deepEqual(await files.save(), { text: "theirs", digest: "2" });
  assert.ok(files.isUnsaved("a.pdl"));
});
