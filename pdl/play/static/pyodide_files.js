// Whether the files of Pyodide can be loaded: it says little of one that cannot, or waits for ever.

const MODULES = ["pyodide.mjs", "pyodide.asm.mjs"];
const FILES = ["pyodide.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"]; // of every release
const UNTOLD = [405, 501]; // of servers that do not answer HEAD

/** Throws an Error that says what is wrong with a file at a place, if the server tells. */
export async function checkFiles(place) {
  await Promise.all([...new Set([...FILES, ...MODULES])].map((name) => check(place, name)));
}

async function check(place, name) {
  const answer = await fetch(place + name, { method: "HEAD" }).catch(() => null);
  if (!answer || UNTOLD.includes(answer.status)) return;
  if (!answer.ok) {
    if (FILES.includes(name)) throw new Error(`${name} is not there (status ${answer.status})`);
    return;
  }
  const type = answer.headers.get("Content-Type") || "no type";
  if (MODULES.includes(name) && !/javascript|ecmascript/i.test(type)) {
    throw new Error(`the server sends ${name} as ${type}, and must send it as text/javascript`);
  }
}

/** What a task makes, or the error of a check that fails before; the check alone ends nothing. */
export function unless(check, task) {
  const failing = check.then(() => new Promise(() => {}));
  return Promise.race([failing, task.catch((error) => check.then(() => Promise.reject(error)))]);
}
