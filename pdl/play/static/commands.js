// What its user can do with the files of the page.

import { showConflict } from "./conflict_dialog.js";
import { dialog } from "./dialog.js";
import { h } from "./dom.js";
import { unix } from "./files.js";
import { showFiles } from "./open_dialog.js";

export class Commands {
  constructor(app) {
    this.app = app;
    for (const name of ["openFiles", "save", "run"]) this[name] = this[name].bind(this);
    for (const event of ["opened", "saved"]) app.on(event, () => app.notices.hide("changed"));
  }

  /** Does something that the server may refuse, and says so. */
  async attempt(task) {
    try {
      this.app.notices.hide("files");
      return await task();
    } catch (error) {
      if (error.isGone || error.status === 401) this.app.emit("failed", error);
      else this.app.notices.show("files", { kind: "bad", text: error.message, hint: error.hint ?? "", closes: true });
      return undefined;
    }
  }

  openFiles() {
    return this.choose();
  }

  /** Shows the prompts of the folder, or asks for a name to save the prompt by. */
  choose(saves = false) {
    const { app } = this;
    if (!app.hello.files || app.hello.opened) return;
    const draw = showFiles(app.files, { open: (name) => this.open(name), create: (name) => this.create(name), saves });
    this.attempt(async () => {
      await app.files.refresh();
      draw();
    });
  }

  open(name) {
    return this.attempt(async () => {
      await this.app.files.open(name);
      this.app.editor.focus();
    });
  }

  create(name) {
    return this.attempt(async () => {
      await this.app.files.create(name, this.app.state.file ? "<|user|>\n" : this.app.state.prompt);
      this.app.editor.focus();
    });
  }

  /** Saves the prompt; one that has no name yet gets one first. */
  save() {
    const { app } = this;
    if (!app.hello.files) return undefined;
    if (!app.state.file) return this.choose(true);
    if (!app.files.isUnsaved()) return undefined;
    return this.write();
  }

  /** Writes the file over the content of a digest: the one that was read, if it is not given. */
  write(digest) {
    const { app } = this;
    return this.attempt(async () => {
      try {
        const theirs = await app.files.save(digest);
        if (theirs) this.conflict(theirs);
        else app.announce(`${app.state.file} is saved.`);
      } catch (error) {
        if (error.status !== 404) throw error;
        this.deleted();
      }
    });
  }

  /** Tells that the open file is not there any more, and offers to write it again. */
  deleted() {
    const { app } = this;
    const { file } = app.state;
    const again = { label: "Write it again", run: () => this.attempt(async () => {
      await app.files.recreate(file);
      app.notices.hide("changed");
      app.announce(`${file} is saved.`);
    }) };
    app.notices.show("changed", { kind: "warn", text: `${file} is not on the disk any more.`, hint: "Its text is kept here.", actions: [again], closes: true });
  }

  conflict(theirs) {
    const { files, state } = this.app;
    const texts = { mine: state.prompt, theirs: theirs.text };
    showConflict(state.file, texts, {
      mine: () => this.write(theirs.digest),
      theirs: () => {
        files.take(theirs);
        this.app.notices.hide("changed");
      },
    });
  }

  /** Looks whether the open file was changed by others, when its user comes back to the page. */
  async check() {
    const { app } = this;
    const { file } = app.state;
    const theirs = await app.files.check().catch((error) => error);
    if (theirs?.status === 404 && file === app.state.file) return this.deleted();
    if (!theirs?.digest) return app.notices.hide("changed");
    const compare = { label: "Compare", run: () => this.conflict(theirs) };
    return app.notices.show("changed", { kind: "warn", text: `${app.state.file} was changed on the disk.`, hint: "Your changes are kept.", actions: [compare], closes: true });
  }

  run() {
    this.app.open("run");
    this.app.emit("run");
  }

  /** Shows the file of a URI, and gives its view; null for one that cannot be edited here. */
  async display(uri) {
    const { app } = this;
    const name = app.language.nameOf(uri);
    if (!name || !app.hello.files) return null;
    return this.attempt(async () => {
      if (!name.endsWith(".pdl")) {
        const { text } = await app.backend.call("read", { name });
        dialog(name, h("pre", { tabindex: "0" }, unix(text)), { kind: "viewer" });
        return null;
      }
      await app.files.open(name);
      app.editor.focus();
      return app.editor.view;
    });
  }
}
