// A run against a model: streamed, checked, tried again, and stopped when its user says so.

import { attemptsView } from "../asking/attempts.js";
import { begun, ended, statusWords, take, usageWords } from "../asking/run_state.js";
import { empty, failure, fill, h } from "../dom.js";

const TICK = 200; // milliseconds between two times that are shown
const NO_MODEL = "No model was named when the playground was started. Name those that this page may ask:";
const NO_SERVER = "This page runs without a server, so it can't ask a model. On your computer, start the playground with one:";
const EXAMPLE = "pdl play FILE --model ollama:qwen3";

class RunPanel {
  constructor(app) {
    this.app = app;
    this.stop = null;
    this.model = h("select", { id: "run-model", onchange: () => (this.chosen = this.model.value) });
    this.retries = h("input", { id: "run-retries", type: "number", min: "0", max: "9", value: "2" });
    this.start = h("button", { type: "button", class: "main", onclick: () => this.run() }, "Run");
    this.halt = h("button", { type: "button", hidden: true, "aria-keyshortcuts": "Escape", onclick: () => this.stop?.abort() }, "Stop");
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
      if (event.key !== "Escape" || !this.stop) return;
      event.preventDefault();
      this.stop.abort();
    });
    this.app.on("run", () => this.run());
    addEventListener("pagehide", () => this.stop?.abort());
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

  async run() {
    if (this.stop || !this.model.value) return;
    const stop = (this.stop = new AbortController());
    const { prompt, data, file } = this.app.state;
    const retries = Math.min(9, Math.max(0, Math.trunc(Number(this.retries.value)) || 0));
    const run = this.begin();
    try {
      const params = { prompt, data, file, model: run.model, retries };
      await this.app.backend.stream("run", params, (event) => this.took(run, event), { signal: stop.signal });
      ended(run, { stopped: stop.signal.aborted });
    } catch (error) {
      ended(run, { stopped: stop.signal.aborted, error });
    } finally {
      this.stop = null;
      this.finish(run);
    }
  }

  begin() {
    const run = begun(this.model.value);
    this.began = performance.now();
    this.status.className = "run-status";
    this.attempts.clear();
    fill(this.trouble);
    this.ticking = setInterval(() => this.tell(run), TICK);
    this.start.disabled = true;
    this.halt.hidden = false;
    this.app.mark("run", "…");
    this.app.announce(`${run.model} is asked.`);
    this.tell(run);
    return run;
  }

  took(run, event) {
    take(run, event);
    if (event.event === "attempt" && run.attempts.length > 1) this.app.announce(`The reply was refused. Attempt ${run.attempts.length}.`);
    this.waiting ??= requestAnimationFrame(() => this.draw(run));
  }

  draw(run) {
    this.waiting = undefined;
    this.attempts.draw(run);
  }

  tell(run) {
    const usage = usageWords(run.usage);
    const words = statusWords(run, (performance.now() - this.began) / 1000);
    fill(this.status, words, usage ? h("span", { class: "quiet" }, ` ${usage}`) : null);
  }

  finish(run) {
    clearInterval(this.ticking);
    cancelAnimationFrame(this.waiting);
    this.draw(run);
    this.tell(run);
    const good = run.status === "done" && run.result.ok;
    this.status.className = `run-status ${good ? "good" : run.status === "stopped" ? "" : "bad"}`;
    fill(this.trouble, run.error ? failure(run.error) : null);
    const focused = document.activeElement === this.halt;
    this.start.disabled = false;
    this.halt.hidden = true;
    if (focused) this.start.focus();
    this.app.mark("run", good ? "✓" : run.status === "stopped" ? "" : "✗", good ? "good" : "bad");
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
