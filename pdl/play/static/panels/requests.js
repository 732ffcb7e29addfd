// The request that each family of providers gets: its body, what is left out, and as curl.

import { empty, fill, h } from "../dom.js";
import { frame } from "../frame.js";
import { jsonView } from "../json_view.js";
import { List } from "../lists.js";
import { choice, copyButton, longText, menu, prose } from "../widgets.js";
import { counted } from "../words.js";

const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A request as a command for a shell; a key is the name of its variable. */
export function curl({ url, headers, body }) {
  const told = { "content-type": "application/json", ...headers };
  const lines = Object.entries(told).map(([name, value]) => `  -H "${name}: ${value}"`);
  const whole = body.model || url.includes("MODEL") ? body : { model: "MODEL", ...body };
  return [`curl ${quoted(url)}`, ...lines, `  -d ${quoted(JSON.stringify(whole, null, 2))}`].join(" \\\n");
}

/** What is left out, each reason once: [why, places]. */
export function reasons(items) {
  const found = new Map();
  for (const one of items) {
    const why = typeof one === "string" ? one : one.why;
    const place = typeof one === "string" ? "" : (one.key ?? (one.pointer || one.keyword));
    found.set(why, [...(found.get(why) ?? []), ...(place ? [place] : [])]);
  }
  return [...found];
}

function leftOut([why, places]) {
  const words = why.charAt(0).toUpperCase() + why.slice(1);
  const where = places.map((place, at) => [at ? ", " : ": ", h("code", {}, place)]);
  return { element: h("li", {}, prose(words), where) };
}

/** What the provider does not get. */
function leftOutView() {
  const list = h("ul");
  const rows = new List(list, leftOut);
  const title = h("summary");
  const element = h("details", { class: "left-out", open: true }, title, list);
  return {
    element,
    set(items, sent) {
      element.hidden = !items.length;
      fill(title, sent ? `${counted(items.length, "thing")} not sent; only the check enforces what is missing` : "This provider can't be sent the prompt");
      rows.set(reasons(items));
    },
  };
}

export function create(app) {
  const whole = h("p", { class: "good" }, h("span", { "aria-hidden": "true" }, "✓ "), "Everything is sent.");
  const left = leftOutView();
  const cut = h("p", { class: "warn" });
  const json = jsonView(app, {}, { label: "the request", depth: 3 });
  const command = longText("", { label: "Request as a curl command", language: "shell" });
  const asCurl = h("div", {}, h("div", { class: "tools" }, copyButton(app, "the command", () => command.text)), command.element);
  const families = menu("Provider", choose);
  const views = choice("How the request is shown", [["json", "JSON"], ["curl", "curl"]], "json", (value) => {
    view = value;
    draw(requests);
  });
  let requests = {};
  let family = "";
  let view = "json";

  function choose(name) {
    family = name;
    app.state.provider = name;
    draw(requests);
  }

  function draw(next) {
    requests = next;
    const names = Object.keys(requests);
    if (!names.includes(family)) family = names.includes(app.state.provider) ? app.state.provider : names[0];
    families.set(names, family);
    const { url, body, headers, left_out: without, shortened } = requests[family];
    cut.hidden = !shortened;
    fill(cut, `${counted(shortened ?? 0, "long text")} cut in the page, such as an image; a copy is not whole.`);
    left.set(without, body);
    whole.hidden = without.length > 0 || !body;
    json.element.hidden = view !== "json" || !body;
    asCurl.hidden = view !== "curl" || !body;
    views.element.hidden = !body || !url;
    if (!body) return;
    if (view === "json" || !url) json.set(body);
    else command.set(curl({ url, headers, body }));
  }

  return frame(app, {
    id: "requests",
    title: "Request",
    body: h("div", {}, h("div", { class: "tools" }, families.element, views.element), whole, left.element, cut, json.element, asCurl),
    nothing: () => empty("No request yet: the prompt has no turn that could be sent."),
    draw,
    usesData: () => true,
  });
}
