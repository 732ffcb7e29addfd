"""Polars: check replies of a lazy frame, then render and ask for those that are invalid.

    pip install 'pdl-prompts[arrow]' polars
    python examples/engines/polars_frame.py [RESULTS]

With the streaming engine, the checker gets the frame piece by piece (`streamable=True`), in one
thread: Python's lock lets no two run at the same time. For more cores, use `pdl check --batch`.
"""

from __future__ import annotations

import sys
import tempfile
from typing import TYPE_CHECKING, Any

import polars as pl
from searches import PROMPT, model, searches, summary

from pdl.batch import Asker, Checker, Renderer

if TYPE_CHECKING:
    from pdl.batch.columns import BatchFunction


def mapped(frame: pl.LazyFrame, function: BatchFunction, **options: Any) -> pl.LazyFrame:
    """Return a lazy frame whose batches a function maps, with the schema of its results."""
    source = frame.collect_schema().to_frame().to_arrow().schema
    made = pl.from_arrow(function.arrow_schema(source).empty_table())
    assert isinstance(made, pl.DataFrame)
    return frame.map_batches(function, schema=made.schema, **options)


def main(results: str) -> None:
    """Write the results, and print what was found."""
    replies = pl.from_arrow(searches()).lazy()
    checker = Checker.of(PROMPT, keep=("id", "query"))
    checked = mapped(replies, checker, streamable=True)
    checked.sink_parquet(f"{results}/part-0.parquet")
    found = pl.scan_parquet(f"{results}/part-0.parquet")
    print(summary(found.collect().to_arrow()))

    invalid = found.filter(~pl.col("ok")).select("id", "query").head(100)
    rendered = mapped(invalid, Renderer(PROMPT, family="openai", model="MODEL")).collect()
    print(f"to ask: {rendered['body'][0][-60:]}")
    asked = mapped(invalid, Asker(PROMPT, model, concurrency=16)).collect()
    print(f"asked again: {len(asked)}, valid: {asked['ok'].sum()}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(*sys.argv[1:] or [scratch])
