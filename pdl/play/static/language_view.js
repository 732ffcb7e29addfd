// Asks the language server about a text whenever typing pauses: problems, colors, what can be folded.
// An answer about an older text is dropped, since the next one is under way.

import { Decoration, EditorView, LSPPlugin, Prec, StateEffect, StateField, ViewPlugin, foldService, setDiagnostics } from "./vendor.js";
import { diagnosticsOf, foldsOf, tokensOf } from "./language_marks.js";
import { turnFolding } from "./prompt_language.js";

const PAUSE = 80; // milliseconds after a keystroke

const setColors = StateEffect.define();
const setFolds = StateEffect.define();
const marks = new Map();

function mark(kind) {
  if (!marks.has(kind)) marks.set(kind, Decoration.mark({ class: `pdl-${kind}` }));
  return marks.get(kind);
}

/** Whether a keyword is the marker of a turn, which is the server's keyword as others are. */
const isTurn = (doc, { from, to, kind }) => kind === "keyword" && doc.sliceString(from, Math.min(from + 2, to)) === "<|";

const colors = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setColors)) return effect.value;
    return value.map(transaction.changes);
  },
  provide: (field) => Prec.highest(EditorView.decorations.from(field)),
});

const folds = StateField.define({
  create: () => new Map(),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setFolds)) return effect.value;
    return transaction.docChanged ? new Map() : value; // turns fold until the server has answered
  },
});

const serverFolding = foldService.of((state, from) => state.field(folds).get(state.doc.lineAt(from).number) ?? null);

const asking = ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.view = view;
      this.timer = 0;
      this.client = null;
      this.schedule(0);
    }

    update(update) {
      if (update.docChanged) this.schedule(PAUSE);
    }

    /** Asks now, or after a pause; also whenever the client has connected again. */
    schedule(pause) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.ask(), pause);
    }

    async ask() {
      const plugin = LSPPlugin.get(this.view);
      if (!plugin) return;
      const { client, uri } = plugin;
      await client.initializing.catch(() => {});
      if (!client.serverCapabilities || LSPPlugin.get(this.view) !== plugin) return;
      client.sync();
      const { doc } = this.view.state;
      const textDocument = { uri };
      const of = (method) => client.request(`textDocument/${method}`, { textDocument }).catch(() => null);
      const [found, words, ranges] = await Promise.all([of("diagnostic"), of("semanticTokens/full"), of("foldingRange")]);
      if (this.view.state.doc !== doc || LSPPlugin.get(this.view) !== plugin) return;
      this.show(doc, client, found, words, ranges);
    }

    show(doc, client, found, words, ranges) {
      const types = client.serverCapabilities?.semanticTokensProvider?.legend?.tokenTypes ?? [];
      const effects = [];
      if (words) {
        const made = tokensOf(doc, words.data, types).map((one) => mark(isTurn(doc, one) ? "turn" : one.kind).range(one.from, one.to));
        effects.push(setColors.of(Decoration.set(made, true)));
      }
      if (ranges) effects.push(setFolds.of(foldsOf(doc, ranges)));
      this.view.dispatch({ effects });
      if (found?.items) this.view.dispatch(setDiagnostics(this.view.state, diagnosticsOf(doc, found.items)));
    }

    destroy() {
      clearTimeout(this.timer);
    }
  },
);

/** Asks about the text of a view again, such as after the connection was lost. */
export function askAgain(view) {
  view.plugin(asking)?.schedule(0);
}

export const languageView = [colors, folds, asking, serverFolding, turnFolding];
