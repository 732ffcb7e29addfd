"""Where the rows of a batch come from: a file, or the shards of a directory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl.errors import FileError, Problem, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable

Format: TypeAlias = Literal["jsonl", "csv", "parquet"]

_SUFFIXES: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
}
_LEAST, _MOST = 1 << 16, 1 << 26  # bytes of a unit
_UNITS = 256  # of a whole input, roughly


@dataclass(frozen=True)
class Shard:
    """A file of rows: its path, its name in results, its size, and when it was written."""

    path: str
    name: str
    format: Format
    size: int
    modified: int
    is_compressed: bool = False

    def is_as_found(self) -> bool:
        """Whether the file still has that size and that time. False if it is gone."""
        try:
            status = Path(self.path).stat()
        except OSError:
            return False
        return (status.st_size, status.st_mtime_ns) == (self.size, self.modified)


def format_of(path: str) -> tuple[Format | None, bool]:
    """Return the format that a file's name tells, and whether it is compressed."""
    suffixes = [one.lower() for one in Path(path).suffixes[-2:]]
    is_compressed = suffixes[-1:] == [".gz"]
    suffix = suffixes[-2:-1] if is_compressed else suffixes[-1:]
    known = _SUFFIXES.get("".join(suffix))
    return (None if known == "parquet" and is_compressed else known), is_compressed


def find_shards(path: str) -> list[Shard]:
    """Return the file, or the shards of the directory and those below it, in the order of names.

    A file of another suffix has JSON Lines. Skips hidden files and directories, and those that
    begin with an underscore, as engines do. A directory that is there twice, by a symbolic link, is
    read once. Raises FileError for a path that can't be read, and for a directory without a shard.
    """
    if not Path(path).is_dir():
        return [_shard(path, Path(path).name)]
    names = [name for name in _names(path) if format_of(name)[0] is not None]
    if not names:
        known = ", ".join(_SUFFIXES)
        message = f"{path}: this directory contains no shard: no file of {known}, or one with .gz"
        raise FileError(Problem("file/none", message))
    return [_shard(os.path.join(path, name), name) for name in names]  # noqa: PTH118 - as it was given


def left_out(path: str) -> list[str]:
    """Return the names of the files of a directory that are not shards, by their suffixes."""
    if not Path(path).is_dir():
        return []
    return [name for name in _names(path) if format_of(name)[0] is None]


def _names(path: str) -> list[str]:
    """The files of a directory and those below it, except for hidden ones."""

    def refuse(error: OSError) -> None:
        raise unreadable(str(error.filename), error)

    seen: set[str] = set()
    found = []
    for directory, inner, names in os.walk(path, onerror=refuse, followlinks=True):
        if (real := os.path.realpath(directory)) in seen:
            inner.clear()
            continue
        seen.add(real)
        inner[:] = sorted(name for name in inner if name[0] not in "._")
        below = Path(directory).relative_to(path)
        found += [(below / name).as_posix() for name in names if name[0] not in "._"]
    return sorted(found)


def _shard(path: str, name: str) -> Shard:
    known, is_compressed = format_of(name)
    try:
        status = Path(path).stat()
    except OSError as error:
        raise unreadable(path, error) from error
    return Shard(path, name, known or "jsonl", status.st_size, status.st_mtime_ns, is_compressed)


def unit_bytes(shards: Iterable[Shard]) -> int:
    """Return into units of how many bytes shards are split: 64 KB to 64 MB."""
    return min(max(sum(one.size for one in shards) // _UNITS, _LEAST), _MOST)
