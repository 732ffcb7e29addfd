// The attempts of a run: what was sent, what comes, what it is so far, and its verdict.

import { fill, h } from "../dom.js";
import { jsonView } from "../json_view.js";
import { verdictView } from "../replies/verdict.js";
import { prose } from "../widgets.js";
import { attemptWords } from "./run_state.js";

/** Whether what is in an element is seen to its end, so that it may follow what comes. */
const isAtEnd = (element) => element.scrollHeight - element.scrollTop - element.clientHeight < 24;

/** The request of an attempt, which is drawn when it is opened. */
function requestOf(app, { request }) {
  if (!request) return null;
  const details = h("details", {}, h("summary", {}, "Request"));
  details.addEventListener("toggle", () => details.append(jsonView(app, request, { label: "the request", depth: 3 }).element), { once: true });
  return details;
}

class AttemptView {
  constructor(app, attempt, use) {
    this.text = document.createTextNode("");
    this.pre = h("pre", { tabindex: "0", role: "region", "aria-label": `Reply ${attempt.number}`, class: "streamed" }, this.text);
    this.value = jsonView(app, null, { label: "the value so far", depth: 3 });
    this.partial = h("section", { hidden: true }, h("h4", {}, "Value so far"), this.value.element);
    this.verdict = verdictView(app, null);
    this.told = null;
    this.said = h("p", { hidden: true });
    this.reasoning = document.createTextNode("");
    this.thoughts = h("details", { hidden: true }, h("summary", {}, "Reasoning"), h("pre", {}, this.reasoning));
    this.use = h("button", { type: "button", hidden: true, onclick: () => use(attempt.text) }, "Use this reply");
    this.element = h("article", { class: "attempt", "aria-label": `Attempt ${attempt.number}` },
      h("h3", {}, `Attempt ${attempt.number}`), requestOf(app, attempt), this.thoughts, this.pre, this.partial, this.said, this.verdict.element, this.use);
    this.verdict.show(null);
  }

  draw({ text, reasoning, partial, verdict }) {
    append(this.reasoning, reasoning);
    this.thoughts.hidden = !reasoning;
    const follows = isAtEnd(this.pre);
    if (append(this.text, text) && follows) this.pre.scrollTop = this.pre.scrollHeight;
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
  }
}

/** Adds what a text has more than what is shown of it; false if that is nothing. */
function append(shown, text) {
  if (text.length <= shown.length) return false;
  shown.appendData(text.slice(shown.length));
  return true;
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
    draw({ attempts }) {
      while (views.length < attempts.length) {
        const view = new AttemptView(app, attempts[views.length], use);
        views.push(view);
        element.append(view.element);
      }
      views.forEach((view, at) => view.draw(attempts[at]));
    },
  };
}
