"""Replies a second that `pdl.batch.Checker` checks in each engine, next to the checker alone.

    python benchmarks/engines.py [ROWS [ENGINE …]]    by default 60,000 replies of 1 KB, all engines

Each engine reads a file of Parquet and writes others, with two processes where it has several. The
seconds are those of the processor, of all processes that an engine starts: a control group of Linux
counts them, which only root can make. What a twentieth of the rows takes is the start, which varies
by some seconds with Ray and Spark; the rate is that of the other rows.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pyarrow.parquet

from pdl.batch import Checker

if TYPE_CHECKING:
    from collections.abc import Callable

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "engines"))
BATCH = 1_000


def checker() -> Checker:
    """The checker of all engines."""
    from checker import SCHEMA  # type: ignore[import-not-found]  # noqa: PLC0415 - the other script

    return Checker(SCHEMA)


def alone(source: str, results: str) -> None:
    """Check batch by batch, without an engine."""
    check = checker()
    file = pa.parquet.ParquetFile(source)
    schema = check.arrow_schema(file.schema_arrow)
    with pa.parquet.ParquetWriter(f"{results}/part.parquet", schema) as out:
        for batch in file.iter_batches(BATCH):
            out.write_batch(check(batch))


def duckdb(source: str, results: str) -> None:
    """Check by a function of SQL."""
    import duckdb as engine  # noqa: PLC0415
    from duckdb_sql import create_function  # noqa: PLC0415

    connection = engine.connect()
    create_function(connection, "check_reply", checker(), "reply")
    query = f"SELECT id, unnest(check_reply(reply)) FROM '{source}'"  # noqa: S608 - ours
    connection.sql(f"COPY ({query}) TO '{results}/part.parquet'")


def polars(source: str, results: str) -> None:
    """Check a lazy frame, streamed."""
    import polars as pl  # noqa: PLC0415
    from polars_frame import mapped  # noqa: PLC0415

    frame = mapped(pl.scan_parquet(source), checker(), streamable=True)
    frame.sink_parquet(f"{results}/part.parquet")


def dask(source: str, results: str) -> None:
    """Check the row groups of a file in two processes."""
    import dask.dataframe as dd  # noqa: PLC0415
    from dask_frame import in_arrow  # noqa: PLC0415

    check = checker()
    frame = dd.read_parquet(source, split_row_groups=1)
    checked = frame.map_partitions(
        lambda part: in_arrow(check, part), meta=in_arrow(check, frame.head(0))
    )
    schema = check.arrow_schema(pa.parquet.read_schema(source))
    options = {"scheduler": "processes", "num_workers": 2}
    checked.to_parquet(results, schema=schema, write_index=False, compute_kwargs=options)


def spark(source: str, results: str) -> None:
    """Check by `mapInArrow` on two cores."""
    from pyspark.sql import SparkSession  # noqa: PLC0415
    from spark import mapped  # noqa: PLC0415

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master("local[2]").getOrCreate()
    frame = session.read.parquet(source).repartition(4)
    mapped(frame, checker()).write.mode("overwrite").parquet(results)
    session.stop()


def ray(source: str, results: str) -> None:
    """Check by tasks on two CPUs."""
    import ray as engine  # noqa: PLC0415

    engine.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    frame = engine.data.read_parquet(source, override_num_blocks=8)
    frame.map_batches(checker(), batch_format="pyarrow", batch_size=BATCH).write_parquet(results)
    engine.shutdown()


ENGINES: dict[str, Callable[[str, str], None]] = {
    one.__name__: one for one in (alone, duckdb, polars, dask, spark, ray)
}


def write_replies(path: Path, count: int) -> None:
    """Write a mix of all kinds of replies."""
    pa.parquet.write_table(
        pa.table(import_module("batch").rows("mix", count)), path, row_group_size=BATCH
    )


class Group:
    """A control group of Linux, which counts the time of all processes that it ever had."""

    def __init__(self) -> None:
        is_old = Path("/sys/fs/cgroup/cpuacct").is_dir()
        parent = Path("/sys/fs/cgroup/cpuacct" if is_old else "/sys/fs/cgroup")
        self.folder = parent / f"pdl-{os.getpid()}"

    def __enter__(self) -> Self:
        self.folder.mkdir()
        return self

    def __exit__(self, *_: object) -> None:
        self.folder.rmdir()

    @property
    def seconds(self) -> float:
        """Seconds of the processor so far."""
        if (self.folder / "cpuacct.usage").exists():
            return int((self.folder / "cpuacct.usage").read_text()) / 1e9
        found = (self.folder / "cpu.stat").read_text().split()
        return int(found[found.index("usage_usec") + 1]) / 1e6

    def run(self, *command: str) -> float:
        """Run a command, and return the seconds that it took, with all that it started."""
        start = self.seconds
        join = ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(self.folder / "cgroup.procs")]
        environment = {**os.environ, "RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
        subprocess.run(  # noqa: S603 - ours
            [*join, *command], check=True, stderr=subprocess.DEVNULL, env=environment
        )
        while (self.folder / "cgroup.procs").read_text():
            time.sleep(0.1)
        return self.seconds - start


def seconds(group: Group, engine: str, source: Path) -> float:
    """Seconds of the processor that an engine needs for a file."""
    with tempfile.TemporaryDirectory() as results:
        took = group.run(sys.executable, __file__, "--run", engine, str(source), results)
        made = pa.parquet.read_table(results)
    rows = pa.parquet.read_metadata(source).num_rows
    assert sorted(made["id"].to_pylist()) == list(range(rows))
    return took


def main(count: int, engines: list[str]) -> None:
    """Print the start and the rate of each engine."""
    with Group() as group, tempfile.TemporaryDirectory() as folder:
        files: list[Any] = []
        for rows in (count // 20, count):
            files.append(Path(folder) / f"{rows}.parquet")
            write_replies(files[-1], rows)
        print(f"{count:,} replies of 1 KB, seconds of the processor")
        for engine in engines or ENGINES:
            few, many = (seconds(group, engine, file) for file in files)
            rate = (count - count // 20) / (many - few)
            print(
                f"{engine:8} start {few:6.1f} s   all {many:6.1f} s   {rate:6,.0f} rows/s",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        ENGINES[sys.argv[2]](*sys.argv[3:])
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 60_000, sys.argv[2:])
