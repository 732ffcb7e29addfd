// Replies that models give instead of the one that was asked for, made of an example of it.

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Writes a value as JSON with other signs for texts, keys and constants. */
function writeAs(value, { text = JSON.stringify, key = text, word = String, end = "" }, margin = "") {
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return word(value);
  const inner = `${margin}  `;
  const one = (item) => writeAs(item, { text, key, word, end }, inner);
  const parts = Array.isArray(value) ? value.map(one) : Object.entries(value).map(([name, item]) => `${key(name)}: ${one(item)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return parts.length ? `${open}\n${inner}${parts.join(`,\n${inner}`)}${end}\n${margin}${close}` : open + close;
}

const single = (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
const bare = (text) => (/^[A-Za-z_]\w*$/.test(text) ? text : JSON.stringify(text));
const python = (value) => ({ true: "True", false: "False", null: "None" })[value] ?? String(value);

/** The value with each number as a text. */
function quoted(value) {
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.map(quoted);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, quoted(one)])) : value;
}

function without(value) {
  if (Array.isArray(value)) return value.slice(0, 1).map(without);
  const keys = isObject(value) ? Object.keys(value) : [];
  return keys.length ? Object.fromEntries(keys.slice(0, -1).map((key) => [key, value[key]])) : value;
}

const around = (text) => `Sure! Here is the answer:\n\n${text}\n\nLet me know if you need anything else.`;
const fenced = (text, language) => `Here is the answer:\n\n\`\`\`${language}\n${text}\n\`\`\`\n`;
const thought = (text) => `<think>\nThe user wants an answer. Let me think.\n</think>\n\n${text}`;
const cut = (text) => text.slice(0, Math.max(1, Math.floor(text.length * 0.7)));

function ofJson(value) {
  const plain = writeAs(value, {});
  return [
    ["As it should be", plain],
    ["In a fenced code block", fenced(plain, "json")],
    ["With prose around it", around(plain)],
    ["After its reasoning", thought(plain)],
    ["With single quotes", writeAs(value, { text: single })],
    ["With keys that are not quoted", writeAs(value, { key: bare })],
    ["With a trailing comma", writeAs(value, { end: "," })],
    ["With True, False and None", writeAs(value, { word: python })],
    ["With a comment", plain.replace("\n", " // as asked\n")],
    ["With numbers as texts", writeAs(quoted(value), {})],
    ["Without its last field", writeAs(without(value), {})],
    ["Cut off", cut(plain)],
  ];
}

function ofText(text) {
  return [["As it should be", text], ["With prose around it", around(text)], ["In a fenced code block", fenced(text, "")], ["After its reasoning", thought(text)], ["Cut off", cut(text)]];
}

/** Replies made of an example, the text of a right one: [{label, text}], each text once. */
export function variants(example) {
  let made;
  try {
    const value = JSON.parse(example);
    made = typeof value === "object" && value !== null ? ofJson(value) : ofText(example);
  } catch {
    made = ofText(example);
  }
  const seen = new Set();
  return made.map(([label, text]) => ({ label, text })).filter(({ text }) => text && !seen.has(text) && seen.add(text));
}
