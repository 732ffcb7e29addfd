// Installs the Python package in a terminal, where the user sees what happens.

import { window } from "vscode";

const WINDOWS = process.platform === "win32";

/** Runs pip; calls `done` when it has succeeded, or when its terminal is closed. */
export function installer(python: string | undefined, done: () => void): void {
  const terminal = window.createTerminal({ name: "pdl" });
  const listeners = [
    window.onDidEndTerminalShellExecution((event) => {
      if (event.terminal === terminal && event.exitCode === 0) {
        finish();
      }
    }),
    window.onDidCloseTerminal((closed) => {
      if (closed === terminal) {
        finish();
      }
    }),
  ];
  const finish = () => {
    for (const listener of listeners) {
      listener.dispose();
    }
    done();
  };
  terminal.show();
  terminal.sendText(`${quoted(python ?? (WINDOWS ? "py" : "python3"))} -m pip install "pdl-prompts[lsp]"`);
}

/** A command for PowerShell or a POSIX shell. */
function quoted(path: string): string {
  if (/^[\w./\\:+-]+$/.test(path)) {
    return path;
  }
  return WINDOWS ? `& '${path.replaceAll("'", "''")}'` : `'${path.replaceAll("'", "'\\''")}'`;
}
