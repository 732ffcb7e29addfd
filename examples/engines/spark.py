"""Spark: check replies by `mapInArrow`, and render the requests for those that are invalid.

    pip install 'pdl-prompts[arrow]' pyspark        # and a Java runtime
    python examples/engines/spark.py [RESULTS]

Spark gives an iterator of record batches and takes one. The executors need pdl, as the driver does:
on a cluster, send an environment (`--archives env.tar.gz`), or install it on the nodes.
"""

from __future__ import annotations

import os
import sys
import tempfile
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from searches import PROMPT, searches, summary

from pdl.batch import Checker, Renderer

if TYPE_CHECKING:
    from pdl.batch.columns import BatchFunction


def mapped(frame: DataFrame, function: BatchFunction) -> DataFrame:
    """Return a frame whose batches a function maps, with the schema of its results."""
    schema = function.arrow_schema(to_arrow_schema(frame.schema))
    return frame.mapInArrow(lambda batches: map(function, batches), from_arrow_schema(schema))


def main(results: str) -> None:
    """Write the results, and print what was found."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", 1_000)
    spark = builder.getOrCreate()
    replies = spark.createDataFrame(searches()).repartition(4)
    checker = Checker.of(PROMPT, keep=("id", "query"))
    mapped(replies, checker).write.mode("overwrite").parquet(results)
    checked = spark.read.parquet(results)
    print(summary(checked.select("reason").toArrow()))

    invalid = checked.filter("NOT ok").limit(100)
    bodies = mapped(invalid, Renderer(PROMPT, family="openai", model="MODEL"))
    print(f"to ask: {bodies.first()['body'][:60]}… and {bodies.count() - 1} more")
    spark.stop()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(*sys.argv[1:] or [scratch])
