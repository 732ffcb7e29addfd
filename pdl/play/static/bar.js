// The bar above the page: which prompt is open, whether it is saved, and what can be done with it.

import { fill, h } from "./dom.js";
import { showHelp } from "./help.js";
import { written } from "./state.js";
import { named } from "./visible.js";

const COPIED = 1500; // milliseconds for which a button says so

const linkWords = () => [h("span", { class: "wide" }, "Copy link"), h("span", { class: "narrow" }, "Link")];

/** Copies the address that opens the page's prompt, data and reply. */
async function copyLink(app, button) {
  const address = new URL(location.href);
  address.hash = await written(app.state);
  try {
    await navigator.clipboard.writeText(String(address));
    fill(button, "Copied");
    app.announce("The link is in the clipboard.");
  } catch {
    app.notices.show("link", { text: "The browser does not let the page copy.", hint: String(address), closes: true });
  }
  setTimeout(() => fill(button, linkWords()), COPIED);
}

function title(app) {
  const { file } = app.state;
  const mark = app.files.isUnsaved() ? "● " : "";
  document.title = `${mark}${named(file ?? "Untitled")} · pdl play`;
}

/** The bar's elements. `commands`: {openFiles, save}. */
export function bar(app, { openFiles, save }) {
  const { hello } = app;
  const name = h("span", { class: "name" });
  const dot = h("span", { class: "dot", hidden: true, title: "Not saved" }, "●");
  const folder = hello.files && !hello.opened ? h("span", { class: "folder" }, `${hello.root} /`) : null;
  const chooses = hello.files && !hello.opened;
  const file = chooses
    ? h("button", { type: "button", class: "file", "aria-haspopup": "dialog", "aria-keyshortcuts": "Control+O", onclick: openFiles }, folder, name, dot, h("span", { "aria-hidden": "true", class: "arrow" }, "▾"))
    : h("span", { class: "file" }, name, dot);
  const saving = hello.files ? h("button", { type: "button", "aria-keyshortcuts": "Control+S", onclick: save }, "Save") : null;
  // The address of a served page is of use to its own tab only: others do not know the token.
  const shares = Boolean(document.querySelector('meta[name="pdl-static"]'));
  const link = shares ? h("button", { type: "button", "aria-label": "Copy link", onclick: () => copyLink(app, link) }, linkWords()) : null;
  const help = h("button", { type: "button", class: "plain", "aria-label": "Keys", "aria-keyshortcuts": "Shift+?", onclick: () => showHelp(hello) }, "?");

  function draw() {
    const unsaved = app.files.isUnsaved();
    const file = app.state.file ?? "Untitled prompt";
    const cut = file.lastIndexOf("/") + 1;
    fill(name, h("span", { class: "folder" }, file.slice(0, cut)), file.slice(cut));
    dot.hidden = !unsaved;
    if (saving) saving.disabled = Boolean(app.state.file) && !unsaved;
    title(app);
  }

  for (const event of ["opened", "unsaved", "saved"]) app.on(event, draw);
  draw();
  return [h("h1", {}, h("img", { src: "icon.svg", alt: "", width: "18", height: "18" }), h("span", {}, "pdl play")), file, h("span", { class: "space" }), saving, link, help];
}
