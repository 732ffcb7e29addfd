// The editor of the prompt. It keeps the state of each file that was opened, with what can be undone.

import { EditorState, EditorView, isolateHistory, setDiagnostics } from "./vendor.js";
import { common, described, viewIn } from "./editor.js";
import { h } from "./dom.js";
import { diagnosticsOfProblems } from "./language_marks.js";
import { prompts, turnFolding } from "./prompt_language.js";
import { change } from "./text_change.js";

const SCRATCH = "untitled.pdl";

export class PromptEditor {
  constructor(app) {
    this.app = app;
    this.language = null;
    this.states = new Map();
    this.quiet = false;
    this.element = h("div", { class: "editor", id: "prompt" });
    this.name = app.state.file;
    this.view = viewIn(this.element, this.stateOf(app.state.prompt));
    app.on("look", (look) => this.showProblems(look));
  }

  /** Uses a language server from now on. */
  use(language) {
    this.language = language;
    const { doc, selection } = this.view.state;
    this.view.setState(this.stateOf(doc.toString(), this.name, selection));
  }

  stateOf(text, name = this.name, selection = undefined) {
    const uri = this.language?.uriOf(name ?? SCRATCH);
    const words = described({
      label: "Prompt",
      hint: "<|user|>",
      onChange: (prompt) => this.app.update({ prompt }),
      isQuiet: () => this.quiet,
    });
    const cursor = EditorView.updateListener.of((update) => {
      if (update.selectionSet || update.docChanged) this.app.emit("cursor", this.place());
    });
    const known = this.language ? this.language.extension(uri) : turnFolding;
    return EditorState.create({ doc: text, selection, extensions: [known, common, prompts, words, cursor] });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  /** The line and the column of the cursor, which count from 1. */
  place() {
    const { doc, selection } = this.view.state;
    const line = doc.lineAt(selection.main.head);
    return { line: line.number, column: selection.main.head - line.from + 1 };
  }

  /** What the language server calls the file. */
  get uriName() {
    return this.name ?? SCRATCH;
  }

  /** Replaces the text as its user would. */
  type(text) {
    this.view.dispatch({ changes: change(this.text, text) ?? [], annotations: isolateHistory.of("full") });
  }

  /** Changes the text of a file that is not shown; its user can undo that there. */
  change(name, before, after) {
    const state = this.states.get(name) ?? this.stateOf(before, name);
    const next = state.update({ changes: change(state.doc.toString(), after) ?? [] }).state;
    this.states.set(name, next);
    this.language?.put(name, next.doc);
  }

  /** Replaces the text without telling the page; its user can undo that. */
  set(text) {
    const changes = change(this.text, text);
    if (changes) this.quietly(() => this.view.dispatch({ changes, annotations: isolateHistory.of("full") }));
  }

  /** Shows a file; the state of the one before is kept until it is shown again. */
  open(name, text) {
    if (name === this.name) {
      this.set(text);
      return;
    }
    const kept = this.states.get(name);
    const state = kept?.doc.toString() === text ? kept : this.stateOf(text, name);
    this.states.set(this.name, this.view.state);
    this.name = name;
    this.quietly(() => this.view.setState(state));
    this.app.emit("cursor", this.place());
  }

  quietly(task) {
    this.quiet = true;
    try {
      task();
    } finally {
      this.quiet = false;
    }
  }

  focus() {
    this.view.focus();
  }

  /** Marks the problems of a look, where no language server does. */
  showProblems({ problems }) {
    if (this.language?.client.serverCapabilities || this.text !== this.app.state.prompt) return;
    const { state } = this.view;
    const own = problems.filter(({ file }) => !file || file === (this.name ?? "prompt.pdl"));
    this.view.dispatch(setDiagnostics(state, diagnosticsOfProblems(state.doc, own)));
  }
}
