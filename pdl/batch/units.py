"""A unit of a run, done in one process: its rows, their results, and the file of these."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from pdl.batch.manifest import MANIFEST, UnitRecord, sha256_of
from pdl.batch.rechecking import Keep, is_sole_answer
from pdl.batch.results import Writer, read_results, verdict_of, writer_of
from pdl.batch.rows import BadRow, Fault, Line, Reading, Row, digest
from pdl.batch.shards import Shard
from pdl.batch.splitting import Unit, rows
from pdl.errors import FileError, PdlError, Problem, unwritable
from pdl.replacing import sync_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from pdl._types import Json
    from pdl.batch.columns import BatchFunction
    from pdl.batch.results import Fields, ResultFormat

_CHUNK = 256  # rows that are done together
_FAULTS = 20  # rows of a unit that can't be used, and that are reported
_SURROGATE = Fault("has an unpaired surrogate, which Parquet can't have")
_SHARD_BYTES = 200  # of the name of a shard in that of a result file, which can have 255
_TEMPORARY = ".unit-"
OURS = re.compile(
    rf"\.unit-.*|\.{re.escape(MANIFEST)}\..*|.*-[0-9]{{5,}}-[0-9a-f]{{16}}\.(jsonl|csv|parquet)",
    re.DOTALL,
)
"""The names of files that a run writes, and of those that one that was killed can leave."""


@dataclass(frozen=True)
class Job:
    """A run into a directory: the input, the results and their format, and what is done to rows.

    `function` keeps the columns of `results.PLACE`. `reading` is what rows bring. `task` has
    everything that decides about the results. `do` does a unit in another way. Units have at least
    `least` bytes.
    """

    command: str
    source: str
    directory: str
    form: ResultFormat
    function: BatchFunction
    reading: Reading
    task: dict[str, Json]
    do: Callable[[Job, Piece], Done] | None = None
    least: int = 0

    @cached_property
    def digest(self) -> str:
        """What identifies the task."""
        return digest(json.dumps(self.task, sort_keys=True, default=str).encode())


def task_of(command: str, **parts: Json) -> dict[str, Json]:
    """Return a task: what a command does to rows, by this version of pdl."""
    return {"command": command, "pdl": version("pdl-prompts"), **parts}


class Piece(NamedTuple):
    """A unit to do, and what is there of it from an earlier run, of which some results stay."""

    unit: Unit
    old: UnitRecord | None = None
    keep: Keep = "none"


@dataclass(frozen=True)
class Done:
    """What came of a unit: its record, or the problems that kept it from being done.

    `faults` are the first rows that can't be used. `is_earlier` says that all of its results are
    those of an earlier run; `has_changed` that its rows were others then. `leftover` is a file
    that is not needed once the record is written down. `is_fatal` says that further units would
    fail, too.
    """

    source: Unit | Shard
    record: UnitRecord | None = None
    faults: tuple[BadRow, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_earlier: bool = False
    has_changed: bool = False
    leftover: str = ""
    is_fatal: bool = False

    @property
    def shard(self) -> Shard:
        """The shard that the unit is of."""
        return self.source if isinstance(self.source, Shard) else self.source.shard


class UnitReader:
    """The rows of a unit as they are read: their digest, and those that can't be used.

    `form` is the format of the results: Parquet has no row with an unpaired surrogate.
    """

    def __init__(self, unit: Unit, reading: Reading, form: str) -> None:
        self._unit = unit
        self._reading = reading
        self._is_table = form == "parquet"
        self._digest = hashlib.sha256()
        self.faulty = 0
        self.faults: list[BadRow] = []

    @property
    def digest(self) -> str:
        """A digest of all rows so far."""
        return self._digest.hexdigest()

    def __iter__(self) -> Iterator[Row]:
        for found in rows(self._unit, self._reading):
            row = found
            if self._is_table and isinstance(row, Row) and not row.is_utf8:
                row = BadRow(Line(row.number, b""), _SURROGATE)
            if isinstance(row, BadRow):
                self._digest.update(f"{row.line.number} {row.fault.message}\n".encode())
                self.faulty += 1
                if len(self.faults) < _FAULTS:
                    self.faults.append(row)
            else:
                name = json.dumps(row.id, sort_keys=True, default=str)
                self._digest.update(f"{row.number} {row.digest} {name}\n".encode())
                yield row


def do_unit(job: Job, piece: Piece) -> Done:
    """Do a unit, in this process. What goes wrong is in the result."""
    try:
        if job.do is not None:
            return job.do(job, piece)
        if piece.old is not None and piece.keep == "all":
            reader = UnitReader(piece.unit, job.reading, job.form)
            for _ in reader:
                pass
            if reader.digest == piece.old.input:
                same = replace(piece.old, kept=piece.old.rows, **_identity(piece.unit))
                return Done(piece.unit, same, tuple(reader.faults), is_earlier=True)
        return _written(job, piece)
    except PdlError as error:
        is_fatal = error.problem.code == "file/unwritable"
        return Done(piece.unit, None, (), error.problems, is_fatal=is_fatal)


def _identity(unit: Unit) -> dict[str, Any]:
    """The fields of a record that say which rows it is about."""
    shard = unit.shard
    return {
        "shard": shard.name,
        "number": unit.number,
        "start": unit.start,
        "end": unit.end,
        "first": unit.first,
        "shard_size": shard.size,
        "modified": shard.modified,
    }


def _written(job: Job, piece: Piece) -> Done:
    """Do a unit and write its result file."""
    unit, reader = piece.unit, UnitReader(piece.unit, job.reading, job.form)
    earlier = _earlier(job, piece)
    kept = 0

    def write(file: IO[bytes]) -> Iterator[Fields]:
        nonlocal kept
        with closing(writer_of(job.form, file, job.function, unit.shard.name)) as writer:
            for chunk in _chunks(reader, _CHUNK):
                old = {row.number: one for row in chunk if (one := earlier.of(row))}
                kept += len(old)
                yield from _add(writer, chunk, old)

    record = replace(saved(job, unit, reader, write), kept=kept)
    return Done(unit, record, tuple(reader.faults), has_changed=piece.keep == "all")


def saved(
    job: Job, unit: Unit, reader: UnitReader, write: Callable[[IO[bytes]], Iterable[Fields]]
) -> UnitRecord:
    """Write the result file of a unit, and return its record.

    `write` reads all rows and writes their results, which it yields. Raises FileError.
    """
    directory = Path(job.directory)
    verdicts: Counter[str] = Counter()
    try:
        with _temporary(directory) as (temporary, file):
            verdicts.update(map(verdict_of, write(file)))
            name = _name(job, unit, reader.digest)
            size = _synced(file)
            sha256 = sha256_of(temporary)
            temporary.replace(directory / name)
        sync_directory(directory)
    except OSError as error:
        raise unwritable(job.directory, error) from error
    return UnitRecord(
        **_identity(unit),
        task=job.digest,
        file=name,
        bytes=size,
        sha256=sha256,
        input=reader.digest,
        rows=verdicts.total(),
        faulty=reader.faulty,
        verdicts=dict(verdicts),
    )


def _add(writer: Writer, rows: Sequence[Row], old: Mapping[int, Fields]) -> list[Fields]:
    """Write the results of rows, some of which are there by their numbers."""
    if not old:
        return writer.add(rows)
    made = iter(writer.results([row for row in rows if row.number not in old]))
    found = [old.get(row.number) or next(made) for row in rows]
    writer.write(found)
    return found


def _name(job: Job, unit: Unit, rows_digest: str) -> str:
    """The name of a result file: the same only for the same results."""
    parts = [job.digest, unit.shard.name, unit.start, unit.end, rows_digest]
    decides = digest(json.dumps(parts).encode("utf-8", "surrogatepass"))
    shard = unit.shard.name.replace("/", "-").partition(".")[0] or "rows"
    if len(data := os.fsencode(shard)) > _SHARD_BYTES:
        shard = data[:_SHARD_BYTES].decode("utf-8", "ignore")
    return f"{shard}-{unit.number:05}-{decides}.{job.form}"


def _chunks(found: Iterable[Row], size: int) -> Iterator[list[Row]]:
    left = iter(found)
    while chunk := list(islice(left, size)):
        yield chunk


@contextmanager
def _temporary(directory: Path) -> Generator[tuple[Path, IO[bytes]], None, None]:
    """Yield a new file, which is removed unless it is renamed."""
    path = directory / f"{_TEMPORARY}{os.getpid()}"
    try:
        with path.open("wb") as file:
            yield path, file
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _synced(file: IO[bytes]) -> int:
    file.flush()
    os.fsync(file.fileno())
    return file.tell()


class _Earlier:
    """Results of an earlier run by the digests of their rows, of which those of a unit stay."""

    def __init__(self, keep: Keep, found: Iterable[Fields]) -> None:
        self._keep = keep
        self._found = {one["reply_digest"]: one for one in found}

    def of(self, row: Row) -> Fields | None:
        """Return the result of a row, for its place, if it stays."""
        found = self._found.get(row.digest)
        if found is None or (self._keep == "valid" and not _is_certain(row, found)):
            return None
        return {**found, "line": row.number, "id": row.id}


def _is_certain(row: Row, found: Fields) -> bool:
    is_clean = bool(found["ok"]) and not found["repairs"]
    return is_clean and row.reply is not None and is_sole_answer(row.reply, found["value"])


def _earlier(job: Job, piece: Piece) -> _Earlier:
    """The results of a unit that stay. Of tables, none do: whole units stay, or nothing."""
    if piece.old is None or piece.keep == "none" or job.form != "jsonl":
        return _Earlier("none", ())
    try:
        return _Earlier(piece.keep, read_results(Path(job.directory, piece.old.file)))
    except FileError:  # it was removed: its rows are done again
        return _Earlier("none", ())
