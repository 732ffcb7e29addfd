// Renames what is at the cursor, in all files of the folder; those that are not shown stay unsaved.

import { dialog } from "./dialog.js";
import { fill, h } from "./dom.js";
import { applied } from "./language_marks.js";
import { LSPPlugin } from "./vendor.js";

/** Asks the language server for the edits. Throws what it refuses. */
async function edits(plugin, position, newName) {
  const { client, uri } = plugin;
  client.sync();
  const answer = await client.request("textDocument/rename", { textDocument: { uri }, position, newName });
  return Object.entries(answer?.changes ?? {}).filter(([, changes]) => changes.length);
}

/** Changes all files; returns the names of those that are not shown. */
async function change(app, found) {
  const others = [];
  for (const [uri, changes] of found) {
    const name = app.language.nameOf(uri);
    if (name === app.editor.uriName) app.editor.type(applied(app.state.prompt, changes));
    else if (name) {
      await app.files.edit(name, (text) => applied(text, changes));
      others.push(name);
    }
  }
  return others;
}

function tell(app, others) {
  if (!others.length) return;
  const save = { label: "Save them", run: () => app.commands.attempt(async () => {
    for (const name of others) await app.files.saveOther(name);
    app.notices.hide("renamed");
  }) };
  app.notices.show("renamed", { text: `Renamed in ${others.join(", ")} too.`, hint: "That is not saved yet.", actions: [save], closes: true });
}

/** Asks for a new name, and renames. A command of CodeMirror. */
export function renameIn(app) {
  return (view) => {
    const plugin = LSPPlugin.get(view);
    const word = view.state.wordAt(view.state.selection.main.head);
    if (!plugin || !word) return false;
    const old = view.state.sliceDoc(word.from, word.to);
    const position = plugin.toPosition(word.from);
    const field = h("input", { type: "text", value: old, "aria-label": "New name", spellcheck: "false", autocomplete: "off" });
    const told = h("p", { class: "bad", role: "alert" });
    const submit = async (event) => {
      event.preventDefault();
      try {
        const found = field.value === old ? [] : await edits(plugin, position, field.value);
        box.close();
        tell(app, await change(app, found));
        view.focus();
      } catch (error) {
        fill(told, error.message);
      }
    };
    const box = dialog(`Rename ${old}`, h("form", { class: "rename", onsubmit: submit }, field, h("button", { type: "submit", class: "main" }, "Rename"), told), { kind: "rename" });
    field.select();
    return true;
  };
}
