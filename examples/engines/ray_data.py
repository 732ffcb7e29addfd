"""Ray Data: check replies on all cores, then ask a model again for those that are invalid.

    pip install 'pdl-prompts[ray]'
    python examples/engines/ray_data.py [RESULTS]

`map_batches` is given an object, not a class, so that Ray runs tasks. A class runs as actors, which
hang if they take all CPUs (https://github.com/ray-project/ray/issues/44687), and isn't needed: a
checker compiles its schema once in each worker process. A dataset is computed each time that it is
used, and an `Asker` then asks again: `take_all`, `write_parquet`, or `materialize` it once.
"""

from __future__ import annotations

import sys
import tempfile

import pyarrow.dataset
import ray
from ray.data.expressions import col
from searches import PROMPT, model, searches, summary

from pdl.batch import Asker, Checker


def main(results: str) -> None:
    """Write the results, and print what was found."""
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    checker = Checker.of(PROMPT, keep=("id", "query"))
    ray.data.from_arrow(searches()).repartition(8).map_batches(
        checker, batch_format="pyarrow", batch_size=1_000
    ).write_parquet(results)
    checked = pyarrow.dataset.dataset(results).to_table()
    print(summary(checked))

    asker = Asker(PROMPT, model, concurrency=16)
    invalid = ray.data.read_parquet(results).filter(expr=~col("ok")).limit(100).repartition(2)
    asked = invalid.map_batches(asker, batch_format="pyarrow", num_cpus=0.5).take_all()
    print(f"asked again: {len(asked)}, valid: {sum(row['ok'] for row in asked)}")
    ray.shutdown()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(*sys.argv[1:] or [scratch])
