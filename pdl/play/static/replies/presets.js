// Replies to begin with: those that were recorded with the prompt, and those made of an example.

import { fill, h } from "../dom.js";
import { variants } from "./variants.js";

/** A menu of replies; `choose({text, data})` is called with the one that is chosen. */
export function presets(app, choose) {
  let recorded = [];
  let made = [];
  let asked = null;
  const menu = h("select", { "aria-label": "Example replies", onchange: () => chosen(menu.value) });

  function chosen(value) {
    const [kind, at] = value.split(" ");
    menu.value = "";
    choose({ recorded, made }[kind][Number(at)]);
  }

  function group(label, kind, replies) {
    const options = replies.map(({ label: name }, at) => h("option", { value: `${kind} ${at}` }, name));
    return options.length ? h("optgroup", { label }, options) : null;
  }

  function draw() {
    const none = !recorded.length && !made.length;
    fill(menu, h("option", { value: "" }, none ? "No example replies" : "Example replies …"), group("Recorded", "recorded", recorded), group("What a model may say", "made", made));
    menu.disabled = none;
  }

  /** Asks for the recorded replies of a file, once unless there is a new one. */
  async function load(name, again = false) {
    if (name === asked && !again) return;
    asked = name;
    recorded = [];
    if (name) {
      const told = await app.backend.call("replies", { name }).catch(() => ({ replies: [] }));
      if (asked !== name) return;
      recorded = told.replies ?? [];
    }
    draw();
  }

  draw();
  app.on("recorded", () => load(app.state.file, true));
  return {
    element: menu,
    load,
    /** Takes the text of an example reply. */
    show(example) {
      const next = example ? variants(example) : [];
      if (JSON.stringify(next) === JSON.stringify(made) || document.activeElement === menu) return;
      made = next;
      draw();
    },
  };
}
