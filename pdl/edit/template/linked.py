"""The same symbol in several files: what these include, import and extend connects their names.

A variable that an included file reads is the one that is visible where it is included. A name of
an imported file is one that this file sets at its top. Files that extend each other share what is
passed to them, and their blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pdl.edit.document import Document
from pdl.edit.template.names import names_of
from pdl.edit.template.scopes import CONTEXT

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from pathlib import Path

    from pdl.edit.template.mentions import Imported, Reference
    from pdl.edit.template.names import Name, Names
    from pdl.edit.workspace import Graph, Workspace


_EMPTY = Document("")


class Node(NamedTuple):
    """A symbol of a file: `key` is one of `Names.keys`, or a variable that has no name there."""

    path: Path | None
    key: Hashable


class Occurrence(NamedTuple):
    """A name in a document."""

    document: Document
    name: Name


class Linked:
    """Finds the names of a symbol in all files of a workspace, of which `document` is one."""

    def __init__(
        self, workspace: Workspace, document: Document, graph: Graph | None = None
    ) -> None:
        self.workspace = workspace
        path = document.path
        self.path = None if path is None else workspace.canonical(path)
        self.graph = workspace.graph() if graph is None else graph
        self._documents: dict[Path | None, Document | None] = {self.path: document}

    def occurrences(self, name: Name, *, aliases: bool = False) -> list[Occurrence]:
        """Return all names that are the same as one of the document, this file's first.

        With `aliases` those too that are another word: `a` and `b` in `import a as b`.
        """
        key = self.names(self.path).keys[name.symbol]
        found: dict[tuple[Path | None, int], Occurrence] = {}
        for node in self.closure(Node(self.path, key), aliases=aliases):
            document = self.document(node.path)
            names = self.names(node.path)
            symbol = names.symbols.get(node.key)
            if document is not None and symbol is not None:
                for one in names.same(symbol):
                    found[node.path, one.start] = Occurrence(document, one)
        return list(found.values())

    def document(self, path: Path | None) -> Document | None:
        """Return the document of a file."""
        if path not in self._documents:
            self._documents[path] = None if path is None else self.workspace.document(path)
        return self._documents[path]

    def names(self, path: Path | None) -> Names:
        """Return the names of a file; those of an empty text if it cannot be read."""
        document = self.document(path)
        return names_of(_EMPTY if document is None else document)

    def closure(self, start: Node, *, aliases: bool = False) -> list[Node]:
        """Return the symbols of all files that are the same."""
        if self._macro(start) is not None:
            return list(dict.fromkeys([start, *self._parameters(start)]))
        found = [start]
        known = {start}
        for node in found:
            others = self._aliases(node) if aliases else ()
            for other in (*self._neighbors(node), *others):
                if other not in known:
                    known.add(other)
                    found.append(other)
        return found

    def _aliases(self, node: Node) -> Iterator[Node]:
        """What a file imports by another name, and that name."""
        names = self.names(node.path)
        for reference in names.references:
            for one in reference.imported:
                pair = _imported_key(names, one), names.scopes.of(one.mention)
                if node.key in pair:
                    yield from (Node(node.path, key) for key in pair)

    def _macro(self, node: Node) -> tuple[Hashable, str] | None:
        """The macro that a parameter belongs to, and the parameter's name."""
        if not isinstance(node.key, tuple):
            return None
        if node.key[0] == "argument":
            return node.key[1], node.key[2]
        frame, scopes = node.key[0], self.names(node.path).scopes
        owner = scopes.frames[frame].owner if isinstance(frame, int) and frame > 0 else None
        if owner is None or scopes.tables[frame].origins.get(node.key[1]) != "parameter":
            return None
        return scopes.of(owner), node.key[1]

    def _parameters(self, node: Node) -> Iterator[Node]:
        found = self._macro(node)
        if found is None:
            return
        macro, text = found
        for one in self.closure(Node(node.path, macro), aliases=True):
            yield Node(one.path, ("argument", one.key, text))
            if isinstance(one.key, tuple) and isinstance(one.key[0], int):
                parameter = self.names(one.path).scopes.parameter(one.key, text)
                if parameter is not None:
                    yield Node(one.path, parameter)

    def _neighbors(self, node: Node) -> Iterator[Node]:
        key = node.key
        if node.path is None or not isinstance(key, tuple):
            return
        if isinstance(key[0], int):
            if key[0] == CONTEXT:
                yield from self._around(node.path, key[1])
                yield from self._exports(node.path, key[1])
            yield from self._inside(node.path, (key[0], key[1]))
            yield from self._origins(node.path, key)
        elif key[0] == "block":
            yield from (Node(path, key) for path in self._related(node.path))
        elif key[0] == "member":
            yield from self._members(node.path, key[1], key[2])
        elif key[0] == "imported":
            yield from self._origins(node.path, key)

    def _references(self, path: Path) -> Iterator[tuple[Path, Reference]]:
        """The tags of a file that name others, each with a file that it names."""
        referring = self.names(path).referring
        for one in self.graph.targets.get(path, ()):
            if one.name.start in referring:
                yield one.target, referring[one.name.start]

    def _referrers(self, path: Path) -> Iterator[tuple[Path, Reference]]:
        """The tags that name a file, each with the file that it is in."""
        for one in self.graph.includers.get(path, ()):
            referring = self.names(one.includer).referring
            if one.name.start in referring:
                yield one.includer, referring[one.name.start]

    def _related(self, path: Path) -> Iterator[Path]:
        """The files that extend a file, and those that it extends."""
        pairs = [*self._referrers(path), *self._references(path)]
        yield from (other for other, reference in pairs if reference.kind == "extends")

    def _around(self, path: Path, text: str) -> Iterator[Node]:
        """A variable of the top where the file is included, and where it shares the context."""
        for other in self._related(path):
            yield Node(other, (CONTEXT, text))
        if not self.names(path).is_passed(text):
            return
        for other, reference in self._referrers(path):
            if reference.has_context and reference.kind != "extends":
                yield Node(other, self.names(other).scopes.key(reference.frame, text))

    def _inside(self, path: Path, key: tuple[int, str]) -> Iterator[Node]:
        """A variable in the files that are included where it is visible."""
        scopes = self.names(path).scopes
        for other, reference in self._references(path):
            is_included = reference.has_context and reference.kind != "extends"
            is_same = is_included and scopes.key(reference.frame, key[1]) == key
            if is_same and self.names(other).is_passed(key[1]):
                yield Node(other, (CONTEXT, key[1]))

    def _exports(self, path: Path, text: str) -> Iterator[Node]:
        """A name of the top in the files that import it."""
        if text not in self.names(path).scopes.tables[0].stored:
            return
        for other, reference in self._referrers(path):
            names = self.names(other)
            if reference.target is not None:
                yield Node(other, ("member", names.scopes.of(reference.target), text))
            for one in reference.imported:
                if one.text == text:
                    yield Node(other, _imported_key(names, one))

    def _origins(self, path: Path, key: Hashable) -> Iterator[Node]:
        """The names of other files that a name is imported from."""
        names = self.names(path)
        for other, reference in self._references(path):
            for one in reference.imported:
                if _imported_key(names, one) == key:
                    yield Node(other, (CONTEXT, one.text))

    def _members(self, path: Path, base: Hashable, text: str) -> Iterator[Node]:
        """The names of other files that `m.name` is."""
        scopes = self.names(path).scopes
        for other, reference in self._references(path):
            if reference.target is not None and scopes.of(reference.target) == base:
                yield Node(other, (CONTEXT, text))


def _imported_key(names: Names, one: Imported) -> Hashable:
    """The symbol of a name in `from … import`."""
    return ("imported", one.start) if one.is_renamed else names.scopes.of(one.mention)
