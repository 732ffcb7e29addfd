"""How long cases take: run by `pdl test`, collected by pytest, and where there are none.

    python benchmarks/testing.py [TIMES]

Asked for are at most 3 s for a run of 1,000 cases with recorded replies, and at most 2 s for
collecting 10,000, both with the start of the process. Collecting is compared with as many plain
parametrized tests, and with an empty directory; the start of pytest without such files with one in
which the plugin is switched off. Each is the shortest of some runs, which take turns, with the time
that the processor works for it, for machines that have something else to do; the ratio is the
median of the ratios of such times.
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

RUN, COLLECTED = 1_000, 10_000  # cases
PROMPT = """\
<|system|>
You read reviews of products.

<|user|>
{{ review }}

<|schema|>
{ stars: int<1,5>, refund: bool, problems: [str<1,80>] }
"""
PLAIN = """\
import pytest

@pytest.mark.parametrize("n", range({number}), ids=lambda n: f"case {{n}}")
def test_case(n: int) -> None:
    assert n >= 0
"""
PDL = (sys.executable, "-c", "from pdl.cli import main; main()", "test")
COLLECT = (
    *(sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:xdist"),
    *("-p", "no:cacheprovider", "-p", "no:anyio", "-p", "no:hypothesispytest"),
)
FIRST = "-p", "pdl.testing.plugin"
"""The plugin by its module, since pdl might be installed from before it had one."""


def cases(number: int) -> str:
    """Cases that differ in their data, replies, and expectations."""
    return "\n".join(
        f"<|case|> case {n}\n<|data|>\nreview: It broke after {n} days.\n"
        f'<|reply|>\nSure: {{"stars": {n % 5 + 1}, "refund": true, "problems": ["day {n}"]}}\n'
        f"<|expect|>\n{{ stars: {n % 5 + 1}, [str]: any }}\n"
        for n in range(number)
    )


def seconds(folder: Path, command: tuple[str, ...]) -> tuple[float, float]:
    """How long a command takes in a directory, and the processor for it; exits if it fails."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    worked, began = _worked(), time.perf_counter()
    done = subprocess.run(  # noqa: S603 - our own
        command, cwd=folder, env=environment, capture_output=True, check=False
    )
    taken = time.perf_counter() - began
    if done.returncode not in {0, 5}:  # 5: pytest found no tests
        raise SystemExit(done.stdout.decode() + done.stderr.decode())
    return taken, _worked() - worked


def _worked() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(times: int = 5) -> None:
    """Measure, and print a table."""
    with TemporaryDirectory() as name:
        top = Path(name)
        run, many, plain, none = (top / one for one in ("run", "many", "plain", "none"))
        for folder, number in ((run, RUN), (many, COLLECTED)):
            folder.mkdir()
            (folder / "review.pdl").write_text(PROMPT, encoding="utf-8")
            (folder / "review.tests.pdl").write_text(cases(number), encoding="utf-8")
        for folder in (plain, none):
            folder.mkdir()
        (plain / "test_many.py").write_text(PLAIN.format(number=COLLECTED), encoding="utf-8")
        jobs = {
            f"pdl test, {RUN:,} recorded cases": (run, PDL),
            f"pytest collects {COLLECTED:,} cases": (many, (*COLLECT, *FIRST)),
            f"pytest collects {COLLECTED:,} plain tests": (plain, COLLECT),
            "pytest in an empty directory, with the plugin": (none, (*COLLECT, *FIRST)),
            "pytest in an empty directory, without it": (none, COLLECT),
        }
        taken = [{what: seconds(*job) for what, job in jobs.items()} for _ in range(times)]
    for what in jobs:
        wall, work = (min(one[what][column] for one in taken) for column in (0, 1))
        print(f"{what:<50}{wall:6.2f} s; work {work:5.2f} s")
    works = [{what: both[1] for what, both in one.items()} for one in taken]
    _, of_cases, of_plain, with_plugin, without = jobs
    beyond = [(one[of_cases] - one[without]) / (one[of_plain] - one[without]) for one in works]
    cost = [one[with_plugin] - one[without] for one in works]
    print(f"collecting a case, against a plain test: {median(beyond):.2f} times")
    print(f"the plugin without files: {1000 * median(cost):.0f} ms")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
