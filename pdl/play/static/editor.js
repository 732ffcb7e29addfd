// Editors. Each is in a shadow root, so that CodeMirror's styles need no exception in the CSP.

import { Decoration, EditorState, EditorView, HighlightStyle, Prec, ViewPlugin, basicSetup, keymap, placeholder, syntaxHighlighting, tags } from "./vendor.js";
import { theme } from "./editor_theme.js";
import { change } from "./text_change.js";
import { unseen } from "./visible.js";

const color = (name) => `var(--code-${name})`;
const colors = HighlightStyle.define([
  { tag: [tags.heading], color: color("turn"), fontWeight: "600" },
  { tag: [tags.keyword, tags.bool, tags.null], color: color("keyword") },
  { tag: [tags.variableName], color: color("variable") },
  { tag: [tags.propertyName], color: color("property") },
  { tag: [tags.string], color: color("string") },
  { tag: [tags.number], color: color("number") },
  { tag: [tags.comment], color: color("comment"), fontStyle: "italic" },
]);

const signs = new Map();

/** The mark of a character that CodeMirror itself would not show. */
function sign(code) {
  if (!signs.has(code)) signs.set(code, Decoration.mark({ class: "unseen-char", attributes: { "data-code": code } }));
  return signs.get(code);
}

function marksIn({ visibleRanges, state }) {
  const found = visibleRanges.flatMap(({ from, to }) => unseen(state.sliceDoc(from, to)).map(({ at, char, code }) => sign(code).range(from + at, from + at + char.length)));
  return Decoration.set(found);
}

const shown = ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.decorations = marksIn(view);
    }

    update({ docChanged, viewportChanged, view }) {
      if (docChanged || viewportChanged) this.decorations = marksIn(view);
    }
  },
  { decorations: (one) => one.decorations },
);

/** What all editors have. Keys of the page are not the editor's. */
export const common = [
  Prec.high(keymap.of([{ key: "Mod-Enter", run: () => true }])),
  basicSetup,
  shown,
  EditorView.lineWrapping,
  syntaxHighlighting(colors),
  theme,
];

/** What an editor is called, shows when it is empty, and calls after each change of its user. */
export function described({ label, hint = "", onChange, isQuiet = () => false }) {
  return [
    EditorView.contentAttributes.of({ "aria-label": label }),
    placeholder(hint),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !isQuiet()) onChange?.(update.state.doc.toString());
    }),
  ];
}

/** A view in the shadow root of an element. */
export function viewIn(host, state) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  return new EditorView({ state, root, parent: root });
}

/** An editor in `host`, which is emptied; `onChange(text)` is called after each change of its user. */
export function makeEditor(host, { label, text = "", hint = "", extensions = [], onChange }) {
  let quiet = false;
  const words = described({ label, hint, onChange, isQuiet: () => quiet });
  const view = viewIn(host, EditorState.create({ doc: text, extensions: [extensions, common, words] }));
  return {
    view,
    get text() {
      return view.state.doc.toString();
    },
    /** Replaces the text, where it differs, without telling `onChange`. */
    set(next) {
      const changes = change(view.state.doc.toString(), next);
      if (!changes) return;
      quiet = true;
      try {
        view.dispatch({ changes });
      } finally {
        quiet = false;
      }
    },
    focus: () => view.focus(),
  };
}
