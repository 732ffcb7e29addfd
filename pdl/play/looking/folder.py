"""The files that a prompt in the page can name: no error says where on the machine they are."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from pdl.prompt.files import Folder, JailError, OversizeError, shown

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
    from typing import Self

    _Seen = dict[tuple[str, str], tuple["PageFolder", int, str]]


class PageFolder(Folder):
    """A folder that notes what was read of it, to find out whether that is the same later."""

    _seen: _Seen

    @classmethod
    def of(cls, root: Path | Traversable, seen: _Seen | None = None) -> Self:
        """Return the folder; `seen` is what others share with it."""
        made = cls(root)
        made._seen = {} if seen is None else seen
        return made

    def other(self, root: Path | Traversable) -> PageFolder:
        """Return another folder, such as that of a package."""
        return PageFolder.of(root, self._seen)

    def read(self, relative: str, limit: int) -> bytes:
        """Return the bytes of a file. Raises JailError."""
        data, error = self._read(relative, limit)
        self._seen.setdefault((str(self.root), relative), (self, limit, _digest(data, error)))
        if error is not None:
            raise error
        return data

    def _read(self, relative: str, limit: int) -> tuple[bytes, JailError | None]:
        try:
            return super().read(relative, limit), None
        except JailError as error:
            return b"", error
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its name is not one of a file"
            return b"", JailError(f"`{shown(relative)}` cannot be read: {reason.lower()}")

    def name_of(self, relative: str) -> str:
        """Return the name as the prompt has it."""
        return relative

    @property
    def place(self) -> str:
        """What errors call the folder."""
        return "the folder of the prompt"

    def is_current(self) -> bool:
        """Return whether all files that were read have the same content now."""
        return all(
            _digest(*folder._read(relative, limit)) == digest  # noqa: SLF001 - of this class
            for (_, relative), (folder, limit, digest) in [*self._seen.items()]
        )


class NoFolder(PageFolder):
    """Refuses all files: the page was not given a folder."""

    def other(self, root: Path | Traversable) -> PageFolder:
        """Return the same: packages aren't read either."""
        del root
        return self

    def _read(self, relative: str, limit: int) -> tuple[bytes, JailError | None]:
        del limit
        return b"", JailError(f"`{shown(relative)}` is not read: this page has no folder of files")


def _digest(data: bytes, error: JailError | None) -> str:
    """What distinguishes contents, and reasons why there is none."""
    if error is not None:
        return "too large" if isinstance(error, OversizeError) else str(error)
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def folder_at(base: object) -> PageFolder:
    """Return the folder at a path; one that has no files for None."""
    return NoFolder.of(Path()) if base is None else PageFolder.of(Path(str(base)))
