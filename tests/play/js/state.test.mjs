import assert from "node:assert/strict";
import { test } from "node:test";

import { read, split, written } from "../../../pdl/play/static/state.js";

const base64 = (text) => Buffer.from(text).toString("base64url");

test("a state is read as it was written", async () => {
  for (const prompt of ["<|user|>\nHello\n", "𝒳 é ‮ \u0000 \\ \"", "x".repeat(200_000)]) {
    const state = { prompt, data: "a: 1", reply: "{}" };
    assert.deepEqual(await read(await written(state)), state);
  }
});

test("what is empty is not written", async () => {
  assert.deepEqual(await read(await written({ prompt: "a", data: "", reply: null })), { prompt: "a" });
});

test("plain JSON is read too, and only texts with known names", async () => {
  const hostile = JSON.stringify({ prompt: "a", data: 3, file: "/etc/passwd", __proto__: { reply: "b" }, reply: ["c"] });
  assert.deepEqual(await read(`#j=${base64(hostile)}`), { prompt: "a" });
});

test("a broken fragment is no state", async () => {
  const whole = await written({ prompt: "hello hello hello" });
  const broken = ["", "#", "#s=", "#s=!!!", "#s=AAAA", "#j=AAAA", whole.slice(0, -4), `${whole}AAAA`, `#j=${base64("null")}`, `#j=${base64("[1]")}`, `#j=${base64('"a"')}`, "#token=abc", "#s", `#q=${base64("{}")}`];
  for (const fragment of broken) {
    const found = await read(fragment);
    assert.ok(Object.values(found).every((one) => typeof one === "string"), fragment);
  }
});

test("a fragment that grows without end is not read", async () => {
  const bomb = await written({ prompt: "a".repeat(9_000_000) });
  assert.ok(bomb.length < 20_000);
  assert.equal(Object.keys(await read(bomb)).length, 0);
});

test("the token is taken from before the state", () => {
  assert.deepEqual(split("#token=a-B_9"), { token: "a-B_9", fragment: "" });
  assert.deepEqual(split("#token=a&s=xyz"), { token: "a", fragment: "#s=xyz" });
  assert.deepEqual(split("#s=xyz"), { token: "", fragment: "#s=xyz" });
});
