// The messages of a prompt beside the editor, rendered again while you type.

import { basename } from "node:path";
import {
  type Disposable,
  type TextDocument,
  Uri,
  ViewColumn,
  type Webview,
  type WebviewPanel,
  window,
  workspace,
} from "vscode";

import type { Commands, Result } from "./commands";

const DELAY_MILLISECONDS = 250;

export class Preview implements Disposable {
  private panel: WebviewPanel | undefined;
  private source: Uri | undefined;
  private last: (Result & { file: string }) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private generation = 0;
  private readonly disposables = [
    workspace.onDidChangeTextDocument(({ document }) => this.changed(document)),
    workspace.onDidSaveTextDocument(() => this.later()),
    window.onDidChangeActiveTextEditor((editor) => {
      if (this.panel && editor && isPrompt(editor.document)) {
        void this.open(editor.document.uri);
      }
    }),
  ];

  constructor(
    private readonly media: Uri,
    private readonly commands: Commands,
  ) {}

  /** Shows a prompt in the panel, which is created if there is none. */
  async open(source: Uri): Promise<void> {
    this.source = source;
    this.panel ??= this.create();
    this.panel.title = `Preview ${basename(source.path)}`;
    if (!this.panel.visible) {
      this.panel.reveal(undefined, true);
    }
    await this.update();
  }

  /** Renders again, soon. */
  later(): void {
    if (this.panel) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.update(), DELAY_MILLISECONDS);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.panel?.dispose();
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private changed(document: TextDocument): void {
    if (isPrompt(document)) {
      this.later(); // another prompt can be included in this one
    }
  }

  private async update(): Promise<void> {
    const source = this.source;
    const generation = ++this.generation;
    if (!source) {
      return;
    }
    const result = await this.commands.request("pdl.render", source);
    if (generation === this.generation) {
      this.last = { ...result, file: source.toString() };
      this.send();
    }
  }

  private send(): void {
    if (this.last) {
      void this.panel?.webview.postMessage(this.last);
    }
  }

  private create(): WebviewPanel {
    const panel = window.createWebviewPanel(
      "pdl.preview",
      "Preview",
      { viewColumn: ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, enableFindWidget: true, localResourceRoots: [this.media] },
    );
    const icon = (theme: string) => Uri.joinPath(this.media, "..", "icons", `file-${theme}.svg`);
    panel.iconPath = { light: icon("light"), dark: icon("dark") };
    panel.webview.onDidReceiveMessage(() => this.send()); // the page is loaded, or shown again
    panel.webview.html = page(panel.webview, this.media);
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.last = undefined;
      clearTimeout(this.timer);
    });
    return panel;
  }
}

function isPrompt(document: TextDocument): boolean {
  return document.languageId === "pdl-prompt";
}

function page(webview: Webview, media: Uri): string {
  const file = (name: string) => webview.asWebviewUri(Uri.joinPath(media, name));
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src ${webview.cspSource}`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${file("preview.css")}">
<title>Preview</title>
</head>
<body>
<div id="problem" role="alert" hidden></div>
<main id="messages"></main>
<script src="${file("preview.js")}"></script>
</body>
</html>`;
}
