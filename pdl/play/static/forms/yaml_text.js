// The fields of a YAML mapping, edited one by one. What is not a plain mapping of blocks is left to others.

import { write } from "./json_text.js";

const KEY = /^([A-Za-z_][\w.-]*|"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')[ \t]*:(?=[ \t]|$)/;
// What follows a value of one line: after a quoted text, a list or an object without texts, or plain words.
const COMMENT = /^(?:[ \t]+(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[[{][^"'#]*?|[^"'|>#\s[{](?:[^#]|(?<=\S)#)*?))?([ \t]+#.*)$/;
const HEADER = /^[ \t]+[|>][-+\d]*([ \t]+#.*)$/;
const WORD = /^[A-Za-z][\w ,.!?()/-]*[\w.!?)]$|^[A-Za-z]$/;
const SPECIAL = /^(?:true|false|yes|no|on|off|null|y|n|nan|inf)$/i;

function nameOf(key) {
  if (key.startsWith('"')) return JSON.parse(key);
  return key.startsWith("'") ? key.slice(1, -1).replaceAll("''", "'") : key;
}

/** The blocks of a mapping: [{name, from, to}] in lines; null if the text is anything else. */
function blocks(lines) {
  const found = [];
  for (const [at, line] of lines.entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const key = KEY.exec(line)?.[1];
    if (key) found.push({ name: nameOf(key), key, from: at, to: at + 1 });
    else if (found.length && /^(?:[ \t]|- |-$)/.test(line)) found.at(-1).to = at + 1;
    else return null;
  }
  return found;
}

/** A value as JSON whose strings have no sign that YAML takes for the end of a line. */
const json = (value) => write(value).replace(/[\x7f-\x9f\u2028\u2029\ufeff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** A value as YAML after `key:`. */
function written(value) {
  if (typeof value !== "string") return ` ${json(value)}`;
  if (WORD.test(value) && !SPECIAL.test(value)) return ` ${value}`;
  const lines = value.split("\n");
  const plain = lines.length > 1 && /^\S/.test(value) && !/[ \t]\n|[ \t]$|[^\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff]/.test(value);
  const end = /\n*$/.exec(value)[0].length;
  if (!plain || end > 1) return ` ${json(value)}`;
  const body = end ? lines.slice(0, -1) : lines;
  return ` |${end ? "" : "-"}\n${body.map((line) => (line ? `  ${line}` : "")).join("\n")}`;
}

/** A YAML text with another value of a field, or without it; null if only a rewrite can do that. */
export function editedField(text, name, value) {
  const lines = text.split(/\r?\n/);
  const found = blocks(lines);
  const same = found?.filter((one) => one.name === name);
  if (!same || same.length > 1) return null;
  const key = same[0]?.key ?? (/^[A-Za-z_]\w*$/.test(name) && !SPECIAL.test(name) ? name : JSON.stringify(name));
  const made = value === undefined ? [] : [`${key}:${written(value)}`];
  if (!same.length) {
    const end = text.endsWith("\n") || !text ? text : `${text}\n`;
    return made.length ? `${end}${made[0]}\n` : text;
  }
  const [{ from, to }] = same;
  const block = lines.slice(from, to).join("\n");
  if (/(?::|-)[ \t]+(?:&\w|<<)/.test(block)) return null;
  const first = lines[from].slice(KEY.exec(lines[from])[0].length);
  const comment = (to - from === 1 ? COMMENT : HEADER).exec(first)?.[1] ?? "";
  const [head, ...more] = made.length ? made[0].split("\n") : [];
  const next = made.length ? [head + comment, ...more] : [];
  const ends = text.includes("\r\n") ? "\r\n" : "\n";
  return [...lines.slice(0, from), ...next, ...lines.slice(to)].join(ends);
}
