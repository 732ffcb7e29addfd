// The keys of the page. Those of the editors are CodeMirror's.

import { showHelp } from "./help.js";

/** Whether a key is for what has the focus, such as a letter for a field. */
function isTyped(event) {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName));
}

/** Listens to the keys. `commands`: {openFiles, save, run}. */
export function keys(app, { openFiles, save, run }) {
  const modified = { s: save, o: openFiles, enter: run };
  document.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    const isModified = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    let act = null;
    if (isModified) act = modified[key];
    else if (event.key === "F6" && !event.ctrlKey && !event.altKey) act = () => app.layout.cycle(event.shiftKey ? -1 : 1);
    else if (event.key === "F1" || (event.key === "?" && !isTyped(event))) act = () => showHelp(app.hello);
    if (!act || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    act();
  });
}
