// Tokenizes prompts as VS Code does, with its own engine.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { Registry, INITIAL, parseRawGrammar } = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

const GRAMMAR = new URL("../syntaxes/pdl-prompt.tmLanguage.json", import.meta.url);

export async function grammar() {
  const wasm = await readFile(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) =>
      scope === "text.pdl-prompt"
        ? parseRawGrammar(await readFile(GRAMMAR, "utf8"), GRAMMAR.pathname)
        : null,
  });
  return registry.loadGrammar("text.pdl-prompt");
}

/** The tokens of each line: where they begin and end, and their scopes. */
export function tokenize(grammar, text) {
  let state = INITIAL;
  return text.split(/\r?\n/).map((line) => {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    return { line, tokens: result.tokens };
  });
}

/** Lines with their tokens below: a mark under the text, then the scopes, but those of the file and the turn. */
export function snapshot(grammar, text) {
  const out = [];
  for (const { line, tokens } of tokenize(grammar, text)) {
    out.push(`>${line}`);
    for (const { startIndex, endIndex, scopes } of tokens) {
      const end = Math.min(endIndex, line.length);
      const named = scopes
        .filter((scope) => !/^(text|meta\.turn)\./.test(scope))
        .map((scope) => scope.replace(/\.pdl-prompt$/, ""));
      if (line.slice(startIndex, end).trim() && named.length > 0) {
        out.push(`#${" ".repeat(startIndex)}${"^".repeat(end - startIndex)} ${named.join(" ")}`);
      }
    }
  }
  return `${out.join("\n")}\n`;
}
