"""What an editor waits for: diagnostics after a keystroke, the start of the server, its memory.

    python benchmarks/editor.py [EDITS]

Times are of the processor, in milliseconds, for texts of 1, 10 and 60 KB; parsing the same text
without looking for mistakes is the baseline. Memory is that of a server after 10,000 edits.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pdl
from pdl.edit.features.diagnostics import diagnostics
from pdl.edit.positions import Positions
from pdl.edit.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (1_000, 10_000, 60_000)
WANTED = {1_000: 10, 10_000: 60, 60_000: 400}
EDITS = 10_000
HEAD = """\
<|input|>
{
  question: str<1,2000>,
  rows: [Row] = [],  // what is known
  limit: int<1,50> = 8
}
Row = { name: str, size?: int<0,>, kind: "a" | "b" }

<|system|>
You answer questions about {{ rows | length }} rows, in at most {{ limit }} sentences.
"""
TURNS = """
<|user|>
{% for row in rows %}
{{ loop.index }}. {{ row.name | trim }}{% if row.size is defined %} ({{ row.size }}){% endif %}
{% endfor %}
Question: {{ question | trim }}. Words that say no more than that, as they stand in a prompt.

<|assistant|>
{ "found": true, "answer": "{{ question | upper }}" }
"""
TAIL = """
<|user|>
Answer now. {{ schema }}

<|schema|>
{
  found: bool,  // whether there is an answer
  answer: str<1,200>,
  rows: [int<1,{{ limit }}>] { unique: true }
}
"""


def prompt(size: int) -> str:
    """A prompt of about so many characters."""
    turns = max((size - len(HEAD) - len(TAIL)) // len(TURNS), 0)
    return HEAD + TURNS * turns + TAIL


def milliseconds(function: Callable[[], object]) -> float:
    """The processor time of a call."""
    began = time.process_time()
    function()
    return (time.process_time() - began) * 1_000


def keystrokes(text: str, count: int) -> list[float]:
    """The times of the diagnostics after each keystroke: a word is typed and removed, somewhere."""
    drawn = random.Random(3)  # noqa: S311 - no secret
    workspace = Workspace()
    path = Path("benchmark.pdl").absolute()
    found: list[float] = []
    while len(found) < count:
        at = drawn.randrange(len(text))
        for end in (1, 2, 3, 2, 1, 0):
            changed = text[:at] + "{{ x"[:end] + text[at:]

            def check(changed: str = changed) -> None:
                document = workspace.open(path, changed)
                places = Positions(document.raw)
                for one in diagnostics(workspace, document):
                    places.position(one.range.start)

            found.append(milliseconds(check))
    return found


def report_diagnostics() -> None:
    """Print what a keystroke costs by the size of the text."""
    print(f"{'diagnostics':24}{'median':>9}{'p99':>9}{'asked':>9}{'parsing':>9}{'ratio':>8}")
    for size in SIZES:
        text = prompt(size)
        count = 400 if size < SIZES[-1] else 120
        times = sorted(keystrokes(text, count))
        parsing = statistics.median(milliseconds(partial(pdl.loads, text)) for _ in range(9))
        median, worst = statistics.median(times), times[int(len(times) * 0.99)]
        print(
            f"{len(text) / 1_000:>6.1f} KB{'':15}{median:>9.1f}{worst:>9.1f}{WANTED[size]:>9}"
            f"{parsing:>9.1f}{median / parsing:>8.1f}"
        )


class Server:
    """A server, and messages to it."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "pdl", "lsp"]
        self.process = subprocess.Popen(  # noqa: S603 - it is this interpreter
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.last = 0

    def send(self, method: str, params: Any, **more: Any) -> None:
        """Send a notification, or a request with an `id`."""
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        body = json.dumps(message).encode()
        stream = self._pipe(self.process.stdin)
        stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        stream.flush()

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and wait for its answer."""
        self.last += 1
        self.send(method, params, id=self.last)
        while True:
            message = self._read()
            if message.get("id") == self.last and "method" not in message:
                return message.get("result")

    def _read(self) -> dict[str, Any]:
        stream = self._pipe(self.process.stdout)
        length = 0
        while header := stream.readline().strip():
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message: dict[str, Any] = json.loads(stream.read(length))
        return message

    @staticmethod
    def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
        assert stream is not None
        return stream

    def initialize(self) -> None:
        """Begin as an editor that pulls diagnostics."""
        capabilities: dict[str, Any] = {"textDocument": {"diagnostic": {}}}
        params = {"processId": None, "rootUri": None, "capabilities": capabilities}
        self.ask("initialize", params)

    def seconds(self) -> float:
        """The processor time of the process so far. Linux only."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """The resident memory of the process. Linux only."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def report_start() -> None:
    """Print how long the server takes to answer the first request."""
    walls, times = [], []
    for _ in range(7):
        began = time.perf_counter()
        server = Server()
        server.initialize()
        walls.append(time.perf_counter() - began)
        times.append(server.seconds())
        server.process.kill()
        server.process.wait()
    bare = [sys.executable, "-c", "from pygls.lsp.server import LanguageServer"]
    imports = min(seconds_of(bare) for _ in range(5))
    print(
        f"start to the answer of initialize: {min(walls):.2f} s, processor {min(times):.2f} s"
        f" (asked 0.6), of which importing pygls {imports:.2f} s"
    )


def seconds_of(command: list[str]) -> float:
    """The processor time of a process."""
    before = os.times()
    subprocess.run(command, check=True)  # noqa: S603 - it is this interpreter
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def report_memory(edits: int) -> None:
    """Print the memory of a server before and after edits of a text of 10 KB."""
    drawn = random.Random(5)  # noqa: S311 - no secret
    server = Server()
    server.initialize()
    server.send("initialized", {})
    uri = "file:///benchmark.pdl"
    text = prompt(10_000)
    item = {"uri": uri, "languageId": "pdl-prompt", "version": 0, "text": text}
    server.send("textDocument/didOpen", {"textDocument": item})
    requests = ("diagnostic", "documentSymbol", "semanticTokens/full")
    lines = text.count("\n")

    def ask() -> None:
        for request in requests:
            server.ask(f"textDocument/{request}", {"textDocument": {"uri": uri}})

    ask()
    first = server.megabytes()
    for version in range(1, edits + 1):
        line = drawn.randrange(lines)
        start, end = {"line": line, "character": 0}, {"line": line, "character": version % 2}
        change = {"range": {"start": start, "end": end}, "text": "x" * (1 - version % 2)}
        named = {"uri": uri, "version": version}
        server.send("textDocument/didChange", {"textDocument": named, "contentChanges": [change]})
        if version % 100 == 0:
            ask()
    ask()
    last = server.megabytes()
    server.process.kill()
    server.process.wait()
    print(
        f"memory: {first:.0f} MB at first, {last:.0f} MB after {edits:,} edits ({last / first:.2f})"
    )


if __name__ == "__main__":
    report_start()
    report_diagnostics()
    report_memory(int(sys.argv[1]) if sys.argv[1:] else EDITS)
