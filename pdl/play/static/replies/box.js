// The editor of a reply, in which a check is marked and explained.

import { makeEditor } from "../editor.js";
import { change, moved } from "../text_change.js";
import { Decoration, EditorView, StateEffect, StateField, hoverTooltip } from "../vendor.js";
import { h } from "../dom.js";
import { prose } from "../widgets.js";
import { marks } from "./marks.js";

const MOST = 2000; // marks; a reply with more is beyond reading

const put = StateEffect.define();

const marked = StateField.define({
  create: () => Decoration.none,
  update(found, transaction) {
    for (const effect of transaction.effects) if (effect.is(put)) return effect.value;
    return found.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const decorations = Object.fromEntries(["answer", "repair", "error", "rejected"].map((kind) => [kind, (mark) => Decoration.mark({ class: `mark-${kind}`, mark })]));

const looks = EditorView.theme({
  ".mark-answer": { backgroundColor: "var(--mark-span)" },
  ".mark-repair": { backgroundColor: "var(--mark-repair)", borderBottom: "2px solid var(--warn)" },
  ".mark-error": { backgroundColor: "var(--mark-error)", textDecoration: "underline wavy var(--bad)" },
  ".mark-rejected": { textDecoration: "line-through dotted var(--quiet)" },
  ".mark-told": { padding: ".35rem .6rem", maxWidth: "32rem", whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ".mark-told p": { margin: ".15rem 0" },
});

/** What is marked at a place, the smallest first. */
function at(view, pos) {
  const found = [];
  view.state.field(marked).between(pos, pos, (from, to, { spec }) => void found.push({ from, to, ...spec.mark, from, to }));
  return found.sort((a, b) => a.to - a.from - (b.to - b.from));
}

const explained = hoverTooltip((view, pos) => {
  const found = at(view, pos);
  if (!found.length) return null;
  const shown = found.length > 1 ? found.filter(({ kind }) => kind !== "answer") : found;
  const dom = h("div", { class: "mark-told" }, shown.slice(0, 5).map(({ title, words }) => h("p", {}, h("strong", {}, `${title}: `), prose(words))));
  return { pos: found[0].from, end: found[0].to, above: true, create: () => ({ dom }) };
}, { hoverTime: 150 });

/** The editor of a reply in a host. `onMove(offset)` is told where the caret is. */
export function makeBox(host, { text, onChange, onMove }) {
  const editor = makeEditor(host, {
    label: "Reply of a model",
    text,
    hint: "Paste what a model said, or choose an example above.",
    onChange,
    extensions: [marked, looks, explained, EditorView.updateListener.of((update) => {
      if (update.selectionSet || update.docChanged) onMove(update.state.selection.main.head);
    })],
  });
  let moves = null;

  return {
    get text() {
      return editor.text;
    },
    focus: () => editor.focus(),
    measure: () => editor.view.requestMeasure(),
    set: (next) => next !== editor.text && editor.set(next),
    /** Marks a check of a text, which may be older than the one that is there. */
    mark(check, checked) {
      moves = change(checked, editor.text);
      const { length } = editor.text;
      const places = marks(check, checked.length).slice(0, MOST).map((one) => ({ ...one, from: moved(one.from, moves), to: Math.min(length, moved(one.to, moves)) }));
      const ranges = places.filter(({ from, to }) => from < to).map((one) => decorations[one.kind](one).range(one.from, one.to));
      editor.view.dispatch({ effects: put.of(Decoration.set(ranges, true)) });
    },
    /** Selects a span of the text that was checked last, and goes there. */
    jump([from, to]) {
      const { length } = editor.text;
      const [anchor, head] = [from, to].map((one) => Math.min(length, moved(one, moves)));
      editor.view.dispatch({ selection: { anchor, head }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      editor.focus();
    },
  };
}
