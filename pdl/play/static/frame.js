// What all panels do that show one part of a Look: states for empty, loading and failed, and no work
// while they are hidden or nothing has changed.

import { empty, failure, fill, h } from "./dom.js";
import { prose } from "./widgets.js";

const reading = () => empty("Reading the prompt …");

/** The note on top of a part that could not be made, with a way to where it can be fixed. */
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

/** Whether the schema of the answer, and what is made of it, are others with other data. */
export const schemaUsesData = (look) => Boolean(look.schema?.uses_data);

/** Says that a part is made with values that stand in for data which are missing. */
export function standInNote(app, look) {
  const names = Object.keys(look.inputs?.stand_ins ?? {});
  if (!names.length) return null;
  const told = names.map((name, at) => [at ? ", " : "", h("code", {}, name)]);
  return h("p", { class: "stand-in" }, h("span", {}, "Example values, since the data lack them: ", told, ". "), h("button", { type: "button", class: "small", onclick: () => app.open("data") }, "Open the data"));
}

function placeButton(app, { line, column, file }) {
  return line && !file ? h("button", { type: "button", class: "small", onclick: () => app.goTo(line, column ?? 1) }, `Go to line ${line}`) : null;
}

/**
 * A panel of the part `id` of a Look: `draw(part, look)` shows it in `body`, `nothing()` returns what
 * is said if there is none, `depends()` what else is shown, and `usesData(look)` whether the data are
 * in it. While the part fails, the last one that could be made stays, marked as old.
 */
export function frame(app, { id, title, body, nothing, draw, depends = () => null, usesData = () => false }) {
  const note = h("div", { class: "note" }, reading());
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
    if (look.failed[id]) return failedNow(look.failed[id]);
    const value = look[id];
    const json = value ? JSON.stringify([value, depends()]) : "";
    body.hidden = !value;
    body.classList.remove("old");
    if (!value) tell("nothing", nothing());
    else if (usesData(look)) tell(JSON.stringify(look.inputs?.stand_ins ?? {}), standInNote(app, look));
    else tell("");
    if (json && json !== drawn) draw(value, look);
    drawn = json;
  }

  /** What was shown of another prompt is not shown any more. */
  app.on("opened", () => {
    look = null;
    drawn = "";
    body.hidden = true;
    tell("loading", reading());
  });

  /** Without a look, there is nothing to go on showing. */
  app.on("failed", (error) => look || tell(`failed ${error.message}`, failure(error)));

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
