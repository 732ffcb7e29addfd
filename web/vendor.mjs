// What pdl/play/static imports from CodeMirror; build.mjs bundles it.
export { basicSetup, EditorView } from "codemirror";
export { EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
export { isolateHistory } from "@codemirror/commands";
export { Decoration, ViewPlugin, hoverTooltip, keymap, placeholder } from "@codemirror/view";
export { HighlightStyle, StreamLanguage, foldService, syntaxHighlighting } from "@codemirror/language";
export { tags } from "@lezer/highlight";
export { setDiagnostics } from "@codemirror/lint";
export {
  LSPClient,
  LSPPlugin,
  Workspace,
  findReferencesKeymap,
  formatKeymap,
  hoverTooltips,
  jumpToDefinitionKeymap,
  serverCompletion,
  signatureHelp,
} from "@codemirror/lsp-client";
