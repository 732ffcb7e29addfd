// A run against a model: streamed, checked, tried again, and stopped when its user says so.

import { attemptsView } from "../asking/attempts.js";
import { begun, ended, statusWords, take, usageWords } from "../asking/run_state.js";
import { empty, failure, fill, h } from "../dom.js";

const SOONEST = 30; // milliseconds until what has come is drawn
const TICK = 200; // milliseconds between two times that are shown
const NO_MODEL = "No model was named when the playground was started. Name those that this page may ask:";
const NO_SERVER = "This page runs without a server, so it can't ask a model. On your computer, start the playground with one:";
const EXAMPLE = "pdl play FILE --model ollama:qwen3";

class RunPanel {
  constructor(app) {
    this.app = app;
    this.runs = new Map(); // by the files of their prompts; null: the one without a name
    this.pause = SOONEST;
    this.model = h("select", { id: "run-model", onchange: () => (this.chosen = this.model.value) });
    this.retries = h("input", { id: "run-retries", type: "number", min: "0", max: "9", value: "2" });
    this.start = h("button", { type: "button", class: "main", onclick: () => this.run() }, "Run");
    this.halt = h("button", { type: "button", hidden: true, "aria-keyshortcuts": "Escape", onclick: () => this.stop() }, "Stop");
    this.bar = h("div", { class: "row" }, h("span", { class: "pair" }, h("label", { for: "run-model" }, "Model"), this.model), h("span", { class: "pair" }, h("label", { for: "run-retries" }, "Retries"), this.retries), this.start, this.halt);
    this.status = h("p", { class: "run-status" });
    this.advice = h("div");
    this.trouble = h("div");
    this.attempts = attemptsView(app, (text) => this.use(text));
    this.element = h("div", { class: "run-panel" }, this.advice, this.bar, this.status, this.trouble, this.attempts.element);
    this.offer();
    this.listen();
  }

  listen() {
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.isRunning) return;
      event.preventDefault();
      this.stop();
    });
    this.app.on("run", () => this.run());
    this.app.on("opened", () => this.open());
    addEventListener("pagehide", () => this.runs.forEach(({ stop }) => stop.abort()));
  }

  stop() {
    this.shown?.stop.abort();
  }

  /** Shows the models that may be asked, or how to name one. */
  offer(config) {
    const isStatic = Boolean(document.querySelector('meta[name="pdl-static"]'));
    const { models = [], run, files } = this.app.hello;
    const own = typeof config?.model === "string" && files ? [config.model] : [];
    const names = isStatic ? [] : [...new Set([...own, ...(run ? models : [])])];
    const key = names.join("\n");
    if (key === this.offered) return;
    this.offered = key;
    this.bar.hidden = !names.length;
    fill(this.advice, names.length ? null : [empty(isStatic ? NO_SERVER : NO_MODEL), h("code", { class: "command" }, EXAMPLE)]);
    fill(this.model, names.map((name) => h("option", { value: name }, name)));
    if (names.includes(this.chosen)) this.model.value = this.chosen;
  }

  use(reply) {
    this.app.update({ reply });
    this.app.open("reply", true);
  }

  /** The run that is shown: that of the prompt in the page. */
  get shown() {
    return this.runs.get(this.app.state.file);
  }

  /** Shows the run of another prompt, if there was one. */
  open() {
    if (this.app.state.file === null) this.drop(null); // another prompt without a name
    clearTimeout(this.waiting);
    this.waiting = undefined;
    this.offer(); // its turns may name another model
    this.attempts.clear();
    this.redraw();
  }

  drop(file) {
    this.runs.get(file)?.stop.abort();
    this.runs.delete(file);
  }

  async run() {
    const { prompt, data, file } = this.app.state;
    if (this.isRunning || !this.model.value) return;
    const retries = Math.min(9, Math.max(0, Math.trunc(Number(this.retries.value)) || 0));
    const run = { ...begun(this.model.value), stop: new AbortController(), began: performance.now() };
    const { signal } = run.stop;
    this.runs.set(file, run);
    this.attempts.clear();
    this.redraw();
    this.app.announce(`${run.model} is asked.`);
    try {
      const params = { prompt, data, file, model: run.model, retries };
      await this.app.backend.stream("run", params, (event) => signal.aborted || this.took(run, event), { signal });
      ended(run, { stopped: signal.aborted });
    } catch (error) {
      ended(run, { stopped: signal.aborted, error });
    } finally {
      run.ended = performance.now();
      if (run === this.shown) this.finish();
    }
  }

  get isRunning() {
    return this.shown?.status === "running";
  }

  took(run, event) {
    take(run, event);
    if (run !== this.shown) return;
    if (event.event === "attempt" && run.attempts.length > 1) this.app.announce(`The reply was refused. Attempt ${run.attempts.length}.`);
    this.waiting ??= setTimeout(() => this.draw(), this.pause);
  }

  /** Draws what has come. Whoever wants to stop the run must not wait for it: it rests after a long one. */
  draw() {
    this.waiting = undefined;
    const since = performance.now();
    if (this.shown) this.attempts.draw(this.shown, !this.isRunning);
    this.pause = Math.min(1_000, Math.max(SOONEST, 5 * (performance.now() - since)));
  }

  tell() {
    const run = this.shown;
    if (!run) return fill(this.status);
    const usage = usageWords(run.usage);
    const words = statusWords(run, ((run.ended ?? performance.now()) - run.began) / 1000);
    return fill(this.status, words, usage ? h("span", { class: "quiet" }, ` ${usage}`) : null);
  }

  /** Shows all of the run of the prompt in the page. */
  redraw() {
    const run = this.shown;
    const good = run?.status === "done" && run.result.ok;
    const bad = run && !good && !["running", "stopped"].includes(run.status);
    this.draw();
    this.tell();
    clearInterval(this.ticking);
    if (this.isRunning) this.ticking = setInterval(() => this.tell(), TICK);
    this.status.className = `run-status ${good ? "good" : bad ? "bad" : ""}`;
    fill(this.trouble, run?.error ? failure(run.error) : null);
    this.start.disabled = this.isRunning;
    this.halt.hidden = !this.isRunning;
    this.app.mark("run", this.isRunning ? "…" : good ? "✓" : bad ? "✗" : "", good ? "good" : "bad");
  }

  finish() {
    clearTimeout(this.waiting);
    const focused = document.activeElement === this.halt;
    this.redraw();
    if (focused) this.start.focus();
    this.app.announce(this.status.textContent);
  }
}

export function create(app) {
  const panel = new RunPanel(app);
  return {
    id: "run",
    title: "Run",
    element: panel.element,
    render: ({ turns }) => turns && panel.offer(turns.config), // without turns, what was known stays
  };
}
