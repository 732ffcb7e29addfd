// What `pdl lint` says of the prompt; each finding leads to its place.

import { fill, h } from "../dom.js";
import { List } from "../lists.js";
import { prose } from "../widgets.js";
import { problemWords } from "../words.js";

const SEVERITIES = { error: ["bad", "✕", "Error"], warning: ["warn", "!", "Warning"], note: ["quiet", "i", "Note"] };
const READING = "Reading the prompt …";
const DOCS = "https://pdl-prompts.github.io/pdl/errors/";

const SECTIONS = { warning: "turn", ask: "ask-and-output", output: "ask-and-output", vocabulary: "vocabulary-and-token", token: "vocabulary-and-token" };

/** The section there that describes an error's code: most have the name of its kind. */
export function sectionOf(code) {
  const [kind] = code.split("/");
  return SECTIONS[kind] ?? kind;
}

function codeLink(code) {
  return h("a", { href: `${DOCS}#${sectionOf(code)}`, target: "_blank", rel: "noreferrer noopener" }, h("code", {}, code));
}

function problemView(app, one) {
  const [kind, sign, words] = SEVERITIES[one.severity] ?? SEVERITIES.error;
  const go = () => app.goTo(one.line, one.column, one.end_line, one.end_column);
  const isHere = one.line && !one.file; // not in a file that the prompt names
  const place = one.line ? h("span", { class: "quiet" }, ` · ${one.file ? `${one.file}, ` : ""}line ${one.line}, column ${one.column}`) : null;
  const main = [h("span", { class: `sign ${kind}`, "aria-hidden": "true" }, sign), h("span", { class: "what" }, h("span", { class: `severity ${kind}` }, `${words}: `), prose(one.message), place)];
  const button = isHere ? h("button", { type: "button", class: "finding", onclick: go }, main) : h("p", { class: "finding" }, main);
  const more = h("p", { class: "hint" }, one.hint ? ["Hint: ", prose(one.hint), " · "] : "", codeLink(one.code));
  return { element: h("li", {}, button, more) };
}

export function create(app) {
  const about = h("p", { class: "empty", role: "status" }, READING);
  const list = h("ul", { class: "problems", "aria-label": "Problems" });
  const items = new List(list, (one) => problemView(app, one));
  let told = "";

  function tell(words) {
    if (words !== told) fill(about, words);
    told = words;
  }

  app.on("opened", () => {
    tell(READING);
    items.set([]);
  });
  app.on("failed", (error) => app.look || tell(error.message));

  return {
    id: "problems",
    title: "Problems",
    element: h("div", { class: "frame" }, about, list),
    render({ problems, failed }) {
      const found = problems ?? [];
      tell(failed?.problems ? failed.problems.message : problemWords(found));
      items.set(found);
    },
  };
}
