"""What people wait for in the playground's page, with a server and without one, in a browser.

    PYTHONPATH=tests python benchmarks/play_page.py [--pyodide DIR] [--keys N]

Each page is opened anew STARTS times, and in the last one N characters (200) are typed into a turn.
An update is from the key to the change of the turns as they are sent. Times are of the wall, since
several processes take part: they tell something on a machine that does nothing else. Processor time
is that of all of them, with Playwright's and this one's. Sizes are those of the answers of HTTP;
nothing is compressed. It needs Linux, Playwright, a chromium on the PATH, and for the page without
a server the directory of Pyodide.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from code_server import browser

from pdl.play.static_site import write_static

if TYPE_CHECKING:
    from collections.abc import Iterator

STARTS = 5
PATIENCE = 180_000  # milliseconds
PROMPT = """\
<|input|>
{ review: str<1,2000>, stars?: int<1,5> }

<|schema|>
{ mood: "good" | "bad", tags: [str]<1,3> }

<|user|>
How does this review sound? {{ review }}
"""
SHOWN = "#status >> text=/updated in/"
TIMED = """() => {
  window.waits = [];
  const turns = document.querySelector("#panel-turns");
  let began;
  addEventListener("keydown", () => (began = performance.now()), true);
  new MutationObserver(() => {
    if (began !== undefined) waits.push(performance.now() - began);
    began = undefined;
  }).observe(turns, { childList: true, characterData: true, subtree: true });
}"""


class Opened(NamedTuple):
    """What opening a page took: seconds until it takes keys, and until it shows the turns."""

    ready: float
    shown: float
    processor: float
    files: int
    size: int


def processor(process: int) -> float:
    """Seconds of a process, and of all that it has started (proc(5): fields 14 to 17)."""
    try:
        text = Path(f"/proc/{process}/stat").read_text("utf-8")
        inner = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
    except FileNotFoundError:  # ended meanwhile
        return 0.0
    ticks = sum(map(int, text.rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK") + sum(processor(int(one)) for one in inner)


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """The address that `pdl play` prints."""
    (folder / "review.pdl").write_text(PROMPT, encoding="utf-8")
    command = [sys.executable, "-m", "pdl", "play", str(folder), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:  # noqa: S603 - our own
        assert running.stdout is not None
        try:
            yield running.stdout.readline().strip()
        finally:
            running.terminate()


class Files(SimpleHTTPRequestHandler):
    """The files of a directory."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def site(folder: Path, pyodide: str) -> Iterator[str]:
    """The address of the page without a server."""
    write_static(folder, pyodide)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=folder)) as files:
        Thread(target=files.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{files.server_port}/"
        files.shutdown()


def opened(page: Any, address: str) -> Opened:
    """Open a page."""
    finished: list[Any] = []

    def note(request: Any) -> None:  # Playwright can't call a method of a list
        finished.append(request)

    page.set_default_timeout(PATIENCE)
    page.on("requestfinished", note)
    began, before = time.perf_counter(), processor(os.getpid())
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    ready = time.perf_counter() - began
    page.wait_for_selector(SHOWN)
    shown = time.perf_counter() - began
    used = processor(os.getpid()) - before
    loaded = [one for one in finished if one.url.startswith("http")]
    size = sum(one.sizes()["responseBodySize"] for one in loaded)
    return Opened(ready, shown, used, len(loaded), size)


def typed(page: Any, keys: int) -> list[float]:
    """What it takes until each of some keys is seen in the turns, in milliseconds."""
    page.evaluate(TIMED)
    page.locator(".cm-content").first.click()
    page.keyboard.press("Control+End")
    for number in range(keys):
        page.keyboard.type("abcdefghij"[number % 10])
        page.wait_for_function("count => waits.length >= count", arg=number + 1)
    waits: list[float] = page.evaluate("waits")
    return waits


def measure(name: str, running: Any, address: str, keys: int) -> None:
    """Print the lines of a page."""
    starts = []
    for number in range(STARTS):
        context = running.new_context()  # with a cache of its own
        page = context.new_page()
        starts.append(opened(page, address))
        if number == STARTS - 1:
            before = processor(os.getpid())
            waits = sorted(typed(page, keys))
            each = 1000 * (processor(os.getpid()) - before) / keys
        context.close()
    ready, shown, used = (statistics.median(one) for one in list(zip(*starts, strict=True))[:3])
    median, last = statistics.median(waits), waits[int(len(waits) * 0.99)]
    print(
        f"{name}: ready after {ready:.2f} s, turns after {shown:.2f} s; {used:.2f} s of processor"
    )
    print(f"{'':4}{starts[0].files} files, {starts[0].size / 1e6:.2f} MB")
    print(f"{'':4}update after a key: median {median:.0f} ms, 99 % {last:.0f} ms,", end=" ")
    print(f"worst {waits[-1]:.0f} ms; {each:.0f} ms of processor")


def main() -> None:
    """Measure both pages."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--pyodide", metavar="DIR", help="where Pyodide is")
    parser.add_argument("--keys", type=int, default=200, metavar="N")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, browser() as running:
        folder = Path(made)
        (folder / "prompts").mkdir()
        with server(folder / "prompts") as address:
            measure("pdl play", running, address, given.keys)
        if given.pyodide:
            with site(folder / "site", given.pyodide) as address:
                measure("without a server", running, address, given.keys)
        else:
            print("without a server: not measured, it needs --pyodide")


if __name__ == "__main__":
    main()
