// Editors. Each is in a shadow root, so that CodeMirror's styles need no exception in the CSP.

import {
  EditorView, LSPClient, StreamLanguage, basicSetup, languageServerExtensions, placeholder,
} from "./vendor.js";

const TURN = /^[ \t]*<\|[^|\n]*\|>[ \t]*$/;

/** Turns, tags and comments; the language server colours nothing here. */
const prompts = StreamLanguage.define({
  name: "pdl-prompt",
  token(stream) {
    if (stream.sol() && TURN.test(stream.string)) {
      stream.skipToEnd();
      return "heading";
    }
    if (stream.match(/^\{#.*?(#\}|$)/)) return "comment";
    if (stream.match(/^\{%.*?(%\}|$)/)) return "keyword";
    if (stream.match(/^\{\{.*?(\}\}|$)/)) return "variableName";
    if (stream.match(/^<\|[^|\n]*\|>/)) return "heading";
    stream.next();
    stream.eatWhile(/[^{<]/);
    return null;
  },
});

/** An editor in `host`, which is emptied; `onChange(text)` is called after each change of its user. */
export function makeEditor(host, { label, text = "", hint = "", extensions = [], onChange }) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  let quiet = false;
  const view = new EditorView({
    doc: text,
    root,
    parent: root,
    extensions: [
      basicSetup,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": label }),
      placeholder(hint),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !quiet) onChange?.(update.state.doc.toString());
      }),
      ...extensions,
    ],
  });
  return {
    view,
    get text() {
      return view.state.doc.toString();
    },
    /** Replaces the text without telling `onChange`. */
    set(next) {
      quiet = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
      quiet = false;
    },
    focus: () => view.focus(),
  };
}

/** What the editor of a prompt needs: its colours, and the language server if there is one. */
export function promptExtensions(client, uri) {
  return client ? [prompts, client.plugin(uri, "pdl-prompt")] : [prompts];
}

/** A client of the language server; null if it cannot be reached. */
export async function languageClient(backend, rootUri) {
  try {
    const transport = await backend.language();
    return new LSPClient({ rootUri, timeout: 20_000, extensions: languageServerExtensions() }).connect(transport);
  } catch (error) {
    console.warn(error.message);
    return null;
  }
}
