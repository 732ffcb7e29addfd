// Runs tests of pdl by pytest in Pyodide, with what the page without a server has, in Node.js:
// node suite.mjs PYODIDE ARCHIVE REPOSITORY PACKAGES TEST…

import { readFileSync } from "node:fs";

const [pyodide, archive, repository, packages, ...tests] = process.argv.slice(2);
process.on("uncaughtException", (error) => {
  console.log(String(error.message).slice(-5_000)); // not the line of Pyodide that it is thrown in
  process.exit(1);
});

const { loadPyodide } = await import(`${pyodide}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: `${pyodide}/` });
python.unpackArchive(new Uint8Array(readFileSync(archive)), "zip");
for (const [place, root] of Object.entries({ "/repository": repository, "/packages": packages })) {
  python.FS.mkdir(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, place);
}
python.globals.set("tests", python.toPy(tests));
process.exit(python.runPython(`
import os, sys

sys.dont_write_bytecode = True
sys.setrecursionlimit(400)
sys.path += [os.path.abspath("stand_ins"), "/packages", "/repository/tests"]
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
os.chdir("/repository")

import pytest


class Plugin:  # what tests/conftest.py has, without hypothesis
    @pytest.fixture
    def snapshot(self):
        from snapshots import Snapshot

        return Snapshot(update=False)


options = ["-c", "/dev/null", "--rootdir=/repository", "--noconftest", "-p", "no:cacheprovider"]
int(pytest.main([*options, "--import-mode=importlib", "-q", "--tb=short", *tests], plugins=[Plugin()]))
`));
