"""The one reader of directories, files, and standard input, as bytes, text, and YAML."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, BinaryIO

import click

from pdl._types import CASES_SUFFIX
from pdl.decoding import decoded
from pdl.errors import FileError, LimitError, Problem, unreadable, visible
from pdl.limits import DEFAULT_LIMITS
from pdl.replacing import leads_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl.source import Source

STDIN = "-"
_BYTES_PER_CHARACTER = 4
_BUILT = ("*.egg", "CVS", "_darcs", "build", "dist", "node_modules", "venv", "{arch}")
"""Directories that pytest skips by default: `norecursedirs`."""


def refuse_two_stdins(*names: str | None) -> None:
    """Raise UsageError if more than one of the files is standard input."""
    if names.count(STDIN) > 1:
        raise click.UsageError("only one file can be `-` (standard input)")


def file_or_stdin(file: str | None, what: str = "a grammar") -> str:
    """Return the file, or `-` without one. Raises UsageError if standard input is a terminal."""
    if file is None and is_terminal():
        raise click.UsageError(f"expected a FILE, or {what} on standard input")
    return STDIN if file is None else file


def is_terminal() -> bool:
    """Whether standard input is a terminal; it is None if the shell closed it (`<&-`)."""
    return sys.stdin is not None and sys.stdin.isatty()


def display_name(name: str) -> str:
    """Return what messages call a file."""
    return "<stdin>" if name == STDIN else name


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Open a file, or standard input for `-`. Raises FileError."""
    if name == STDIN:
        stream: BinaryIO | None = getattr(sys.stdin, "buffer", None)
        if stream is None:  # the shell closed it: `<&-`
            raise FileError(Problem("file/unreadable", "<stdin>: cannot be read: it is closed"))
        yield stream
        return
    try:
        file = Path(name).open("rb")  # noqa: SIM115  (errors of opening differ from the reader's)
    except OSError as error:
        raise unreadable(name, error) from error
    with file:
        yield file


def files_below(
    paths: Sequence[str], suffix: str, exclude: Sequence[str] = (), *, cases: bool = False
) -> list[str]:
    """Return the files of the paths, each once; of directories those that end in `suffix`.

    Among those that end in `.pdl` are files of cases only with `cases`.

    Skips hidden files and directories, and files that match one of the globs `exclude` or are in a
    directory that does. Raises FileError that names all paths without files, and for globs that
    leave none of a directory; of files that are named, as by a hook, they may leave none.
    """
    problems = [
        problem for path in paths if (problem := _missing(path, suffix, cases=cases)) is not None
    ]
    if problems:
        raise FileError(*problems)
    skipped: list[str] = []
    files = dict.fromkeys(
        file for path in paths for file in walk_files(path, suffix, skipped, cases=cases)
    )
    note_skipped(skipped)
    kept = [file for file in files if not matches(file, exclude)]
    if not kept and any(Path(path).is_dir() for path in paths):
        raise FileError(Problem("file/none", f"{', '.join(exclude)}: this excludes all files"))
    return kept


def matches(file: str, globs: Sequence[str]) -> bool:
    """Return whether the path, or a directory that it is in, ends as one of the globs."""
    path = PurePath(file)
    return any(one.match(glob) for glob in globs for one in (path, *path.parents))


def _missing(path: str, suffix: str, *, cases: bool) -> Problem | None:
    if not Path(path).exists():
        return Problem("file/unreadable", f"{path}: there is no such file or directory")
    if next(walk_files(path, suffix, cases=cases), None) is None:
        return Problem("file/none", f"{path}: this directory contains no {suffix} file")
    return None


def walk_files(
    path: str, suffix: str, skipped: list[str] | None = None, *, cases: bool = False
) -> Iterator[str]:
    """Yield a file, or the files of a directory that end in `suffix`; `cases` as in `files_below`.

    Skips hidden directories, and hidden files: editors and systems keep their own data in these.
    Links that lead out of the directory, and of the repository that it is in, are added to
    `skipped` instead: who wrote the directory may be somebody else than who can read what they lead
    to. Raises FileError for a directory that cannot be read.
    """
    if not Path(path).is_dir():
        yield str(Path(path))
        return
    for directory, inner, names in os.walk(path, onerror=_raise_unreadable):
        inner[:] = entered(directory, inner, suffix)
        kept = sorted(
            name
            for name in names
            if name[0] != "." and (name.endswith(suffix) if cases else ends_in(name, suffix))
        )
        for file in (Path(directory, name) for name in kept):
            if leads_out(file, Path(path)):
                if skipped is not None:
                    skipped.append(str(file))
            elif not file.is_fifo():  # it might never end
                yield str(file)


def entered(directory: str, inner: Iterable[str], suffix: str) -> list[str]:
    """Return which directories inside of one are searched: none that is hidden.

    For cases, none either that pytest skips, too: those of builds, packages, environments.
    """
    found = sorted(name for name in inner if not name.startswith("."))
    return [name for name in found if suffix != CASES_SUFFIX or not _is_built(directory, name)]


def _is_built(directory: str, name: str) -> bool:
    is_named = any(fnmatchcase(name, one) for one in _BUILT)
    return is_named or Path(directory, name, "pyvenv.cfg").is_file()


def ends_in(name: str, suffix: str) -> bool:
    """Return whether a file name ends in a suffix; `a.tests.pdl` does not end in `.pdl`."""
    return name.endswith(suffix) and name.endswith(CASES_SUFFIX) == suffix.endswith(CASES_SUFFIX)


def note_skipped(links: Iterable[str]) -> None:
    """Say which links were not read."""
    for link in links:
        reason = "is a link that points outside its directory and repository, and is not read"
        click.echo(f"note: {visible(link)}: {reason}", err=True)


def _raise_unreadable(error: OSError) -> None:
    # If the directory were skipped silently, its files would pass.
    raise unreadable(str(error.filename), error)


def read_bytes(name: str) -> bytes:
    """Return the bytes of a file, or of standard input for `-`.

    Raises FileError if it cannot be read, LimitError if it is too long.
    """
    limit = DEFAULT_LIMITS.source_chars
    shown = display_name(name)
    with opened(name) as stream:
        try:
            data = stream.read(limit * _BYTES_PER_CHARACTER + 1)
        except OSError as error:
            raise unreadable(shown, error) from error
    if len(data) > limit * _BYTES_PER_CHARACTER:
        message = f"{shown}: is longer than {limit:,} characters"
        raise LimitError(Problem("limit/source", message))
    return data


def read_text(name: str, *, keep_mark: bool = False) -> Source:
    """Return the text of a UTF-8 file, or of standard input for `-`.

    A byte order mark is removed, unless `keep_mark` is set. Raises what `read_bytes` raises.
    """
    return decoded(read_bytes(name), display_name(name), keep_mark=keep_mark)
