// Dialogs: the browser keeps the focus inside, closes them by Escape, and gives the focus back.

import { h } from "./dom.js";

/** Shows a dialog until it is closed. `actions`: [{label, run, class}]; each closes it. */
export function dialog(title, children, { actions = [], kind = "" } = {}) {
  const close = () => box.close();
  const buttons = actions.map(({ label, run, main }) => {
    const act = () => {
      close();
      run?.();
    };
    return h("button", { type: "button", class: main ? "main" : "", autofocus: main, onclick: act }, label);
  });
  const head = h("header", {}, h("h2", { id: "dialog-title" }, title), h("button", { type: "button", class: "plain", "aria-label": "Close", onclick: close }, "×"));
  const foot = buttons.length ? h("footer", {}, buttons) : null;
  const box = h("dialog", { class: kind, "aria-labelledby": "dialog-title" }, head, h("div", { class: "body" }, children), foot);
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => event.target === box && close()); // outside of it
  document.body.append(box);
  box.showModal();
  return { element: box, close };
}
