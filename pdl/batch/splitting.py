"""How shards are split into units, and the rows of these.

A unit is the part of a shard whose results go to one file: lines of a text, whole records of CSV,
rows of Parquet. Where a unit begins depends on what comes before it and on `unit_bytes` alone, so
that a file that grew has the same first units.
"""

from __future__ import annotations

import csv
import gzip
import importlib
import io
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from pdl.batch.rows import (
    BOM,
    LONGEST,
    BadRow,
    Fault,
    Line,
    Lines,
    Reading,
    Row,
    plain,
    read_row,
    row_of,
)
from pdl.decoding import SAVE_AS_UTF8, JsonError, strict_json
from pdl.errors import FileError, Problem, missing_package, unreadable
from pdl.source import Source, encoding_fault

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from pdl.batch.shards import Shard

_READ = 1 << 20
_SLICES = 8  # of a row group, each of which reads the group up to its end
_TABLE_ROWS = 256  # of a table that are decoded together


class Unit(NamedTuple):
    """Some rows of a shard, from `start` up to `end`: bytes of a text, rows of a table.

    `number` is that of the unit in its shard, from 0; `first` is the number of the first line, from
    1. `header` has the names of the columns of CSV. `size` is how many bytes of input it is.
    """

    shard: Shard
    number: int
    start: int
    end: int
    first: int
    size: int
    header: tuple[str, ...] = ()


def split(shard: Shard, size: int) -> Iterator[Unit]:
    """Yield the units of a shard, each as soon as its end is known.

    Raises FileError if the shard can't be read.
    """
    if shard.is_compressed:
        yield Unit(shard, 0, 0, shard.size, 1, shard.size)
        return
    kinds = {"jsonl": _split_lines, "csv": _split_records, "parquet": _split_table}
    try:
        yield from kinds[shard.format](shard, size)
    except OSError as error:
        raise unreadable(shard.path, error) from error


def _split_lines(shard: Shard, size: int) -> Iterator[Unit]:
    number, start, first = 0, 0, 1
    with Path(shard.path).open("rb") as stream:
        while True:
            newlines = _skip(stream, size)
            while (rest := stream.readline(_READ)) and not rest.endswith(b"\n"):
                pass
            newlines += rest.endswith(b"\n")
            end = stream.tell()
            if end == start:
                return
            yield Unit(shard, number, start, end, first, end - start)
            number, start, first = number + 1, end, first + newlines


def _skip(stream: BinaryIO, size: int) -> int:
    """Skip so many bytes, all but the last, which can end a line. Returns the newlines in them."""
    newlines, left = 0, size - 1
    while left > 0 and (data := stream.read(min(left, _READ))):
        newlines += data.count(b"\n")
        left -= len(data)
    return newlines


class _CountedLines:
    """The lines of a binary stream as text for a reader of CSV, counted with their bytes."""

    def __init__(self, stream: BinaryIO, encoding: str, *, begins: bool) -> None:
        self._stream = stream
        self._encoding = encoding
        self._begins = begins
        self.number = self.position = 0
        self.last = b""
        self._fault = ""

    def __iter__(self) -> Iterator[str]:
        while line := self._stream.readline(LONGEST):
            if len(line) == LONGEST and not line.endswith(b"\n"):
                raise csv.Error(f"this line is longer than {LONGEST:,} bytes")
            self.last = line.removeprefix(BOM) if self._begins and not self.number else line
            self.number += 1
            self.position += len(line)
            yield self._decoded()

    def _decoded(self) -> str:
        try:
            return self.last.decode(self._encoding)
        except UnicodeDecodeError as error:
            self._fault = encoding_fault(error)
            return self.last.decode(self._encoding, "surrogateescape")

    def take_fault(self) -> str:
        """What is wrong with a byte that was read since the last call; empty if nothing is."""
        fault, self._fault = self._fault, ""
        return fault


@contextmanager
def _long_fields() -> Generator[None, None, None]:
    """Let a field of CSV be as long as a reply can be; the limit is one of the process."""
    before = csv.field_size_limit(LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _split_records(shard: Shard, size: int) -> Iterator[Unit]:
    """Split by the reader of CSV itself: only it knows which newlines are inside of a field.

    What it does not understand is left to the last unit, whose reader reports it.
    """
    with Path(shard.path).open("rb") as stream, _long_fields():
        lines = _CountedLines(stream, "latin-1", begins=True)
        reader = csv.reader(lines, strict=True)
        header: tuple[str, ...] = ()
        number, start, first = 0, 0, 1
        try:
            header = tuple(one.encode("latin-1").decode() for one in next(reader, []))
            start, first = lines.position, lines.number + 1
            for _ in reader:
                if lines.position - start >= size:
                    end = lines.position
                    yield Unit(shard, number, start, end, first, end - start, header)
                    number, start, first = number + 1, end, lines.number + 1
        except csv.Error:
            lines.position = max(shard.size, lines.position)
        except UnicodeDecodeError as error:
            raise OSError("its header is not UTF-8") from error
        if lines.position > start:
            yield Unit(shard, number, start, lines.position, first, lines.position - start, header)


def _pyarrow() -> Any:
    try:
        return importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise missing_package("Parquet files need", "pyarrow", "arrow") from error


def _split_table(shard: Shard, size: int) -> Iterator[Unit]:
    """Split by row groups: several small ones are one unit, a large one is several."""
    with _opened_table(shard) as table:
        groups = [table.metadata.row_group(n) for n in range(table.metadata.num_row_groups)]
    number = start = end = held = 0
    for group in groups:
        parts = min(_SLICES, max(1, group.total_byte_size // max(size, 1)))
        if parts > 1 and end > start:
            yield Unit(shard, number, start, end, start + 1, held)
            number, start, held = number + 1, end, 0
        for part in range(1, parts + 1):
            end += group.num_rows * part // parts - group.num_rows * (part - 1) // parts
            held += group.total_byte_size // parts
            if held >= size or parts > 1:
                yield Unit(shard, number, start, end, start + 1, held)
                number, start, held = number + 1, end, 0
    if end > start:
        yield Unit(shard, number, start, end, start + 1, held)


@contextmanager
def _opened_table(shard: Shard) -> Generator[Any, None, None]:
    parquet = _pyarrow()
    try:
        table = parquet.ParquetFile(
            shard.path, memory_map=False, pre_buffer=False, buffer_size=1 << 16
        )
    except (OSError, ValueError) as error:  # its errors are ValueErrors
        raise _damaged(shard, error) from error
    with table:
        yield table


def _damaged(shard: Shard, error: Exception) -> FileError:
    if isinstance(error, OSError) and error.strerror:
        return unreadable(shard.path, error)
    reason = (str(error).splitlines() or ["it is damaged"])[0]
    return FileError(Problem("file/unreadable", f"{shard.path}: cannot be read: {reason}"))


def _of_line(line: Line, reading: Reading) -> Row | BadRow:
    found = read_row(line, reading)
    return BadRow(line, found) if isinstance(found, Fault) else found


def _of_cells(line: Line, cells: dict[str, Any], reading: Reading) -> Row | BadRow:
    """The row of the cells of a table, which is at a line; its `context` can be text of JSON."""
    if isinstance(cells.get("context"), str):
        with suppress(JsonError):
            cells["context"] = strict_json(cells["context"]) if cells["context"] else None
    found = row_of(line.number, cells, reading)
    return BadRow(line, found) if isinstance(found, Fault) else found


def rows(unit: Unit, reading: Reading) -> Iterator[Row | BadRow]:
    """Yield the rows of a unit. Raises FileError if the shard can't be read."""
    kinds = {"jsonl": _rows_of_lines, "csv": _rows_of_records, "parquet": _rows_of_table}
    yield from kinds[unit.shard.format](unit, reading)


@contextmanager
def _opened(unit: Unit) -> Generator[BinaryIO, None, None]:
    shard = unit.shard
    try:
        with Path(shard.path).open("rb") as stream:
            if shard.is_compressed:
                yield unzipped(stream)
                return
            stream.seek(unit.start)
            yield io.BufferedReader(_Section(stream, unit.end - unit.start))
    except OSError as error:
        raise unreadable(shard.path, error) from error


def unzipped(stream: BinaryIO) -> BinaryIO:
    """Return the stream that a stream is compressed from, by gzip."""
    return io.BufferedReader(gzip.GzipFile(fileobj=stream))


class _Section(io.RawIOBase):
    """The next bytes of a stream, at most so many."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)[: self._left]
        data = self._stream.read(len(view))
        view[: len(data)] = data
        self._left -= len(data)
        return len(data)


def _rows_of_lines(unit: Unit, reading: Reading) -> Iterator[Row | BadRow]:
    with _opened(unit) as stream:
        for line in Lines(stream, unit.shard.path, unit.first):
            yield _of_line(line, reading)


def _rows_of_records(unit: Unit, reading: Reading) -> Iterator[Row | BadRow]:
    with _opened(unit) as stream, _long_fields():
        lines = _CountedLines(stream, "utf-8", begins=unit.shard.is_compressed)
        reader = csv.reader(lines, strict=True)
        header = list(unit.header)
        if unit.shard.is_compressed:
            header = next(reader, [])
        if fault := lines.take_fault():
            raise _bad_record(unit, 1, lines.last, fault)
        if len(set(header)) < len(header):
            twice = next(name for name in header if header.count(name) > 1)
            raise _bad_record(
                unit, 1, ",".join(header).encode(), f"the header has the column `{twice}` twice"
            )
        number = unit.first + lines.number
        try:
            for record in reader:
                line = Line(number, lines.last.rstrip(b"\r\n"))
                number = unit.first + lines.number
                if fault := lines.take_fault():
                    yield BadRow(line, Fault(fault, 0, SAVE_AS_UTF8))
                elif record:
                    yield _of_record(line, header, record, reading)
        except (csv.Error, EOFError) as error:
            is_return = str(error).startswith("new-line character")
            why = f"this is not CSV: {_LONE_RETURN if is_return else error}"
            raise _bad_record(unit, unit.first + lines.number - 1, lines.last, why) from error


_LONE_RETURN = "a carriage return outside of quotes must be followed by a newline"


def _of_record(line: Line, header: list[str], record: list[str], reading: Reading) -> Row | BadRow:
    if len(record) != len(header):
        counts = f"expected {len(header)} fields, found {len(record)}"
        return BadRow(line, Fault(counts, 0, "put a field in quotes that has a comma or a newline"))
    return _of_cells(line, dict(zip(header, record, strict=True)), reading)


def _bad_record(unit: Unit, number: int, data: bytes, why: str) -> FileError:
    text = "\n" * (number - 1) + data.decode("utf-8", "replace").rstrip("\r\n")
    span = Source(text, unit.shard.path).span(number - 1)
    return FileError(Problem("batch/csv", why, span))


def _rows_of_table(unit: Unit, reading: Reading) -> Iterator[Row | BadRow]:
    with _opened_table(unit.shard) as table:
        columns = _columns(unit.shard.path, table, reading)
        at = 0
        for number in range(table.metadata.num_row_groups):
            count = table.metadata.row_group(number).num_rows
            if at < unit.end and at + count > unit.start:
                yield from _rows_of_group(unit, table, number, at, columns, reading)
            at += count


def _columns(path: str, table: Any, reading: Reading) -> list[str] | None:
    """The columns that are read; all, if values come from them, or none of them has the reply."""
    names = table.schema_arrow.names
    found = _wanted(names, reading)
    if twice := next((name for name in found or names if names.count(name) > 1), None):
        raise FileError(Problem("batch/column", f"{path}: has the column `{twice}` twice"))
    return found


def _wanted(names: list[str], reading: Reading) -> list[str] | None:
    if reading.field is None:
        return None
    replies = {reading.field, reading.field.split(".")[0]}
    wanted = replies | {"id"} | ({"context"} if reading.has_values else set())
    found = [name for name in names if name in wanted]
    return found if replies & set(found) else None


def _rows_of_group(  # noqa: PLR0913, PLR0917 - where, and what of it
    unit: Unit, table: Any, group: int, at: int, columns: list[str] | None, reading: Reading
) -> Iterator[Row | BadRow]:
    """The rows of a row group, whose first is the row `at`, that belong to the unit."""
    try:
        for batch in table.iter_batches(_TABLE_ROWS, row_groups=[group], columns=columns):
            low, high = max(unit.start - at, 0), min(unit.end - at, batch.num_rows)
            if low < high:
                found = batch.slice(low, high - low).to_pylist(maps_as_pydicts="strict")
                for number, value in enumerate(found, at + low + 1):
                    yield _of_cells(Line(number, b""), plain(value), reading)
            at += batch.num_rows
            if at >= unit.end:
                return
    except (OSError, ValueError, KeyError, OverflowError) as error:  # of a map, or of a time
        raise _damaged(unit.shard, error) from error
