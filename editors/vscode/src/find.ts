// Where the command `pdl` is: a setting, the chosen Python, the workspace's .venv, or the PATH.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Event, extensions, type Uri, workspace } from "vscode";

const WINDOWS = process.platform === "win32";
const PROBE_MILLISECONDS = 30_000;

/** A way to start `pdl`, and who named it. */
export interface Launch {
  command: string;
  args: string[];
  origin: string;
}

export interface Search {
  found: Launch | undefined;
  /** What was tried without success, for the output. */
  failed: string[];
  /** The Python to install into. */
  python: string | undefined;
}

/** The part of the Python extension's API that is used here. */
interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: Uri): { path: string };
    resolveEnvironment(path: { path: string }): Promise<{ executable: { uri?: Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath: Event<unknown>;
  };
}

export async function find(): Promise<Search> {
  const root = workspace.workspaceFolders?.find((folder) => folder.uri.scheme === "file")?.uri;
  const settings = workspace.getConfiguration("pdl", root ?? null);
  const failed: string[] = [];
  let python: string | undefined;

  const accept = async (launch: Launch): Promise<Search | undefined> => {
    const fault = await probe(launch, root?.fsPath);
    if (fault === undefined) {
      return { found: launch, failed, python };
    }
    failed.push(`${launch.origin}: ${[launch.command, ...launch.args].join(" ")}: ${fault}`);
    return undefined;
  };

  const path = expand(settings.get("path", ""), root);
  if (path) {
    const launch = { command: path, args: [], origin: "setting pdl.path" };
    return (await accept(launch)) ?? { found: undefined, failed, python };
  }
  for (const [origin, interpreter] of await interpreters(settings.get("interpreter", ""), root)) {
    python ??= interpreter;
    const search = await accept(module(interpreter, origin));
    if (search) {
      return search;
    }
  }
  for (const command of ["pdl", "pdl-prompts"]) {
    const search = await accept({ command, args: [], origin: "PATH" });
    if (search) {
      return search;
    }
  }
  return { found: undefined, failed, python };
}

export async function onDidChangeInterpreter(listener: () => void) {
  return (await pythonApi())?.environments.onDidChangeActiveEnvironmentPath(listener);
}

/** `-P` keeps a folder `pdl` of the workspace from being imported. */
function module(interpreter: string, origin: string): Launch {
  return { command: interpreter, args: ["-P", "-m", "pdl"], origin };
}

async function interpreters(setting: string, root: Uri | undefined): Promise<[string, string][]> {
  const chosen = expand(setting, root);
  if (chosen) {
    return [["setting pdl.interpreter", chosen]];
  }
  const found: [string, string][] = [];
  const environments = (await pythonApi())?.environments;
  const active = await environments?.resolveEnvironment(environments.getActiveEnvironmentPath(root));
  if (active?.executable.uri) {
    found.push(["Python extension", active.executable.uri.fsPath]);
  }
  for (const folder of workspace.workspaceFolders ?? []) {
    const python = join(folder.uri.fsPath, ".venv", ...(WINDOWS ? ["Scripts", "python.exe"] : ["bin", "python"]));
    if (folder.uri.scheme === "file" && existsSync(python) && python !== found[0]?.[1]) {
      found.push([".venv", python]);
    }
  }
  return found;
}

async function pythonApi(): Promise<PythonApi | undefined> {
  try {
    return await extensions.getExtension<PythonApi>("ms-python.python")?.activate();
  } catch {
    return undefined; // it is disabled, or failed by itself
  }
}

/** A path of the settings; a relative one begins at the workspace, and a bare name is of the PATH. */
function expand(setting: string, root: Uri | undefined): string {
  const path = setting.trim().replace("${workspaceFolder}", root?.fsPath ?? "");
  return root && /[\\/]/.test(path) && !isAbsolute(path) ? join(root.fsPath, path) : path;
}

/** Why it is not a `pdl` with a language server, if so. IBM's `pdl` takes `lsp` as a file. */
function probe(launch: Launch, cwd: string | undefined): Promise<string | undefined> {
  const options = { cwd, timeout: PROBE_MILLISECONDS, env: { ...process.env, NO_COLOR: "1" } };
  return new Promise((resolve) => {
    execFile(launch.command, [...launch.args, "lsp", "--help"], options, (error, stdout, stderr) => {
      const missing = (error as NodeJS.ErrnoException | null)?.code === "ENOENT";
      const words = stderr.trim().split("\n").at(-1);
      if (!error && /^Usage: .*\blsp\b/m.test(stdout)) {
        resolve(undefined);
      } else {
        resolve(missing ? "not found" : words || (error?.message ?? "has no language server"));
      }
    });
  });
}
