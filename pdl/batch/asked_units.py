"""A unit whose rows are asked of a model: each answer is on the disk as soon as it is there.

What came of a row is a line of a file until the unit is complete. So a killed run loses the calls
that were in flight, and no row that has a result is asked again.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pdl.appending import AppendedFile, whole_lines
from pdl.batch.asker import Asker
from pdl.batch.asking import BOUNDS
from pdl.batch.manifest import SPENT, START_OVER
from pdl.batch.results import PLACE, batch_of, line_of, read_results
from pdl.batch.rows import digest
from pdl.batch.units import Done, UnitReader, saved
from pdl.errors import FileError, Problem, unwritable
from pdl.models.faults import TRANSIENT, UNREACHED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pdl.batch.asking import Asked
    from pdl.batch.results import Fields
    from pdl.batch.rows import Row
    from pdl.batch.splitting import Unit
    from pdl.batch.units import Job, Piece

ANSWERS = "_answers-"
"""How the names of files begin that have the results of a unit that is not complete."""

UNANSWERED = "batch/unanswered"
"""The code of the problem of a unit some of whose rows got no answer."""

_SYNC_AFTER = 1.0  # seconds of answers that a power cut can take; a kill takes none
_AGAIN = frozenset(one.replace("_", "-") for one in TRANSIENT | UNREACHED) | BOUNDS
"""Why a row has no reply, if it may get one when it is asked again."""


def ask_unit(job: Job, piece: Piece) -> Done:
    """Ask for each row of a unit that has no result yet, and write the result file.

    If rows are left without an answer that may come, there is no result file: a problem says so.
    Raises FileError.
    """
    unit, reader = piece.unit, UnitReader(piece.unit, job.reading, job.form)
    rows = list(reader)
    path = _answers(job.directory, unit.shard.name, unit.number)
    found = _earlier(job, piece, path)
    _check(job, unit, rows, found)
    left = [row for row in rows if row.number not in found]
    missed = _ask(job, unit, left, found, path) if left else {}
    if missed:
        return Done(unit, None, tuple(reader.faults), (_unanswered(unit, len(rows), missed),))

    def write(file: IO[bytes]) -> Iterator[Fields]:
        for row in rows:
            file.write(line_of(found[row.number]))
            yield found[row.number]

    record = replace(saved(job, unit, reader, write), spent=_spent(found.values()))
    is_earlier = bool(rows) and not left
    return Done(unit, record, tuple(reader.faults), is_earlier=is_earlier, leftover=str(path))


def _answers(directory: str, shard: str, number: int) -> Path:
    """The file of the results of a unit that is not complete."""
    name = digest(shard.encode("utf-8", "surrogatepass"))
    return Path(directory, f"{ANSWERS}{name}-{number:05}")


def _earlier(job: Job, piece: Piece, path: Path) -> dict[int, Fields]:
    """The results that are there, by the numbers of rows."""
    files = [path] if piece.old is None else [Path(job.directory, piece.old.file), path]
    found = {}
    for file in filter(Path.exists, files):  # one that was removed has no answers
        for one in read_results(file):
            found[one["line"]] = one
    return found


def _check(job: Job, unit: Unit, rows: Sequence[Row], found: Mapping[int, Fields]) -> None:
    """Raise FileError if results are not those of the rows: their answers were paid for."""
    digests = {row.number: row.digest for row in rows}
    for number, one in found.items():
        if digests.get(number) != one["row_digest"]:
            what = f"contains the result of another row for line {number:,} of {unit.shard.path}"
            raise FileError(Problem("file/results", f"{job.directory}: {what}", None, START_OVER))


def _ask(
    job: Job, unit: Unit, rows: Sequence[Row], found: dict[int, Fields], path: Path
) -> dict[int, Asked]:
    """Ask for rows, and add what came of them to what is found; return those without an answer."""
    asker = job.function
    assert isinstance(asker, Asker)
    missed: dict[int, Asked] = {}
    synced = time.monotonic()

    def done(at: int, asked: Asked) -> None:
        nonlocal synced
        row = rows[at]
        if asker.budget is not None:
            budget = asker.budget
            spent.append(line_of({"tokens": budget.tokens_spent, "cost": budget.cost_spent}))
        if asked.reply is None and asked.reason in _AGAIN:
            missed[row.number] = asked
            return
        place = dict(zip(PLACE, (unit.shard.name, row.number, row.id), strict=True))
        found[row.number] = {
            **place,
            **asked._asdict(),
            "fingerprint": asker.templates.fingerprint,
            "row_digest": row.digest,
        }
        file.append(line_of(found[row.number]))
        if time.monotonic() - synced > _SYNC_AFTER:
            file.sync()
            synced = time.monotonic()

    try:
        with _appended(path) as file, _appended(Path(job.directory, SPENT)) as spent:
            asker.each(batch_of(rows, unit.shard.name), done)
            file.sync()
    except OSError as error:
        raise unwritable(str(path), error) from error
    return missed


def _appended(path: Path) -> AppendedFile:
    """A file of lines, without one that a killed process did not finish. Raises OSError."""
    file = AppendedFile(path)
    with path.open("rb") as stream:
        stream.seek(max(path.stat().st_size - 1, 0))
        is_torn = stream.read() not in {b"", b"\n"}
    if is_torn:
        file.cut(sum(len(data) for _, data in whole_lines(path)))
    return file


def _unanswered(unit: Unit, total: int, missed: Mapping[int, Asked]) -> Problem:
    first = min(missed)
    told = missed[first].error or str(missed[first].reason)
    which = f"{len(missed):,} of {total:,} rows got no answer, the first on line {first:,}"
    message = f"{unit.shard.path}: {which}: {told}"
    return Problem(UNANSWERED, message, None, "run the same command again to ask for them")


def _spent(results: Iterable[Fields]) -> dict[str, float]:
    """The tokens and the cost of results."""
    spent = {"tokens": 0.0, "cost": 0.0}
    for one in results:
        spent["tokens"] += (one["input_tokens"] or 0) + (one["output_tokens"] or 0)
        spent["cost"] += one["cost"] or 0.0
    return spent


def spent_before(directory: str) -> tuple[int, float]:
    """Return the tokens and the cost of all calls of a run so far; 0 if there is none yet.

    Raises FileError for a file that can't be read, or has other lines.
    """
    path = Path(directory, SPENT)
    last = deque(read_results(path) if path.exists() else (), maxlen=1)
    return (int(last[0]["tokens"]), float(last[0]["cost"])) if last else (0, 0.0)
