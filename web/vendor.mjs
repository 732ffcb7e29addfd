// What pdl/play/static imports from CodeMirror; build.mjs bundles it.
export { basicSetup, EditorView } from "codemirror";
export { Compartment, EditorState, Prec, StateEffect, StateField, Transaction } from "@codemirror/state";
export { isolateHistory } from "@codemirror/commands";
export { Decoration, ViewPlugin, hoverTooltip, keymap, lineNumbers, placeholder } from "@codemirror/view";
export { HighlightStyle, StreamLanguage, foldService, syntaxHighlighting } from "@codemirror/language";
export { tags } from "@lezer/highlight";
export { forEachDiagnostic, lintGutter, openLintPanel, setDiagnostics } from "@codemirror/lint";
export { json } from "@codemirror/lang-json";
export {
  LSPClient,
  LSPPlugin,
  Workspace,
  findReferencesKeymap,
  formatDocument,
  formatKeymap,
  hoverTooltips,
  jumpToDefinition,
  jumpToDefinitionKeymap,
  languageServerExtensions,
  languageServerSupport,
  renameKeymap,
  renameSymbol,
  serverCompletion,
  showSignatureHelp,
  signatureHelp,
} from "@codemirror/lsp-client";
