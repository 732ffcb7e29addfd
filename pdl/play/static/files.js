// The prompts of the opened file or folder: which one is in the page, and what of it is not saved.

import { draftOf, dropDraft, keepDraft, written } from "./state.js";

const DRAFTS = "pdl-draft";
const KEPT = ["prompt", "data", "reply", "digest"]; // an old digest, so that a save tells of a newer file
const PAUSE = 400; // milliseconds between two times that what is typed is kept
const LONGEST = 100_000; // characters of a fragment that an address can have everywhere

/** A text as the editor has it, whose lines end at LF. The server keeps the file's own line ends. */
export const unix = (text) => text.replace(/\r\n?/g, "\n");

export class Files {
  constructor(app) {
    this.app = app;
    this.known = new Map(); // name -> {saved, digest, prompt, data, reply}
    this.list = [];
    this.timer = 0;
    this.shown = ""; // the texts that the address opens again, or that a damaged one stands above
    app.on("change", () => this.changed());
  }

  get hasFiles() {
    return this.app.hello.files;
  }

  get current() {
    return this.known.get(this.app.state.file);
  }

  isUnsaved(name = this.app.state.file) {
    const file = this.known.get(name);
    if (!file) return false;
    return (name === this.app.state.file ? this.app.state.prompt : file.prompt) !== file.saved;
  }

  get unsaved() {
    return [...this.known.keys()].filter((name) => this.isUnsaved(name));
  }

  /** The names of the files, as they are on the disk now. */
  async refresh() {
    this.list = this.hasFiles ? (await this.app.backend.call("files", {})).files : [];
    return this.list;
  }

  /** Reads a file unless the page has it, and what was left in this tab. */
  async load(name) {
    const known = this.known.get(name);
    if (known) return known;
    const { text, digest } = await this.app.backend.call("read", { name });
    const saved = unix(text);
    const file = { saved, digest, prompt: saved, data: "", reply: "", ...this.draft(name) };
    this.known.set(name, file);
    return file;
  }

  /** Shows a file; what was typed into the one before is kept. */
  async open(name) {
    const { prompt, data, reply } = await this.load(name);
    const { file: before } = this.app.state;
    this.leave();
    this.app.replace({ file: name, prompt, data, reply });
    this.remember(name);
    if (before && before !== name && !this.isUnsaved(before)) this.app.language?.forget(before);
  }

  /** Keeps the name of the open file for a reload of this tab. */
  remember(name) {
    try {
      sessionStorage.setItem(this.remembered, name);
    } catch {
      // a browser that keeps nothing, or no more
    }
  }

  get remembered() {
    return `pdl-open:${this.app.hello.root}`;
  }

  /** The one of some names that this tab shows first: the file that it had open, if that is there. */
  first(names) {
    try {
      const last = sessionStorage.getItem(this.remembered);
      return names.includes(last) ? last : names[0];
    } catch {
      return names[0];
    }
  }

  leave() {
    const { prompt, data, reply } = this.app.state;
    if (this.current) Object.assign(this.current, { prompt, data, reply });
  }

  /** Writes a new file with a text, and shows it. */
  async create(name, text) {
    const { digest } = await this.app.backend.call("create", { name, text });
    this.known.set(name, { saved: text, digest, prompt: text, data: "", reply: "" });
    await this.open(name);
    await this.refresh();
  }

  /** Writes a file again that was deleted, with the text that the page has of it. */
  async recreate(name) {
    this.leave();
    const file = this.known.get(name);
    const { digest } = await this.app.backend.call("create", { name, text: file.prompt });
    Object.assign(file, { saved: file.prompt, digest });
    this.changed();
    this.app.emit("saved", name);
  }

  /**
   * Saves the prompt of the page. Returns null, or the file's text and digest if it has changed
   * meanwhile; nothing is written then.
   */
  async save(digest = this.current?.digest) {
    const { file: name, prompt } = this.app.state;
    const file = this.current;
    try {
      const told = await this.app.backend.call("save", { name, text: prompt, digest });
      Object.assign(file, { saved: prompt, digest: told.digest });
      this.changed();
      this.app.emit("saved", name);
      return null;
    } catch (error) {
      if (error.status !== 409 || error.told?.text === undefined) throw error;
      return { text: unix(error.told.text), digest: error.told.digest };
    }
  }

  /** Changes a file that is not shown, without saving it. */
  async edit(name, change) {
    const file = await this.load(name);
    const before = file.prompt;
    file.prompt = change(before);
    this.app.editor.change(name, before, file.prompt);
  }

  /** Saves a file that is not shown. Throws what the server refuses. */
  async saveOther(name) {
    const file = this.known.get(name);
    if (name === this.app.state.file) {
      if (await this.save()) throw new Error(`${name} has changed since it was read.`);
      return;
    }
    const { digest } = await this.app.backend.call("save", { name, text: file.prompt, digest: file.digest });
    Object.assign(file, { saved: file.prompt, digest });
    this.app.language?.forget(name);
    this.app.emit("saved", name);
    this.app.refresh();
  }

  /** Takes the text of the file into the editor, where it can be undone. */
  take({ text, digest }) {
    Object.assign(this.current, { saved: text, digest });
    this.app.update({ prompt: text });
    this.app.editor.set(text);
    this.changed();
  }

  /**
   * Looks whether the file was changed by others. A file without unsaved changes is read again;
   * else the file's text and digest are returned.
   */
  async check() {
    const { file: name } = this.app.state;
    const file = this.current;
    if (!file) return null;
    const { text, digest } = await this.app.backend.call("read", { name });
    if (digest === file.digest || name !== this.app.state.file) return null;
    if (this.isUnsaved()) return { text: unix(text), digest };
    this.take({ text: unix(text), digest });
    return null;
  }

  changed() {
    this.app.emit("unsaved", this.isUnsaved());
    this.timer ||= setTimeout(() => this.keep(), PAUSE);
  }

  get untitled() {
    return `${DRAFTS}:${location.pathname}:${this.app.hello.root}`;
  }

  get texts() {
    const { file, prompt, data, reply } = this.app.state;
    return JSON.stringify([file, prompt, data, reply]);
  }

  /** What was typed into a prompt without a name, and was not in this address yet. */
  left() {
    return draftOf(this.untitled, location.hash);
  }

  /** Leaves the address as it is until something is typed. */
  hold() {
    this.shown = this.texts;
  }

  /** Keeps what would be lost at a reload, at once; returns whether nothing would be. */
  keepNow() {
    const { file: name, data, reply } = this.app.state;
    if (!name) return this.shown === this.texts || keepDraft(this.untitled, location.hash, this.app.state);
    try {
      dropDraft(this.untitled);
      this.leave();
      this.put(name, this.unsavedOf(name, this.current));
      return true;
    } catch {
      return !data && !reply; // a browser that keeps nothing, or no more
    }
  }

  /** Keeps what would be lost at a reload: in this tab for a file, else in the page's address. */
  async keep() {
    this.timer = 0;
    const { texts } = this;
    if (texts === this.shown) return;
    if (this.app.state.file && location.hash) history.replaceState(null, "", location.pathname + location.search);
    this.shown = "";
    this.keepNow();
    if (this.app.state.file) return;
    const fragment = await written(this.app.state);
    if (this.app.state.file || texts !== this.texts || fragment.length >= LONGEST) return;
    history.replaceState(null, "", fragment);
    this.shown = texts;
    dropDraft(this.untitled);
  }

  /** All that was typed and is not on the disk, for the page of another server. */
  kept() {
    this.leave();
    const { file, prompt, data, reply } = this.app.state;
    const drafts = Object.fromEntries([...this.known].map(([name, one]) => [name, this.unsavedOf(name, one)]));
    return { file, state: { prompt, data, reply }, drafts };
  }

  unsavedOf(name, { prompt, digest, data, reply }) {
    return { data, reply, ...(this.isUnsaved(name) ? { prompt, digest } : {}) };
  }

  /** Shows what the page of another server has given; returns whether that was anything. */
  async receive(given) {
    if (!given) return false;
    try {
      for (const [name, draft] of given.drafts) this.put(name, draft);
      if (given.file === null || !this.hasFiles) throw new Error("no file");
      await this.open(given.file);
    } catch {
      this.app.replace(given.state);
    }
    return true;
  }

  /** Keeps a draft of a file in this tab. */
  put(name, draft) {
    sessionStorage.setItem(this.place(name), JSON.stringify(draft));
  }

  place(name) {
    return `${DRAFTS}:${this.app.hello.root}/${name}`;
  }

  draft(name) {
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.place(name))) ?? {};
      return Object.fromEntries(Object.entries(kept).filter(([key, value]) => KEPT.includes(key) && typeof value === "string"));
    } catch {
      return {};
    }
  }
}
