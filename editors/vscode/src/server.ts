// The connection to `pdl lsp`: started, restarted, and reported in the status of the language.

import {
  commands,
  type Disposable,
  languages,
  LanguageStatusSeverity,
  type LogOutputChannel,
  window,
  workspace,
} from "vscode";
import { type ExecuteCommandSignature, LanguageClient, State } from "vscode-languageclient/node";

import { find, type Launch, type Search } from "./find";
import { installer } from "./install";

export const SELECTOR = [
  { language: "pdl-prompt", scheme: "file" },
  { language: "pdl-prompt", scheme: "untitled" },
];

type Execute = (command: string, args: unknown[], next: ExecuteCommandSignature) => unknown;

export class Server implements Disposable {
  client: LanguageClient | undefined;
  private readonly status = languages.createLanguageStatusItem("pdl.server", SELECTOR);
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly output: LogOutputChannel,
    private readonly execute: Execute,
  ) {
    this.status.name = "pdl";
    this.status.command = { command: "pdl.showOutput", title: "Show output" };
  }

  /** Stops the server, if it runs, and starts it as the settings say now. */
  restart(): Promise<void> {
    this.queue = this.queue.then(() => this.replace()).catch((error) => this.output.error(error));
    return this.queue;
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.running(false);
    if (client) {
      await client.dispose().catch((error) => this.output.warn(error));
    }
  }

  dispose(): void {
    void this.stop();
    this.status.dispose();
  }

  private async replace(): Promise<void> {
    await this.stop();
    if (!workspace.isTrusted) {
      this.show("not started in Restricted Mode", LanguageStatusSeverity.Warning);
      return;
    }
    this.status.busy = true;
    try {
      const search = await find();
      for (const failure of search.failed) {
        this.output.info(`not usable: ${failure}`);
      }
      if (search.found) {
        await this.start(search.found, search);
      } else {
        void this.report(search);
      }
    } finally {
      this.status.busy = false;
    }
  }

  private async start(launch: Launch, search: Search): Promise<void> {
    const command = [launch.command, ...launch.args, "lsp"].join(" ");
    this.output.info(`starting (${launch.origin}): ${command}`);
    const client = this.create(launch);
    client.onDidChangeState(({ newState }) => {
      if (this.client === client) {
        this.running(newState === State.Running);
      }
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.output.error(`the language server did not start: ${error}`);
      await this.stop();
      void this.report(search);
      return;
    }
    const version = client.initializeResult?.serverInfo?.version ?? "";
    this.show(`pdl ${version}`.trim(), LanguageStatusSeverity.Information, command);
  }

  private create(launch: Launch): LanguageClient {
    const cwd = workspace.workspaceFolders?.[0]?.uri;
    const env = { ...process.env, PYTHONUTF8: "1" };
    return new LanguageClient(
      "pdl",
      "pdl",
      {
        command: launch.command,
        args: [...launch.args, "lsp"],
        options: { env, ...(cwd?.scheme === "file" ? { cwd: cwd.fsPath } : {}) },
      },
      {
        documentSelector: SELECTOR,
        outputChannel: this.output,
        initializationOptions: { showDocuments: "client" },
        synchronize: { configurationSection: "pdl" },
        initializationFailedHandler: () => false,
        middleware: { executeCommand: (command, args, next) => this.execute(command, args, next) },
      },
    );
  }

  /** Says that there is no server, and what to do. */
  private async report({ found, python }: Search): Promise<void> {
    this.show("pdl: no language server", LanguageStatusSeverity.Error);
    const message = found
      ? "pdl's language server did not start. Is pdl-prompts[lsp] installed with its extra?"
      : "pdl was not found. Prompts are only highlighted until pdl-prompts[lsp] is installed.";
    const [install, settings, output] = ["Install", "Open Settings", "Show Output"];
    const choice = await window.showWarningMessage(message, install, settings, output);
    if (choice === install) {
      installer(python, () => void this.restart());
    } else if (choice === settings) {
      await commands.executeCommand("workbench.action.openSettings", "pdl.path");
    } else if (choice === output) {
      this.output.show();
    }
  }

  private show(text: string, severity: LanguageStatusSeverity, detail = ""): void {
    this.status.text = text;
    this.status.detail = detail;
    this.status.severity = severity;
  }

  private running(value: boolean): void {
    void commands.executeCommand("setContext", "pdl.running", value);
  }
}
