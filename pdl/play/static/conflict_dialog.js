// A file that was changed on the disk while it was edited here: both texts, and a choice.

import { dialog } from "./dialog.js";
import { h } from "./dom.js";

/** The lines of two texts: [line, whether only this text has it there], for each. */
export function compared(mine, theirs) {
  const [one, other] = [mine.split("\n"), theirs.split("\n")];
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < most - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  return [one, other].map((lines) => lines.map((line, at) => [line, at >= head && at < lines.length - tail]));
}

function column(title, lines) {
  const rows = lines.map(([line, differs]) => h("span", { class: differs ? "differs" : "" }, `${line}\n`));
  return h("section", { "aria-label": title }, h("h3", {}, title), h("pre", { tabindex: "0" }, rows));
}

/** Shows both texts. `mine()` saves the editor's, `theirs()` takes the file's. */
export function showConflict(name, texts, { mine, theirs }) {
  const [one, other] = compared(texts.mine, texts.theirs);
  const words = h("p", {}, `${name} was changed on the disk since it was read. Nothing has been written. If you take the file’s text, you can undo that in the editor.`);
  dialog("Changed on disk", [words, h("div", { class: "compared" }, column("In the editor", one), column("On the disk", other))], {
    kind: "conflict",
    actions: [
      { label: "Take the file’s text", run: theirs },
      { label: "Overwrite the file", run: mine },
      { label: "Decide later", main: true },
    ],
  });
}
