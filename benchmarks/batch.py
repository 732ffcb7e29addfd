"""Replies a second that `pdl.batch.Checker` checks, by kind of reply, container, and processes.

    python benchmarks/batch.py [ROWS]    by default 20,000 replies of 1 KB; needs pyarrow and pandas

Seconds are of the processor, of all processes together. For further processes, that includes
sending the batches; starting them is a figure of its own.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from checker import KINDS, SCHEMA, Writer  # type: ignore[import-not-found]  # the other script

from pdl.batch import Checker

if TYPE_CHECKING:
    from collections.abc import Callable

BATCH = 1_000
CHECKER = Checker(SCHEMA)


def rows(kind: str, count: int) -> dict[str, list[Any]]:
    """Replies of a kind, or a mix of all, no two of them alike."""
    writer = Writer(7)
    kinds = (
        [kind] if kind in KINDS else [one for one, tenths in KINDS.items() for _ in range(tenths)]
    )
    replies = [writer.write(kinds[at % len(kinds)]) for at in range(count)]
    random.Random(7).shuffle(replies)  # noqa: S311 - no secret
    return {"id": list(range(count)), "reply": replies}


def spent() -> float:
    """Seconds of the processor, of this process and of those that have ended."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in found)


def cost(work: Callable[[], Any]) -> float:
    """Seconds of the processor."""
    start = spent()
    work()
    return spent() - start


def rate(work: Callable[[], Any], count: int) -> str:
    """Rows a second of the processor."""
    return f"{count / cost(work):>8,.0f}"


def batches(table: pa.Table) -> list[pa.Table]:
    """Slices of a table."""
    return [table.slice(at, BATCH) for at in range(0, table.num_rows, BATCH)]


def check(batch: Any) -> Any:
    """Check a batch, in this process or another."""
    return CHECKER(batch)


def check_all(table: pa.Table) -> None:
    """Check a table in this process, batch by batch."""
    for batch in batches(table):
        check(batch)


def several(jobs: int, pieces: list[pa.Table]) -> None:
    """Check tables in some processes, which are started for them."""
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        found = list(pool.map(check, pieces))
    assert [one.num_rows for one in found] == [one.num_rows for one in pieces]


def main() -> None:
    """Print the rates."""
    import pandas as pd  # noqa: PLC0415 - the other processes need not load it

    count = int(sys.argv[1]) if sys.argv[1:] else 20_000
    CHECKER(pa.table(rows("mix", 100)))  # which compiles, and imports
    for kind in (*KINDS, "mix"):
        columns = rows(kind, count)
        table, frame = pa.table(columns), pd.DataFrame(columns)
        size = sum(map(len, columns["reply"])) / count
        start = time.process_time()
        for reply in columns["reply"]:
            CHECKER.check(reply)
        alone = count / (time.process_time() - start)
        found = {
            "dict": rate(partial(check, columns), count),
            "pandas": rate(partial(check, frame), count),
            "arrow": rate(partial(check_all, table), count),
        }
        told = ", ".join(f"{name} {one}" for name, one in found.items())
        print(f"{kind:9} {size:,.0f} characters: check alone {alone:>8,.0f}, {told} a second")
    table = pa.table(rows("mix", count))
    for jobs in (1, 2):
        start = cost(partial(several, jobs, [table.slice(0, 1)] * jobs))
        work = cost(partial(several, jobs, batches(table))) - start
        told = f"{count / work:>8,.0f} a second of processor, start {start:.1f} s"
        print(f"mix, arrow, {jobs} further processes: {told}")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory at most {most:,.0f} MB with {count:,} rows of each kind at once")


if __name__ == "__main__":
    main()
