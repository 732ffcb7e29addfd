// Texts in which one sees what is not seen: spaces, line ends, controls.

// Controls, what changes the direction of a text, what has no width, halves of characters. Joiners
// within emoji and words are seen by what they join, and the tags of a flag by the flag.
const JOINER = String.raw`(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Extended_Pictographic}])`;
const SIGN = String.raw`[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]`; // of the same kind, and seen
const UNSEEN = String.raw`${JOINER}|(?!${SIGN}|[\u200c\u200d\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u{e0100}-\u{e01ef}]`;
const FLAG = String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f}`;
const PARTS = new RegExp(`${FLAG}|(?<unseen>${UNSEEN})`, "gu");

const codeOf = (one) => `U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/** The characters of a text that cannot be seen: [{at, char, code}]. */
export function unseen(text) {
  return [...text.matchAll(PARTS)].filter(({ groups }) => groups.unseen).map(({ index, 0: char }) => ({ at: index, char, code: codeOf(char) }));
}

/** A text in which the codes of such characters are in their places. */
export function named(text) {
  return text.replace(PARTS, (one, char) => (char ? `⟨${codeOf(char)}⟩` : one));
}

/** A text of JSON in which they are escapes. */
export function escapedJson(text) {
  const unit = (at) => `\\u${at.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return text.replace(PARTS, (one, char) => (char ? char.split("").map(unit).join("") : one));
}

const SIGNS = { " ": "·", "\n": "↵", "\r": "␍", "\t": "→" };

/** A text whose spaces and controls are signs. */
export function visible(text) {
  return text.replace(/[\s\p{Cc}\p{Cf}]/gu, (one) => SIGNS[one] ?? `\\u{${one.codePointAt(0).toString(16)}}`);
}

/** An offset that is not between the two halves of a character. */
export function whole(text, at) {
  const place = Math.min(Math.max(0, Math.trunc(at) || 0), text.length);
  return /^[\udc00-\udfff]/.test(text.slice(place)) && /[\ud800-\udbff]$/.test(text.slice(0, place)) ? place - 1 : place;
}

/** What is before and after an offset, cut to a number of characters. */
export function around(text, at, most = 40) {
  const before = text.slice(whole(text, at - most), at);
  const after = text.slice(at, whole(text, at + most));
  return { before: visible(before), after: visible(after), cutBefore: at > most, cutAfter: text.length - at > most };
}
