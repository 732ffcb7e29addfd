"""Evaluations of a local server that are killed, and resumed until they end."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from pdl.evaluation import read_run

if TYPE_CHECKING:
    import signal
    from collections.abc import Iterator
    from pathlib import Path

PROMPT = "<|user|>\nNumber {{ n }}\n<|schema|>\n{ stars: int<1,5> }\n"
CASE = "<|case|> c{n}\n<|data|>\nn: {n}\n<|expect|>\n{{ stars: 5 }}\n"
REPLY = {"choices": [{"message": {"content": '{"stars": 5}'}, "finish_reason": "stop"}]}
INVALID = {"choices": [{"message": {"content": "no idea"}, "finish_reason": "stop"}]}
CONCURRENCY = 8


@dataclass
class Counts:
    """What the server was asked: how often each conversation, and how many are in flight."""

    conversations: Counter[str]
    in_flight: int = 0

    @property
    def calls(self) -> int:
        """All calls."""
        return self.conversations.total()


@contextmanager
def serving(seconds: float) -> Iterator[tuple[str, Counts]]:
    """Run a server with OpenAI's interface, which needs up to so long for a reply.

    It refuses to answer every fifth number at first, so that some trials have two calls.
    """
    counts, lock = Counts(Counter()), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            asked = json.dumps(body["messages"])
            with lock:
                counts.conversations[asked] += 1
            time.sleep(random.uniform(0, seconds))  # noqa: S311 - no secret
            is_first = len(body["messages"]) == 1
            number = body["messages"][0]["content"].split()[1]
            found = INVALID if is_first and int(number) % 5 == 0 else REPLY
            data = json.dumps(found).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

        def handle_error(self, *_: object) -> None:
            """A client that was killed is no error."""

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1", counts
        finally:
            server.shutdown()
            thread.join()


@dataclass(frozen=True)
class Figures:
    """What killing and resuming came to.

    `calls` are those at the server, `lines` those on record, `twice` the conversations that were
    sent more often than planned; `torn` counts the kills that cut a line.
    """

    trials: int
    planned: int
    kills: int
    torn: int
    calls: int
    lines: int
    twice: int
    seconds: float
    codes: tuple[int, ...]

    @property
    def lost(self) -> int:
        """The calls whose reply a kill kept from being written down."""
        return self.calls - self.lines


def killed_run(
    folder: Path, cases: int, kills: int, how: signal.Signals, *, reply_seconds: float = 0.05
) -> Figures:
    """Evaluate so many cases, killed so often at random times, and resumed to the end."""
    (folder / "p.pdl").write_text(PROMPT)
    (folder / "p.tests.pdl").write_text("".join(CASE.format(n=n) for n in range(cases)))
    journal, torn, codes = folder / "run" / "attempts.jsonl", 0, []
    began = time.monotonic()
    with serving(reply_seconds) as (url, counts):
        for kill in range(kills + 1):
            process = _started(folder, url)
            if kill < kills:
                # After a part of what is left, so that each kill interrupts something.
                share = random.uniform(0.3, 1.5) / (kills - kill + 1)  # noqa: S311
                wanted = counts.calls + max(1, int((cases * 1.2 - counts.calls) * share))
                while counts.calls < wanted and process.poll() is None:
                    time.sleep(0.003)
                process.send_signal(how)
            codes.append(process.wait(300))
            data = journal.read_bytes() if journal.exists() else b""
            torn += bool(data) and not data.endswith(b"\n")
    run = read_run(folder / "run")
    lines = sum('"call":["' in line for line in journal.read_text().splitlines())
    twice = sum(times - 1 for times in counts.conversations.values())
    return Figures(
        len({trial.cell for trial in run.trials}), run.planned, kills, torn, counts.calls, lines,
        twice, time.monotonic() - began, tuple(codes),
    )  # fmt: skip


def _started(folder: Path, url: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "from pdl.cli import main; main()", "eval", "run", "p.pdl"]
    options = ["--model", "openai:x", "--base-url", url, "--out", "run"]
    pace = ["--concurrency", str(CONCURRENCY)]
    environment = {**os.environ, "PDL_API_KEY": "", "NO_COLOR": "1"}
    with (folder / "out.txt").open("ab") as out:
        return subprocess.Popen(  # noqa: S603 - our own interpreter and text
            [*command, *options, *pace], cwd=folder, env=environment, stdout=out, stderr=out
        )
