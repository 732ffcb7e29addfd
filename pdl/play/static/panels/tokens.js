// A place of the reply, and the tokens of a model that may come there.

import { around, visible, whole } from "../visible.js";
import { empty, failure, fill, h } from "../dom.js";

const PAUSE = 120; // milliseconds after the place has changed
const WHY = "A grammar lets a model choose only among tokens that can lead to a valid answer. With the tokenizer of a model, you see here which those are at each place of the reply.";
const HOW = "Start the playground with a tokenizer.json, a GGUF file or a SentencePiece model:";
const NO_SCHEMA = "The prompt has no schema, so any token may come at any place.";

class TokensPanel {
  constructor(app) {
    this.app = app;
    this.at = 0;
    this.wanted = 0;
    this.timer = 0;
    const names = app.hello.tokenizers ?? [];
    this.has = names.length > 0;
    this.tokenizer = h("select", { id: "tokens-tokenizer", onchange: () => this.ask() }, names.map((name) => h("option", { value: name }, name)));
    this.slider = h("input", { type: "range", id: "tokens-at", min: "0", max: "0", value: "0", oninput: () => this.move(Number(this.slider.value)) });
    this.place = h("output", { for: "tokens-at" });
    this.context = h("p", { class: "place-text", "aria-label": "Text at the place" });
    this.told = h("div", { class: "tokens-told" });
    const chooses = [h("label", { for: "tokens-tokenizer" }, "Tokenizer"), this.tokenizer];
    this.bar = h("div", {}, h("div", { class: "row" }, chooses), h("div", { class: "row place" }, h("label", { for: "tokens-at" }, "Place"), this.slider, this.place), this.context);
    this.element = h("div", { class: "tokens-panel" }, this.has ? this.bar : null, this.told);
    if (!this.has) fill(this.told, empty(WHY), empty(HOW), h("code", { class: "command" }, "pdl play FILE --tokenizer tokenizer.json"));
    app.on("opened", () => this.clear());
    app.on("at", (at) => this.move(at));
  }

  /** Shows nothing of another prompt. */
  clear() {
    if (!this.has) return;
    clearTimeout(this.timer);
    this.stop?.abort();
    this.schema = null;
    this.bar.hidden = true;
    fill(this.told);
  }

  /** Takes a place, which is an offset in the reply. */
  move(at) {
    if (at === this.wanted && this.drawn === this.app.state.reply) return;
    this.wanted = at;
    this.drawPlace();
    this.later();
  }

  drawPlace() {
    const { reply } = this.app.state;
    this.drawn = reply;
    this.at = whole(reply, this.wanted); // the cursor moves before the reply is known
    this.app.state.at = this.at;
    this.slider.max = String(reply.length);
    this.slider.value = String(this.at);
    this.slider.setAttribute("aria-valuetext", `after ${this.at} of ${reply.length} characters`);
    fill(this.place, `${this.at} of ${reply.length}`);
    const { before, after, cutBefore, cutAfter } = around(reply, this.at);
    fill(this.context, cutBefore ? "…" : "", before, h("span", { class: "place-mark", "aria-label": "the place" }, "▏"), after, cutAfter ? "…" : "");
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), PAUSE);
  }

  /** Asks for the tokens, if they are looked at. */
  async ask() {
    if (!this.has || !this.isShown || !this.schema) return;
    this.stop?.abort();
    const stop = (this.stop = new AbortController());
    const { prompt, data, reply, file } = this.app.state;
    const params = { schema_prompt: prompt, data, reply, at: this.at, tokenizer: this.tokenizer.value, file };
    this.element.setAttribute("aria-busy", "true");
    if (!this.told.hasChildNodes()) fill(this.told, empty("Reading the tokenizer …"));
    try {
      this.draw(await this.app.backend.call("tokens", params, { signal: stop.signal }));
    } catch (error) {
      if (!stop.signal.aborted) fill(this.told, failure(error));
    } finally {
      if (this.stop === stop) this.element.removeAttribute("aria-busy");
    }
  }

  draw(found) {
    fill(this.told, found.refused_at === null || found.refused_at === undefined ? this.allowed(found) : this.refused(found.refused_at), h("p", { class: "quiet" }, `${(found.seconds * 1000).toFixed(0)} ms`));
  }

  refused(at) {
    const go = h("button", { type: "button", onclick: () => this.move(at) }, `Go to ${at}`);
    return [
      h("p", { class: "bad" }, `The reply left the grammar at character ${at}: what comes there can't lead to a valid answer.`),
      h("p", { class: "hint" }, "A grammar takes nothing but the answer: no prose around it, and no repairs."),
      go,
    ];
  }

  allowed({ count, allowed, forced, complete }) {
    const more = count - allowed.length;
    return [
      h("p", {}, h("strong", {}, count === 1 ? "1 token may come here." : `${count.toLocaleString("en")} tokens may come here.`), complete ? " The answer may also end here." : ""),
      forced ? h("p", {}, "There is no choice for ", h("code", { class: "token" }, visible(forced)), ".") : null,
      allowed.length ? h("ul", { class: "tokens", "aria-label": "Tokens that may come" }, allowed.map(({ id, text }) => h("li", { title: `token ${id}` }, h("code", { class: "token" }, visible(text))))) : null,
      more > 0 ? h("p", { class: "quiet" }, `and ${more.toLocaleString("en")} more`) : null,
    ];
  }

  render({ schema }) {
    if (!this.has) return;
    this.schema = schema;
    this.drawPlace();
    this.bar.hidden = !schema;
    if (!schema) fill(this.told, empty(NO_SCHEMA));
    else this.ask();
  }

  show() {
    this.isShown = true;
    this.ask();
  }

  hide() {
    this.isShown = false;
  }
}

export function create(app) {
  const panel = new TokensPanel(app);
  return {
    id: "tokens",
    title: "Tokens",
    element: panel.element,
    render: (look) => panel.render(look),
    show: () => panel.show(),
    hide: () => panel.hide(),
  };
}
