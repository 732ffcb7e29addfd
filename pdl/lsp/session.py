"""What a server knows about its editor: open texts, folders, settings, and what it can show."""

# ruff: noqa: PLC0415 - the server answers before documents are loaded
from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pdl.edit.positions import Position
from pdl.lsp.documents import OpenDocument, View, path_of, uri_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pdl.edit.document import Document
    from pdl.edit.positions import Encoding
    from pdl.edit.workspace import Workspace


_PATIENCE = 5.0  # seconds for which a listing of folders is trusted


@dataclass(frozen=True)
class Settings:
    """The section `pdl` of an editor's settings."""

    inlay_hints: bool = True
    code_lens: bool = True

    def updated(self, section: object) -> Settings:
        """Return the settings with those of a section; what is not understood has no effect."""
        found = {
            "inlay_hints": _enabled(section, "inlayHints"),
            "code_lens": _enabled(section, "codeLens"),
        }
        return replace(self, **{name: on for name, on in found.items() if on is not None})


def _enabled(section: object, name: str) -> bool | None:
    part = member(section, name)
    value = part if isinstance(part, bool) else member(part, "enabled")
    return value if isinstance(value, bool) else None


def member(given: object, name: str) -> Any:
    """Return a member of an object of JSON, which pygls reads as a mapping or as a tuple."""
    if isinstance(given, dict):
        return given.get(name)
    return getattr(given, name, None)


class Session:
    """The state of one editor: its texts by their URIs, its folders and its settings."""

    def __init__(self, longest: int | None = None) -> None:
        self.longest = longest
        """The most characters of a text that questions are answered about; None: any number."""
        self.encoding: Encoding = "utf-16"
        self.folders: tuple[Path, ...] = ()
        self.settings = Settings()
        self.edits_versions = False
        """Whether the editor takes changes of certain versions."""
        self.takes_snippets = False
        self.labels_offsets = False
        """Whether the editor takes parts of a label by their offsets."""
        self.has_grammar = False
        """Whether the editor colors texts by a grammar of its own, so that names are enough."""
        self.tokens = TokenAnswers()
        self.texts: dict[str, OpenDocument] = {}
        self.generation = 0
        """Counts the changes of texts, files and folders."""

    @cached_property
    def workspace(self) -> Workspace:
        """The prompts of the folders, with the texts that are open."""
        from pdl.edit.workspace import Workspace

        return Workspace(self.folders, _PATIENCE)

    def open(self, uri: str, version: int | None, text: str) -> None:
        """Keep a text that the editor has opened."""
        opened = OpenDocument(uri, version, text, self.encoding)
        self.texts[uri] = opened
        self._keep(opened, text)

    def change(
        self,
        uri: str,
        version: int | None,
        changes: Iterable[types.TextDocumentContentChangeEvent],
    ) -> None:
        """Apply the changes of a text, one after the other."""
        opened = self.texts.get(uri)
        if opened is None:
            return
        for change in changes:
            place: types.Range | None = getattr(change, "range", None)
            if place is None:
                opened.text.set(change.text)
            else:
                start, end = _position(place.start), _position(place.end)
                opened.text.replace(start, end, change.text)
        opened.version = version
        self._keep(opened, str(opened.text))

    def _keep(self, opened: OpenDocument, text: str) -> None:
        from pdl.edit.document import Document

        self.generation += 1
        path = opened.path
        opened.document = Document(text) if path is None else self.workspace.open(path, text)

    def close(self, uri: str) -> None:
        """Forget a text that the editor has closed."""
        self.generation += 1
        self.tokens.forget(uri)
        opened = self.texts.pop(uri, None)
        if opened is not None and opened.path is not None:
            self.workspace.close(opened.path)

    def refresh(self) -> None:
        """Look at files and folders again when they are needed."""
        self.generation += 1
        self.workspace.refresh()

    def set_folders(self, folders: Iterable[Path]) -> None:
        """Set the folders whose prompts belong together."""
        self.folders = tuple(dict.fromkeys(folders))
        if "workspace" in self.__dict__:
            self.workspace.roots = self.folders
            self.refresh()

    def view(self, uri: str) -> View | None:
        """Return the document of a URI as it is now; None if it cannot be read, or is too long."""
        opened = self.texts.get(uri)
        document = self._unopened(uri) if opened is None else opened.document
        version = None if opened is None else opened.version
        if document is None or self._is_too_long(document):
            return None
        return View(uri, document, version, self.encoding)

    def _unopened(self, uri: str) -> Document | None:
        path = path_of(uri)
        return self.workspace.document(path) if path is not None else None

    def _is_too_long(self, document: Document) -> bool:
        return self.longest is not None and len(document.raw) > self.longest

    def view_of(self, document: Document) -> View:
        """Return a document of the workspace by the URI that the editor knows it by."""
        path = document.path
        assert path is not None
        for opened in self.texts.values():
            if opened.path == path:
                return View(opened.uri, document, opened.version, self.encoding)
        return View(uri_of(path), document, None, self.encoding)

    def view_of_path(self, path: Path) -> View | None:
        """Return the document of a file; None if it cannot be read."""
        document = self.workspace.document(path)
        return self.view_of(document) if document is not None else None

    def views(
        self, paths: Iterable[Path | None], current: View | None = None
    ) -> dict[Path | None, View]:
        """Return the documents of some paths; that of None is the current one."""
        found: dict[Path | None, View] = {}
        if current is not None:
            found = {None: current, current.document.path: current}
        for path in paths:
            if path is not None and path not in found:
                view = self.view_of_path(path)
                if view is not None:
                    found[path] = view
        return found


class TokenAnswers:
    """The last semantic tokens of each text, to answer with what has changed since."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[str, list[int]]] = {}
        self._count = 0

    def full(self, uri: str, data: list[int]) -> types.SemanticTokens:
        """Return all tokens of a text, and remember them."""
        self._count += 1
        self._last[uri] = (str(self._count), data)
        return types.SemanticTokens(data, result_id=str(self._count))

    def delta(
        self, uri: str, data: list[int], previous: str
    ) -> types.SemanticTokens | types.SemanticTokensDelta:
        """Return the part of the tokens that differs from an answer; all if it is not known."""
        known, old = self._last.get(uri, ("", []))
        full = self.full(uri, data)
        if known != previous:
            return full
        most = min(len(old), len(data))
        start = next((at for at in range(most) if old[at] != data[at]), most)
        rest = range(1, most - start + 1)
        same = next((at - 1 for at in rest if old[-at] != data[-at]), most - start)
        edits = []
        if start < len(old) or start < len(data):
            changed = data[start : len(data) - same]
            edits = [types.SemanticTokensEdit(start, len(old) - same - start, changed)]
        return types.SemanticTokensDelta(edits, result_id=full.result_id)

    def forget(self, uri: str) -> None:
        """Forget the tokens of a text that was closed."""
        self._last.pop(uri, None)


def _position(given: types.Position) -> Position:
    return Position(given.line, given.character)


def folder_paths(folders: Sequence[types.WorkspaceFolder] | None, root: str | None) -> list[Path]:
    """Return the paths of an editor's folders, or else of its only one."""
    uris = [folder.uri for folder in folders or ()] or ([root] if root else [])
    return [path for path in map(path_of, uris) if path is not None]
