"""The one way to a file: below the prompt's folder, and never out of it."""

from __future__ import annotations

import errno
import os
import stat
from importlib.util import find_spec
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


_FILE = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_FOLDER = (
    getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
)


class JailError(Exception):
    """A path may not be read; the message says why."""


class Folder(NamedTuple):
    """A folder that prompts may read files of: of the file system, or of an importable package."""

    root: Path | Traversable

    def read(self, relative: str, limit: int) -> bytes:
        """The bytes of a file below the folder, at most `limit` of them.

        Raises JailError if the path leads out of the folder or to no file, or if it is too large.
        """
        parts = _checked_parts(relative)
        with self._open(relative, parts) as file:
            data: bytes = file.read(limit + 1)
        if len(data) > limit:
            raise JailError(f"`{shown(relative)}` is larger than {limit:,} bytes")
        return data

    def locate(self, relative: str) -> Path:
        """The path of a file below the folder, for a library that opens it itself.

        Raises JailError as `read` does, and for a folder that is not of the file system.
        """
        if not isinstance(self.root, Path):
            raise JailError(f"`{shown(relative)}` is in {self.root}, which is not a folder on disk")
        parts = _checked_parts(relative)
        self._open(relative, parts).close()
        return self.root.joinpath(*parts)

    def _open(self, relative: str, parts: tuple[str, ...]) -> BinaryIO:
        if isinstance(self.root, Path):
            return self._open_path(relative, parts)
        found = self.root.joinpath(*parts)
        if not found.is_file():
            raise self._no_file(relative, is_folder=found.is_dir())
        return cast("BinaryIO", found.open("rb"))

    def _open_path(self, relative: str, parts: tuple[str, ...]) -> BinaryIO:
        """Open what the path leads to. A link that is swapped meanwhile leads nowhere.

        Links are followed by looking only; what is opened then is opened step by step, none of
        them a link.
        """
        assert isinstance(self.root, Path)
        try:
            root = self.root.resolve()
            found = root.joinpath(*parts).resolve()
        except (OSError, RuntimeError) as error:
            raise JailError(f"`{shown(relative)}` cannot be followed: {error}") from error
        if not found.is_relative_to(root):
            raise JailError(f"`{shown(relative)}` is a link that leads out of {self.root}")
        if not found.is_file():
            raise self._no_file(relative, is_folder=found.is_dir())
        try:
            return open_regular(root, found.relative_to(root).parts)
        except PermissionError as error:
            raise JailError(f"`{shown(relative)}` cannot be read: permission denied") from error
        except OSError as error:  # it was there a moment ago
            raise self._no_file(relative, is_folder=False) from error

    def _no_file(self, relative: str, *, is_folder: bool) -> JailError:
        problem = "is no file" if is_folder else "was not found"
        plain = "\\" not in relative and relative.isprintable()
        advice = "" if plain else "; write `/` between folders, not a backslash"
        where = "the current folder" if str(self.root) == "." else self.root
        return JailError(f"`{shown(relative)}` {problem} in {where}{advice}")


class NotRegularError(OSError):
    """What was to be read is a device, a pipe, a folder, or a link where none may be."""


def open_regular(root: Path, steps: tuple[str, ...] = ()) -> BinaryIO:
    """Open a regular file: at `root`, or by steps below that folder, none of which may be a link.

    Nothing else is ever opened for reading: a pipe or a device may never end. Raises OSError.
    """
    if not steps:
        return _checked_file(os.fspath(root), None)
    if os.open not in os.supports_dir_fd:  # Windows, where making a link is a privilege
        return _checked_file(os.fspath(root.joinpath(*steps)), None)
    at = os.open(root, _FOLDER)
    try:
        for step in steps[:-1]:
            below = os.open(step, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
        return _checked_file(steps[-1], at)
    finally:
        os.close(at)


def _checked_file(path: str, folder: int | None) -> BinaryIO:
    """Open a path if it is a regular file, and make sure that this is what was opened."""
    if not stat.S_ISREG(os.stat(path, dir_fd=folder, follow_symlinks=folder is None).st_mode):
        raise NotRegularError(errno.EINVAL, "is not a regular file", path)
    flags = _FILE if folder is None else _FILE | os.O_NOFOLLOW
    file = os.open(path, flags, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise NotRegularError(errno.EINVAL, "is not a regular file", path)
    return cast("BinaryIO", os.fdopen(file, "rb"))


def shown(relative: str) -> str:
    """A path as errors show it: characters that do not print are escaped."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in relative
    )


def _checked_parts(relative: str) -> tuple[str, ...]:
    windows = PureWindowsPath(relative)
    if not relative.strip() or "\0" in relative:
        raise JailError("the path is empty" if not relative.strip() else "the path has a NUL")
    if PurePosixPath(relative).is_absolute() or windows.drive or windows.root:
        raise JailError(
            f"`{shown(relative)}` is an absolute path; paths start at the prompt's folder"
        )
    parts = relative.split("/")
    if ".." in parts or ".." in windows.parts:
        raise JailError(f"`{shown(relative)}` leads upwards; paths stay below the prompt's folder")
    return tuple(part for part in parts if part not in ("", "."))


def package_folder(dotted: str) -> Folder:
    """The folder of an importable package, found without importing it.

    Raises JailError if there is no such package.
    """
    top, *rest = dotted.split(".")
    if not all(part.isidentifier() for part in (top, *rest)):
        raise JailError(f"`{dotted}` is no package name")
    spec = find_spec(top)
    if spec is None or not spec.submodule_search_locations:
        raise JailError(f"no package `{top}` is installed")
    return Folder(Path(next(iter(spec.submodule_search_locations)), *rest))
