"""How long `pdl run` takes as a whole process, from its start to its first request.

    PYTHONPATH=tests python benchmarks/run_start.py [TIMES]

The request goes to a server on loopback, which notes when it came and answers at once; then the
same with a recorded reply, to the end of the process, and with a model in a file without its load.
At most 0.5 s is asked for; a bare interpreter takes about 0.01 s of it. The time that the processor
works for the whole process is there as well, for machines that have something else to do.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from models.hostile import Hostile, Wire, respond

PROMPT = """\
<|system|>
You know people.

<|user|>
Who is {{ who }}?

<|schema|>
{ name: str<1,80>, age: int<0,120>, tags?: ["kind" | "wise" | "old"]<,3>, born?: date }
"""
REPLY = '{"name": "Ann", "age": 30}'
CHAT = '{"choices": [{"message": {"content": "{\\"name\\": \\"Ann\\", \\"age\\": 30}"}}]}'
START = [sys.executable, "-c", "from pdl.cli import main; main()", "run"]


def run(folder: Path, *arguments: str) -> tuple[float, float]:
    """Run the command once; when it was started, and how long the processor worked for it."""
    command = [*START, str(folder / "who.pdl"), "--set", "who=Ann", *arguments]
    environment = {**os.environ, "PDL_API_KEY": "none"}
    worked = _worked()
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)  # noqa: S603 - our own
    return began, _worked() - worked


def _worked() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def to_request(folder: Path, scheme: str) -> tuple[float, float]:
    """Seconds to the first request, and seconds of work for the whole process."""
    came: list[float] = []

    def script(wire: Wire) -> None:
        came.append(time.perf_counter())
        respond("200 OK", CHAT)(wire)

    with Hostile((script,)) as server:
        began, worked = run(folder, "--model", f"{scheme}:tiny", "--base-url", server.url)
    return came[0] - began, worked


def to_end(folder: Path) -> tuple[float, float]:
    """Seconds to the end of a process that takes a recorded reply, and of work."""
    began, worked = run(folder, "--model", f"replay:{folder / 'reply.txt'}")
    return time.perf_counter() - began, worked


def main(times: int = 9) -> None:
    """Measure, and print the medians."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "who.pdl").write_text(PROMPT, encoding="utf-8")
        (folder / "reply.txt").write_text(REPLY, encoding="utf-8")
        measured = {
            "openai, to the request": [to_request(folder, "openai") for _ in range(times)],
            "llama-server with a grammar, to the request": [
                to_request(folder, "llama-server") for _ in range(times)
            ],
            "replay, to the end": [to_end(folder) for _ in range(times)],
        }
    for what, pairs in measured.items():
        seconds, worked = (median(column) for column in zip(*pairs, strict=True))
        print(f"{what}: {seconds:.2f} s; work in all {worked:.2f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
