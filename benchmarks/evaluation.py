"""An evaluation of 2,000 calls that is killed twelve times: each call once.

    PYTHONPATH=tests python benchmarks/evaluation.py [CASES [KILLS]]

The calls go to a server on loopback, which counts them. After SIGKILL, the calls that were in
flight are made again, as nobody knows their replies; after SIGINT and SIGTERM, which wait for them,
no call is made twice. Also how long planning, and reading a run again take.
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from killed_runs import CONCURRENCY, killed_run

from pdl.evaluation import EvaluationOptions, read_run
from pdl.evaluation.matrix import make_plan


def main() -> None:
    """Print the figures."""
    numbers = [int(one) for one in sys.argv[1:]]
    cases = numbers[0] if numbers else 2000 * 5 // 6  # one in five is asked twice
    kills = numbers[1] if len(numbers) > 1 else 12
    for how in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
        with TemporaryDirectory() as name:
            folder = Path(name)
            found = killed_run(folder, cases, kills, how)
            print(
                f"{how.name}: {found.trials} of {found.planned} trials, each once, after"
                f" {found.kills} kills ({found.torn} cut a line) in {found.seconds:.0f} s:"
                f" {found.calls} calls at the server, {found.lines} on record,"
                f" {found.lost} in flight when killed (at most {kills * CONCURRENCY})"
            )
            began = time.process_time()
            make_plan([folder / "p.pdl"], [lambda _: ""], None, EvaluationOptions())
            planned = time.process_time()
            read_run(folder / "run")
            took = time.process_time() - planned
            print(f"  planning {cases} cases: {planned - began:.2f} s, reading: {took:.2f} s")


if __name__ == "__main__":
    main()
