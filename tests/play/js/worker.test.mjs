// The worker of a page without a server: it is started again, and the language server with it.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

let clock = 0;
let workers = [];

performance.now = () => clock;
globalThis.location = { pathname: "/" };
globalThis.localStorage = { getItem: () => null, setItem() {} };
globalThis.Worker = class {
  constructor() {
    workers.push(this);
  }

  postMessage() {}

  terminate() {}
};
console.warn = () => {};

const { WorkerBackend } = await import("../../../pdl/play/static/worker_backend.js");

/** A back end whose worker is ready, and what its bar says. */
function started() {
  const backend = new WorkerBackend();
  const bar = [];
  backend.onRestart = (...told) => bar.push(told);
  last().onmessage({ data: { ready: true } });
  return { backend, bar };
}

const last = () => workers.at(-1);

/** Answers a call. */
async function answered(backend) {
  const call = backend.hello();
  last().onmessage({ data: { ended: true, result: '{"status": 200, "result": {}}' } });
  await call;
}

/** Starts the language server, which ends its worker; another one is ready then. */
async function killed(backend) {
  (await backend.language()).send("{}");
  last().onmessage({ data: { died: "deep" } });
  last().onmessage({ data: { ready: true } });
}

beforeEach(() => {
  clock = 0;
  workers = [];
});

test("a language server that ends its workers is left out, and comes back with one that answers", async () => {
  const { backend } = started();
  for (let at = 0; at < 3; at++) await killed(backend);
  await answered(backend);
  await assert.rejects(backend.language(), /tried again later/);
  clock += 40_000;
  await killed(backend); // it is tried once, and left out again
  clock += 20_000;
  await answered(backend);
  await assert.rejects(backend.language());
  clock += 20_000;
  assert.ok(await backend.language());
});

test("a worker that never starts is given up, with what waits for it", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const backend = new WorkerBackend();
  const call = backend.hello();
  context.mock.timers.tick(299_000);
  assert.equal(backend.broken, null);
  context.mock.timers.tick(1_000);
  await assert.rejects(call, /Python cannot be loaded: it took longer than 5 minutes/);
  await assert.rejects(backend.hello(), /cannot be loaded/);
});

test("it does not come back while no worker answers", async () => {
  const { backend } = started();
  for (let at = 0; at < 3; at++) await killed(backend);
  clock += 40_000;
  await assert.rejects(backend.language());
  await answered(backend);
  assert.ok(await backend.language());
});

test("ends that are far apart do not add up", async () => {
  const { backend } = started();
  for (let at = 0; at < 9; at++) {
    await killed(backend);
    clock += 40_000;
  }
  assert.equal(workers.length, 10);
});

test("the bar says that the worker is started again, and why where no caller is told", async () => {
  const { backend, bar } = started();
  assert.deepEqual(bar, []);
  await killed(backend);
  assert.deepEqual(bar.map(([isBack]) => isBack), [false, true]);
  assert.match(bar[1][1], /too deep/);
  const call = backend.hello();
  last().onmessage({ data: { died: "deep" } });
  await assert.rejects(call, /too deep/);
  last().onmessage({ data: { ready: true } });
  assert.deepEqual(bar.slice(2), [[false, ""], [true, ""]]);
});
