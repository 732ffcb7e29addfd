// The attempts of a run: what was sent, what comes, what it is so far, and its verdict.

import { code, fill, h } from "../dom.js";
import { long, slot, verdictView } from "../replies/verdict.js";

/** Whether what is in an element is seen to its end, so that it may follow what comes. */
const isAtEnd = (element) => element.scrollHeight - element.scrollTop - element.clientHeight < 24;

class AttemptView {
  constructor(attempt, use) {
    const request = attempt.request ? h("details", {}, h("summary", {}, "Request"), code(JSON.stringify(attempt.request, null, 2), "request")) : null;
    this.text = document.createTextNode("");
    this.pre = h("pre", { tabindex: "0", "aria-label": `Reply ${attempt.number}`, class: "streamed" }, this.text);
    this.partial = slot("section", {}, (value) => (value === undefined ? null : [h("h4", {}, "Value so far"), long(JSON.stringify(value, null, 2), "value so far")]));
    this.verdict = verdictView(null);
    this.use = h("button", { type: "button", hidden: true, onclick: () => use(attempt.text) }, "Use this reply");
    this.element = h("article", { class: "attempt", "aria-label": `Attempt ${attempt.number}` },
      h("h3", {}, `Attempt ${attempt.number}`), request, this.pre, this.partial.element, this.verdict.element, this.use);
    this.verdict.show(null);
  }

  draw({ text, partial, check }) {
    const shown = this.text.length;
    if (text.length > shown) {
      const follows = isAtEnd(this.pre);
      this.text.appendData(text.slice(shown));
      if (follows) this.pre.scrollTop = this.pre.scrollHeight;
    }
    this.partial.show(check ? undefined : partial);
    this.verdict.show(check);
    this.use.hidden = !text;
  }
}

/** The attempts as a view: {element, draw(run), clear()}. `use(text)` takes a reply. */
export function attemptsView(use) {
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
        const view = new AttemptView(attempts[views.length], use);
        views.push(view);
        element.append(view.element);
      }
      views.forEach((view, at) => view.draw(attempts[at]));
    },
  };
}
