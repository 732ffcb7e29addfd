import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";

import { grammar, snapshot, tokenize } from "./tokens.mjs";

const here = (path) => new URL(path, import.meta.url);
const FOLDERS = { prompts: here("../../../prompts/"), cases: here("cases/") };
const loaded = await grammar();

for (const [kind, folder] of Object.entries(FOLDERS)) {
  for (const name of (await readdir(folder)).filter((file) => file.endsWith(".pdl")).sort()) {
    test(`${kind}/${name} is colored as before`, async () => {
      const file = here(`snapshots/${kind}/${name}.snap`);
      const found = snapshot(loaded, await readFile(new URL(name, folder), "utf8"));
      if (process.env.UPDATE_SNAPSHOTS) {
        await mkdir(new URL(".", file), { recursive: true });
        await writeFile(file, found);
      }
      const change = firstChange(await readFile(file, "utf8"), found);
      assert.ok(!change, `${change}\nRun \`npm run snapshots\`, and look at what changes.`);
    });
  }
}

test("no snapshot is left without its prompt", async () => {
  for (const [kind, folder] of Object.entries(FOLDERS)) {
    const prompts = await readdir(folder);
    for (const name of await readdir(here(`snapshots/${kind}/`))) {
      assert.ok(prompts.includes(name.replace(/\.snap$/, "")), name);
    }
  }
});

test("a large prompt takes less than 100 ms", async () => {
  const text = await readFile(new URL("agent.pdl", FOLDERS.prompts), "utf8");
  tokenize(loaded, text); // compiles the patterns
  assert.ok(milliseconds(() => tokenize(loaded, text)) < 100);
});

/** Characters that begin much and end nothing, as one line. */
const PIECES = [
  "<|", "|>", "<|a", "<|{{", "%}<|{", "<|media(", "{%", "{% raw %}", "{{", "{{ '", '"', '"\\', "'", "`", "**", "***",
  "<", "</a", "a", "a-", "a.", "1", "1.", "-1e", "//", "@", "@type:", "[", "[str", "{", "str {", "A =", "a?:",
  "is ", "is not ", "|", "| a", " ", "\t", "&lt;", "&lt;|", "#", "# ", "```", "a:", "(", "|&", "😀", "é",
];

for (const role of ["user", "schema", "tools", "config"]) {
  test(`time grows with a line's length, and not faster, in ${role} turns`, () => {
    for (const piece of PIECES) {
      const time = (length) => {
        const line = piece.repeat(Math.ceil(length / piece.length));
        return milliseconds(() => tokenize(loaded, `<|${role}|>\n${line}\n${line}`));
      };
      const long = time(4000);
      assert.ok(long < 400, `${JSON.stringify(piece)}: ${long.toFixed(0)} ms for 8,000 characters`);
    }
  });
}

/** The first line that differs, if there is one. */
function firstChange(before, after) {
  const [old, now] = [before, after].map((text) => text.split("\n"));
  const at = old.findIndex((line, index) => line !== now[index]);
  return before === after ? undefined : `line ${at + 1}\n- ${old[at]}\n+ ${now[at]}`;
}

/** The best of three runs. */
function milliseconds(action) {
  const times = [1, 2, 3].map(() => {
    const start = performance.now();
    action();
    return performance.now() - start;
  });
  return Math.min(...times);
}
