"""The built site in a real browser: its examples run, and nothing is loaded from elsewhere.

`.ci/run` builds it, into build/site, with the playground.
"""

from __future__ import annotations

import json
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from code_server import wait_for
from doc_blocks import ROOT, Block, blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

SITE = ROOT / "build" / "site"
CHROMIUM = shutil.which("chromium")
PAGES = sorted(path.stem for path in (SITE / "assets" / "examples").glob("*.json")) or [""]
PATIENCE = 180_000  # milliseconds, of a machine that has more to do

pytestmark = [
    pytest.mark.editor,
    pytest.mark.skipif(CHROMIUM is None, reason="needs chromium"),
    pytest.mark.skipif(PAGES == [""], reason="needs build/site with the playground: see .ci/run"),
]


class Quiet(SimpleHTTPRequestHandler):
    """Files of a directory."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the site is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser."""
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def page(browser: Any, address: str) -> Iterator[Any]:
    """A page of it, from which no request leaves the site."""
    others: list[str] = []
    page = browser.new_page()
    page.on("request", lambda request: others.append(request.url))
    yield page
    assert [url for url in others if not url.startswith((address, "data:", "blob:"))] == []


@pytest.fixture(scope="module")
def runner(browser: Any, address: str) -> Any:
    """A page with one worker for all examples, which takes the most time to start."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.evaluate("""() => {
      window.worker = new Worker("assets/run_worker.js", { type: "module" });
      window.run = (steps) => new Promise((resolve) => {
        worker.onmessage = ({ data }) => data.ready || resolve(data);
        worker.postMessage(steps);
      });
    }""")
    return page


def expected(given: list[Block], number: int) -> str:
    """What the page says that a block prints."""
    following = given[number + 1 : number + 2]
    if following and following[0].language == "text" and not following[0].file:
        return following[0].text
    return ""


def test_the_buttons_run_examples(page: Any, address: str) -> None:
    page.goto(f"{address}deciding/")
    given = blocks((ROOT / "docs" / "deciding.md").read_text(encoding="utf-8"))
    for place in page.query_selector_all(".pdl-run")[:2]:
        place.query_selector("button").click()
        shown = "place => !place.querySelector('pre').hidden"
        page.wait_for_function(shown, arg=place, timeout=PATIENCE, polling=200)
        number = int(place.get_attribute("data-block"))
        assert place.query_selector("pre").text_content() == expected(given, number)


def test_a_prompt_opens_in_the_playground(page: Any, address: str) -> None:
    page.goto(address)
    page.click(".pdl-try a")
    page.wait_for_url("**/playground/**")
    editor = page.locator(".cm-content", has_text="You read reviews for a shop.")
    editor.first.wait_for(timeout=PATIENCE)


def test_the_search_finds_pages(page: Any, address: str) -> None:
    page.goto(address)

    def opened() -> bool:
        if not page.evaluate("Boolean(document.activeElement.shadowRoot)"):
            page.keyboard.press("Control+k")  # which does nothing until the search is loaded
            return False
        return True

    wait_for(opened, "search", PATIENCE / 1000)
    page.keyboard.type("coercions")
    page.locator("text=/[1-9][0-9]* results/").wait_for(timeout=PATIENCE)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_no_page_is_wider_than_the_window(page: Any, address: str, width: int, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    for name in ("", "cli/", "errors/", "api/pdl/", "comparison/", "templates/"):
        page.goto(f"{address}{name}")
        assert not page.evaluate(wide), name


@pytest.mark.parametrize("name", PAGES)
def test_examples_print_what_their_page_says(name: str, runner: Any) -> None:
    given = blocks((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"))
    steps = json.loads((SITE / "assets" / "examples" / f"{name}.json").read_text("utf-8"))
    runnable = [at for at, step in enumerate(steps) if step.get("language") == "python"]
    assert runnable
    for number in runnable:
        told = runner.evaluate("steps => run(steps)", steps[: number + 1])
        assert told == {"printed": expected(given, number), "failed": False}
