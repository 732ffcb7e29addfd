// The turns as they are sent.

import { empty, failure, fill, h } from "../dom.js";

export function create() {
  const element = h("div");

  function part(one) {
    return one.kind === "text" ? h("pre", {}, one.text) : h("p", { class: "media" }, `${one.media_type}, ${one.bytes} bytes`);
  }

  function message({ role, parts }) {
    return h("article", { class: `turn ${role}` }, h("h3", {}, role), parts.map(part));
  }

  return {
    id: "turns",
    title: "Turns",
    element,
    render({ turns, failed }) {
      if (failed.turns) fill(element, failure(failed.turns));
      else fill(element, turns ? turns.messages.map(message) : empty("No turn yet."));
    },
  };
}
