// The language server's answers as CodeMirror needs them: problems, colors, what can be folded.

import { named } from "./visible.js";

const SEVERITIES = { 1: "error", 2: "warning", 3: "info", 4: "hint" };
const UNNECESSARY = 1;

/** The offset of a line and a character, which count from 0; null if the text does not have it. */
export function offsetOf(doc, { line, character }) {
  if (line < 0 || line >= doc.lines) return null;
  const found = doc.line(line + 1);
  return Math.min(found.from + Math.max(character, 0), found.to);
}

/** A text whose lines end at LF, after the server's edits of it. */
export function applied(text, edits) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const offset = ({ line, character }) => Math.min((starts[line] ?? text.length) + character, text.length);
  const ordered = edits.map(({ range, newText }) => [offset(range.start), offset(range.end), newText]).sort((one, other) => other[0] - one[0]);
  return ordered.reduce((made, [from, to, insert]) => made.slice(0, from) + insert + made.slice(to), text);
}

/** CodeMirror's diagnostics of the server's; those whose place the text does not have are left out. */
export function diagnosticsOf(doc, items) {
  const made = [];
  for (const { range, severity, message, code, tags } of items) {
    const from = offsetOf(doc, range.start);
    const to = offsetOf(doc, range.end);
    if (from === null || to === null) continue;
    made.push({
      from,
      to: Math.max(from, to),
      severity: SEVERITIES[severity ?? 1],
      message: named(message),
      source: code === undefined ? "" : String(code),
      markClass: tags?.includes(UNNECESSARY) ? "pdl-unused" : undefined,
    });
  }
  return made;
}

/** The same of the problems of a Look, for a page without a language server. */
export function diagnosticsOfProblems(doc, problems) {
  const at = (line, column) => ({ line: line - 1, character: column - 1 });
  return diagnosticsOf(
    doc,
    problems
      .filter(({ line }) => line)
      .map((one) => ({
        range: {
          start: at(one.line, one.column ?? 1),
          end: at(one.end_line ?? one.line, one.end_column ?? (one.column ?? 1) + 1),
        },
        severity: { error: 1, warning: 2, note: 3 }[one.severity],
        message: one.hint ? `${one.message}\nhint: ${one.hint}` : one.message,
        code: one.code,
      })),
  );
}

/** The words of semantic tokens, in order: [{from, to, kind}]. `types` are the server's legend. */
export function tokensOf(doc, data, types) {
  const made = [];
  let line = 0;
  let character = 0;
  for (let at = 0; at + 4 < data.length; at += 5) {
    character = data[at] ? data[at + 1] : character + data[at + 1];
    line += data[at];
    const from = offsetOf(doc, { line, character });
    const to = offsetOf(doc, { line, character: character + data[at + 2] });
    const kind = types[data[at + 3]];
    if (from !== null && to > from && kind) made.push({ from, to, kind });
  }
  return made;
}

/** What folds, by the line that it begins in (from 1): from the end of that line to the end of the last. */
export function foldsOf(doc, ranges) {
  const made = new Map();
  for (const { startLine, endLine } of ranges) {
    if (startLine < 0 || endLine >= doc.lines || endLine <= startLine || made.has(startLine + 1)) continue;
    made.set(startLine + 1, { from: doc.line(startLine + 1).to, to: doc.line(endLine + 1).to });
  }
  return made;
}
