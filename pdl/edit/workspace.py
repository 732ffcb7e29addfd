"""The prompt files of some folders: texts that are open in an editor, and the others from disk."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pdl.edit.document import Document
from pdl.errors import FileError
from pdl.limits import DEFAULT_LIMITS
from pdl.prompt.files import read_prompt

if TYPE_CHECKING:
    from collections.abc import Iterator

_SKIPPED = frozenset({"node_modules", "__pycache__"})
_MOST = 10_000  # files that a workspace lists
SUFFIX = ".pdl"


@dataclass
class Workspace:
    """Documents by their paths: those that are open in an editor, and others from disk."""

    roots: tuple[Path, ...] = ()
    _open: dict[Path, Document] = field(default_factory=dict)
    _read: dict[Path, tuple[int, int, Document]] = field(default_factory=dict)

    def open(self, path: Path, raw: str) -> Document:
        """Keep the text of a file as an editor has it, and return its document."""
        document = self._open[path] = Document(raw, path)
        return document

    def close(self, path: Path) -> None:
        """Forget the text of a file that an editor has closed."""
        self._open.pop(path, None)

    def document(self, path: Path) -> Document | None:
        """Return the document of a file: the open one, or that of the disk; None if unreadable."""
        if path in self._open:
            return self._open[path]
        try:
            stat = path.stat()
            known = self._read.get(path)
            if known is None or known[:2] != (stat.st_mtime_ns, stat.st_size):
                text = read_prompt(path, str(path), DEFAULT_LIMITS)
                known = (stat.st_mtime_ns, stat.st_size, Document(text, path))
                self._read[path] = known
        except (OSError, FileError):
            return None
        return known[2]

    def documents(self) -> Iterator[Document]:
        """Yield all prompts below the folders, and the open ones elsewhere."""
        for path in dict.fromkeys([*self._open, *self._files()]):
            document = self.document(path)
            if document is not None:
                yield document

    def _files(self) -> Iterator[Path]:
        """The prompt files below the folders, without hidden folders and links."""
        left = _MOST
        for root in self.roots:
            for folder, folders, names in os.walk(root):
                folders[:] = sorted(
                    name for name in folders if name[0] != "." and name not in _SKIPPED
                )
                for name in sorted(names):
                    if name.endswith(SUFFIX) and left:
                        left -= 1
                        yield Path(folder, name)
