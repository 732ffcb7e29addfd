// What the panels compute without a page.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { pieces } from "../../../pdl/play/static/highlight.js";
import { rulesOf } from "../../../pdl/play/static/panels/grammar_rules.js";
import { sectionOf } from "../../../pdl/play/static/panels/problems.js";
import { curl, reasons } from "../../../pdl/play/static/panels/requests.js";

const TEXTS = ['{"a": [1, -2.5e3, true], "b": "c\\"d"} # x', 'root ::= "a" [^\\n"]+ other{2,} # "open\nother ::= <[12]> | !<think>', "", "'''\"\"\"\\", "f: int<1,5>, // a \"comment\"\nParty = { x?: str }"];

for (const language of ["json", "notation", "python", "typescript", "shell", "gbnf", "", "other"]) {
  test(`colors change no character: ${language || "none"}`, () => {
    for (const text of [...TEXTS, "x".repeat(70_000)]) {
      assert.equal(pieces(text, language).map(([, piece]) => piece).join(""), text);
    }
  });
}

test("a key, a string and a number of JSON have their own colors", () => {
  const kinds = pieces('{"a": "b", "c": -1}', "json").filter(([kind]) => kind);
  assert.deepEqual(kinds, [["key", '"a"'], ["string", '"b"'], ["key", '"c"'], ["number", "-1"]]);
});

test("what looks like a name in a literal or a class of a grammar is none", () => {
  const names = pieces('root ::= "ws" [ws] ws <ws>', "gbnf").filter(([kind]) => kind === "name");
  assert.deepEqual(names, [["name", "root"], ["name", "ws"]]);
});

test("a grammar is split into its rules, and lines that go on stay with theirs", () => {
  const text = 'root ::= a |\n  b\n# about a\na ::= "x"\nb-2 ::= "y"\n';
  assert.deepEqual(rulesOf(text), [["root", "root ::= a |\n  b\n# about a"], ["a", 'a ::= "x"'], ["b-2", 'b-2 ::= "y"']]);
  assert.deepEqual(rulesOf(""), []);
});

test("a shell reads a request back as it is, whatever its texts contain", { skip: process.platform === "win32" }, () => {
  const body = { model: "m", messages: [{ content: "it's \\ \"quoted\" $HOME `id`\n'" }] };
  const command = curl({ url: "https://example.org/v1", headers: { "x-api-key": "$PDL_TEST_KEY" }, body });
  const shown = execFileSync("sh", ["-c", `curl() { printf '%s\\0' "$@"; }\n${command}`], { env: { ...process.env, PDL_TEST_KEY: "secret" } });
  const [url, , type, , key, , data] = shown.toString().split("\0");
  assert.deepEqual([url, type, key], ["https://example.org/v1", "content-type: application/json", "x-api-key: secret"]);
  assert.deepEqual(JSON.parse(data), body);
});

test("a command without a model has a placeholder", () => {
  assert.match(curl({ url: "https://a/v1", headers: {}, body: {} }), /"model": "MODEL"/);
  assert.doesNotMatch(curl({ url: "https://a/MODEL:generate", headers: {}, body: {} }), /"model"/);
});

test("what is left out for one reason is told once", () => {
  const items = [{ pointer: "#/a", keyword: "x", why: "w" }, { pointer: "#/b", keyword: "x", why: "w" }, { key: "top_k", why: "v" }, "z"];
  assert.deepEqual(reasons(items), [["w", ["#/a", "#/b"]], ["v", ["top_k"]], ["z", []]]);
});

test("the link of a code leads to the section that describes it", () => {
  const page = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
  const sections = page.split(/^## /m).slice(1).map((text) => [text.split("\n")[0].replaceAll(" ", "-"), [...text.matchAll(/^\| `([a-z]+\/[a-z-]+)`/gm)]]);
  const codes = sections.flatMap(([name, found]) => found.map(([, code]) => [code, name]));
  assert.ok(codes.length > 100);
  for (const [code, name] of codes) assert.equal(sectionOf(code), name, code);
});
