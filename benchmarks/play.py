"""What the playground waits for: a look after each keystroke.

    python benchmarks/play.py [STEP]

Each shipped prompt is typed character by character, with the data of its first case, and then a
reply to it; STEP is how many characters come at a time. Times are of the processor, in
milliseconds; the first look of a process is cold. The baseline is linting and compiling the same
texts without showing anything of them. Asked: 20 ms for the median.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pdl
from pdl.play.look import look
from pdl.prompt.lint import lint_text
from pdl.testing import parts_of, read_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROOT = Path(__file__).parents[1]
STARTS = 5
COLD = (
    "import pathlib, sys\nfrom pdl.play.look import look\n"
    "look(pathlib.Path(sys.argv[1]).read_text(encoding='utf-8'), '', 'x')"
)


class Sample(NamedTuple):
    """A shipped prompt, the data of a case, and a reply on record."""

    path: Path
    data: str
    reply: str

    @property
    def text(self) -> str:
        """The prompt."""
        return self.path.read_text(encoding="utf-8")


def samples() -> list[Sample]:
    """The shipped prompts that have a case with a reply."""
    found: dict[Path, Sample] = {}
    for cases in sorted((ROOT / "prompts").glob("*.tests.pdl")):
        file = read_cases(cases, root=ROOT)
        for case in file.cases:
            parts = parts_of(case)
            replies = [one.reply.text for one in parts.recordings if one.reply is not None]
            if replies:
                data = json.dumps(parts.data or {}, indent=2)
                found.setdefault(file.prompt, Sample(file.prompt, data, replies[-1]))
    return [*found.values()]


def milliseconds(function: Callable[[], object]) -> float:
    """The processor time of a call."""
    began = time.process_time()
    function()
    return (time.process_time() - began) * 1_000


def typed(text: str, step: int) -> Iterable[str]:
    """The beginnings of a text, up to the whole of it."""
    return (text[:end] for end in (*range(step, len(text), step), len(text)))


def checked(text: str, path: Path) -> None:
    """Do what no page could leave out."""
    lint_text(text, path.name, base=path.parent)
    with suppress(pdl.PdlError):
        pdl.loads(text, name=path.name, base=path.parent)


def measured(one: Sample, step: int) -> tuple[list[float], list[float], list[float]]:
    """The times of the baseline, of looks while the prompt is typed, and while the reply is."""
    base, text = one.path.parent, one.text
    begun = [*typed(text, step)]
    baseline = [milliseconds(partial(checked, each, one.path)) for each in begun]
    shown = partial(look, base=base)
    prompts = [milliseconds(partial(shown, each, one.data, one.reply)) for each in begun]
    replies = [
        milliseconds(partial(shown, text, one.data, each)) for each in typed(one.reply, step)
    ]
    return baseline, prompts, replies


def row(name: str, times: list[float], baseline: float) -> str:
    """A line of the table."""
    times = sorted(times)
    median, worst = statistics.median(times), times[int(len(times) * 0.99)]
    ratio = f"{median / baseline:8.2f}" if baseline else ""
    return f"{name:34}{len(times):>7,}{median:>9.1f}{worst:>9.1f}{times[-1]:>9.1f}{ratio}"


def cold(path: Path) -> float:
    """The processor time of a process that looks once, in seconds."""
    before = os.times()
    subprocess.run([sys.executable, "-c", COLD, path], check=True)  # noqa: S603 - this interpreter
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def main(step: int) -> None:
    """Print the tables."""
    found = samples()
    times = min(cold(found[0].path) for _ in range(STARTS))
    bare = min(cold_import() for _ in range(STARTS))
    print(f"cold: {times:.2f} s, of which importing pdl and its linter {bare:.2f} s")
    print(f"{'typing':34}{'looks':>7}{'median':>9}{'p99':>9}{'worst':>9}{'ratio':>8}")
    prompts, replies, bases = list[float](), list[float](), list[float]()
    for one in found:
        own, times_of, answers = measured(one, step)
        print(row(one.path.stem, times_of, statistics.median(own)))
        prompts, replies, bases = prompts + times_of, replies + answers, bases + own
    baseline = statistics.median(bases)
    print(row("all prompts", prompts, baseline))
    print(row("all replies", replies, baseline))
    print(row("baseline", bases, baseline))


def cold_import() -> float:
    """The processor time of a process that only imports, in seconds."""
    before = os.times()
    command = [sys.executable, "-c", "import pdl, pdl.prompt.lint, pdl.gbnf, pdl.reply.checker"]
    subprocess.run(command, check=True)  # noqa: S603 - this interpreter
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1)
