// The server's commands: each returns a text, which is shown beside the prompt.

import { basename } from "node:path";
import {
  type CancellationToken,
  type Disposable,
  EventEmitter,
  languages,
  ProgressLocation,
  Uri,
  ViewColumn,
  window,
  workspace,
} from "vscode";
import { ExecuteCommandRequest } from "vscode-languageclient/node";

import type { Preview } from "./preview";
import type { Server } from "./server";

export const SCHEME = "pdl-result";

export interface Message {
  role: string;
  text: string;
}

/** What the server returns for each of its commands. */
export interface Result {
  error?: string;
  title?: string;
  language?: string;
  text?: string;
  messages?: Message[];
}

export class Commands implements Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new EventEmitter<Uri>();
  private readonly disposables = [
    this.changed,
    workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: this.changed.event,
      provideTextDocumentContent: (uri) => this.texts.get(uri.toString()) ?? "",
    }),
    workspace.onDidCloseTextDocument((document) => this.texts.delete(document.uri.toString())),
  ];

  constructor(
    private readonly server: () => Server,
    private readonly preview: () => Preview,
  ) {}

  /** Runs one of the server's commands for the prompt that it is called with, or the active one. */
  async execute(command: string, args: unknown[]): Promise<void> {
    const uri = promptOf(args);
    if (!uri) {
      void window.showInformationMessage("Open a prompt file first.");
    } else if (command === "pdl.render") {
      await this.preview().open(uri);
    } else if (command === "pdl.test" || command === "pdl.cases") {
      await this.request(command, uri, undefined, args.slice(1)); // the server shows what comes of it
    } else if (command !== "pdl.run") {
      await this.show(command, uri, await this.request(command, uri));
    } else if (await confirmed(uri)) {
      await this.run(command, uri);
    }
  }

  async request(
    command: string,
    uri: Uri,
    token?: CancellationToken,
    more: unknown[] = [],
  ): Promise<Result> {
    const client = this.server().client;
    if (!client?.isRunning()) {
      return { error: "The language server is not running." };
    }
    const params = { command, arguments: [uri.toString(), ...more] };
    try {
      const result: Result = (await client.sendRequest(ExecuteCommandRequest.type, params, token)) ?? {};
      const error = result.error?.replaceAll(uri.fsPath, basename(uri.fsPath));
      return error === undefined ? result : { ...result, error };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }

  dispose(): void {
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private async run(command: string, uri: Uri): Promise<void> {
    const title = `Asking the model: ${basename(uri.path)}`;
    const options = { location: ProgressLocation.Notification, title, cancellable: true };
    await window.withProgress(options, async (_progress, token) => {
      const result = await this.request(command, uri, token);
      if (!token.isCancellationRequested) {
        await this.show(command, uri, result);
      }
    });
  }

  private async show(command: string, source: Uri, result: Result): Promise<void> {
    if (result.error !== undefined) {
      void window.showErrorMessage(result.error);
      return;
    }
    const title = (result.title ?? `${basename(source.path)}: ${command}`).replaceAll("/", " ");
    const uri = Uri.from({ scheme: SCHEME, path: `/${title}`, query: `${command} ${source}` });
    this.texts.set(uri.toString(), result.text ?? "");
    this.changed.fire(uri);
    const document = await workspace.openTextDocument(uri);
    if (result.language && (await languages.getLanguages()).includes(result.language)) {
      await languages.setTextDocumentLanguage(document, result.language);
    }
    await window.showTextDocument(document, { viewColumn: ViewColumn.Beside, preserveFocus: true });
  }
}

function promptOf([first]: unknown[]): Uri | undefined {
  if (first instanceof Uri) {
    return first;
  }
  if (typeof first === "string") {
    return Uri.parse(first);
  }
  const active = window.activeTextEditor?.document;
  return active?.languageId === "pdl-prompt" ? active.uri : undefined;
}

async function confirmed(uri: Uri): Promise<boolean> {
  const document = await workspace.openTextDocument(uri);
  const model = modelOf(document.getText());
  const message = `Run ${basename(uri.path)} with ${model ?? "the model that PDL_MODEL names"}?`;
  const detail = "The prompt is sent to the model, which can cost money.";
  return (await window.showWarningMessage(message, { modal: true, detail }, "Run")) === "Run";
}

/** The model in the `config` turns of a prompt, as it is written there. */
export function modelOf(text: string): string | undefined {
  let role = "";
  let model: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    role = /^[ \t]*<\|[ \t]*([a-z]+)[ \t]*\|>[ \t]*$/i.exec(line)?.[1]?.toLowerCase() ?? role;
    model = (role === "config" && /^[ \t]*model[ \t]*:[ \t]*"?([^"]*\S)/.exec(line)?.[1]) || model;
  }
  return model;
}
