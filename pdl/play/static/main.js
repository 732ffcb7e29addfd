// Starts the page: the state, the back end, the panels, and what happens after a change.

import { fill, h } from "./dom.js";
import { languageClient, makeEditor, promptExtensions } from "./editor.js";
import { PANELS, WRITTEN } from "./panels.js";
import { ServerBackend } from "./server_backend.js";
import { read, takeToken } from "./state.js";
import { tabs } from "./tabs.js";

const PAUSE = 60; // milliseconds after a keystroke
const START = `<|system|>
You read reviews.

<|user|>
How many stars does this review give? {{ review }}

<|schema|>
{ stars: int<1,5>, refund: bool }
`;

/** The back end: a worker in a page that `pdl play --static` wrote, else the server. */
async function backendOf() {
  if (document.querySelector('meta[name="pdl-static"]')) {
    const { WorkerBackend } = await import("./worker_backend.js");
    return new WorkerBackend();
  }
  return new ServerBackend(takeToken());
}

class App {
  constructor(backend, hello, state) {
    this.backend = backend;
    this.hello = hello;
    this.state = { file: null, prompt: START, data: "", reply: "", at: null, ...state };
    this.look = null;
    this.listeners = new Map();
    this.timer = 0;
    this.stop = null;
  }

  /** Calls a function at each event of a name: "change" (names), "look" (Look), "open" (panel). */
  on(name, listener) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  emit(name, value) {
    for (const listener of this.listeners.get(name) ?? []) listener(value);
  }

  /** Changes the state, and looks again when typing pauses. */
  update(changes) {
    Object.assign(this.state, changes);
    this.emit("change", Object.keys(changes));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), PAUSE);
  }

  /** Looks now. An older look that is under way is given up. */
  async refresh() {
    this.stop?.abort();
    const stop = (this.stop = new AbortController());
    const { prompt, data, reply, file, options } = this.state;
    try {
      const params = { prompt, data, reply: reply || null, options: options ?? {}, file };
      this.look = await this.backend.call("look", params, { signal: stop.signal });
      this.emit("look", this.look);
    } catch (error) {
      if (error.name !== "AbortError") this.emit("failed", error);
    }
  }

  /** Says something to those who listen to the page. */
  announce(text) {
    fill(document.getElementById("live"), text);
  }

  /** Shows a panel. */
  open(id) {
    for (const group of this.groups) if (group.ids.includes(id)) group.open(id);
  }
}

/** A group of panels as tabs. */
function group(app, label, makers) {
  const panels = makers.map((make) => make(app));
  const strip = tabs(label, panels, (id) => {
    for (const panel of panels) (panel.id === id ? panel.show : panel.hide)?.call(panel);
    app.emit("open", id);
  });
  app.on("look", (look) => panels.forEach((panel) => panel.render(look)));
  return { ...strip, ids: panels.map(({ id }) => id) };
}

/** The editor of the prompt, with the language server when it answers. */
async function promptEditor(app) {
  const host = h("div", { class: "editor", id: "prompt" });
  const root = `file:///${app.hello.root ?? ""}`;
  const client = app.hello.language ? await languageClient(app.backend, root) : null;
  app.language = client;
  app.editor = makeEditor(host, {
    label: "Prompt",
    text: app.state.prompt,
    extensions: promptExtensions(client, `${root}/${app.state.file ?? "prompt.pdl"}`),
    onChange: (prompt) => app.update({ prompt }),
  });
  return host;
}

async function start() {
  const page = document.getElementById("page");
  try {
    const backend = await backendOf();
    const hello = await backend.hello();
    const kept = await read(location.hash);
    const opened = hello.opened && !kept.prompt ? await backend.call("read", { name: hello.opened }) : null;
    const state = opened ? { file: hello.opened, prompt: opened.text, digest: opened.digest } : kept;
    const app = new App(backend, hello, state);
    const editor = await promptEditor(app);
    const written = group(app, "What goes in, and the reply", WRITTEN);
    const shown = group(app, "What comes of it", PANELS);
    app.groups = [written, shown];
    fill(document.getElementById("bar"), h("h1", {}, "pdl play"));
    fill(page, h("div", { class: "column" }, editor, written.element), h("div", { class: "column" }, shown.element));
    app.groups.forEach((one) => one.open(one.ids[0]));
    await app.refresh();
    document.documentElement.dataset.ready = "true";
  } catch (error) {
    fill(page, h("div", { class: "failure", role: "alert" }, h("p", {}, error.message), h("p", { class: "hint" }, error.hint ?? "")));
  }
}

await start();
