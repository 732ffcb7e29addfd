"""Files that are named one by one, or by the folders that hold them."""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from pdl.cli.texts import unreadable
from pdl.errors import FileError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def files_below(paths: Sequence[str], suffix: str, exclude: Sequence[str] = ()) -> list[str]:
    """The files that the paths mean, each once; of folders those that end in `suffix`.

    Hidden folders are passed over, and what has a path, or is in a folder that has one, whose end
    matches one of the globs `exclude`. Raises FileError that names all paths which lead to no file,
    and for globs that leave no file.
    """
    problems = [problem for path in paths if (problem := _missing(path, suffix)) is not None]
    if problems:
        raise FileError(*problems)
    files = dict.fromkeys(file for path in paths for file in _files(path, suffix))
    left = [file for file in files if not _matches(file, exclude)]
    if not left:
        raise FileError(Problem("file/none", f"{', '.join(exclude)}: this excludes all files"))
    return left


def _matches(file: str, globs: Sequence[str]) -> bool:
    path = PurePath(file)
    return any(one.match(glob) for glob in globs for one in (path, *path.parents))


def _missing(path: str, suffix: str) -> Problem | None:
    if not Path(path).exists():
        return Problem("file/unreadable", f"{path}: there is no such file or folder")
    if next(_files(path, suffix), None) is None:
        return Problem("file/none", f"{path}: there is no {suffix} file in this folder")
    return None


def _files(path: str, suffix: str) -> Iterator[str]:
    if not Path(path).is_dir():
        yield str(Path(path))
        return
    for folder, inner, names in os.walk(path, onerror=_raise_unreadable):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        files = (Path(folder, name) for name in sorted(names) if name.endswith(suffix))
        yield from (str(file) for file in files if not file.is_fifo())  # it might never end


def _raise_unreadable(error: OSError) -> None:
    # Skipped in silence, a folder's files would pass.
    raise unreadable(str(error.filename), error)
