// The client of the language server: it connects again when the server comes back, keeps files open
// that are edited but not shown, and opens those that a definition leads to.

import {
  LSPClient, LSPPlugin, Workspace, findReferencesKeymap, formatKeymap, hoverTooltips, jumpToDefinitionKeymap, keymap,
  serverCompletion, signatureHelp,
} from "./vendor.js";
import { languageView } from "./language_view.js";
import { sanitize } from "./sanitize.js";

const ID = "pdl-prompt"; // of the language
const SOONEST = 500; // milliseconds until the next try
const LATEST = 10_000;

const BYTE = /^[\udc80-\udcff]$/; // as Python names a byte of a file's name that is not UTF-8 (PEP 383)
const CHARACTER = /%[0-7]\w|%[cd]\w(?:%\w\w)?|%e\w(?:%\w\w){0,2}|%\w\w(?:%\w\w){0,3}/iy;

/** A name in a URI; a byte that is not UTF-8 stays that byte. */
export function encodedName(name) {
  return [...name].map((one) => (BYTE.test(one) ? `%${(one.charCodeAt(0) - 0xdc00).toString(16).toUpperCase()}` : encodeURIComponent(one))).join("");
}

/** The name that a part of a URI has. */
export function decodedName(part) {
  let name = "";
  for (let at = 0; at < part.length; ) {
    CHARACTER.lastIndex = at;
    const [found] = CHARACTER.exec(part) ?? [part[at]];
    const [text, length] = decoded(found);
    name += text;
    at += length;
  }
  return name;
}

/** A character and how much of the URI it takes; the first byte alone if they are not UTF-8. */
function decoded(found) {
  try {
    return [decodeURIComponent(found), found.length];
  } catch {
    return [String.fromCharCode(0xdc00 + parseInt(found.slice(1, 3), 16)), 3];
  }
}

/** The files of the page: the one in the editor, and those that were there before. */
class Files extends Workspace {
  constructor(client, display) {
    super(client);
    this.display = display;
    this.files = [];
    this.isOnline = false;
  }

  syncFiles() {
    if (!this.isOnline) return [];
    const changed = [];
    for (const file of this.files) {
      const plugin = file.view && LSPPlugin.get(file.view);
      if (!plugin || plugin.uri !== file.uri || plugin.unsyncedChanges.empty) continue;
      changed.push({ changes: plugin.unsyncedChanges, file, prevDoc: file.doc });
      this.renew(file, file.view.state.doc);
      plugin.clear();
    }
    return changed;
  }

  renew(file, doc) {
    file.doc = doc;
    file.version += 1;
  }

  openFile(uri, languageId, view) {
    this.put(uri, languageId, view.state.doc);
    this.getFile(uri).view = view;
  }

  /** Tells the server the whole text of a file, which need not be shown. */
  put(uri, languageId, doc) {
    const known = this.getFile(uri);
    if (!known) {
      const file = { uri, languageId, version: 0, doc, view: null, getView: () => file.view };
      this.files.push(file);
      if (this.isOnline) this.client.didOpen(file);
    } else if (!known.doc.eq(doc)) {
      this.renew(known, doc);
      const textDocument = { uri, version: known.version };
      if (this.isOnline) this.client.notification("textDocument/didChange", { textDocument, contentChanges: [{ text: doc.toString() }] });
    }
  }

  /** The server keeps the text of a file that is not shown any more: it may not be saved. */
  closeFile(uri, view) {
    const file = this.getFile(uri);
    if (file?.view === view) file.view = null;
  }

  /** Lets the server read a file that is not shown from the disk. */
  forget(uri) {
    const file = this.getFile(uri);
    if (!file || file.view) return;
    this.files = this.files.filter((one) => one !== file);
    if (this.isOnline) this.client.didClose(uri);
  }

  connected() {
    this.isOnline = true;
    for (const file of this.files) {
      if (file.view) this.renew(file, file.view.state.doc);
      const plugin = file.view && LSPPlugin.get(file.view);
      if (plugin?.uri === file.uri) plugin.clear();
      this.client.didOpen(file);
    }
  }

  disconnected() {
    this.isOnline = false;
  }

  displayFile(uri) {
    return this.display(uri);
  }
}

/** The language server of a page. */
export class Language {
  /**
   * `display(uri)` shows a file and gives its view, `onState(text)` says how the connection is, and
   * `rename` is the command of F2.
   */
  constructor(backend, rootUri, { display, onState, rename }) {
    this.backend = backend;
    this.rootUri = rootUri;
    this.onState = onState;
    this.wait = SOONEST;
    const extensions = [
      serverCompletion(),
      hoverTooltips({ hoverTime: 300 }),
      signatureHelp(),
      keymap.of([...formatKeymap, { key: "F2", run: rename, preventDefault: true }, ...jumpToDefinitionKeymap, ...findReferencesKeymap]),
      languageView,
    ];
    const workspace = (client) => new Files(client, display);
    this.client = new LSPClient({ rootUri, timeout: 20_000, sanitizeHTML: sanitize, workspace, extensions });
  }

  /** Connects, and again whenever the connection ends. Resolves when the first try has ended. */
  async connect() {
    try {
      const transport = await this.backend.language();
      transport.closed?.then(() => this.lost());
      this.client.connect(transport);
      await this.client.initializing;
      this.wait = SOONEST;
      this.onState("on");
    } catch (error) {
      console.warn(error.message);
      this.retry();
    }
  }

  lost() {
    this.client.initializing.catch(() => {});
    this.client.disconnect();
    this.retry();
  }

  retry() {
    this.onState("connecting");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(LATEST, this.wait * 2);
  }

  extension(uri) {
    return this.client.plugin(uri, ID);
  }

  /** Tells the server the text of a file that is edited, but not shown. */
  put(name, doc) {
    this.client.workspace.put(this.uriOf(name), ID, doc);
  }

  /** Lets the server read a file that is not shown from the disk. */
  forget(name) {
    this.client.workspace.forget(this.uriOf(name));
  }

  uriOf(name) {
    return `${this.rootUri}/${name.split("/").map(encodedName).join("/")}`;
  }

  /** The name of a file below the root; null for any other. */
  nameOf(uri) {
    const start = `${this.rootUri}/`;
    return uri.startsWith(start) ? uri.slice(start.length).split("/").map(decodedName).join("/") : null;
  }
}
