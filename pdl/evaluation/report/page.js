"use strict";

document.documentElement.classList.add("js");

// Small helpers, which cases.js uses as well. Text becomes text nodes only, never markup.
const byId = (id) => document.getElementById(id);

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") made.className = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

// The switch between light and dark begins with what the system prefers.
{
  const root = document.documentElement;
  const button = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const show = () => {
    button.textContent = isDark() ? "Use light colors" : "Use dark colors";
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  system.addEventListener("change", show);
  show();
}

// Makes the heads of a table's columns buttons; `sort(head, isDescending)` orders the rows.
function makeSortable(table, sort) {
  const heads = [...table.tHead.rows[0].cells].filter((head) => !("fixed" in head.dataset));
  for (const head of heads) {
    const button = element("button", { type: "button" });
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const first = head.dataset.better === "more" || "by" in head.dataset && head.dataset.by !== "name";
      const isDescending = before ? before === "ascending" : first;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      sort(head, isDescending);
    });
  }
}

// Numbers by size, other words by the alphabet; what is missing comes last either way.
function compared(one, other, isDescending) {
  if (one === "" || other === "") return (one === "") - (other === "");
  const [a, b] = [Number(one), Number(other)];
  const order = Number.isNaN(a) || Number.isNaN(b)
    ? String(one).localeCompare(String(other), undefined, { numeric: true })
    : a - b;
  return isDescending ? -order : order;
}

for (const table of document.querySelectorAll("table.sortable")) {
  makeSortable(table, (head, isDescending) => {
    const value = (row) => {
      const cell = row.cells[head.cellIndex];
      return cell.dataset.sort ?? cell.textContent.trim();
    };
    const rows = [...table.tBodies[0].rows];
    rows.sort((one, other) => compared(value(one), value(other), isDescending));
    table.tBodies[0].append(...rows);
  });
}

// The filter of the comparisons is on from the begin where there are many.
{
  const button = byId("apart");
  const isOn = () => button.getAttribute("aria-pressed") === "true";
  const show = () => {
    for (const row of document.querySelectorAll(".pairs .same")) row.hidden = isOn();
  };
  button?.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(!isOn()));
    show();
  });
  if (button) show();
}
