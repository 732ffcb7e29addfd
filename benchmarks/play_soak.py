"""Whether the playground stays as it is for someone who types all day: memory and sockets.

    python benchmarks/play_soak.py [EDITS]

A real browser edits the prompt, its data and a reply, 2,000 times by default, opens each tab now
and then, and undoes all of it. It needs Playwright, a chromium on the PATH, and Linux, whose /proc
says what a process has. Exits with 1 if memory has grown by more than a fifth since the first
quarter, or if there are more listeners or sockets. Nodes of the page are shown only: Chromium keeps
some thousand for its own undo.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS = 20
MEGABYTE = 1_000_000
TABS = ("Turns", "Request", "Schema", "Grammar", "Tools", "Problems")
PROMPT = """\
<|input|>
{ review: str<1,2000>, stars?: int<1,5> }

<|system|>
You read reviews of products.

<|user|>
How does this review sound? {{ review }}

<|schema|>
{ mood: "good" | "bad", tags: [str]<1,3> }
"""
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


class Sample(NamedTuple):
    """What there is after some edits; memory in megabytes."""

    edits: int
    server: float
    workers: float
    page: float
    nodes: int
    listeners: int
    sockets: int


def memory(process: int) -> float:
    """What a process has in memory, in megabytes (proc(5): pages, of which the second is in it)."""
    pages = Path(f"/proc/{process}/statm").read_text("ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


def sockets(process: int) -> int:
    """How many sockets a process has open."""
    count = 0
    for one in Path(f"/proc/{process}/fd").iterdir():
        try:
            count += str(one.readlink()).startswith("socket:")
        except FileNotFoundError:  # closed meanwhile
            continue
    return count


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    text = Path(f"/proc/{process}/task/{process}/children").read_text("ascii")
    return [int(one) for one in text.split()]


@contextmanager
def server(folder: Path) -> Iterator[tuple[int, str]]:
    """The process of `pdl play`, and the address of its page."""
    command = [sys.executable, "-m", "pdl", "play", str(folder), "--no-browser"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own
    try:
        assert running.stdout is not None
        yield running.pid, running.stdout.readline().strip()
    finally:
        running.terminate()
        running.wait(30)


class Soak:
    """A page that is edited, and what it takes."""

    def __init__(self, page: Any, process: int) -> None:
        self.page = page
        self.process = process
        self.tools = page.context.new_cdp_session(page)
        self.tools.send("Performance.enable")
        self.waits: list[float] = []

    def sample(self, edits: int) -> Sample:
        """Measure, after the garbage of the page is collected."""
        self.tools.send("HeapProfiler.collectGarbage")
        metrics = self.tools.send("Performance.getMetrics")["metrics"]
        found = {one["name"]: one["value"] for one in metrics}
        return Sample(
            edits,
            memory(self.process),
            sum(map(memory, children(self.process))),
            found["JSHeapUsedSize"] / MEGABYTE,
            int(found["Nodes"]),
            int(found["JSEventListeners"]),
            sockets(self.process),
        )

    def edit(self, editor: Any, text: str) -> None:
        """Type at the end of an editor, wait for what comes of it, and delete it again."""
        editor.click()
        press = self.page.keyboard.press
        press("Control+End")
        for one in text:
            start = time.perf_counter()
            with self.page.expect_response(lambda answer: answer.url.endswith("/api/look")):
                self.page.keyboard.type(one)
            self.waits.append(time.perf_counter() - start)
        for _ in text:
            press("Backspace")

    def round(self, edits: int) -> None:
        """Make some edits in each editor, half of which delete what the others type."""
        named = self.page.get_by_role
        each = max(edits // 6, 1)
        self.edit(named("textbox", name="Prompt", exact=True), ("x{{ y }} <|user|>" * each)[:each])
        named("tab", name="Data").click()
        named("button", name="Text", exact=True).or_(named("radio", name="Text")).first.click(
            force=True
        )
        self.edit(named("textbox", name="Data, as JSON or YAML"), ("# a: 1" * each)[:each])
        named("tab", name="Reply").click()
        self.edit(named("textbox", name="Reply of a model"), ("{'mood': \"bad\",}" * each)[:each])
        for name in TABS:
            named("tab", name=name).click()


def soak(edits: int) -> list[Sample]:
    """Edit, and print a line for each round."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - to say what is missing

    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        folder = Path(directory)
        (folder / "review.pdl").write_text(PROMPT, "utf-8")
        with server(folder) as (process, address):
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=list(FLAGS)
            )
            page = browser.new_page()
            page.goto(address)
            page.wait_for_selector("html[data-ready=true]")
            run = Soak(page, process)
            print(f"{'edits':>6} {'server':>7} {'workers':>8} {'page':>6} {'nodes':>6} ", end="")
            print(f"{'listeners':>9} {'sockets':>7}")
            samples = []
            for number in range(1, ROUNDS + 1):
                run.round(edits // ROUNDS)
                found = run.sample(number * edits // ROUNDS)
                samples.append(found)
                print(
                    f"{found.edits:6} {found.server:7.1f} {found.workers:8.1f} {found.page:6.1f}"
                    f" {found.nodes:6} {found.listeners:9} {found.sockets:7}",
                    flush=True,
                )
            browser.close()
            waits = sorted(1000 * one for one in run.waits)
            last = waits[int(len(waits) * 0.99)]
            print(
                f"after a keystroke: median {statistics.median(waits):.0f} ms, 99 % {last:.0f} ms"
            )
    return samples


def main() -> int:
    """Say what has grown."""
    samples = soak(int(sys.argv[1]) if sys.argv[1:] else 2_000)
    first, last = samples[len(samples) // 4], samples[-1]
    grown = [
        name
        for name in ("server", "workers", "page")
        if getattr(last, name) > 1.2 * getattr(first, name)
    ]
    grown += [
        name for name in ("listeners", "sockets") if getattr(last, name) > getattr(first, name)
    ]
    print(f"grown: {', '.join(grown)}" if grown else "nothing has grown")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
