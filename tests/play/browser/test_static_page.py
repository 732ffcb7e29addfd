"""The page without a server: pdl in Pyodide, in Node.js and in a real browser."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from pdl.play.static_site import policy_of, write_static

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.editor

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
LOADED = 120_000  # milliseconds: the machine may be busy
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"}
IN_PYODIDE = ("tests/schema/test_dsl.py", "tests/schema/test_describe.py")


@pytest.fixture(scope="module")
def pyodide() -> Path:
    """The directory of Pyodide."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node, of scripts/install_editors.sh")
    found = Path(node).parents[1] / "pyodide/node_modules/pyodide"
    if not found.is_dir():
        pytest.skip("needs pyodide, of scripts/install_editors.sh")
    return found


@pytest.fixture(scope="module")
def site(pyodide: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    write_static(folder, str(pyodide))
    return folder


def test_tests_of_pdl_pass_in_pyodide(pyodide: Path, site: Path) -> None:
    """Its Python is newer than ours, has no machine code but its own, and 32 bits."""
    node = shutil.which("node")
    assert node is not None
    packages = sysconfig.get_path("purelib")
    places = map(str, (HERE / "suite.mjs", pyodide, site / "pdl.zip", ROOT, packages))
    done = subprocess.run(  # noqa: S603  (our own text)
        [node, *places, *IN_PYODIDE, "-k", "not bad-pattern"],  # which says what `regex` says
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert " passed" in done.stdout


class Handler(SimpleHTTPRequestHandler):
    """Files with the policy that the page has, which then holds for its worker too."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | TYPES

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", policy_of())
        super().end_headers()

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=site)) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def page(site: Path, chromium: Any) -> Iterator[Any]:
    """The page, ready, in a browser that has loaded it from the loopback alone."""
    foreign: list[str] = []
    with serving(site) as address:
        tab = chromium.new_page()
        own = (address, "blob:", "data:")
        tab.on("request", lambda one: foreign.extend([one.url] * (not one.url.startswith(own))))
        tab.set_default_timeout(LOADED)
        tab.goto(address)
        tab.wait_for_selector("html[data-ready]")
        tab.evaluate("""async () => {
          const { WorkerBackend } = await import("./worker_backend.js");
          window.backend = new WorkerBackend();
          window.ask = (method, params) => backend.call(method, params).then(
            (result) => ({ result }),
            ({ message, hint, status }) => ({ message, hint, status }),
          );
          await backend.hello();
        }""")
        yield tab
    assert foreign == []


def ask(page: Any, method: str, **params: Any) -> Any:
    return page.evaluate("([method, params]) => ask(method, params)", [method, params])


PROMPT = (
    '<|user|>\nHello {{ name }}\n<|schema|>\n{ stars: int<1,5>, code: str { pattern: "%s" } }\n'
)


def test_the_page_says_what_it_cannot_do(page: Any) -> None:
    hello = ask(page, "hello")["result"]
    assert (hello["run"], hello["files"]) == (False, True)
    assert "Python's `re`" in hello["notes"][0]
    assert ask(page, "run")["status"] == 404


def test_what_is_typed_is_shown(page: Any) -> None:
    """In the page itself, with what the language server finds."""
    page.locator(".cm-content").first.click()
    page.keyboard.press("Control+End")
    page.keyboard.type("\n<|usr|>\n")
    page.wait_for_selector("#status .bad")
    page.wait_for_selector(".cm-lintRange-error")


def test_a_reply_is_checked(page: Any) -> None:
    params = {
        "prompt": PROMPT % "^[A-Z]{3}$",
        "data": "name: Ada",
        "reply": "{stars: 9, code: abc}",
    }
    check = ask(page, "look", **params)["result"]["check"]
    assert [one["keyword"] for one in check["errors"]] == ["maximum", "pattern"]


def test_a_pattern_that_re_does_not_have_is_refused(page: Any) -> None:
    seen = ask(page, "look", prompt=PROMPT % r"\\p{L}", reply="{}")["result"]
    assert "needs the package `regex`" in seen["failed"]["check"]["message"]


@pytest.mark.parametrize("count", [90, 1_000, 50_000])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("reply", lambda n: "[" * n + "]" * n),
        ("data", lambda n: "name: " + "[" * n + "]" * n),
        ("data", lambda n: '{"name": ' + "[" * n + "]" * n + "}"),
        ("prompt", lambda n: "<|user|>\nx\n<|schema|>\n" + "[" * n + "int" + "]" * n),
        ("prompt", lambda n: "<|user|>\n{{ " + "(" * n + "1" + ")" * n + " }}"),
        ("prompt", lambda n: "<|user|>\n{{ " + "1+" * n + "1 }}"),
        ("prompt", lambda n: "<|user|>\n" + "{% if 1 %}" * n + "a" + "{% endif %}" * n),
    ],
)
def test_what_is_deep_is_refused_and_the_page_goes_on(
    page: Any, name: str, text: Any, count: int
) -> None:
    params = {"prompt": PROMPT % "a", "data": "name: Ada", "reply": "{}", name: text(count)}
    told = page.evaluate("async (params) => (await ask('look', params)).message ?? ''", params)
    assert not told or "deep" in told or "longer" in told
    assert "result" in ask(page, "look", prompt=PROMPT % "a")


def test_a_search_without_end_is_stopped_and_files_stay(page: Any) -> None:
    assert "result" in ask(page, "create", name="kept.pdl", text="<|user|>\nx\n")
    reply = '{"stars": 1, "code": "' + "a" * 40 + '"}'
    answer = ask(page, "look", prompt=PROMPT % "^(a|a)*b$", data="name: x", reply=reply)
    assert "longer than 10 seconds" in answer["message"]
    assert ask(page, "read", name="kept.pdl")["result"]["text"] == "<|user|>\nx\n"


def test_a_page_whose_python_is_missing_says_so(site: Path, tmp_path: Path, chromium: Any) -> None:
    broken = tmp_path / "site"
    shutil.copytree(site, broken, ignore=shutil.ignore_patterns("pyodide", "pdl.zip"))
    with serving(broken) as address:
        tab = chromium.new_page()
        tab.goto(address)
        tab.wait_for_selector("text=Python cannot be loaded")
        assert "Load the page again." in tab.inner_text("#page")
