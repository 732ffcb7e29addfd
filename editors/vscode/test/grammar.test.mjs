import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";

import { grammar, snapshot, tokenize } from "./tokens.mjs";

const here = (path) => new URL(path, import.meta.url);
const FOLDERS = { prompts: here("../../../prompts/"), cases: here("cases/") };
const loaded = await grammar();
const files = async (folder) => (await readdir(folder)).filter((file) => file.endsWith(".pdl")).sort();
const hasCases = (file) => file.endsWith(".tests.pdl");

for (const [kind, folder] of Object.entries(FOLDERS)) {
  for (const name of (await files(folder)).filter((file) => kind === "cases" || !hasCases(file))) {
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

/** The first line that has a scope, from 0. */
const lineWith = (scope, text) =>
  tokenize(loaded, text).findIndex(({ tokens }) => tokens.some((token) => token.scopes.includes(scope)));

const MARKS = ["case", "data", "reply", "expect", "assert", "messages", "cases", "judge"];
const OPEN = ["{", '"', "'", "{{", "{%", "{#", "{% raw %}", "```json", '{"a": [', "<|user|>", "a: [", "a: |", "str {", "(", "<|media("];
const section = (mark) => `meta.section.${mark}.pdl-prompt`;

for (const mark of MARKS) {
  test(`nothing but a mark ends a section, here of ${mark}`, () => {
    for (const open of OPEN) {
      const lines = [`<|${mark}|>`, open, "<|user|>", "a", "<|case|> b", "<|expect|> c"];
      const found = tokenize(loaded, lines.join("\n")).map(({ tokens }) => tokens[0].scopes);
      assert.ok(found.slice(0, 4).every((scopes) => scopes.includes(section(mark))), open);
      assert.ok(found[4].includes(section("case")) && found[5].includes(section("expect")), open);
    }
  });
}

test("sections of shipped files of cases are those that pdl sees", async () => {
  for (const name of (await files(FOLDERS.prompts)).filter(hasCases)) {
    let current;
    for (const { line, tokens } of tokenize(loaded, await readFile(new URL(name, FOLDERS.prompts), "utf8"))) {
      const mark = /^<\|(\w+)\|>/.exec(line)?.[1];
      current = MARKS.includes(mark) ? mark : current;
      assert.ok(!current || tokens.every(({ scopes }) => scopes[1] === section(current)), `${name}: ${line}`);
    }
    assert.ok(current, name);
  }
});

test("the first mark says whether a file has cases", () => {
  assert.equal(lineWith(section("case"), "# {{ a }}\n\n<|case|> a\n<|user|>"), 2);
  assert.equal(lineWith(section("reply"), "<|user|>\n<|reply|>\n<|case|> a"), -1);
  assert.equal(lineWith("meta.turn.user.pdl-prompt", "<|case|> a\n<|user|>"), -1);
});

for (const role of ["user", "schema", "tools", "config", ...MARKS]) {
  test(`time grows with a line's length, and not faster, after ${role}`, () => {
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
    const start = process.cpuUsage(); // of the processor: the machine may be busy
    action();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
