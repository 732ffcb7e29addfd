// What `pdl lint` says of the prompt.

import { empty, fill, h } from "../dom.js";

export function create() {
  const element = h("div");

  function problem({ severity, code, message, hint, line, column }) {
    return h("li", { class: severity }, h("p", {}, `${line}:${column} ${message} `, h("code", {}, code)), hint ? h("p", { class: "hint" }, hint) : null);
  }

  return {
    id: "problems",
    title: "Problems",
    element,
    render({ problems }) {
      fill(element, problems.length ? h("ul", { class: "problems" }, problems.map(problem)) : empty("No problem was found."));
    },
  };
}
