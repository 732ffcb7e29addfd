// What a check marks in a reply: its answer, repairs, errors, and what was not taken as the answer.

import { counted } from "../words.js";

const LONGEST = 160; // more than that is a whole object, of which only the first sign is marked

const TITLES = { answer: "Answer", repair: "Repair", error: "Error", rejected: "Not the answer" };

/** What the list below the reply shows: [{kind, title, words, detail, span}], in the order of the text. */
export function findings(check) {
  if (!check) return [];
  const found = [
    ...check.errors.map(({ path, message, span, keyword }) => ({ kind: "error", words: path && path !== "$" ? `${path} ${message}` : `The reply ${message}`, detail: keyword, span })),
    ...check.repairs.map(({ kind, words, span, path }) => ({ kind: "repair", words: sentence(words), detail: path && path !== "$" ? `${kind}, at ${path}` : kind, span })),
    ...check.rejected.filter(({ span }) => !same(span, check.span)).map(({ span, why }) => ({ kind: "rejected", words: sentence(why), detail: "", span })),
  ];
  return found.map((one) => ({ title: TITLES[one.kind], ...one })).sort((a, b) => (a.span?.[0] ?? -1) - (b.span?.[0] ?? -1));
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const same = (one, other) => Boolean(one && other) && one[0] === other[0] && one[1] === other[1];

/** The places to mark in a text of a length: [{from, to, kind, title, words}], none of them empty. */
export function marks(check, length) {
  const places = findings(check).filter(({ span }) => span).map((one) => placed(one, length));
  if (check?.span) places.push({ ...clipped(check.span, length), kind: "answer", title: "Answer", words: check.ok ? "This is read as the answer." : "This was looked at as the answer." });
  return places.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from || b.to - a.to);
}

const clipped = ([from, to], length) => ({ from: Math.max(0, Math.min(from, length)), to: Math.max(0, Math.min(to, length)) });

function placed({ kind, title, words, span }, length) {
  let { from, to } = clipped(span, length);
  if (kind === "error" && to - from > LONGEST) to = from + 1;
  // What is missing has no length: it is marked at the sign before it, or after it at the start.
  if (from === to && from > 0) from -= 1;
  else if (from === to) to = Math.min(length, 1);
  return { from, to, kind, title, words };
}

/** One sentence on a check, for its headline and for those who listen. */
export function headline(check) {
  if (!check.ok) return (check.summary || check.reason || "The reply is not valid.").replace(/ \(characters \d+ to \d+\)$/, "").replace(/; characters \d+ to \d+\)$/, ")");
  const count = check.repairs.length;
  if (!count) return "The reply is valid.";
  if (check.more) return `The reply is valid, after more than ${count} repairs.`;
  return `The reply is valid, after ${counted(count, "repair")}.`;
}
