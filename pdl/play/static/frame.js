// What all panels do that show one part of a Look: states for empty, loading and failed, and no work
// while they are hidden or nothing has changed.

import { fill, h } from "./dom.js";
import { prose } from "./widgets.js";

/** The note on top of a part that could not be made, with a way to where it is mended. */
function failureNote(app, failed, look, isOld) {
  const { problems = [], declared, names = [], given } = look.inputs ?? {};
  const needsData = problems.length > 0 || (!declared && names.some((name) => !(name in (given ?? {}))));
  return h(
    "div",
    { class: "failed" },
    h("p", { class: "bad" }, h("span", { class: "sign", "aria-hidden": "true" }, "✕"), " ", prose(failed.message)),
    failed.hint ? h("p", { class: "hint" }, prose(failed.hint)) : null,
    isOld ? h("p", { class: "quiet" }, "Below is what it was before.") : null,
    h("p", { class: "actions" }, needsData ? h("button", { type: "button", class: "small", onclick: () => app.open("data") }, "Open the data") : null, placeButton(app, failed)),
  );
}

/** Says that a part is made with values that stand in for data which are missing. */
function standInNote(app, look) {
  const names = Object.keys(look.inputs?.stand_ins ?? {});
  if (!names.length) return null;
  const told = names.map((name, at) => [at ? ", " : "", h("code", {}, name)]);
  return h("p", { class: "stand-in" }, h("span", {}, "Made up, as the data lack it: ", told, ". "), h("button", { type: "button", class: "small", onclick: () => app.open("data") }, "Open the data"));
}

function placeButton(app, { line, column, file }) {
  return line && !file ? h("button", { type: "button", class: "small", onclick: () => app.goTo(line, column ?? 1) }, `Go to line ${line}`) : null;
}

/**
 * A panel of one part. `draw(part, look)` shows it in `body`, `nothing(look)` returns what is said
 * if there is none, `depends(look)` what else is shown, and `usesData` that
 * the data are in it. While the part fails, the last one that
 * could be made stays, marked as old.
 */
export function frame(app, { id, title, part = id, body, nothing, draw, depends = () => null, usesData = false }) {
  const note = h("div", { class: "note" }, h("p", { class: "empty" }, "Reading the prompt …"));
  const element = h("div", { class: "frame" }, note, body);
  let look = null;
  let visible = false;
  let told = "loading";
  let drawn = "";
  body.hidden = true;

  function tell(key, ...children) {
    if (key !== told) fill(note, ...children);
    told = key;
  }

  function failedNow(failed) {
    body.hidden = !drawn;
    body.classList.toggle("old", Boolean(drawn));
    tell(JSON.stringify([failed, Boolean(drawn)]), failureNote(app, failed, look, Boolean(drawn)));
  }

  function show() {
    if (!visible || !look) return;
    if (look.failed[part]) return failedNow(look.failed[part]);
    const value = look[part];
    const json = value ? JSON.stringify([value, depends(look)]) : "";
    body.hidden = !value;
    body.classList.remove("old");
    if (!value) tell("nothing", nothing(look));
    else tell(usesData ? JSON.stringify(look.inputs?.stand_ins ?? {}) : "", usesData ? standInNote(app, look) : null);
    if (json && json !== drawn) draw(value, look);
    drawn = json;
  }

  /** What was shown of another prompt is not shown any more. */
  app.on?.("opened", () => {
    look = null;
    drawn = "";
    body.hidden = true;
    tell("loading", h("p", { class: "empty" }, "Reading the prompt …"));
  });

  return {
    id,
    title,
    element,
    render(next) {
      look = next;
      show();
    },
    show() {
      visible = true;
      show();
    },
    hide() {
      visible = false;
    },
  };
}
