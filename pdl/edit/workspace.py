"""The prompt files of some folders, open in an editor or from disk, and which names which.

A prompt names files below its own folder, and so do the files that it includes: their names are
relative to the folder of the prompt, not to their own. Where a program gives a wider `media_root`,
that is a folder around the prompt; here it is the nearest one that has the file.
"""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pdl.edit.document import Document
from pdl.edit.template.bindings import outline
from pdl.edit.template.tags import named_files
from pdl.errors import FileError
from pdl.limits import DEFAULT_LIMITS
from pdl.prompt.files import JailError, checked_parts, read_prompt
from pdl.prompt.includes import names_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.edit.template.tags import Statement, Word

_SKIPPED = frozenset({"node_modules", "__pycache__"})
_MOST = 10_000  # files that a workspace lists
_OFFERED = 2_000  # entries of a folder that are offered
_DEEPEST = 4
SUFFIX = ".pdl"


class Include(NamedTuple):
    """A tag of one file that includes, imports or extends another."""

    includer: Path
    name: Word
    target: Path


@dataclass(frozen=True)
class Graph:
    """Which files name which; paths are those of `Workspace.canonical`."""

    targets: dict[Path, list[Include]] = field(default_factory=dict)
    """The files that a file names."""
    includers: dict[Path, list[Include]] = field(default_factory=dict)
    """The tags that name a file."""
    bases: dict[Path, list[Path]] = field(default_factory=dict)
    """The folders that the names in a file can be relative to."""
    begun: set[str] = field(default_factory=set)
    """How the paths begin whose rest a tag computes."""


@dataclass
class Workspace:
    """Documents by their paths: those that are open in an editor, and others from disk.

    The folders are searched again after `patience` seconds, or once `refresh` was called.
    """

    roots: tuple[Path, ...] = ()
    patience: float = 0.0
    refreshed: int = 0
    """Counts the calls of `refresh`."""
    _open: dict[Path, Document] = field(default_factory=dict)
    _read: dict[Path, tuple[int, int, Document]] = field(default_factory=dict)
    _graph: Graph = field(default_factory=Graph)
    _seen: dict[Path, Document | None] = field(default_factory=dict)
    """What the graph was made from."""
    _start: tuple[Path, ...] = ()
    _listed: tuple[Path, ...] = ()
    _listed_until: float = 0.0
    _checked: float = -1.0  # the listing for which the graph was found to be current

    def open(self, path: Path, raw: str) -> Document:
        """Keep the text of a file as an editor has it, and return its document."""
        document = self._open[self.canonical(path)] = Document(raw, path)
        return document

    def close(self, path: Path) -> None:
        """Forget the text of a file that an editor has closed."""
        self._open.pop(self.canonical(path), None)

    def copy(self) -> Workspace:
        """Return a workspace with the same texts, whose texts can be changed for a trial."""
        return replace(self, _open=dict(self._open))

    def is_open(self, path: Path) -> bool:
        """Whether an editor has a file, perhaps not saved."""
        return self.canonical(path) in self._open

    def changed(self, documents: Iterable[Document]) -> Workspace:
        """Return a workspace of the same files, in which some have other texts."""
        self._paths()
        paths = {self.canonical(one.path): one for one in documents if one.path is not None}
        return Workspace(
            self.roots,
            _open={**self._open, **paths},
            _read=self._read,
            _listed=self._listed,
            _listed_until=math.inf,
        )

    def take(self, other: Workspace) -> None:
        """Have the folders and the open texts of another workspace, as they are now.

        So that threads need not share one, in which texts change.
        """
        if self.roots != other.roots or self.refreshed != other.refreshed:
            self.roots, self.refreshed = other.roots, other.refreshed
            self._listed_until = 0.0
        self._open = other._open.copy()

    @staticmethod
    def canonical(path: Path) -> Path:
        """Return the path without links: two names of a file are one document."""
        try:
            return Path(os.path.realpath(path))
        except (OSError, ValueError):
            return path

    def document(self, path: Path) -> Document | None:
        """Return the document of a file: the open one, or that of the disk; None if unreadable."""
        return self._document(self.canonical(path))

    def _document(self, path: Path) -> Document | None:
        if path in self._open:
            return self._open[path]
        try:
            stat = path.stat()
            known = self._read.get(path)
            if known is None or known[:2] != (stat.st_mtime_ns, stat.st_size):
                text = read_prompt(path, str(path), DEFAULT_LIMITS, is_named=False)
                known = (stat.st_mtime_ns, stat.st_size, Document(text, path))
                self._read[path] = known
        except (OSError, ValueError, FileError):
            return None
        return known[2]

    def documents(self) -> Iterator[Document]:
        """Yield all prompts below the folders, and the open ones elsewhere."""
        for path in self._paths():
            document = self._document(path)
            if document is not None:
                yield document

    def refresh(self) -> None:
        """Search the folders again when their files are asked for next."""
        self.refreshed += 1
        self._listed_until = 0.0

    def _paths(self) -> Iterable[Path]:
        now = time.monotonic()
        if now >= self._listed_until:
            self._listed = tuple(self._files())
            self._listed_until = now + self.patience
        return dict.fromkeys([*self._open, *self._listed])

    def _files(self) -> Iterator[Path]:
        """The prompt files below the folders, without hidden folders and links."""
        left = _MOST
        for root in self.roots:
            for folder, folders, names in os.walk(self.canonical(root)):
                folders[:] = sorted(
                    name for name in folders if name[0] != "." and name not in _SKIPPED
                )
                for name in sorted(names):
                    path = Path(folder, name)
                    if name.endswith(SUFFIX) and name[0] != "." and left and not path.is_symlink():
                        left -= 1
                        yield path

    def graph(self) -> Graph:
        """Return which files name which; it is made again if one of them has changed."""
        start = tuple(self._paths())
        if start != self._start or not self._is_current():
            self._start, self._seen = start, {}
            self._graph = _GraphMaker(self, self._seen).make(start)
        self._checked = self._listed_until
        return self._graph

    def _is_current(self) -> bool:
        """Whether the files that the graph was made from are the same.

        Until the folders are searched again, only texts that are open can have changed.
        """
        if self._checked == self._listed_until:
            return all(self._seen.get(path) is one for path, one in self._open.items())
        return all(self._document(path) is one for path, one in self._seen.items())

    def find(self, document: Document, relative: str) -> Path | None:
        """Return the file that a document names, as a prompt includes a file or embeds one."""
        if document.path is None:
            return None
        path = self.canonical(document.path)
        for base in self.graph().bases.get(path, [path.parent]):
            for folder in self.folders(base):
                found = below(folder, relative)
                if found is not None and (found in self._open or is_file(found)):
                    return found
        return None

    def named(self, document: Document, statement: Statement) -> Document | None:
        """Return the document that a statement includes, imports or extends, if there is one."""
        path = self.find(document, statement.file) if statement.file else None
        return self.document(path) if path is not None else None

    def extended(self, document: Document) -> Document | None:
        """Return the document that a document extends."""
        for keyword, piece, _ in outline(document).tags:
            if keyword == "extends":
                return self.named(document, outline(document).statement(piece))
        return None

    def includers(self, document: Document) -> list[tuple[Document, int]]:
        """Return the documents that include or extend one, and where.

        A file that is extended is rendered after all of the one that extends it.
        """
        found: list[tuple[Document, int]] = []
        path = None if document.path is None else self.canonical(document.path)
        for one in self.graph().includers.get(path, ()) if path is not None else ():
            other = self.document(one.includer)
            piece = other.tag_at(one.name.start) if other is not None else None
            if other is not None and piece is not None and one.includer != path:
                keyword = outline(other).statement(piece).keyword
                if keyword in ("include", "extends"):
                    found.append((other, len(other.text) if keyword == "extends" else piece.start))
        return found

    def base(self, document: Document) -> Path | None:
        """Return the folder that the names of files in a document are relative to.

        Of a file that prompts include it is that of the first of them.
        """
        if document.path is None:
            return None
        path = self.canonical(document.path)
        return self.graph().bases.get(path, [path.parent])[0]

    def folders(self, base: Path) -> list[Path]:
        """Return a folder and those around it, up to a root of the workspace."""
        for root in self.roots:
            top = self.canonical(root)
            if base.is_relative_to(top):
                around = [one for one in base.parents if one.is_relative_to(top)]
                return [base, *around]
        return [base]


def below(folder: Path, relative: str) -> Path | None:
    """Return the path without links of a file below a folder; None if it leads out of that."""
    try:
        found = Path(os.path.realpath(folder.joinpath(*checked_parts(relative))))
    except (JailError, OSError, ValueError):
        return None
    return found if found.is_relative_to(folder) else None


def is_file(path: Path) -> bool:
    """Whether a path is a file; not if nothing can have it, being too long for instance."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def listed(folder: Path, suffixes: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the names of the files below a folder, with slashes; hidden ones are left out."""
    pending = [(folder, "", 0)]
    left = _OFFERED
    while pending:
        at, prefix, depth = pending.pop()
        try:
            entries = sorted(at.iterdir())
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.is_symlink() or entry.name == "__pycache__":
                continue
            left -= 1
            if left < 0:
                return
            if entry.is_dir():
                if depth < _DEEPEST:
                    pending.append((entry, f"{prefix}{entry.name}/", depth + 1))
            elif not suffixes or entry.name.lower().endswith(suffixes):
                yield prefix + entry.name


class _GraphMaker:
    """Follows the tags that name files; each file once for each folder its names start at."""

    def __init__(self, workspace: Workspace, seen: dict[Path, Document | None]) -> None:
        self.workspace = workspace
        self.seen = seen
        self.graph = Graph()
        self.folders: dict[Path, list[Path]] = {}
        self.known: set[Include] = set()
        self.found: dict[tuple[Path, str], tuple[Path, Path] | None] = {}

    def make(self, start: Iterable[Path]) -> Graph:
        """Return the graph of prompts and of what they name."""
        left = [(path, path.parent) for path in start]
        known = set(left)
        for path, base in left:
            document = self._read(path)
            if document is None:
                continue
            self.graph.bases.setdefault(path, []).append(base)
            if "~" in document.text or "+" in document.text:
                begun = names_in(document.text, document.pieces).begun
                self.graph.begun.update(os.path.normpath(base / one) for one in begun)
            for target in self._follow(path, document, base):
                if target not in known:
                    known.add(target)
                    left.append(target)
        for path in self.graph.bases:  # the folders of those that include it come first
            self.graph.bases[path].sort(key=lambda base, own=path.parent: base == own)  # type: ignore[misc]
        return self.graph

    def _read(self, path: Path) -> Document | None:
        if path not in self.seen:
            self.seen[path] = self.workspace._document(path)  # noqa: SLF001 - it is part of it
        return self.seen[path]

    def _follow(self, path: Path, document: Document, base: Path) -> Iterator[tuple[Path, Path]]:
        for name in named_files(document):
            found = self._find(base, name.text)
            if found is None:
                continue
            include = Include(path, name, found[0])
            if include not in self.known:
                self.known.add(include)
                self.graph.targets.setdefault(path, []).append(include)
                self.graph.includers.setdefault(found[0], []).append(include)
            yield found

    def _find(self, base: Path, relative: str) -> tuple[Path, Path] | None:
        """The file, and the folder in which it was found."""
        if base not in self.folders:
            self.folders[base] = self.workspace.folders(base)
        key = base, relative
        if key not in self.found:
            self.found[key] = None
            for folder in self.folders[base]:
                path = below(folder, relative)
                if path is not None and self._read(path) is not None:
                    self.found[key] = path, folder
                    break
        return self.found[key]
