// What a prompt looks like before the language server has said what each word is.

import { StreamLanguage, foldService } from "./vendor.js";

/** A line that begins a turn. */
export const TURN = /^[ \t]*<\|[^|\n]*\|>[ \t]*$/;

const RULES = [
  [/^\{#.*?(#\}|$)/, "comment"],
  [/^\{%.*?(%\}|$)/, "keyword"],
  [/^\{\{.*?(\}\}|$)/, "variableName"],
  [/^<\|[^|\n]*\|>/, "heading"],
];

export const prompts = StreamLanguage.define({
  name: "pdl-prompt",
  token(stream) {
    if (stream.sol() && TURN.test(stream.string)) {
      stream.skipToEnd();
      return "heading";
    }
    for (const [pattern, style] of RULES) if (stream.match(pattern)) return style;
    stream.next();
    stream.eatWhile(/[^{<]/);
    return null;
  },
});

/** The lines of a turn, from its marker to before the next one, fold into the marker. */
export const turnFolding = foldService.of((state, from) => {
  const first = state.doc.lineAt(from);
  if (!TURN.test(first.text)) return null;
  let last = first;
  for (let number = first.number + 1; number <= state.doc.lines; number++) {
    const line = state.doc.line(number);
    if (TURN.test(line.text)) break;
    if (line.text.trim()) last = line;
  }
  return last.number > first.number ? { from: first.to, to: last.to } : null;
});
