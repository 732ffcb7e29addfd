import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf } from "../../../pdl/play/static/connection.js";
import { draftOf, dropDraft, handedOver, handover, keepDraft, read, split, takeHandover, takeToken, written } from "../../../pdl/play/static/state.js";

const stateOf = async (fragment) => (await read(fragment)).state;
const damageOf = async (fragment) => (await read(fragment)).damage;
const base64 = (text) => Buffer.from(text).toString("base64url");

test("a state is read as it was written", async () => {
  for (const prompt of ["<|user|>\nHello\n", "𝒳 é ‮ \u0000 \\ \"", "x".repeat(200_000)]) {
    const state = { prompt, data: "a: 1", reply: "{}" };
    assert.deepEqual(await stateOf(await written(state)), state);
  }
});

test("what is empty is not written", async () => {
  assert.deepEqual(await stateOf(await written({ prompt: "a", data: "", reply: null })), { prompt: "a" });
});

test("plain JSON is read too, and only texts with known names", async () => {
  const hostile = JSON.stringify({ prompt: "a", data: 3, file: "/etc/passwd", __proto__: { reply: "b" }, reply: ["c"] });
  assert.deepEqual(await stateOf(`#j=${base64(hostile)}`), { prompt: "a" });
});

test("a broken fragment is no state", async () => {
  const whole = await written({ prompt: "hello hello hello" });
  const broken = ["", "#", "#s=", "#s=!!!", "#s=AAAA", "#j=AAAA", whole.slice(0, -4), `${whole}AAAA`, `#j=${base64("null")}`, `#j=${base64("[1]")}`, `#j=${base64('"a"')}`, "#token=abc", "#s", `#q=${base64("{}")}`];
  for (const fragment of broken) {
    const found = await stateOf(fragment);
    assert.ok(Object.values(found).every((one) => typeof one === "string"), fragment);
  }
});

test("a fragment that grows without end is not read", async () => {
  const bomb = await written({ prompt: "a".repeat(9_000_000) });
  assert.ok(bomb.length < 20_000);
  assert.equal(Object.keys(await stateOf(bomb)).length, 0);
});

test("the token is taken from before the state", () => {
  assert.deepEqual(split("#token=a-B_9"), { token: "a-B_9", fragment: "" });
  assert.deepEqual(split("#token=a&s=xyz"), { token: "a", fragment: "#s=xyz" });
  assert.deepEqual(split("#s=xyz"), { token: "", fragment: "#s=xyz" });
});

test("a damaged fragment is told, and one without texts is none", async () => {
  const whole = await written({ prompt: "hello hello hello" });
  for (const fragment of ["#s=", "#s=AAAA", "#s=!!!", whole.slice(0, -4), "#j=AAAA", `#j=${base64("{")}`]) assert.match(await damageOf(fragment), /missing, or was changed/, fragment);
  for (const json of ["null", "5", "[]", "{}", '{"prompt":5}']) assert.match(await damageOf(`#j=${base64(json)}`), /has no prompt/, json);
  assert.match(await damageOf(await written({ prompt: "a".repeat(9_000_000) })), /more text/);
  for (const fragment of ["", "#", "#other", whole, await written({ prompt: "" })]) assert.equal(await damageOf(fragment), "", fragment);
});

test("a draft is of one address, and a browser may keep none", () => {
  const kept = new Map();
  globalThis.sessionStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text), removeItem: (key) => kept.delete(key) };
  assert.ok(keepDraft("here", "#s=a", { file: null, prompt: "x", data: "", reply: "y", at: 3 }));
  assert.deepEqual(draftOf("here", "#s=a"), { prompt: "x", data: "", reply: "y" });
  assert.deepEqual(draftOf("here", "#s=b"), {});
  dropDraft("here");
  assert.deepEqual(draftOf("here", "#s=a"), {});
  globalThis.sessionStorage.setItem = () => {
    throw new Error("full");
  };
  assert.equal(keepDraft("here", "", { prompt: "x" }), false);
  delete globalThis.sessionStorage;
  assert.deepEqual(draftOf("here", ""), {});
});

test("what was typed goes to the page of another server, whatever the names", async () => {
  const given = { file: "bad\udcff.pdl", state: { prompt: "é‮", data: "", reply: "{}" }, drafts: { "bad\udcff.pdl": { prompt: "x", digest: "0", data: "", reply: "" } } };
  const fragment = await handover("abc_-123", given);
  const { token, fragment: rest } = split(fragment);
  assert.equal(token, "abc_-123");
  assert.deepEqual(await handedOver(rest), { ...given, drafts: Object.entries(given.drafts) });
  assert.equal(await handover("t", { text: [...Array(600_000)].map(() => Math.random().toString(36).slice(2)).join("") }), "");
});

test("without a token, or damaged, nothing was given", async () => {
  globalThis.location = { hash: (await handover("abc", { file: "a.pdl", state: {}, drafts: {} })).replace("token=abc&", ""), pathname: "/", search: "" };
  globalThis.sessionStorage = { getItem: () => "old", setItem() {} };
  assert.equal(takeToken(), "old");
  assert.equal(await takeHandover(), null);
  for (const fragment of ["", "#kept=", "#kept=AAAA", "#s=AAAA"]) assert.equal(await handedOver(fragment), null);
});

test("an address is read as pdl play prints it, of this computer only", () => {
  const here = "http://127.0.0.1:80";
  assert.deepEqual(addressOf(" http://127.0.0.1:8123/#token=ab_-345678 ", here), { origin: "http://127.0.0.1:8123", token: "ab_-345678" });
  assert.deepEqual(addressOf("http://localhost:8123/#token=ab345678&s=xyz", here), { origin: "http://localhost:8123", token: "ab345678" });
  assert.deepEqual(addressOf("abcdefgh", here), { origin: here, token: "abcdefgh" });
  for (const text of ["", "short", "http://evil.example/#token=abcdefgh", "http://127.0.0.1:8123/", "http://127.0.0.1@evil.example/#token=abcdefgh", "javascript:alert(1)//token=abcdefgh"]) assert.equal(addressOf(text, here), null, text);
});
