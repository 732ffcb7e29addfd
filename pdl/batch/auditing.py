"""Whether a directory of results is whole, and its results with the rows that they are of."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pdl.batch.manifest import JOURNAL, MANIFEST, SPENT, read_journal, read_manifest, sha256_of
from pdl.batch.results import read_results
from pdl.batch.rows import Reading
from pdl.batch.shards import find_shards
from pdl.batch.splitting import Unit, split
from pdl.batch.units import UnitReader
from pdl.errors import FileError, PdlError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.batch.manifest import Manifest, UnitRecord
    from pdl.batch.results import Fields
    from pdl.batch.rows import Row


def audit(directory: str | Path) -> list[str]:
    """Return what is wrong with the results in a directory; nothing if each row has its result.

    Reads the results, and the input again: each file must have the digest that was written down,
    and each unit the rows that its results are of. Raises FileError if the directory is not a run.
    """
    path = Path(directory)
    manifest = read_manifest(path)
    done, _ = read_journal(path)
    found = [] if manifest.ended else ["the run has not ended"]
    found += chain.from_iterable(_wrong_file(path, one) for one in done.values())
    found += _wrong_rows(manifest, done)
    known = {one.file for one in done.values()} | {MANIFEST, JOURNAL, SPENT}
    others = sorted(one.name for one in path.iterdir() if one.name not in known)
    return [*found, *(f"{name}: is not a result of this run" for name in others)]


def _wrong_file(directory: Path, record: UnitRecord) -> Iterator[str]:
    try:
        if sha256_of(directory / record.file) != record.sha256:
            yield f"{record.file}: has changed since it was written"
    except OSError as error:
        yield f"{record.file}: cannot be read: {(error.strerror or str(error)).lower()}"


def _wrong_rows(manifest: Manifest, done: dict[tuple[str, int], UnitRecord]) -> Iterator[str]:
    left = dict(done)
    reading = Reading(*manifest.reading)
    try:
        for unit in _units(manifest):
            record = left.pop((unit.shard.name, unit.number), None)
            place = f"{unit.shard.path}: from {unit.first:,}"
            if record is None:
                yield f"{place}: has no results"
                continue
            reader = UnitReader(unit, reading, manifest.results)
            for _ in reader:
                pass
            if reader.digest != record.input:
                yield f"{place}: has changed since its results were written"
            if record.task != manifest.task:
                yield f"{place}: its results are of an earlier task"
    except PdlError as error:
        yield error.problem.message
    for shard, number in left:
        yield f"{shard}: its unit {number} has results, but is not there"


def _units(manifest: Manifest) -> Iterator[Unit]:
    for shard in find_shards(manifest.source):
        yield from split(shard, manifest.unit_bytes)


def joined(directory: str | Path) -> Iterator[tuple[Row, Fields]]:
    """Yield each row of the input with its result, in the order of the input.

    Rows that can't be used have none. Results must be JSON Lines; engines join tables by `file` and
    `line`. Raises FileError if the directory is not a run, or what it has does not belong to the
    input as it is.
    """
    path = Path(directory)
    manifest = read_manifest(path)
    if manifest.results != "jsonl":
        message = f"{path}: its results are {manifest.results}, which are joined by file and line"
        raise FileError(Problem("file/results", message))
    done, _ = read_journal(path)
    for unit in _units(manifest):
        record = done.get((unit.shard.name, unit.number))
        if record is not None:
            yield from _joined(path, unit, record, Reading(*manifest.reading))


def _joined(
    directory: Path, unit: Unit, record: UnitRecord, reading: Reading
) -> Iterator[tuple[Row, Fields]]:
    results = read_results(directory / record.file)
    for row in UnitReader(unit, reading, "jsonl"):
        found = next(results, None)
        if found is None or (found["file"], found["line"]) != (unit.shard.name, row.number):
            message = f"{record.file}: has no result of line {row.number:,} of {unit.shard.path}"
            raise FileError(Problem("file/results", message, None, "see what `audit` tells"))
        yield row, found
