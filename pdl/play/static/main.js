// Starts the page: the back end, the state, and the parts of the page.

import { App } from "./app.js";
import { bar } from "./bar.js";
import { Commands } from "./commands.js";
import { Connection, tokenForm } from "./connection.js";
import { fill, h } from "./dom.js";
import { Files } from "./files.js";
import { group } from "./groups.js";
import { keys } from "./keys.js";
import { Language, encodedName } from "./language.js";
import { askAgain } from "./language_view.js";
import { layout } from "./layout.js";
import { Notices } from "./notices.js";
import { PANELS, WRITTEN } from "./panels.js";
import { PromptEditor } from "./prompt_editor.js";
import { renameIn } from "./rename.js";
import { ServerBackend } from "./server_backend.js";
import { keepToken, read, takeHandover, takeToken } from "./state.js";
import { status } from "./status.js";

const START = {
  prompt: `<|input|>
{ review: str }

<|system|>
You read reviews of products.

<|user|>
How many stars does this review give? Does it ask for the money back?

{{ review }}

<|schema|>
{ stars: int<1,5>, refund: bool }
`,
  data: "review: It broke after two days. I want my money back.\n",
  reply: "",
};

const at = (id) => document.getElementById(id);

/** The back end: a worker in a page that `pdl play --static` wrote, else the server. */
async function backendOf() {
  if (document.querySelector('meta[name="pdl-static"]')) {
    fill(document.querySelector("#page .start"), h("p", {}, "Loading Python …"), h("p", { class: "hint" }, "The first time, this takes a while; then the browser has it."));
    const { WorkerBackend } = await import("./worker_backend.js");
    return new WorkerBackend((stage) => fill(at("starting") ?? h("p"), stage));
  }
  return new ServerBackend(takeToken());
}

/** Shows what the page starts with: what its address has, else the opened file, else an example. */
async function first(app) {
  if (await app.files.receive(await takeHandover())) return undefined;
  const left = app.files.left();
  if (Object.keys(left).length) return app.replace(left);
  if (await shared(app)) return undefined;
  await usual(app);
  return app.notices.has("damaged") && app.files.hold();
}

/** Shows what the page's address has; returns whether it has anything. */
async function shared(app) {
  const { state, damage } = await read(location.hash);
  if (damage) app.notices.show("damaged", { kind: "bad", text: `This link is damaged: ${damage}`, hint: "Copy it again, whole; the address stays as it is until you type.", closes: true });
  else app.notices.hide("damaged");
  if (!Object.keys(state).length) return false;
  app.replace(state);
  return true;
}

/** Shows what the page starts with if its address has nothing. */
async function usual(app) {
  if (!app.hello.files) return app.replace(START);
  const prompts = app.hello.opened ? [app.hello.opened] : (await app.files.refresh()).filter(({ kind }) => kind === "prompt").map(({ name }) => name);
  return prompts.length ? app.files.open(app.files.first(prompts)) : app.replace(START);
}

function parts(app) {
  const written = group(app, "written", "Data and reply", WRITTEN);
  const shown = group(app, "shown", "Result", PANELS);
  app.groups = [written, shown];
  const focus = (part) => () => part.element.querySelector('[role="tab"][aria-selected="true"]')?.focus();
  return [
    { id: "prompt", label: "Prompt", short: "Prompt", element: app.editor.element, focus: () => app.editor.focus() },
    { id: "written", label: "Data and reply", short: "Data, reply", element: written.element, focus: focus(written) },
    { id: "shown", label: "Result", short: "Result", element: shown.element, focus: focus(shown) },
  ];
}

/** Uses the language server, if there is one; the page does not wait for it. */
function startLanguage(app, commands) {
  if (!app.hello.language) return;
  const onState = (state) => {
    app.emit("language", state);
    if (state === "on") askAgain(app.editor.view);
  };
  app.language = new Language(app.backend, `file:///${encodedName(app.hello.root)}`, { display: (uri) => commands.display(uri), onState, rename: renameIn(app) });
  app.on("saved", () => askAgain(app.editor.view));
  app.editor.use(app.language);
  app.language.connect();
}

function listen(app, commands) {
  keys(app, commands);
  addEventListener("beforeunload", (event) => !app.isLeaving && (app.files.unsaved.length || !app.files.keepNow()) && event.preventDefault());
  addEventListener("pagehide", () => app.files.keepNow());
  addEventListener("focus", () => commands.check());
  addEventListener("hashchange", async () => {
    await shared(app);
    if (app.notices.has("damaged")) app.files.hold();
  });
}

/** Says that the worker of a page without a server was ended, and whether another one is there. */
function restarted(app, isBack, why) {
  const text = isBack ? "Python was started again." : "Python is starting again …";
  app.notices.show("worker", { kind: "warn", text, hint: why, closes: isBack });
  if (isBack) app.announce(text);
}

async function open(backend) {
  const hello = await backend.hello();
  const app = new App(backend, hello, {});
  app.notices = new Notices(at("notices"));
  app.files = new Files(app);
  app.connection = new Connection(app, app.notices);
  backend.onRestart = (isBack, why) => restarted(app, isBack, why);
  const commands = (app.commands = new Commands(app));
  app.editor = new PromptEditor(app);
  listen(app, commands);
  const made = parts(app);
  fill(at("bar"), bar(app, commands));
  app.layout = layout(at("page"), made);
  fill(at("foot"), app.layout.chooser(), h("div", { id: "status" }, status(app)));
  await first(app);
  app.groups.forEach((one) => one.open(one.ids[0]));
  startLanguage(app, commands);
  for (const note of hello.notes ?? []) app.notices.show(note, { text: note, closes: true });
  await app.looking.ended();
  document.documentElement.dataset.ready = "true";
}

function failed(backend, error) {
  const form = error.status === 401 ? tokenForm(({ token, origin }) => {
    keepToken(token);
    if (origin === location.origin) location.reload();
    else location.href = `${origin}/#token=${token}&${location.hash.slice(1)}`;
  }) : h("button", { type: "button", onclick: () => location.reload() }, "Try again");
  fill(at("page"), h("div", { class: "start failure", role: "alert" }, h("h2", {}, "The playground cannot start"), h("p", {}, error.message), error.hint ? h("p", { class: "hint" }, error.hint) : null, form));
  console.error(error);
}

const backend = await backendOf();
try {
  await open(backend);
} catch (error) {
  failed(backend, error);
}
