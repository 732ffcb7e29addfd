// What is said of files of Pyodide that cannot be loaded.

import assert from "node:assert/strict";
import { test } from "node:test";

import { checkFiles, unless } from "../../../pdl/play/static/pyodide_files.js";

/** A server of files with these answers; all others are good. */
function serving(odd) {
  globalThis.fetch = async (address) => {
    const [status, type] = odd[address.split("/").at(-1)] ?? [200, "text/javascript; charset=utf-8"];
    if (!status) throw new TypeError("failed to fetch");
    return { ok: status === 200, status, headers: new Headers(type ? { "Content-Type": type } : {}) };
  };
}

test("a file that is missing is named", async () => {
  serving({ "pyodide.asm.wasm": [404] });
  await assert.rejects(checkFiles("pyodide/"), /pyodide\.asm\.wasm is not there \(status 404\)/);
});

test("a module with a wrong type is named with it", async () => {
  serving({ "pyodide.mjs": [200, "application/octet-stream"] });
  await assert.rejects(checkFiles("pyodide/"), /pyodide\.mjs as application\/octet-stream.*text\/javascript/);
  serving({ "pyodide.asm.mjs": [200, ""] });
  await assert.rejects(checkFiles("pyodide/"), /as no type/);
});

test("what a server does not tell is no error", async () => {
  serving({ "pyodide.mjs": [405], "pyodide.asm.wasm": [0], "pyodide.asm.mjs": [404] });
  await checkFiles("pyodide/");
});

test("a task that waits for ever ends with the error of the check, which is said before its own", async () => {
  const bad = () => Promise.reject(new Error("missing"));
  await assert.rejects(unless(bad(), new Promise(() => {})), /missing/);
  await assert.rejects(unless(bad(), Promise.reject(new Error("cannot import"))), /missing/);
  await assert.rejects(unless(Promise.resolve(), Promise.reject(new Error("cannot import"))), /cannot import/);
  assert.equal(await unless(Promise.resolve(), Promise.resolve(3)), 3);
});
