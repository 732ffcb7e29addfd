// A reply of a model, and what the check says of it.

import { empty, failure, fill, h } from "../dom.js";
import { makeEditor } from "../editor.js";

export function create(app) {
  const host = h("div", { class: "editor" });
  const told = h("div");
  const editor = makeEditor(host, { label: "Reply", text: app.state.reply, hint: "Paste what a model said.", onChange: (reply) => app.update({ reply }) });
  app.on("opened", ({ reply }) => editor.set(reply));

  function verdict({ ok, summary, value, feedback }) {
    return [h("p", { class: ok ? "good" : "bad" }, ok ? "The reply is right." : summary), ok ? h("pre", {}, JSON.stringify(value, null, 2)) : h("pre", {}, feedback)];
  }

  return {
    id: "reply",
    title: "Reply",
    element: h("div", {}, host, told),
    render({ check, failed }) {
      fill(told, failed.check ? failure(failed.check) : check ? verdict(check) : empty("No reply yet."));
    },
  };
}
