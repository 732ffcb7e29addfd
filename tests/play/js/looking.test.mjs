import assert from "node:assert/strict";
import { test } from "node:test";

import { Looking } from "../../../pdl/play/static/looking.js";

/** A look that ends when it is told to; `begun` are the signals of all looks. */
function slow() {
  const begun = [];
  const ends = [];
  const looking = new Looking((signal) => {
    begun.push(signal);
    return new Promise((resolve) => {
      ends.push(resolve);
      signal.addEventListener("abort", () => resolve(false));
    });
  });
  return { looking, begun, end: () => ends.pop()(true) };
}

const turn = () => new Promise((resolve) => setTimeout(resolve));

test("changes that follow soon are looked at together", async () => {
  const { looking, begun } = slow();
  for (let at = 0; at < 5; at++) looking.soon();
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.equal(begun.length, 1);
});

test("a look is not given up for a newer one, and one follows many changes", async () => {
  const { looking, begun, end } = slow();
  looking.now();
  looking.now();
  looking.now();
  assert.equal(begun.length, 1);
  end();
  await turn();
  assert.equal(begun.length, 2);
  assert.equal(begun[0].aborted, false);
  end();
  await turn();
  assert.equal(begun.length, 2);
  assert.equal(looking.current, null);
});

test("a look at another prompt gives up the one that is under way", async () => {
  const { looking, begun, end } = slow();
  looking.now();
  looking.now({ givesUp: true });
  await turn();
  assert.deepEqual([begun.length, begun[0].aborted], [2, true]);
  end();
  await turn();
  assert.equal(looking.current, null);
});
