// The line below the page: problems, the verdict on the reply, the cursor, and how things are.

import { fill, h } from "./dom.js";
import { callWords, failedParts, isAccepted, problemWords, spoken, verdictWords, worst } from "./words.js";

const SPEAK_AFTER = 900; // milliseconds without another look
const LANGUAGE = { on: "", connecting: "Language server: connecting …" };
const KINDS = { error: "bad", warning: "warn", note: "", "": "good" };

/** The id of the panel that shows a part of a Look. */
const panelOf = (part) => ({ inputs: "data", check: "reply" })[part] ?? part;

/** Says what has changed when typing has paused for a while, and not the same thing twice. */
function speaker(app) {
  let said = null; // what the page shows when it opens is not said
  let timer = 0;
  app.on("look", (look) => {
    const words = spoken(look);
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (said !== null && words !== said) app.announce(words);
      said = words;
    }, SPEAK_AFTER);
  });
}

export function status(app) {
  let panel = "problems"; // what its button opens
  const problems = h("button", { type: "button", onclick: () => app.open(panel, true) }, "…");
  const verdict = h("button", { type: "button", hidden: true, onclick: () => app.open("reply", true) });
  const place = h("span", { class: "wide" });
  const language = h("span", { class: "quiet" });
  const took = h("span", { class: "quiet wide" });
  const tookWords = () => `updated in ${Math.max(1, Math.round(app.took))} ms`;
  let busy = false;
  let isOld = false; // whether the page shows what was before the last change

  app.on("look", (look) => {
    isOld = false;
    const severity = worst(look.problems);
    const calls = callWords(look.tools);
    const words = [verdictWords(look.check), calls].filter(Boolean).join(", ");
    const wrong = calls.endsWith("rejected");
    fill(problems, problemWords(look.problems, look.failed));
    problems.className = KINDS[failedParts(look).length ? "error" : severity];
    panel = look.problems?.length ? "problems" : panelOf(failedParts(look)[0]) ?? "problems";
    fill(verdict, words);
    verdict.hidden = !words;
    const accepted = isAccepted(look);
    verdict.className = accepted ? "good" : "bad";
    app.mark("problems", look.problems?.length ? String(look.problems.length) : "", KINDS[severity]);
    app.mark("reply", accepted === null ? "" : accepted ? "✓" : "✗", accepted ? "good" : "bad");
    app.mark("tools", calls && (wrong ? "✗" : "✓"), wrong ? "bad" : "good");
    if (!busy) fill(took, tookWords());
  });
  app.on("opened", () => {
    isOld = false;
    fill(problems, "…");
    problems.className = "";
    panel = "problems";
    verdict.hidden = true;
    for (const id of ["problems", "reply", "tools"]) app.mark(id, "");
  });
  app.on("failed", () => {
    isOld = true;
    fill(problems, app.look ? "Not updated" : "Not read");
    problems.className = "bad";
    fill(took);
  });
  app.on("busy", (is) => {
    busy = is;
    document.getElementById("page").setAttribute("aria-busy", String(is));
    if (is) fill(took, "updating …");
    else if (app.look && !isOld) fill(took, tookWords());
  });
  app.on("cursor", ({ line, column }) => fill(place, `line ${line}, column ${column}`));
  app.on("language", (state) => fill(language, LANGUAGE[state]));
  speaker(app);
  return [problems, verdict, h("span", { class: "space" }), language, place, took];
}
