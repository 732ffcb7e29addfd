// The railroad diagram of a rule. It is an image of a blob: nothing in it can run or load anything.

import { fill, h } from "../dom.js";
import { menu } from "../widgets.js";

const STEPS = [0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 2.8, 4];
const WIDTH = /<svg[^>]*?\bwidth="([\d.]+)"/;
const LEAST = 0.6; // of its size, which is still to be read

export function diagramView(app, onRule) {
  const names = menu("Rule", choose);
  const image = h("img", { alt: "" });
  const view = h("div", { class: "diagram", tabindex: "0", role: "region", "aria-label": "Railroad diagram", onkeydown: key });
  const shown = h("output", { class: "quiet" });
  const fit = h("button", { type: "button", class: "small", "aria-pressed": "true", onclick: () => zoomTo(0) }, "Fit");
  const save = h("a", { class: "small button", download: "" }, "Save as SVG");
  const wait = h("p", { class: "quiet", role: "status" });
  let wanted = "";
  let source = "";
  let address = "";
  let width = 0;
  let zoom = 0; // 0: as wide as the panel, if it can be read then

  const button = (sign, words, by) => h("button", { type: "button", class: "small", "aria-label": words, onclick: () => step(by) }, sign);

  function choose(rule) {
    wanted = rule;
    fill(wait, `Drawing ${rule} …`);
    onRule(rule);
  }

  function scale() {
    return zoom || Math.min(1, Math.max(LEAST, view.clientWidth / width || 1));
  }

  function zoomTo(next) {
    zoom = next;
    fit.setAttribute("aria-pressed", String(!zoom));
    image.width = Math.round(width * scale());
    fill(shown, `${Math.round(scale() * 100)} %`);
  }

  function step(by) {
    const now = scale();
    zoomTo(by > 0 ? (STEPS.find((one) => one > now + 0.01) ?? STEPS.at(-1)) : (STEPS.findLast((one) => one < now - 0.01) ?? STEPS[0]));
  }

  function key(event) {
    const by = { "+": 1, "=": 1, "-": -1 }[event.key];
    if (event.key === "0") zoomTo(0);
    else if (by) step(by);
    else return;
    event.preventDefault();
  }

  function draw(rule, svg) {
    if (svg === source) return;
    source = svg;
    URL.revokeObjectURL(address);
    address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    width = Number(WIDTH.exec(svg)?.[1] ?? 0);
    image.src = address;
    image.alt = `Railroad diagram of the rule ${rule}; its text is under Rules`;
    save.href = address;
    save.download = `${rule}.svg`;
    zoomTo(zoom);
  }

  view.append(image);
  new ResizeObserver(() => zoom || zoomTo(0)).observe(view);
  const tools = [names.element, h("span", { class: "zoom" }, button("−", "Smaller", -1), shown, button("+", "Larger", 1), fit), save];
  return {
    element: h("div", { hidden: true }, h("div", { class: "tools sticky" }, tools), wait, view),
    choose,
    set({ rules, diagram }) {
      names.set(rules, rules.includes(wanted) ? wanted : diagram.rule);
      if (!wanted || diagram.rule === wanted || !rules.includes(wanted)) fill(wait);
      view.hidden = !diagram.svg;
      if (diagram.svg) draw(diagram.rule, diagram.svg);
      else fill(wait, diagram.note);
    },
  };
}
