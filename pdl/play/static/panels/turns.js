// The turns as they are sent: text, media, reasoning, warnings, settings, and the transcript.

import { empty, fill, h } from "../dom.js";
import { frame } from "../frame.js";
import { List } from "../lists.js";
import { choice, copyButton, longText, prose } from "../widgets.js";
import { counted } from "../words.js";

const UNITS = ["bytes", "KB", "MB"];

function size(bytes) {
  const step = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  const number = bytes / 1_000 ** step;
  return step === 0 ? counted(bytes, "byte") : `${number.toLocaleString("en", { maximumFractionDigits: 1 })} ${UNITS[step]}`;
}

/** What a browser can show of a file without a request: only what is in the Look. */
function preview({ kind, media_type: type, data }) {
  if (!data) return null;
  const source = `data:${type};base64,${data}`;
  if (kind === "image") return h("img", { src: source, alt: "The image that is sent" });
  if (kind === "audio") return h("audio", { src: source, controls: true });
  return null;
}

function mediaView(part) {
  const { kind, media_type: type, bytes, url, data } = part;
  const words = url ? [`${kind}, by its address: `, h("code", {}, url), " (the provider fetches it, not this page)"] : `${type}, ${size(bytes)}${data ? "" : ", too large to show here"}`;
  return { element: h("figure", { class: "media" }, preview(part), h("figcaption", {}, words)) };
}

function partView(part) {
  if (part.kind !== "text") return mediaView(part);
  const text = longText(part.text);
  return { element: text.element, update: (next) => next.kind === "text" && (text.set(next.text), true) };
}

const textOf = ({ parts }) => parts.map((part) => (part.kind === "text" ? part.text : `[${part.kind}]`)).join("");

/** One turn; its header leads to its line in the editor. */
function turnView(app, first) {
  let turn = first;
  const about = h("span", { class: "quiet" });
  const line = h("button", { type: "button", class: "small", onclick: () => app.goTo(turn.line) });
  const copy = copyButton(app, `the ${first.role} turn`, () => textOf(turn));
  const head = h("header", { onclick: (event) => event.target.closest("button") ?? app.goTo(turn.line) }, h("h3", {}, first.role), about, line, copy);
  const body = h("div");
  const parts = new List(body, partView);

  function update(next) {
    if (next.role !== first.role) return false;
    turn = next;
    fill(about, counted(next.characters, "character"));
    line.hidden = !next.line;
    fill(line, `Line ${next.line}`);
    line.setAttribute("aria-label", `Line ${next.line}, go there`);
    head.classList.toggle("leads", Boolean(next.line));
    parts.set(next.parts);
    return true;
  }

  update(first);
  return { element: h("article", { class: `turn ${first.role}`, "aria-label": `${first.role} turn` }, head, body), update };
}

function reasoningView(text) {
  const shown = longText(text);
  const element = h("details", { class: "reasoning" }, h("summary", {}, "Reasoning, which is kept and never sent"), shown.element);
  return { element, update: (next) => (shown.set(next), true) };
}

function warningView(app, { message, hint, line, column }) {
  const place = line ? h("button", { type: "button", class: "small", onclick: () => app.goTo(line, column) }, `Line ${line}`) : null;
  return { element: h("li", { class: "warn" }, h("span", {}, "Warning: ", prose(message), " "), place, hint ? h("p", { class: "hint" }, prose(hint)) : null) };
}

function settingView([name, value]) {
  return { element: h("div", {}, h("dt", {}, name), h("dd", {}, h("code", {}, JSON.stringify(value)))) };
}

/** The turns as one text, with the marks of a prompt file. */
function transcriptView(app) {
  const text = longText("", { label: "Transcript" });
  const element = h("div", { hidden: true }, h("div", { class: "tools" }, copyButton(app, "the transcript", () => text.text)), text.element);
  return { element, set: (next) => text.set(next) };
}

export function create(app) {
  const about = h("span", { class: "quiet" });
  const settings = h("dl", { class: "settings", "aria-label": "Settings" });
  const warnings = h("ul", { class: "warnings", "aria-label": "Warnings" });
  const messages = h("div");
  const reasoning = h("div");
  const turns = h("div", {}, warnings, settings, messages, reasoning);
  const transcript = transcriptView(app);
  const lists = {
    config: new List(settings, settingView),
    warnings: new List(warnings, (one) => warningView(app, one)),
    messages: new List(messages, (one) => turnView(app, one)),
    reasoning: new List(reasoning, reasoningView),
  };
  const views = choice("How the turns are shown", [["turns", "Turns"], ["transcript", "Transcript"]], "turns", (value) => {
    turns.hidden = value !== "turns";
    transcript.element.hidden = value === "turns";
  });

  function draw({ messages: sent, reasoning: kept, warnings: told, config, transcript: text, characters }) {
    fill(about, `${counted(sent.length, "turn")}, ${counted(characters, "character")}`);
    lists.messages.set(sent);
    lists.reasoning.set(kept);
    lists.warnings.set(told);
    lists.config.set(Object.entries(config));
    for (const one of [warnings, settings]) one.hidden = !one.firstChild;
    transcript.set(text);
  }

  return frame(app, {
    id: "turns",
    title: "Turns",
    body: h("div", {}, h("div", { class: "tools" }, views.element, about), turns, transcript.element),
    nothing: () => empty("No turn yet. Begin one with a line such as ", h("code", {}, "<|user|>"), "."),
    draw,
    usesData: () => true,
  });
}
