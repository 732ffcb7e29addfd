// Prompts of pdl in VS Code: the language server, its commands, and the preview.

import { commands, type ExtensionContext, Uri, window, workspace } from "vscode";

import { Commands } from "./commands";
import { onDidChangeInterpreter } from "./find";
import { Preview } from "./preview";
import { Server } from "./server";

export function activate(context: ExtensionContext): void {
  const output = window.createOutputChannel("pdl", { log: true });
  const results = new Commands(
    () => server,
    () => preview,
  );
  const preview = new Preview(Uri.joinPath(context.extensionUri, "media"), results);
  const server = new Server(output, (command, args) => results.execute(command, args));
  const restart = () => server.restart().then(() => preview.later());

  context.subscriptions.push(
    output,
    results,
    preview,
    server,
    commands.registerCommand("pdl.preview", (...args: unknown[]) => results.execute("pdl.render", args)),
    commands.registerCommand("pdl.restartServer", restart),
    commands.registerCommand("pdl.showOutput", () => output.show()),
    workspace.onDidGrantWorkspaceTrust(restart),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("pdl.path") || event.affectsConfiguration("pdl.interpreter")) {
        void restart();
      }
    }),
  );
  void restart();
  void onDidChangeInterpreter(restart).then((listener) => {
    if (listener) {
      context.subscriptions.push(listener);
    }
  });
}
