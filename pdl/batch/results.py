"""Batches of rows for a function, and its results in a file: JSON Lines, CSV, or Parquet."""

from __future__ import annotations

import csv
import importlib
import io
import json
from typing import IO, TYPE_CHECKING, Any, Literal, TypeAlias

from pdl.appending import whole_lines
from pdl.batch.columns import arrow
from pdl.errors import FileError, Problem, unreadable
from pdl.schema.json_values import json_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pdl._types import Json
    from pdl.batch.columns import BatchFunction
    from pdl.batch.rows import Row

ResultFormat: TypeAlias = Literal["jsonl", "csv", "parquet"]
Fields: TypeAlias = "dict[str, Json]"

PLACE = ("file", "line", "id")
"""The columns of results that name their rows, which a function of a run keeps."""

_GROUP_BYTES = 1 << 25  # of a row group, in memory


def batch_of(rows: Sequence[Row], name: str) -> dict[str, list[Any]]:
    """Return the rows of a shard as a batch: a dict of lists."""
    return {
        "file": [name] * len(rows),
        "line": [row.number for row in rows],
        "id": [row.id for row in rows],
        "reply": [row.reply for row in rows],
        "context": [row.context for row in rows],
    }


def _table_of(rows: Sequence[Row], name: str) -> Any:
    """Rows as a table, whose ids are texts, and whose values are texts of JSON."""
    batch = batch_of(rows, name.encode("utf-8", "backslashreplace").decode())
    batch["id"] = [one if isinstance(one, str | None) else json_line(one) for one in batch["id"]]
    batch["context"] = [None if one is None else json_line(one) for one in batch["context"]]
    kinds = [(one, arrow().string()) for one in batch]
    kinds[1] = ("line", arrow().int64())
    return arrow().table(batch, schema=arrow().schema(kinds))


def writer_of(form: ResultFormat, file: IO[bytes], function: BatchFunction, name: str) -> Writer:
    """Return what applies a function to rows of a shard, and writes the results into a file.

    Raises ConfigError for Parquet without pyarrow.
    """
    kinds: dict[ResultFormat, type[Writer]] = {
        "jsonl": Writer,
        "csv": _CsvWriter,
        "parquet": _TableWriter,
    }
    return kinds[form](file, function, name)


class Writer:
    """Writes results as JSON Lines."""

    def __init__(self, file: IO[bytes], function: BatchFunction, name: str) -> None:
        self._file = file
        self._function = function
        self._name = name

    def results(self, rows: Sequence[Row]) -> list[Fields]:
        """Return the results of rows."""
        if not rows:
            return []
        found = self._function(batch_of(rows, self._name))
        return [dict(zip(found, cells, strict=True)) for cells in zip(*found.values(), strict=True)]

    def write(self, results: Sequence[Fields]) -> None:
        """Write results. Raises OSError."""
        for one in results:
            self._file.write(line_of(one))

    def add(self, rows: Sequence[Row]) -> list[Fields]:
        """Write the results of rows. Returns what says how they are. Raises OSError."""
        found = self.results(rows)
        self.write(found)
        return found

    def close(self) -> None:
        """Write what is left. Raises OSError."""


def line_of(fields: Fields) -> bytes:
    """Return a result as a line of JSON."""
    return f"{json_line(fields)}\n".encode("utf-8", "backslashreplace")


class _CsvWriter(Writer):
    """Writes results as CSV with a header: the values and all that is not a text as JSON.

    A value that is a text is in its quotes, too, so that it differs from a number, and from null.
    """

    def __init__(self, file: IO[bytes], function: BatchFunction, name: str) -> None:
        super().__init__(file, function, name)
        self._values = {one.name for one in function.columns if one.form is not None}
        self._line([*PLACE, *(one.name for one in function.columns)])

    def write(self, results: Sequence[Fields]) -> None:
        for one in results:
            values = self._values if one.get("ok") else ()
            self._line([json_line(v) if k in values else _cell(v) for k, v in one.items()])

    def _line(self, cells: Sequence[str]) -> None:
        text = io.StringIO()
        # Before Python 3.13, a cell is quoted only for the characters of the line's end.
        csv.writer(text, lineterminator="\r\n").writerow(cells)
        line = text.getvalue().removesuffix("\r\n") + "\n"
        self._file.write(line.encode("utf-8", "backslashreplace"))


def _cell(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json_line(value)


class _TableWriter(Writer):
    """Writes results as Parquet, with the types that the function has for Arrow."""

    def __init__(self, file: IO[bytes], function: BatchFunction, name: str) -> None:
        super().__init__(file, function, name)
        self._tables: list[Any] = []
        schema = function.arrow_schema(_table_of([], "").schema)
        self._made = importlib.import_module("pyarrow.parquet").ParquetWriter(
            file, schema, compression="zstd"
        )

    def add(self, rows: Sequence[Row]) -> list[Fields]:
        table = self._function(_table_of(rows, self._name))
        self._tables.append(table)
        if sum(one.nbytes for one in self._tables) > _GROUP_BYTES:
            self._flush()
        names = [name for name in _TELLING if name in table.schema.names]
        found: list[Fields] = table.select(names).to_pylist()
        return found

    def _flush(self) -> None:
        self._made.write_table(arrow().concat_tables(self._tables))
        self._tables = []

    def close(self) -> None:
        if self._tables:
            self._flush()
        self._made.close()


_TELLING = ("ok", "reason", "error")


def verdict_of(fields: Fields) -> str:
    """Return `ok` for a result that is valid, or its reason."""
    if "ok" in fields:
        return VALID if fields["ok"] else str(fields["reason"])
    return VALID if fields["error"] is None else FAILED


VALID = "ok"
"""The verdict on a row that is valid; others have their reason."""
FAILED = "failed"
"""The verdict on a row without a reason of its own."""


def read_results(path: Path) -> Iterator[Fields]:
    """Yield the results of a file of JSON Lines, up to one that is not finished.

    Raises FileError if it can't be read, or has other lines.
    """
    try:
        for number, data in whole_lines(path):
            yield _parsed(path, number, data)
    except OSError as error:
        raise unreadable(str(path), error) from error


def _parsed(path: Path, number: int, data: bytes) -> Fields:
    try:
        found = json.loads(data)
        if isinstance(found, dict):
            return found
    except (ValueError, RecursionError):
        pass
    hint = "delete this file: its rows are then done again"
    message = f"{path}: line {number:,} is not a result that --batch wrote"
    raise FileError(Problem("file/results", message, None, hint))
