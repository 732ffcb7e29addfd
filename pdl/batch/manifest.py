"""What a run into a directory is of, and what it has done: `_manifest.json` and `_journal`.

The journal gets a line for each unit when its result file is complete; the manifest is written when
the run begins and when it ends. Their names begin with an underscore, so that engines that read all
files of a directory do without them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from pdl.appending import AppendedFile, InUseError, whole_lines
from pdl.decoding import JsonError, strict_json
from pdl.errors import FileError, Problem, unreadable, unwritable
from pdl.replacing import replacing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pdl._types import Json
    from pdl.batch.splitting import Unit

MANIFEST = "_manifest.json"
JOURNAL = "_journal"
SPENT = "_spent"
"""The file that has what a run has spent, after each row that was asked."""
START_OVER = "name another --out, or delete this one to start over"
"""Advice for results that belong to something else."""

_FORMAT = "pdl batch"
_VERSION = 1
_NEW = "name a new directory for --out"


@dataclass(frozen=True)
class UnitRecord:
    """A unit that is done: which rows of which shard, what came of them, and its result file.

    `rows` counts the results, `verdicts` them by reason (`ok` for a valid one), `faulty` the rows
    that can't be used; `kept` the results that are those of an earlier run. `input` is a digest of
    the rows, `sha256` that of the result file. `task` identifies what was done to them. `cost` and
    tokens are of rows that were asked.
    """

    shard: str
    number: int
    start: int
    end: int
    first: int
    shard_size: int
    modified: int
    task: str
    file: str
    bytes: int = 0
    sha256: str = ""
    input: str = ""
    rows: int = 0
    faulty: int = 0
    kept: int = 0
    verdicts: dict[str, int] = field(default_factory=dict)
    spent: dict[str, float] = field(default_factory=dict)

    def is_of(self, unit: Unit) -> bool:
        """Whether the unit has the same rows, as far as its size and time of change tell."""
        shard = unit.shard
        return (self.start, self.end, self.first) == (unit.start, unit.end, unit.first) and (
            self.shard_size,
            self.modified,
        ) == (shard.size, shard.modified)


@dataclass(frozen=True)
class Manifest:
    """What a run is of.

    `tasks` are what was done to rows, by their digests: the last one is `task`, others are those of
    earlier runs. `source` is the input, `unit_bytes` how it is split, `reading` what is read of
    each row, `results` the format of the results.
    """

    command: str
    source: str
    unit_bytes: int
    results: str
    reading: list[Json]
    task: str
    tasks: dict[str, Json]
    started: str
    ended: str = ""
    pdl: str = ""


def write_manifest(directory: Path, manifest: Manifest, done: Mapping[Any, UnitRecord]) -> None:
    """Write the manifest of a run with what is done, in one step. Raises FileError."""
    shards: dict[str, dict[str, Json]] = {}
    verdicts: Counter[str] = Counter()
    for _, one in sorted(done.items()):
        shard = shards.setdefault(
            one.shard,
            {"size": one.shard_size, "rows": 0, "faulty": 0, "verdicts": Counter(), "results": []},
        )
        shard["rows"] += one.rows
        shard["faulty"] += one.faulty
        shard["verdicts"].update(one.verdicts)
        verdicts.update(one.verdicts)
        names = ("file", "first", "rows", "faulty", "kept", "task", "input", "sha256", "bytes")
        shard["results"].append({name: getattr(one, name) for name in names})
    found = {"format": _FORMAT, "version": _VERSION, **asdict(manifest)}
    found |= {"rows": sum(verdicts.values()), "verdicts": verdicts, "shards": shards}
    text = json.dumps(found, indent=1, ensure_ascii=False)
    try:
        with replacing(directory / MANIFEST) as file:
            file.write(text.encode("utf-8", "surrogatepass") + b"\n")
    except OSError as error:
        raise unwritable(str(directory / MANIFEST), error) from error


def read_manifest(directory: Path) -> Manifest:
    """Return the manifest of a run. Raises FileError if the directory has none."""
    path = directory / MANIFEST
    try:
        text = path.read_bytes().decode("utf-8", "surrogatepass")
    except FileNotFoundError as error:
        message = f"{directory} is not a run of --batch: it has no {MANIFEST}"
        raise FileError(Problem("file/run", message, None, _NEW)) from error
    except (OSError, UnicodeDecodeError) as error:
        _refuse(path, getattr(error, "strerror", None) or "it is not UTF-8", error)
    try:
        value = strict_json(text)
        if value.get("format") != _FORMAT:
            _refuse(path, "it is not the manifest of a run")
        if value["version"] != _VERSION:
            _refuse(path, f"it has version {value['version']}, and {_VERSION} is known")
        return Manifest(**{name: value[name] for name in Manifest.__dataclass_fields__})
    except JsonError as error:
        _refuse(path, f"it {error}", error)
    except (AttributeError, KeyError, TypeError) as error:
        _refuse(path, "it is damaged", error)


def _refuse(path: Path, why: str, error: Exception | None = None) -> NoReturn:
    hint = "name another directory, or restore the file"
    raise FileError(Problem("file/run", f"{path} can't be used: {why}", None, hint)) from error


class Journal:
    """What a directory of results has, which this process writes, and no other.

    `done` are the units by shard and number, `manifest` is that of the earlier run, if there was
    one. Raises FileError if the directory can't be written, has other files, or is in use.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._path = directory / JOURNAL
        if directory.exists() and not directory.is_dir():
            message = f"{directory} is not a directory"
            raise FileError(Problem("file/run", message, None, _NEW))
        try:
            directory.mkdir(parents=True, exist_ok=True)
            is_known = (directory / MANIFEST).exists()
            if not is_known and any(one.name[0] not in "._" for one in directory.iterdir()):
                message = f"{directory} is not a run of --batch, and not empty"
                raise FileError(Problem("file/run", message, None, _NEW))
            self._file = AppendedFile(self._path)
        except OSError as error:
            raise unwritable(str(directory), error) from error
        except InUseError as error:
            hint = "wait until it ends, or name another --out"
            message = f"another run is writing {directory}"
            raise FileError(Problem("file/in-use", message, None, hint)) from error
        try:
            self.manifest = read_manifest(directory) if is_known else None
            self.done, size = read_journal(directory)
            self._file.cut(size)
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the journal, so that another run can write it."""
        self._file.close()

    def add(self, record: UnitRecord) -> None:
        """Write that a unit is done. Raises FileError."""
        text = json.dumps(asdict(record), separators=(",", ":"))
        try:
            self._file.append(text.encode("utf-8", "surrogatepass") + b"\n")
            self._file.sync()
        except OSError as error:
            raise unwritable(str(self._path), error) from error
        self.done[record.shard, record.number] = record


def read_journal(directory: Path) -> tuple[dict[tuple[str, int], UnitRecord], int]:
    """Return the units that are done, and how many bytes are whole lines.

    Raises FileError for a line that is not one of a journal.
    """
    path, done, size = directory / JOURNAL, {}, 0
    try:
        for number, data in whole_lines(path):
            size += len(data)
            one = _record(path, number, data)
            done[one.shard, one.number] = one
    except FileNotFoundError:
        return {}, 0
    except OSError as error:
        raise unreadable(str(path), error) from error
    return done, size


def _record(path: Path, number: int, data: bytes) -> UnitRecord:
    try:
        return UnitRecord(**json.loads(data.decode("utf-8", "surrogatepass")))
    except (ValueError, TypeError) as error:
        message = f"{path}: line {number:,} is not one that --batch wrote"
        hint = "remove it: the rows that it was about are done again"
        raise FileError(Problem("file/run", message, None, hint)) from error


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file. Raises OSError."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
