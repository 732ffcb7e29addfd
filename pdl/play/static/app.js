// The page's state, and what happens after a change: it is looked at, and the panels are told.

import { fill } from "./dom.js";
import { Looking } from "./looking.js";

const SLOW = 300; // milliseconds, from which on the page says that it is busy

export class App {
  constructor(backend, hello, state) {
    this.backend = backend;
    this.hello = hello;
    this.state = { file: null, prompt: "", data: "", reply: "", at: null, ...state };
    this.look = null;
    this.looked = null;
    this.took = 0; // milliseconds of the last look
    this.groups = [];
    this.listeners = new Map();
    this.looking = new Looking((signal) => this.lookOnce(signal));
  }

  /**
   * Calls a function at each event of a name: "change" (names of what changed), "opened" (another
   * prompt with its data and reply is in the state), "look" (Look), "failed" (an error of a look),
   * "busy" (whether a look takes long), "open" (id of the panel that is shown now), "run" (the run
   * that the keyboard asks for), "saved" (name of a file), "at" (where the cursor of the reply is),
   * "recorded" (name of a file of cases that has a new one), "place" (a span of the reply to show).
   */
  on(name, listener) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  emit(name, value) {
    for (const listener of this.listeners.get(name) ?? []) {
      try {
        listener(value);
      } catch (error) {
        console.error(error); // a part of the page that fails must not stop the others
      }
    }
  }

  /** Changes the state, and looks again when typing pauses. */
  update(changes) {
    Object.assign(this.state, changes);
    this.emit("change", Object.keys(changes));
    this.looking.soon();
  }

  /** Puts another prompt with its data and reply into the page. Throws if its text cannot be edited. */
  replace(state) {
    const next = { file: null, prompt: "", data: "", reply: "", at: null, ...state };
    this.editor?.open(next.file, next.prompt); // first: a name must never be above the text of another
    this.look = null;
    this.looked = null;
    this.update(next);
    this.emit("opened", this.state);
    this.looking.now({ givesUp: true });
  }

  /** Goes to another page, which has what was typed here. */
  leave(address) {
    this.isLeaving = true;
    location.href = address;
  }

  /** Looks now. Resolves when the page shows what its state is. */
  refresh() {
    return this.looking.now();
  }

  /** Looks at the state as it is; returns whether that could be done. */
  async lookOnce(signal) {
    const { prompt, data, reply, file, options } = this.state;
    const params = { prompt, data, reply: reply || null, options: options ?? {}, file };
    const since = performance.now();
    const slow = setTimeout(() => this.emit("busy", true), SLOW);
    try {
      const look = await this.backend.call("look", params, { signal });
      if (signal.aborted) return false;
      this.took = performance.now() - since;
      this.look = look;
      this.looked = params; // what it speaks of; the state may be another by now
      this.emit("look", look);
      return true;
    } catch (error) {
      if (!signal.aborted && error.name !== "AbortError") this.emit("failed", error);
      return false;
    } finally {
      clearTimeout(slow);
      this.emit("busy", false);
    }
  }

  /** Says something to those who listen to the page. */
  announce(text) {
    fill(document.getElementById("live"), text);
  }

  /** Shows a panel, and the part of the page that it is in. */
  open(id, focus = false) {
    for (const group of this.groups) {
      if (!group.ids.includes(id)) continue;
      group.open(id, focus);
      this.layout?.show(group.area);
    }
  }

  /** Writes a short mark on a panel's tab, such as a number of problems; "" removes it. */
  mark(id, text, kind = "") {
    for (const group of this.groups) if (group.ids.includes(id)) group.mark(id, text, kind);
  }

  /** Puts the cursor of the prompt's editor at a line and a column, which count from 1. */
  goTo(line, column = 1, endLine = line, endColumn = column) {
    const { view } = this.editor;
    const { doc } = view.state;
    const place = (at, offset) => {
      const found = doc.line(Math.min(Math.max(at, 1), doc.lines));
      return Math.min(found.from + Math.max(offset, 1) - 1, found.to);
    };
    this.layout?.show("prompt");
    view.dispatch({ selection: { anchor: place(line, column), head: place(endLine, endColumn) }, scrollIntoView: true });
    view.focus();
  }
}
