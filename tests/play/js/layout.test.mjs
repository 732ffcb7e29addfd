import assert from "node:assert/strict";
import { test } from "node:test";

import { DEFAULTS, keyed, moved, sound } from "../../../pdl/play/static/layout.js";

test("a line keeps away from the edges", () => {
  assert.deepEqual(moved({ first: 50, second: 50 }, "two", "first", 3), { first: 15, second: 50 });
  assert.deepEqual(moved({ first: 50, second: 50 }, "two", "second", 99), { first: 50, second: 85 });
});

test("two lines between three columns keep apart", () => {
  assert.deepEqual(moved({ first: 36, second: 66 }, "three", "first", 90), { first: 51, second: 66 });
  assert.deepEqual(moved({ first: 36, second: 66 }, "three", "second", 0), { first: 36, second: 51 });
});

test("arrows along a line's way move it, others do not", () => {
  assert.equal(keyed(50, "vertical", { key: "ArrowRight" }, 40), 52);
  assert.equal(keyed(50, "vertical", { key: "ArrowLeft", shiftKey: true }, 40), 40);
  assert.equal(keyed(50, "horizontal", { key: "ArrowDown" }, 40), 52);
  assert.equal(keyed(50, "vertical", { key: "ArrowDown" }, 40), undefined);
  assert.equal(keyed(50, "vertical", { key: "Enter" }, 40), 40);
});

test("places that cannot be used are not used", () => {
  for (const kept of [null, 3, {}, { two: null }, { two: { first: "a", second: 1e9 } }, { three: { first: 60, second: 61 } }]) {
    assert.deepEqual(sound(kept), DEFAULTS);
  }
  assert.deepEqual(sound({ two: { first: 20, second: 70 } }).two, { first: 20, second: 70 });
});
