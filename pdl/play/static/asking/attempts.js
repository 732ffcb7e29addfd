// The attempts of a run: what was sent, what comes, what it is so far, and its verdict.

import { fill, h } from "../dom.js";
import { jsonView } from "../json_view.js";
import { verdictView } from "../replies/verdict.js";

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
    this.check = null;
    this.use = h("button", { type: "button", hidden: true, onclick: () => use(attempt.text) }, "Use this reply");
    this.element = h("article", { class: "attempt", "aria-label": `Attempt ${attempt.number}` },
      h("h3", {}, `Attempt ${attempt.number}`), requestOf(app, attempt), this.pre, this.partial, this.verdict.element, this.use);
    this.verdict.show(null);
  }

  draw({ text, partial, check }) {
    const shown = this.text.length;
    if (text.length > shown) {
      const follows = isAtEnd(this.pre);
      this.text.appendData(text.slice(shown));
      if (follows) this.pre.scrollTop = this.pre.scrollHeight;
    }
    this.partial.hidden = Boolean(check) || partial === undefined;
    if (!this.partial.hidden) this.value.set(partial);
    if (check !== this.check) this.verdict.show(check);
    this.check = check;
    this.use.hidden = !text;
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
