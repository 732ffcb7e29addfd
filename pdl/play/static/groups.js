// Groups of panels: tabs of which one is shown. What is not shown is rendered when there is time.

import { tabs } from "./tabs.js";

const later = globalThis.requestIdleCallback ?? ((task) => setTimeout(task, 50));
const never = globalThis.cancelIdleCallback ?? clearTimeout;

/** A group of panels in a part of the page: {element, ids, area, open(id), mark(id, text, kind)}. */
export function group(app, area, label, makers) {
  const panels = makers.map((make) => make(app));
  const drawn = new Map(); // the Look that each panel shows
  let shown = panels[0]?.id;
  let waiting = 0;

  function draw(panel) {
    if (!app.look || drawn.get(panel.id) === app.look) return;
    drawn.set(panel.id, app.look);
    try {
      panel.render(app.look);
    } catch (error) {
      app.emit("failed", new Error(`The panel “${panel.title}” failed: ${error.message}`));
      console.error(error);
    }
  }

  const strip = tabs(label, panels, (id) => {
    shown = id;
    for (const panel of panels) {
      if (panel.id === id) {
        draw(panel);
        panel.show?.();
      } else panel.hide?.();
    }
    app.emit("open", id);
  });

  app.on("look", () => {
    never(waiting);
    panels.filter(({ id }) => id === shown).forEach(draw);
    waiting = later(() => panels.forEach(draw));
  });
  return { ...strip, area, ids: panels.map(({ id }) => id) };
}
