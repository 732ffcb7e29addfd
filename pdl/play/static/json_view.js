// JSON as a tree that folds (WAI-ARIA's tree pattern). Only what is open is in the page, at most
// CHUNK children of a node at first, so that large values cost little.

import { fill, h } from "./dom.js";
import { List } from "./lists.js";
import { escapedJson } from "./visible.js";
import { copyButton } from "./widgets.js";
import { counted } from "./words.js";

const CHUNK = 100; // children that are shown at once
const LONG = 160; // characters of a string that is shown whole while it is folded
const LONGEST = 20_000; // characters of a string that is open
const MOST = 2_000; // nodes that "Unfold" opens

const json = (value) => escapedJson(JSON.stringify(value));
const isBranch = (value) => value !== null && typeof value === "object";
const isLong = (value) => typeof value === "string" && value.length > LONG;
const kindOf = (value) => (value === null ? "word" : { string: "string", number: "number", boolean: "word" }[typeof value]);

/** The JSON pointer of a value in the one that another pointer names. */
const below = (pointer, key) => `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** What a folded node is, in words. */
function summary(value) {
  if (Array.isArray(value)) return value.length ? counted(value.length, "item") : "empty array";
  const size = Object.keys(value).length;
  return size ? counted(size, "key") : "empty object";
}

/** A string as JSON; an open one has a line break after each `\n`. */
function literal(value, isOpen) {
  if (!isLong(value)) return json(value);
  if (!isOpen) return `${json(value.slice(0, LONG - 40)).slice(0, -1)}…`;
  const shown = json(value.slice(0, LONGEST)).replaceAll("\\n", "\\n\n");
  return value.length > LONGEST ? `${shown.slice(0, -1)}… and ${counted(value.length - LONGEST, "more character")}` : shown;
}

/** One value with its key. */
class Node {
  constructor(tree, { key, value }, path, level) {
    Object.assign(this, { tree, key, value, path, level });
    this.row = h("div", { class: "json-row" });
    this.kids = h("div", { role: "group", class: "kids" });
    this.end = h("div", { class: "end", "aria-hidden": "true" });
    this.element = h("div", { role: "treeitem", "aria-level": String(level), tabindex: "-1", class: "node" }, this.row);
    this.list = new List(this.kids, (item) => this.child(item));
    this.shown = CHUNK;
    tree.nodes.set(this.element, this);
    this.draw();
  }

  get folds() {
    return isLong(this.value) || (isBranch(this.value) && Object.keys(this.value).length > 0);
  }

  get isOpen() {
    return this.folds && (this.tree.opened.get(this.path) ?? (isBranch(this.value) && this.level <= this.tree.depth));
  }

  update({ key, value }) {
    if (key !== this.key) return false;
    this.value = value;
    this.draw();
    return true;
  }

  toggle(open = !this.isOpen) {
    if (!this.folds) return;
    this.tree.opened.set(this.path, open);
    this.draw();
  }

  draw() {
    const { value, isOpen, element } = this;
    const branch = isBranch(value);
    if (this.folds) element.setAttribute("aria-expanded", String(isOpen));
    else element.removeAttribute("aria-expanded");
    element.setAttribute("aria-label", this.spoken());
    const sign = h("span", { class: "fold", "aria-hidden": "true" }, this.folds ? (isOpen ? "▾" : "▸") : "");
    const key = this.key === null ? null : [h("span", { class: typeof this.key === "number" ? "t-index" : "t-key" }, this.key), ": "];
    fill(this.row, sign, key, branch ? this.brackets(isOpen) : h("span", { class: `t-${kindOf(value)}` }, literal(value, isOpen)), this.about(isOpen));
    if (branch && isOpen) {
      element.append(this.kids, fill(this.end, Array.isArray(value) ? "]" : "}"));
      this.list.set(this.items());
    } else {
      this.list.set([]);
      this.kids.remove();
      this.end.remove();
    }
  }

  brackets(isOpen) {
    const [open, close] = Array.isArray(this.value) ? "[]" : "{}";
    return isOpen ? open : this.folds ? `${open} … ${close}` : open + close;
  }

  about(isOpen) {
    if (!this.folds || isOpen) return null;
    const words = isBranch(this.value) ? summary(this.value) : counted(this.value.length, "character");
    return h("span", { class: "quiet" }, ` ${words}`);
  }

  spoken() {
    const name = this.key === null ? "" : `${this.key}: `;
    if (isBranch(this.value)) return name + (Array.isArray(this.value) ? `array, ${summary(this.value)}` : `object, ${summary(this.value)}`);
    return name + (isLong(this.value) ? `${this.value.slice(0, LONG)} …, ${counted(this.value.length, "character")}` : JSON.stringify(this.value));
  }

  items() {
    const { value } = this;
    const items = Array.isArray(value)
      ? value.slice(0, this.shown).map((one, key) => ({ key, value: one }))
      : Object.keys(value).slice(0, this.shown).map((key) => ({ key, value: value[key] }));
    const left = Object.keys(value).length - items.length;
    return left > 0 ? [...items, { left }] : items;
  }

  child(item) {
    if (item.left) return this.rest(item.left);
    return new Node(this.tree, item, below(this.path, item.key), this.level + 1);
  }

  /** The last child of a node that has more than are shown. */
  rest(left) {
    const words = `Show ${Math.min(left, CHUNK)} more of ${left.toLocaleString("en")}`;
    const element = h("div", { role: "treeitem", "aria-level": String(this.level + 1), tabindex: "-1", class: "node rest" }, h("div", { class: "json-row" }, words));
    this.tree.nodes.set(element, { toggle: () => this.more(), folds: false, isOpen: false });
    return { element };
  }

  more() {
    const at = this.shown;
    this.shown += CHUNK;
    this.draw();
    this.tree.focus(this.kids.children[at]);
  }
}

class Tree {
  constructor(label, depth) {
    this.depth = depth;
    this.opened = new Map();
    this.nodes = new WeakMap();
    this.element = h("div", { role: "tree", "aria-label": label, class: "json" });
    this.list = new List(this.element, (item) => new Node(this, item, "", 1));
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("click", (event) => this.click(event));
  }

  set(value) {
    const focused = this.element.contains(document.activeElement) ? this.items().indexOf(document.activeElement) : -1;
    this.list.set([{ key: null, value }]);
    const items = this.items();
    if (focused >= 0 && !this.element.contains(document.activeElement)) this.focus(items[Math.min(focused, items.length - 1)]);
    this.reachable();
  }

  items() {
    return [...this.element.querySelectorAll('[role="treeitem"]')];
  }

  focus(item) {
    if (!item) return;
    for (const one of this.element.querySelectorAll('[tabindex="0"]')) one.tabIndex = -1;
    item.tabIndex = 0;
    item.focus();
  }

  click(event) {
    const item = event.target.closest?.('[role="treeitem"]');
    if (!item || !getSelection().isCollapsed || !event.target.closest(".json-row")) return;
    this.focus(item);
    this.nodes.get(item).toggle();
  }

  key(event) {
    const item = document.activeElement;
    const node = this.nodes.get(item);
    if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      ArrowDown: () => this.step(item, 1),
      ArrowUp: () => this.step(item, -1),
      ArrowRight: () => (node.folds && !node.isOpen ? node.toggle(true) : node.isOpen && this.focus(item.querySelector('[role="treeitem"]'))),
      ArrowLeft: () => (node.isOpen ? node.toggle(false) : this.focus(item.parentElement.closest('[role="treeitem"]'))),
      Home: () => this.focus(this.items()[0]),
      End: () => this.focus(this.items().at(-1)),
      Enter: () => node.toggle(),
      " ": () => node.toggle(),
      "*": () => [...item.parentElement.children].forEach((one) => this.nodes.get(one)?.folds && this.nodes.get(one).toggle(true)),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  step(item, by) {
    const items = this.items();
    this.focus(items[items.indexOf(item) + by]);
  }

  /** Opens all objects and arrays, or only the root. */
  unfold(open, value) {
    this.opened.clear();
    let left = MOST;
    const visit = (one, path) => {
      if (!isBranch(one) || (left -= 1) < 0) return;
      this.opened.set(path, open || path === "");
      for (const key of Object.keys(one)) visit(one[key], below(path, key));
    };
    visit(value, "");
    for (const item of this.items()) if (item.isConnected) this.nodes.get(item).draw?.();
    this.reachable();
  }

  /** Lets Tab reach the tree: one item is in the order of focus. */
  reachable() {
    const first = this.element.querySelector('[role="treeitem"]');
    if (first && !this.element.querySelector('[tabindex="0"]')) first.tabIndex = 0;
  }
}

/**
 * A tree of a JSON value, `depth` levels of it open, with buttons that fold, unfold and copy it.
 * `set(value)` changes it in place: what is open stays open.
 */
export function jsonView(app, value, { label = "JSON", depth = 2, copies = true } = {}) {
  const tree = new Tree(label, depth);
  let whole = value;
  const fold = (open, words) => h("button", { type: "button", class: "small", "aria-label": `${words} ${label}`, onclick: () => tree.unfold(open, whole) }, words);
  const copy = copies ? copyButton(app, label, () => JSON.stringify(whole, null, 2)) : null;
  const folds = h("span", { class: "folds" }, fold(true, "Unfold"), fold(false, "Fold"));

  function set(next) {
    whole = next;
    folds.hidden = !(isBranch(next) && Object.values(next).some((one) => isLong(one) || isBranch(one)));
    tree.set(next);
  }

  set(value);
  return {
    element: h("div", { class: "json-view" }, h("div", { class: "tools" }, folds, copy), tree.element),
    set,
    get value() {
      return whole;
    },
  };
}
