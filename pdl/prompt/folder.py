"""The one way to a file: below the prompt's folder, and never out of it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


class JailError(Exception):
    """A path may not be read; the message says why."""


class Folder(NamedTuple):
    """A folder that prompts may read files of: of the file system, or of an importable package."""

    root: Path | Traversable

    def read(self, relative: str, limit: int) -> bytes:
        """The bytes of a file below the folder, at most `limit` of them.

        Raises JailError if the path leads out of the folder or to no file, or if it is too large.
        """
        found = self._find(relative)
        if not found.is_file():
            problem = "is no file" if found.is_dir() else "was not found"
            raise JailError(f"`{relative}` {problem} in {self.root}")
        with found.open("rb") as file:
            data: bytes = file.read(limit + 1)
        if len(data) > limit:
            raise JailError(f"`{relative}` is larger than {limit:,} bytes")
        return data

    def exists(self, relative: str) -> bool:
        """Whether a file of that path may be read."""
        try:
            return self._find(relative).is_file()
        except JailError:
            return False

    def _find(self, relative: str) -> Path | Traversable:
        parts = _checked_parts(relative)
        found = self.root.joinpath(*parts)
        if isinstance(found, Path) and isinstance(self.root, Path):
            try:
                inside = found.resolve().is_relative_to(self.root.resolve())
            except (OSError, RuntimeError) as error:
                raise JailError(f"`{relative}` cannot be followed: {error}") from error
            if not inside:
                raise JailError(f"`{relative}` is a link that leads out of {self.root}")
        return found


def _checked_parts(relative: str) -> tuple[str, ...]:
    windows = PureWindowsPath(relative)
    if not relative.strip() or "\0" in relative:
        raise JailError("the path is empty" if not relative.strip() else "the path has a NUL")
    if PurePosixPath(relative).is_absolute() or windows.drive or windows.root:
        raise JailError(f"`{relative}` is an absolute path; paths start at the prompt's folder")
    parts = relative.split("/")
    if ".." in parts or ".." in windows.parts:
        raise JailError(f"`{relative}` leads upwards; paths stay below the prompt's folder")
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
