// Opens a prompt of the folder, or creates one: a field that filters a list.

import { dialog } from "./dialog.js";
import { fill, h } from "./dom.js";
import { counted } from "./words.js";

const MOST = 200; // rows

/** The prompts whose names have all words of a text; those that begin with it come first. */
export function matching(names, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = names.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
  const first = (name) => Number(!name.split("/").at(-1).toLowerCase().startsWith(words[0] ?? ""));
  return found.sort((one, other) => first(one) - first(other) || (one < other ? -1 : 1));
}

/** The name of the file that a text would create; null if it cannot be one. */
export function createdName(names, text) {
  const typed = text.trim();
  if (!typed || /[<>:"|?*\\]/.test(typed) || typed.split("/").some((part) => !part || part.startsWith("."))) return null;
  const name = typed.endsWith(".pdl") ? typed : `${typed}.pdl`;
  return names.includes(name) ? null : name;
}

/** A name that no file has yet. */
export function freeName(names) {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? "prompt.pdl" : `prompt-${number}.pdl`;
    if (!names.includes(name)) return name;
  }
}

class Chooser {
  /** `saves`: a name for the prompt of the page is asked for, so that no other is opened. */
  constructor(files, { open, create, saves = false }) {
    Object.assign(this, { files, open, create, saves, rows: [], at: 0, suggested: null });
    this.list = h("ul", { role: "listbox", id: "open-list", "aria-label": "Prompts" });
    this.field = h("input", {
      type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "open-list", "aria-autocomplete": "list",
      "aria-label": "Name of a prompt", placeholder: "Name of a prompt", autocomplete: "off", spellcheck: "false",
      oninput: () => this.draw(), onkeydown: (event) => this.key(event),
    });
    this.element = [this.field, this.list];
  }

  draw() {
    const names = this.files.list.filter(({ kind }) => kind === "prompt").map(({ name }) => name);
    if (this.saves) this.suggest(names);
    const typed = this.field.value;
    const created = createdName(names, typed);
    const found = matching(names, typed);
    const left = this.saves ? 0 : found.length - MOST;
    this.rows = this.saves ? [] : found.slice(0, MOST).map((name) => ({ name, run: () => this.open(name) }));
    if (created) this.rows.push({ name: created, isNew: true, run: () => this.create(created) });
    this.at = Math.min(this.at, Math.max(0, this.rows.length - 1));
    fill(this.list, this.rows.length ? this.rows.map((row, index) => this.row(row, index)) : h("li", { class: "empty" }, this.saves ? "Write a name that no prompt has." : "No prompt is called that."));
    if (left > 0) this.list.append(h("li", { class: "quiet" }, `and ${counted(left, "more prompt")}: write a part of its name.`));
    this.choose(this.at);
  }

  /** Writes a name into the field, unless its user has. */
  suggest(names) {
    if (this.suggested !== null && this.field.value !== this.suggested) return;
    const name = freeName(names);
    if (name === this.suggested) return;
    this.suggested = this.field.value = name;
    this.field.setSelectionRange(0, name.length - ".pdl".length);
  }

  row({ name, isNew, run }, index) {
    const cut = name.lastIndexOf("/") + 1;
    const words = isNew ? [this.saves ? "Save as " : "Create ", h("b", {}, name)] : [h("span", { class: "quiet" }, name.slice(0, cut)), name.slice(cut)];
    const mark = this.files.isUnsaved(name) ? h("span", { class: "dot", title: "Not saved" }, "●") : null;
    return h("li", { role: "option", id: `open-${index}`, onclick: run, onpointermove: () => this.choose(index) }, words, mark);
  }

  choose(index) {
    this.at = index;
    [...this.list.children].forEach((one, at) => one.role === "option" && one.setAttribute("aria-selected", String(at === index)));
    this.field.setAttribute("aria-activedescendant", this.rows.length ? `open-${index}` : "");
    this.list.children[index]?.scrollIntoView({ block: "nearest" });
  }

  key(event) {
    const last = this.rows.length - 1;
    const to = { ArrowDown: this.at === last ? 0 : this.at + 1, ArrowUp: this.at === 0 ? last : this.at - 1 }[event.key];
    if (event.key === "Enter") this.rows[this.at]?.run();
    else if (to !== undefined && last >= 0) this.choose(to);
    else return;
    event.preventDefault();
  }
}

/**
 * Shows the prompts of the folder, or asks for the name to save one by. `open(name)` or `create(name)` is called once. Returns what draws
 * the list again: it is shown before the files are read, so that no key goes elsewhere.
 */
export function showFiles(files, { open, create, saves = false }) {
  const then = (task) => (name) => {
    box.close();
    task(name);
  };
  const chooser = new Chooser(files, { open: then(open), create: then(create), saves });
  const box = dialog(saves ? "Save the prompt" : "Open or create a prompt", chooser.element, { kind: "chooser" });
  chooser.draw();
  chooser.field.focus();
  return () => chooser.draw();
}
