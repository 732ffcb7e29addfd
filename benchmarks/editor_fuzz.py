"""Random edits of the shipped prompts, each followed by an editor's requests.

    PYTHONPATH=tests python benchmarks/editor_fuzz.py [EDITS] [SEED]

No request can fail or take more than a second of processor time; at the end of each sequence the
findings must be those of `pdl lint` for the saved file. Failures are printed, with their texts.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from editor_walks import Walks

LENGTH = 20


def main(edits: int, seed: int) -> int:
    """Run, print, and return the number of failures."""
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        walks = Walks(Path(folder), Random(seed))  # noqa: S311 - it must be repeatable
        shown = 0
        while walks.edits < edits:
            walks.walk(LENGTH)
            for one in walks.failures[shown:]:
                print(f"\n{one.prompt}: {one.request}\n{one.text!r}\n{one.why}", flush=True)
            shown = len(walks.failures)
    requests = sum(walks.requests.values())
    print(f"\nseed {seed}: {walks.edits:,} edits, {requests:,} requests, {shown} failures")
    print(f"{time.process_time() - began:.0f} s of processor time, at most", end=" ")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    print(f"{'request':24} {'times':>8} {'mean ms':>8} {'slowest ms':>10}")
    for name, (longest, _, _) in sorted(walks.slowest.items(), key=lambda one: -one[1][0]):
        mean = walks.seconds[name] / walks.requests[name]
        print(f"{name:24} {walks.requests[name]:8,} {mean * 1e3:8.2f} {longest * 1e3:10.1f}")
    return shown


if __name__ == "__main__":
    given = [int(one) for one in sys.argv[1:]]
    sys.exit(bool(main(*[*given, *(100_000, 1)[len(given) :]])))
