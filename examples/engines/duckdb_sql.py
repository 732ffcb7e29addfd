"""DuckDB: check replies by a function in SQL, and stream a large table through a checker.

pip install 'pdl-prompts[arrow]' duckdb
python examples/engines/duckdb_sql.py [RESULTS]
"""

from __future__ import annotations

import sys
import tempfile
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
from searches import PROMPT, searches, summary

from pdl.batch import Checker, GrammarCompiler

if TYPE_CHECKING:
    from pdl.batch.columns import BatchFunction


def create_function(
    connection: duckdb.DuckDBPyConnection, name: str, function: BatchFunction, *columns: str
) -> None:
    """Make a function of batches one of SQL: its arguments are columns of text, in order."""
    empty = connection.from_arrow(function.arrow_schema().empty_table())
    result = duckdb.struct_type(dict(zip(empty.columns, empty.types, strict=True)))

    def call(*cells: pa.ChunkedArray) -> pa.Array:
        return function(pa.table(list(cells), names=list(columns))).to_struct_array()

    kinds = ["VARCHAR"] * len(columns)
    connection.create_function(name, call, kinds, result, type="arrow", null_handling="special")


def main(results: str) -> None:
    """Write the results, and print what was found."""
    connection = duckdb.connect()
    checker = Checker.of(PROMPT, keep=())
    create_function(connection, "check_reply", checker, "reply")
    connection.register("replies", searches())
    connection.sql("CREATE TABLE checked AS SELECT id, unnest(check_reply(reply)) FROM replies")
    connection.sql(f"COPY checked TO '{results}/part-0.parquet'")
    print(summary(connection.sql("SELECT reason FROM checked").to_arrow_table()))
    print(connection.sql("SELECT value.what, count(*) AS n FROM checked WHERE ok GROUP BY ALL"))

    create_function(connection, "grammar", GrammarCompiler(keep=()), "schema")
    connection.sql("""
        CREATE TABLE schemas AS FROM (VALUES ('int<1,5>'), ('[int]{ unique: true }')) AS t(schema)
    """)
    found = connection.sql("""
        SELECT schema, made.exact,
               list_filter(made.report, lambda one: one.level <> 'EXACT')[1].keyword AS unenforced
        FROM (SELECT schema, grammar(schema) AS made FROM schemas)
    """)
    print(found)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(*sys.argv[1:] or [scratch])
