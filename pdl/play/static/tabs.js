// Tabs as WAI-ARIA's authoring practices describe them: arrows move, Home and End jump.

import { fill, h } from "./dom.js";

/** A tab list and its panels. `panels`: [{id, title, element}]. `onOpen(id)` is called at changes. */
export function tabs(label, panels, onOpen) {
  const buttons = new Map();
  const list = h("div", { role: "tablist", "aria-label": label, class: "tabs" });
  const bodies = panels.map(({ id, title, element }) => {
    const button = h("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, onclick: () => open(id) }, title);
    buttons.set(id, button);
    list.append(button);
    return h("div", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}`, class: "panel", tabindex: "-1" }, element);
  });

  function open(id, focus = false) {
    for (const [other, button] of buttons) {
      const chosen = other === id;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      if (chosen) button.scrollIntoView({ block: "nearest", inline: "nearest" });
      if (chosen && focus) button.focus();
    }
    for (const body of bodies) body.hidden = body.id !== `panel-${id}`;
    onOpen(id);
  }

  list.addEventListener("keydown", (event) => {
    const ids = [...buttons.keys()];
    const at = ids.findIndex((id) => buttons.get(id) === document.activeElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1 }[event.key];
    if (next === undefined || at < 0) return;
    event.preventDefault();
    open(ids[(next + ids.length) % ids.length], true);
  });

  return {
    element: h("div", { class: "tabbed" }, list, ...bodies),
    open,
    /** Writes a short mark after a title, such as a number of problems; "" removes it. */
    mark(id, text, kind = "") {
      const button = buttons.get(id);
      const title = panels.find((one) => one.id === id).title;
      fill(button, title, text ? [" ", h("span", { class: `badge ${kind}` }, text)] : null);
    },
  };
}
