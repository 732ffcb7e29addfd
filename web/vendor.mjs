// What pdl/play/static imports from CodeMirror; build.mjs bundles it.
export { basicSetup, EditorView } from "codemirror";
export { Compartment, EditorState, StateEffect, StateField, Transaction } from "@codemirror/state";
export { Decoration, hoverTooltip, keymap, lineNumbers, placeholder } from "@codemirror/view";
export { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
export { tags } from "@lezer/highlight";
export { lintGutter, setDiagnostics, forEachDiagnostic, openLintPanel } from "@codemirror/lint";
export { json } from "@codemirror/lang-json";
export {
  LSPClient,
  LSPPlugin,
  languageServerExtensions,
  languageServerSupport,
} from "@codemirror/lsp-client";
