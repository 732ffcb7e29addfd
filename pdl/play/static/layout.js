// Where the parts of the page are: one at a time on phones, two columns, or three. Lines between
// them can be moved, by pointer and by keyboard, and stay where they are put.

import { h } from "./dom.js";

const KEPT = "pdl-layout";
const STEP = 2; // percent, for an arrow key
const LEAST = 15; // percent of the page that a part keeps
export const DEFAULTS = { two: { first: 58, second: 50 }, three: { first: 36, second: 66 } };

/**
 * The places of both lines after one was moved, in percent of the page. With two columns, the first
 * line is between rows and the second between columns; with three, both are between columns.
 */
export function moved(places, kind, name, to) {
  const other = name === "first" ? "second" : "first";
  let [low, high] = [LEAST, 100 - LEAST];
  if (kind === "three" && name === "first") high = places[other] - LEAST;
  if (kind === "three" && name === "second") low = places[other] + LEAST;
  return { ...places, [name]: Math.min(high, Math.max(low, to)) };
}

/** Where a key moves a line; undefined if it does not. */
export function keyed(place, orientation, { key, shiftKey }, standard) {
  const step = shiftKey ? STEP * 5 : STEP;
  const [less, more] = orientation === "vertical" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
  return { [less]: place - step, [more]: place + step, Home: 0, End: 100, Enter: standard }[key];
}

/** Places that were kept, where they can be used. */
export function sound(kept) {
  const found = {};
  for (const [kind, standard] of Object.entries(DEFAULTS)) {
    const { first, second } = { ...standard, ...kept?.[kind] };
    const good = [first, second].every((one) => typeof one === "number" && one >= LEAST && one <= 100 - LEAST);
    const apart = kind === "two" || second - first >= LEAST;
    found[kind] = good && apart ? { first, second } : standard;
  }
  return found;
}

function read() {
  try {
    return sound(JSON.parse(localStorage.getItem(KEPT)));
  } catch {
    return sound(null);
  }
}

function keep(places) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(places));
  } catch {
    // a browser that keeps nothing
  }
}

const tracks = (...sizes) => sizes.map((size) => `minmax(0, ${size}fr)`).join(" var(--gap) ");

class Layout {
  /** Parts: [{id, label, element}], in the order prompt, written, shown. */
  constructor(page, parts) {
    this.page = page;
    this.parts = parts;
    this.places = read();
    this.wide = matchMedia("(min-width: 1800px)");
    this.wide.addEventListener("change", () => this.draw());
    this.lines = { first: this.line("first", "Prompt’s size"), second: this.line("second", "Size of the last column") };
    this.buttons = new Map();
    this.areas = parts.map(({ id, label, element }) => h("section", { class: "area", id: `area-${id}`, "aria-labelledby": `heading-${id}` }, h("h2", { class: "unseen", id: `heading-${id}` }, label), element));
    page.replaceChildren(this.areas[0], this.lines.first, this.areas[1], this.lines.second, this.areas[2]);
    this.draw();
  }

  get kind() {
    return this.wide.matches ? "three" : "two";
  }

  orientation(name) {
    return name === "second" || this.kind === "three" ? "vertical" : "horizontal";
  }

  line(name, label) {
    const line = h("div", { class: `splitter ${name}`, role: "separator", tabindex: "0", "aria-label": label });
    line.addEventListener("keydown", (event) => {
      const to = keyed(this.places[this.kind][name], this.orientation(name), event, DEFAULTS[this.kind][name]);
      if (to === undefined) return;
      event.preventDefault();
      this.move(name, to);
    });
    line.addEventListener("dblclick", () => this.move(name, DEFAULTS[this.kind][name]));
    line.addEventListener("pointerdown", (event) => this.drag(name, line, event));
    return line;
  }

  drag(name, line, event) {
    if (event.button !== 0) return;
    event.preventDefault();
    line.focus();
    line.setPointerCapture(event.pointerId);
    const box = this.page.getBoundingClientRect();
    const follow = ({ clientX, clientY }) => {
      const upright = this.orientation(name) === "vertical";
      this.move(name, upright ? ((clientX - box.left) / box.width) * 100 : ((clientY - box.top) / box.height) * 100);
    };
    const end = () => line.removeEventListener("pointermove", follow);
    line.addEventListener("pointermove", follow);
    line.addEventListener("lostpointercapture", end, { once: true });
  }

  move(name, to) {
    this.places = { ...this.places, [this.kind]: moved(this.places[this.kind], this.kind, name, to) };
    keep(this.places);
    this.draw();
  }

  draw() {
    const { two, three } = this.places;
    const style = this.page.style;
    style.setProperty("--two-rows", tracks(two.first, 100 - two.first));
    style.setProperty("--two-columns", tracks(two.second, 100 - two.second));
    style.setProperty("--three-columns", tracks(three.first, three.second - three.first, 100 - three.second));
    for (const [name, line] of Object.entries(this.lines)) {
      line.setAttribute("aria-orientation", this.orientation(name));
      line.setAttribute("aria-valuenow", String(Math.round(this.places[this.kind][name])));
      line.setAttribute("aria-valuemin", String(LEAST));
      line.setAttribute("aria-valuemax", String(100 - LEAST));
    }
  }

  /** The buttons that choose the part which a phone shows. */
  chooser() {
    const made = this.parts.map(({ id, short }) => {
      const button = h("button", { type: "button", onclick: () => this.show(id) }, short);
      this.buttons.set(id, button);
      return button;
    });
    this.show(this.parts[0].id);
    return h("nav", { id: "chooser", "aria-label": "Parts of the page" }, made);
  }

  /** Shows a part of the page where there is room for one only. */
  show(id) {
    this.page.dataset.area = id;
    for (const [other, button] of this.buttons) button.setAttribute("aria-pressed", String(other === id));
  }

  /** Moves the focus to the next part of the page, or to the one before. */
  cycle(step) {
    const at = this.areas.findIndex((area) => area.contains(document.activeElement));
    const next = at < 0 ? 0 : (at + step + this.areas.length) % this.areas.length;
    this.show(this.parts[next].id);
    this.parts[next].focus();
  }
}

export function layout(page, parts) {
  return new Layout(page, parts);
}
