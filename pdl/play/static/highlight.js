// Colors for code that is only shown: one regular expression a language, a group for each color.

import { h } from "./dom.js";

const STRING = String.raw`"(?:[^"\\\n]|\\.)*"`;
const NUMBER = String.raw`\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b`;

const LANGUAGES = {
  json: `(?<key>${STRING}(?=\\s*:))|(?<string>${STRING})|(?<number>-?${NUMBER})|(?<word>\\b(?:true|false|null)\\b)`,
  notation: String.raw`(?<comment>//.*)|(?<key>[\w-]+(?=\??\s*[:=]))|(?<string>${STRING})|(?<number>-?${NUMBER})|(?<type>\b[A-Z]\w*\b)|(?<word>\b[a-z]+\b)`,
  python: String.raw`(?<comment>#.*)|(?<string>"""[\s\S]*?"""|${STRING}|'(?:[^'\\\n]|\\.)*')|(?<number>${NUMBER})|(?<word>\b(?:from|import|class|def|return|if|else|None|True|False|type)\b|@[\w.]+)|(?<type>\b[A-Z]\w*\b)`,
  typescript: String.raw`(?<comment>//.*|/\*[\s\S]*?\*/)|(?<string>${STRING})|(?<number>${NUMBER})|(?<word>\b(?:export|interface|type|string|number|boolean|null|unknown|true|false|readonly|Record|Array)\b)|(?<key>[\w$]+(?=\??:))|(?<type>\b[A-Z]\w*\b)`,
  shell: String.raw`(?<comment>^#.*)|(?<string>'[^']*'|${STRING})|(?<word>^curl\b|\s--?[a-z-]+)|(?<type>\$\{?\w+\}?)`,
  gbnf: String.raw`(?<comment>#.*)|(?<string>${STRING}|\[(?:[^\]\\\n]|\\.)*\])|(?<token>!?<[^<>\s|]+>)|(?<name>[A-Za-z][\w-]*)|(?<number>\{[\d,]*\}|[*+?])`,
};
const PATTERNS = Object.fromEntries(Object.entries(LANGUAGES).map(([name, source]) => [name, new RegExp(source, "gm")]));
const LONGEST = 60_000; // characters that get colors

/** The pieces of a text in their order: `[kind, text]`, the kind "" for what has no color. */
export function pieces(text, language) {
  const pattern = PATTERNS[language];
  if (!pattern || text.length > LONGEST) return [["", text]];
  const found = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) found.push(["", text.slice(at, match.index)]);
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    found.push([kind, match[0]]);
    at = match.index + match[0].length;
  }
  if (at < text.length) found.push(["", text.slice(at)]);
  return found;
}

/** Nodes that show a text in its colors; `make(kind, text)` may return another node for a piece. */
export function highlighted(text, language, make = () => null) {
  return pieces(text, language).map(([kind, piece]) => {
    const made = make(kind, piece);
    if (made || !kind) return made ?? piece;
    return h("span", { class: `t-${kind}` }, piece);
  });
}
