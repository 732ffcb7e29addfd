// The list of keys.

import { dialog } from "./dialog.js";
import { h } from "./dom.js";

const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);
const MOD = isMac ? "⌘" : "Ctrl";

const KEYS = [
  ["The page", [
    [[`${MOD}+S`], "Save the prompt", "files"],
    [[`${MOD}+O`], "Open or create a prompt", "files"],
    [[`${MOD}+Enter`], "Run the prompt against a model"],
    [["F6"], "Go to the next part of the page (Shift+F6: the one before)"],
    [["←", "→", "Home", "End"], "Choose a tab, or move a line between parts"],
    [["?", "F1"], "Show these keys"],
  ]],
  ["The editor of the prompt", [
    [["Ctrl+Space"], "Complete"],
    [["F2"], "Rename"],
    [["F12"], "Go to the definition"],
    [["Shift+F12"], "Find the references"],
    [["Shift+Alt+F"], "Format"],
    [["F8"], "Go to the next problem"],
    [[`${MOD}+Shift+M`], "List the problems"],
    [[isMac ? "⌘+Alt+[" : "Ctrl+Shift+["], "Fold a turn (] unfolds)"],
    [[`${MOD}+F`], "Search and replace"],
    [[`${MOD}+Z`], "Undo"],
    [["Esc", "Tab"], "Leave the editor"],
  ]],
];

/** Shows the list of keys. */
export function showHelp(hello) {
  const row = ([keys, text]) => [h("dt", {}, keys.map((key) => h("kbd", {}, key))), h("dd", {}, text)];
  const lists = KEYS.map(([title, rows]) => [h("h3", {}, title), h("dl", { class: "keys" }, rows.filter(([, , needs]) => !needs || hello[needs]).map(row))]);
  dialog("Keys", [lists, h("p", { class: "hint" }, `pdl ${hello.version}`)]);
}
