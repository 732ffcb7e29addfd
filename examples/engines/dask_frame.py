"""Dask: check the partitions of a DataFrame in processes, and compile a column of schemas.

    pip install 'pdl-prompts[arrow]' 'dask[dataframe]'
    python examples/engines/dask_frame.py [RESULTS]

A function of batches maps DataFrames of pandas as they are, with Python values in the cells. Here,
partitions go through Arrow, so that the results have the types of the schema, in Parquet, too.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from typing import TYPE_CHECKING

import dask
import dask.dataframe
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
from searches import PROMPT, searches, summary

from pdl.batch import Checker, GrammarCompiler

if TYPE_CHECKING:
    from pdl.batch.columns import BatchFunction


def in_arrow(function: BatchFunction, part: pd.DataFrame) -> pd.DataFrame:
    """Return the results for a partition, with columns of Arrow."""
    table = pa.Table.from_pandas(part, preserve_index=False)
    return function(table).to_pandas(types_mapper=pd.ArrowDtype)


def main(results: str) -> None:
    """Write the results, and print what was found."""
    replies = searches()
    checker = Checker.of(PROMPT)
    check = partial(in_arrow, checker)
    frame = dask.dataframe.from_pandas(replies.to_pandas(), npartitions=4)
    checked = frame.map_partitions(check, meta=check(frame.head(0)))
    with dask.config.set(scheduler="processes", num_workers=2):  # threads would take turns
        checked.to_parquet(results, schema=checker.arrow_schema(replies.schema), write_index=False)
    print(summary(pa.parquet.read_table(results)))

    schemas = pd.DataFrame({"schema": ["int<1,5>", "[int]{ unique: true }", "str{^a+$}"]})
    compiler = GrammarCompiler(keep="schema")
    grammars = dask.dataframe.from_pandas(schemas, npartitions=1)
    compiled = grammars.map_partitions(compiler, meta=compiler(schemas.head(0)))
    print(compiled[["schema", "exact", "error"]].compute().to_string(index=False))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(*sys.argv[1:] or [scratch])
