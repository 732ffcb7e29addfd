// Python in a worker of the page: the methods of pdl/play/browser.py, and the language server.
//
// The page sends one message at a time, {kind, method, content}, and is answered {ended, result}.

import { checkFiles, unless } from "./pyodide_files.js";

const ROOT = "/prompts"; // where Python finds the page's files, in memory

// Stand-ins come after the packages that Pyodide has. Python must give up before the browser's stack
// is full, which is fatal to it.
const SETUP = `
import os, sys
sys.path.append(os.path.abspath("stand_ins"))
sys.setrecursionlimit(400)
sys.dont_write_bytecode = True
`;

/** Loads Pyodide, packages with machine code, and pdl's archive; returns pdl's methods. */
async function start() {
  const settings = await (await fetched("settings.json")).json();
  const place = new URL(settings.pyodide, import.meta.url).href;
  const archive = fetched(settings.archive);
  postMessage({ stage: "Loading Python …" });
  const python = await unless(checkFiles(place), pyodideAt(place));
  for (const name of settings.packages) {
    await python.loadPackage(name, { messageCallback() {} }).catch(() => {}); // another stands in for it
  }
  postMessage({ stage: "Loading pdl …" });
  python.unpackArchive(new Uint8Array(await (await archive).arrayBuffer()), "zip");
  python.runPython(SETUP);
  return python.pyimport("pdl.play.browser").Browser(ROOT);
}

async function pyodideAt(place) {
  const { loadPyodide } = await import(`${place}pyodide.mjs`);
  return loadPyodide({ indexURL: place });
}

async function fetched(name) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name} is not there (status ${answer.status})`);
  return answer;
}

const told = (error) => String(error?.message ?? error);
const starting = start();
starting.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ failed: told(error) }),
);

let take; // what takes the messages to the language server

function answer(python, { kind, method, content }) {
  if (kind === "call") return python.call(method, content);
  if (kind === "files") return python.put(content);
  if (method === "start") take = python.language((message) => postMessage({ language: message }));
  return take(content);
}

onmessage = async ({ data }) => {
  const python = await starting;
  try {
    postMessage({ ended: true, result: answer(python, data) });
  } catch (error) {
    // Python catches what it can: after anything else, its interpreter is not to be trusted.
    postMessage({ died: told(error) });
  }
};
