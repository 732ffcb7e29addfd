// JSON as text that is edited at one place, so that the rest stays as it was typed.

/** A number that JavaScript would write otherwise than it was typed, such as 1.0 or 12345678901234567890. */
export class Exact {
  constructor(text) {
    this.text = text;
  }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const DEEPEST = 200;

/** A typed number as a number, or as Exact; null if JSON has no such number. */
export function number(text) {
  if (!NUMBER.test(text)) return null;
  return String(Number(text)) === text ? Number(text) : new Exact(text);
}

/** What is typed for a value that `number` or JSON gave. */
export const shown = (value) => (value instanceof Exact ? value.text : typeof value === "string" ? value : JSON.stringify(value));

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Exact);

/** Writes a value: on one line, or with `indent` spaces a level. */
export function write(value, indent = 0, margin = "") {
  if (value instanceof Exact) return value.text;
  const list = Array.isArray(value);
  if (!list && !isObject(value)) return JSON.stringify(value);
  const pairs = list ? value.map((one) => ["", one]) : Object.entries(value).map(([key, one]) => [`${JSON.stringify(key)}: `, one]);
  const [open, close] = list ? "[]" : "{}";
  if (!pairs.length) return open + close;
  const inner = margin + " ".repeat(indent);
  const texts = pairs.map(([key, one]) => key + write(one, indent, inner));
  return indent ? `${open}\n${inner}${texts.join(`,\n${inner}`)}\n${margin}${close}` : open + texts.join(", ") + close;
}

/** The tree of a JSON text with the places of its values; null if it is not JSON. */
export function tree(text) {
  try {
    JSON.parse(text);
    return new Reader(text).read();
  } catch {
    return null;
  }
}

/** Reads a text that is known to be JSON. */
class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.depth = 0;
  }

  space() {
    while (" \t\r\n".includes(this.text[this.at] ?? "x")) this.at += 1;
  }

  read() {
    this.space();
    const from = this.at;
    const first = this.text[from];
    if (first === "{" || first === "[") return this.nested(from, first === "{");
    const match = first === '"' ? /"(?:[^"\\]|\\.)*"/sy : /[^\s,\]}]+/y;
    match.lastIndex = from;
    this.at += match.exec(this.text)[0].length;
    const raw = this.text.slice(from, this.at);
    return { from, to: this.at, value: number(raw) ?? JSON.parse(raw) };
  }

  nested(from, keyed) {
    if ((this.depth += 1) > DEEPEST) throw new RangeError("too deep");
    const members = [];
    this.at += 1;
    for (this.space(); !"]}".includes(this.text[this.at]); this.space()) {
      const start = this.at;
      const key = keyed ? this.read().value : members.length;
      if (keyed) this.space(), (this.at += 1);
      members.push({ key, from: start, node: this.read() });
      this.space();
      if (this.text[this.at] === ",") this.at += 1;
    }
    this.at += 1;
    this.depth -= 1;
    const values = members.map(({ key, node }) => [key, node.value]);
    const value = keyed ? Object.fromEntries(values) : values.map(([, one]) => one);
    return { from, to: this.at, members, keyed, value };
  }
}

const member = (node, key) => node.members?.findLast((one) => one.key === key);

/** A value that has another one at a path; undefined takes away what is there. */
export function withValue(value, path, next) {
  if (!path.length) return next;
  const [key, ...rest] = path;
  const inner = withValue(value?.[key], rest, next);
  if (typeof key === "number") {
    const list = Array.isArray(value) ? [...value] : [];
    if (inner === undefined) list.splice(key, 1);
    else list[key] = inner;
    return list;
  }
  const object = isObject(value) ? { ...value } : {};
  if (inner === undefined) delete object[key];
  else object[key] = inner;
  return object;
}

const marginAt = (text, at) => /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1))[0];

/** A JSON text with another value at a path, or without it if the value is undefined; null if it is not JSON. */
export function edited(text, path, value) {
  if (!text.trim()) return value === undefined ? text : `${write(withValue({}, path, value), 2)}\n`;
  let node = tree(text);
  if (!node) return null;
  let parent = null;
  let depth = 0;
  for (; depth < path.length; depth += 1) {
    const found = member(node, path[depth]);
    if (!found) break;
    parent = { node, member: found };
    node = found.node;
  }
  if (depth === path.length) return value === undefined ? without(text, parent) : replaced(text, node, value);
  if (value === undefined) return text;
  const fits = node.members?.length && node.keyed === (typeof path[depth] === "string");
  if (!fits) return replaced(text, node, withValue(node.value, path.slice(depth), value));
  return added(text, node, path[depth], withValue(undefined, path.slice(depth + 1), value));
}

function replaced(text, node, value) {
  if (write(node.value) === write(value)) return text;
  const wide = text.slice(node.from, node.to).includes("\n") || node.from === text.search(/\S/);
  return text.slice(0, node.from) + write(value, wide ? 2 : 0, marginAt(text, node.from)) + text.slice(node.to);
}

function added(text, node, key, value) {
  const last = node.members.at(-1);
  const wide = text.slice(node.from, last.from).includes("\n");
  const margin = wide ? marginAt(text, last.from) : "";
  const named = node.keyed ? `${JSON.stringify(key)}: ` : "";
  const joint = wide ? `,\n${margin}` : ", ";
  return text.slice(0, last.node.to) + joint + named + write(value, wide ? 2 : 0, margin) + text.slice(last.node.to);
}

/** The text without a member, and without the comma and the spaces that it had. */
function without(text, parent) {
  if (!parent) return "";
  const { members } = parent.node;
  const at = members.indexOf(parent.member);
  if (members.length === 1) return text.slice(0, parent.node.from + 1) + text.slice(parent.node.to - 1);
  if (at === 0) return text.slice(0, members[0].from) + text.slice(members[1].from);
  return text.slice(0, members[at - 1].node.to) + text.slice(members[at].node.to);
}
