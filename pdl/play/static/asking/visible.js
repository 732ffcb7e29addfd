// Texts in which one sees what is not seen: spaces, line ends, controls.

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
