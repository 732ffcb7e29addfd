// The attempts of a run: what was sent, what comes, what it is so far, and its verdict.

import { fill, h, texts } from "../dom.js";
import { jsonView } from "../json_view.js";
import { verdictView } from "../replies/verdict.js";
import { whole } from "../visible.js";
import { prose } from "../widgets.js";
import { counted } from "../words.js";
import { attemptWords } from "./run_state.js";

const MOST = 10_000; // characters of a text that grows
const LONGEST = 200_000; // characters of one that does not: a page takes seconds to lay out millions

/** Whether what is in an element is seen to its end, so that it may follow what comes. */
const isAtEnd = (element) => element.scrollHeight - element.scrollTop - element.clientHeight < 24;

/** The request of an attempt, which is drawn when it is opened. */
function requestOf(app, { request }) {
  if (!request) return null;
  const details = h("details", {}, h("summary", {}, "Request"));
  details.addEventListener("toggle", () => details.append(jsonView(app, request, { label: "the request", depth: 3 }).element), { once: true });
  return details;
}

/** A tool call of a reply: its name and its arguments. */
function callView(app, { name, arguments: given }) {
  const label = `the arguments of ${name}`;
  const empty = !Object.keys(given).length;
  return h("article", { class: "call", "aria-label": `Call of ${name}` }, h("h4", {}, "Calls ", h("code", {}, name)), empty ? h("p", { class: "quiet" }, "without arguments") : jsonView(app, given, { label, depth: 3 }).element);
}

/** The tool calls of a reply, and that they were not run; `ok`: whether the reply is taken. */
function callsView(app, { calls, ok }) {
  if (!calls?.length) return null;
  const words = !ok ? "The reply is refused, so nobody would run this." : `${calls.length === 1 ? "The tool was not run" : "The tools were not run"}: the playground runs no tools. In a program, \`pdl.run_tools\` runs them and gives the model what they return.`;
  return [calls.map((one) => callView(app, one)), h("p", { class: "hint" }, prose(words))];
}

class AttemptView {
  constructor(app, attempt, use) {
    this.app = app;
    this.pre = h("pre", { tabindex: "0", role: "region", "aria-label": `Reply ${attempt.number}`, class: "streamed" });
    this.text = new Streamed(this.pre);
    this.calls = h("div");
    this.value = jsonView(app, null, { label: "the value so far", depth: 3 });
    this.partial = h("section", { hidden: true }, h("h4", {}, "Value so far"), this.value.element);
    this.verdict = verdictView(app, null);
    this.told = null;
    this.said = h("p", { hidden: true });
    const thoughts = h("pre", {});
    this.reasoning = new Streamed(thoughts);
    this.thoughts = h("details", { hidden: true }, h("summary", {}, "Reasoning"), thoughts);
    this.use = h("button", { type: "button", hidden: true, onclick: () => use(attempt.text) }, "Use this reply");
    this.element = h("article", { class: "attempt", "aria-label": `Attempt ${attempt.number}` },
      h("h3", {}, `Attempt ${attempt.number}`), requestOf(app, attempt), this.thoughts, this.pre, this.partial, this.said, this.calls, this.verdict.element, this.use);
    this.verdict.show(null);
  }

  draw({ text, reasoning, partial, verdict }, isOver) {
    this.reasoning.draw(reasoning, isOver);
    this.thoughts.hidden = !reasoning;
    const follows = isAtEnd(this.pre);
    if (this.text.draw(text, isOver) && follows) this.pre.scrollTop = this.pre.scrollHeight;
    this.pre.hidden = !text && Boolean(verdict);
    this.partial.hidden = Boolean(verdict) || partial === undefined;
    if (!this.partial.hidden) this.value.set(partial);
    this.use.hidden = !text;
    if (verdict !== this.told) this.tell(verdict);
  }

  tell(verdict) {
    this.told = verdict;
    const words = attemptWords(verdict.check ? { ...verdict, reason: "" } : verdict);
    this.verdict.show(verdict.check);
    this.said.hidden = !words;
    fill(this.said, prose(words));
    fill(this.calls, callsView(this.app, verdict));
  }
}

/** A text that grows: while it does, only its end is shown if it is long, since a page lays out all of it. */
class Streamed {
  constructor(element) {
    this.element = element;
    this.length = 0;
    this.size = 0; // of what is shown
    this.isCut = false;
  }

  /** Shows a text, which begins with the one before; returns whether that is another one. */
  draw(text, isOver) {
    const ends = isOver && this.isCut;
    if (text.length === this.length && !ends) return false;
    const added = text.slice(this.length);
    this.length = text.length;
    this.size += added.length;
    if (isOver && (ends || this.size > 2 * MOST)) this.showBegin(text);
    else if (this.size > 2 * MOST) this.showEnd(text);
    else this.element.append(...texts(added));
    return true;
  }

  showEnd(text) {
    this.isCut = true;
    const from = whole(text, text.length - MOST);
    this.size = text.length - from;
    const words = `… ${counted(from, "character")} before this are shown when the reply has ended.\n`;
    fill(this.element, h("span", { class: "quiet" }, words), text.slice(from));
  }

  showBegin(text) {
    this.isCut = false;
    const to = whole(text, LONGEST);
    this.size = to;
    const words = `\n… ${counted(text.length - to, "more character")}, which are not shown.`;
    fill(this.element, text.slice(0, to), to < text.length ? h("span", { class: "quiet" }, words) : null);
  }
}

/** The attempts as a view: {element, draw(run), clear()}. `use(text)` takes a reply. */
export function attemptsView(app, use) {
  const element = h("div", { class: "attempts" });
  let views = [];
  return {
    element,
    clear() {
      views = [];
      fill(element);
    },
    draw({ attempts }, isOver) {
      while (views.length < attempts.length) {
        const view = new AttemptView(app, attempts[views.length], use);
        views.push(view);
        element.append(view.element);
      }
      views.forEach((view, at) => view.draw(attempts[at], isOver || at < attempts.length - 1));
    },
  };
}
