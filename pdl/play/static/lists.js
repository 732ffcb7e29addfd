// Lists that change in place: what stays as it was keeps its element, and so its scroll position,
// its focus and its selection.

/**
 * Shows items as children of an element. `make(item)` returns `{element, update?(item)}`. An item
 * whose JSON is as before keeps its element; one that took the place of another is given to
 * `update`, which returns false if it can't show it.
 */
export class List {
  constructor(element, make) {
    this.element = element;
    this.make = make;
    this.shown = [];
  }

  set(items) {
    const next = items.map((item) => ({ item, json: JSON.stringify(item) }));
    const old = this.shown;
    let head = 0;
    while (head < old.length && head < next.length && old[head].json === next[head].json) head += 1;
    let tail = 0;
    const most = Math.min(old.length, next.length) - head;
    while (tail < most && old[old.length - 1 - tail].json === next[next.length - 1 - tail].json) tail += 1;
    const gone = old.slice(head, old.length - tail);
    const before = old[old.length - tail]?.view.element ?? null;
    const come = next.slice(head, next.length - tail).map((one, at) => this.placed(one, gone[at], before));
    for (const one of gone.slice(come.length)) one.view.element.remove();
    this.shown = [...old.slice(0, head), ...come, ...old.slice(old.length - tail)];
  }

  /** An entry at the place of an old one, or before an element. */
  placed({ item, json }, old, before) {
    if (old && old.view.update && old.view.update(item) !== false) return { json, view: old.view };
    const view = this.make(item);
    if (old) old.view.element.replaceWith(view.element);
    else this.element.insertBefore(view.element, before);
    return { json, view };
  }
}
