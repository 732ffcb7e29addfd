// What differs between two texts, as one change.

const isHalf = (text, at) => at > 0 && at < text.length && /[\udc00-\udfff]/.test(text[at]) && /[\ud800-\udbff]/.test(text[at - 1]);

/** The one change from a text to another: {from, to, insert}; null if they are equal. */
export function change(old, next) {
  if (old === next) return null;
  const shorter = Math.min(old.length, next.length);
  let from = 0;
  while (from < shorter && old[from] === next[from]) from += 1;
  if (isHalf(old, from) || isHalf(next, from)) from -= 1;
  let same = 0;
  while (same < shorter - from && old[old.length - 1 - same] === next[next.length - 1 - same]) same += 1;
  if (isHalf(old, old.length - same) || isHalf(next, next.length - same)) same -= 1;
  return { from, to: old.length - same, insert: next.slice(from, next.length - same) };
}

/** Where an offset of a text is after a change; what was replaced is at its end. */
export function moved(offset, one) {
  if (!one || offset <= one.from) return offset;
  if (offset >= one.to) return offset + one.insert.length - (one.to - one.from);
  return one.from + one.insert.length;
}
