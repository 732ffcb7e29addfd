// Runs examples with the Python of the playground, whose files are in ../playground.
//
// It is sent the steps of a page, [{language, file, text}], and answers {ready}, then
// {printed, failed} of the last step, or {error}.

const PLAY = new URL("../playground/", import.meta.url);

const RUNNER = `
import contextlib, io, os, shutil, sys, traceback

sys.path += [os.getcwd(), os.path.abspath("stand_ins")]
sys.setrecursionlimit(400)  # Python must give up before the browser's stack is full

def run_steps(steps):
    os.chdir("/")
    shutil.rmtree("/example", ignore_errors=True)
    os.makedirs("/example")
    os.chdir("/example")
    names, printed = {"__name__": "example"}, ""
    for step in steps:
        if step.get("file"):
            with open(step["file"], "w", encoding="utf-8") as file:
                file.write(step["text"])
        elif step.get("language") == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                try:
                    exec(compile(step["text"], "<example>", "exec", dont_inherit=True), names)
                except Exception as error:
                    traceback.print_exception(error, limit=-1, file=out)
                    return out.getvalue(), True
            printed = out.getvalue()
    return printed, False
`;

async function fetched(name) {
  const answer = await fetch(new URL(name, PLAY));
  if (!answer.ok) throw new Error(`${name} is not there (status ${answer.status})`);
  return answer;
}

/** The function that runs steps, once Python and pdl are loaded. */
async function start() {
  const settings = await (await fetched("settings.json")).json();
  const place = new URL(settings.pyodide, PLAY).href;
  const archive = fetched(settings.archive);
  const { loadPyodide } = await import(`${place}pyodide.mjs`);
  const python = await loadPyodide({ indexURL: place });
  if (settings.packages.length) await python.loadPackage(settings.packages, { messageCallback() {} });
  python.unpackArchive(new Uint8Array(await (await archive).arrayBuffer()), "zip");
  python.runPython(RUNNER);
  const run = python.globals.get("run_steps");
  return (steps) => run(python.toPy(steps)).toJs();
}

const starting = start();
starting.catch(() => {}); // told to each who asks

onmessage = async ({ data }) => {
  try {
    const run = await starting;
    postMessage({ ready: true });
    const [printed, failed] = run(data);
    postMessage({ printed, failed });
  } catch (error) {
    postMessage({ error: String(error?.message ?? error) });
  }
};
