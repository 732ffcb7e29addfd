"""All names of a document: what defines them, what uses them, and which of them are the same.

A name is a range of the text that belongs to a symbol: a variable of the template, a block, a key,
a type or a tool of a typed turn. All names of a symbol are renamed together.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from pdl.edit.document import Range
from pdl.edit.mentions import IMPLICIT, SELF
from pdl.edit.scopes import CONTEXT, GLOBALS, Scopes
from pdl.edit.statements import Statements
from pdl.schema.dsl.words import CONSTANTS, FORMS, TYPES

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from pdl.edit.document import Document, Typed
    from pdl.edit.mentions import BlockName, Reference

NameKind: TypeAlias = Literal[
    "input",  # a variable that the `input` turn declares
    "variable",  # one that `set`, `set_global` or `with` defines
    "loop",  # one of a `for`
    "macro",
    "parameter",  # of a macro, or of a `call` block
    "import",  # a file, or a name of it
    "free",  # a variable that this file only reads: of the data, or of what includes the file
    "function",  # a function of all templates
    "member",  # a name of an imported file: `m.name`
    "field",  # an attribute of a `namespace`
    "block",
    "type",  # a name of the schema DSL
    "key",  # of an object in a typed turn, or a parameter of a tool
    "tool",
]
NameAccess: TypeAlias = Literal["definition", "write", "read"]
_WORDS = frozenset({*TYPES, *FORMS, *CONSTANTS})


class Name(NamedTuple):
    """A name in the text; those of one `symbol` (a number) are the same.

    A `write` gives another value to what exists elsewhere too. `frame` is the number of the scope
    that a variable's name is in, -1 for other names.
    """

    start: int
    end: int
    text: str
    kind: NameKind
    access: NameAccess
    symbol: int
    frame: int = -1

    @property
    def range(self) -> Range:
        """Where it is."""
        return Range(self.start, self.end)


@dataclass(frozen=True, eq=False)
class Names:
    """The names of a document, in the order of the text."""

    all: tuple[Name, ...] = field(repr=False)
    scopes: Scopes = field(repr=False)
    symbols: dict[Hashable, int] = field(repr=False)
    """The numbers of symbols; those of variables by their keys in `scopes`."""

    @property
    def definitions(self) -> list[Name]:
        """The names that define or assign something."""
        return [one for one in self.all if one.access != "read"]

    @property
    def uses(self) -> list[Name]:
        """The names that only refer to something."""
        return [one for one in self.all if one.access == "read"]

    @property
    def free(self) -> frozenset[str]:
        """The variables that the tags read from what is passed to the template."""
        return self.scopes.free

    @property
    def references(self) -> list[Reference]:
        """The tags that name other files."""
        return self.scopes.statements.references

    def at(self, offset: int) -> Name | None:
        """Return the name that a cursor touches; of two, the one that begins there."""
        at = bisect_right(self.all, offset, key=_start) - 1
        return self.all[at] if at >= 0 and offset <= self.all[at].end else None

    def same(self, symbol: int) -> tuple[Name, ...]:
        """Return all names of a symbol."""
        return self._by_symbol.get(symbol, ())

    @cached_property
    def _by_symbol(self) -> dict[int, tuple[Name, ...]]:
        found: dict[int, list[Name]] = {}
        for one in self.all:
            found.setdefault(one.symbol, []).append(one)
        return {symbol: tuple(names) for symbol, names in found.items()}

    def variable(self, frame: int, text: str) -> int | None:
        """Return the symbol that a variable's name would be in a scope."""
        return self.symbols.get(self.scopes.key(frame, text))

    def passed(self, text: str) -> int | None:
        """Return the symbol of a variable that is passed to the template or set at its top."""
        return self.symbols.get(self.scopes.own(CONTEXT, text))

    def frame_at(self, offset: int) -> int:
        """Return the innermost scope at an offset."""
        frames = self.scopes.frames
        at = bisect_right(frames, offset, key=lambda one: one.start) - 1
        while at > 0 and offset > frames[at].end:
            at = frames[at].parent
        return max(at, 0)

    def visible(self, offset: int) -> dict[str, Name]:
        """Return the variables that can be read at an offset, each with a definition."""
        found: dict[str, Name] = {}
        frame = self.frame_at(offset)
        while frame >= 0:
            for text in self.scopes.tables[frame].stored:
                self._see(found, text, self.variable(frame, text))
            one = self.scopes.frames[frame]
            frame = one.parent if one.sees_parent else (0 if frame else CONTEXT)
        for key, symbol in self.symbols.items():
            if isinstance(key, tuple) and key[0] == CONTEXT:
                self._see(found, key[1], symbol)
        return found

    def _see(self, found: dict[str, Name], text: str, symbol: int | None) -> None:
        if text not in found and symbol is not None:
            defining = [one for one in self.same(symbol) if one.access != "read"]
            if defining:
                found[text] = defining[0]


def _start(name: Name) -> int:
    return name.start


_KEPT: WeakKeyDictionary[Document, Names] = WeakKeyDictionary()


def names_of(document: Document) -> Names:
    """Return all names of a document; those of a text are found once."""
    found = _KEPT.get(document)
    if found is None:
        found = _KEPT[document] = _Reader(document).read()
    return found


class _Found(NamedTuple):
    start: int
    end: int
    key: Hashable
    kind: NameKind
    access: NameAccess
    frame: int = -1


class _Reader:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.statements = Statements(document)
        self.scopes = Scopes(self.statements)

    def read(self) -> Names:
        found = [
            *self._arguments(),  # before the others, since it unites the parameters of a macro
            *self._variables(),
            *self._attributes(),
            *(_block(one) for one in self.statements.blocks),
        ]
        for number, typed in enumerate(self.document.typed):
            found += self._typed(typed, number)
        found.sort(key=lambda one: one.start)
        kinds: dict[Hashable, NameKind] = {}
        for one in found:
            if one.kind == "input" or (one.access != "read" and one.key not in kinds):
                kinds[one.key] = one.kind
        symbols: dict[Hashable, int] = {}
        text = self.document.text
        names = [
            Name(
                one.start,
                one.end,
                text[one.start : one.end],
                kinds.get(one.key, one.kind),
                one.access,
                symbols.setdefault(one.key, len(symbols)),
                one.frame,
            )
            for one in found
        ]
        return Names(tuple(names), self.scopes, symbols)

    def _arguments(self) -> list[_Found]:
        pairs = [(one, self.scopes.argument(one)) for one in self.statements.keywords]
        return [
            _Found(one.start, one.end, self.scopes.own(*key), "parameter", "read")
            for one, key in pairs
            if key is not None
        ]

    def _variables(self) -> Iterator[_Found]:
        renamed = {
            one.mention: one
            for reference in self.statements.references
            for one in reference.imported
        }
        for number, one in enumerate(self.statements.mentions):
            if one.text in IMPLICIT:
                continue
            if one.access == "parameter":
                key = self.scopes.own(one.frame, one.text)
            else:
                key = self.scopes.key(one.frame, one.text)
            access: NameAccess = "read" if one.access == "read" else "definition"
            kind: NameKind = one.kind if access == "definition" else "free"
            if kind == "free" and key[0] == CONTEXT and one.text in GLOBALS:
                kind = "function"
            yield _Found(one.start, one.end, key, kind, access, one.frame)
            imported = renamed.get(number)
            if imported is not None and imported.is_renamed:
                own = ("imported", imported.start)
                yield _Found(imported.start, imported.end, own, "member", "read")

    def _attributes(self) -> Iterator[_Found]:
        """Attributes of imports, of namespaces, and of `self`, which are blocks."""
        for one in self.statements.attributes:
            if one.after >= 0:
                continue
            if one.base == SELF:
                yield _Found(one.start, one.end, ("block", one.text), "block", "read")
            elif one.base >= 0:
                base = self.statements.mentions[one.base]
                key = self.scopes.key(base.frame, base.text)
                if key in self._imports:
                    yield _Found(one.start, one.end, ("member", key, one.text), "member", "read")
                elif key in self._namespaces:
                    access: NameAccess = "read" if one.access == "read" else "definition"
                    yield _Found(one.start, one.end, ("field", key, one.text), "field", access)

    @cached_property
    def _imports(self) -> set[Hashable]:
        targets = (one.target for one in self.statements.references if one.target >= 0)
        mentions = (self.statements.mentions[target] for target in targets)
        return {self.scopes.key(one.frame, one.text) for one in mentions}

    @cached_property
    def _namespaces(self) -> set[Hashable]:
        written = (one for one in self.statements.attributes if one.access == "write")
        mentions = (self.statements.mentions[one.base] for one in written if one.base >= 0)
        return {self.scopes.key(one.frame, one.text) for one in mentions}

    def _typed(self, typed: Typed, number: int) -> Iterator[_Found]:
        """The keys, types and tools of a typed turn; each turn has its own types."""
        inputs = self.document.inputs.values() if typed.turn.role == "input" else ()
        starts = {one.start for one in inputs}
        for token in typed.notation.tokens:
            start, end, text = token.start, token.end, token.text
            if token.role in ("definition", "type"):
                if token.role == "definition" or text not in _WORDS:
                    access: NameAccess = "read" if token.role == "type" else "definition"
                    yield _Found(start, end, ("type", number, text), "type", access)
            elif token.role == "tool":
                yield _Found(start, end, ("tool", start), "tool", "definition")
            elif token.role == "key" and typed.notation.frames[token.frame].kind != "rest":
                is_quoted = text[0] in "\"'" and len(text) > 1
                start, end = start + is_quoted, end - is_quoted
                if token.start in starts:
                    key = self.scopes.own(CONTEXT, self.document.text[start:end])
                    yield _Found(start, end, key, "input", "definition")
                elif typed.notation.frames[token.frame].kind in ("object", "params"):
                    yield _Found(start, end, ("key", start), "key", "definition")


def _block(one: BlockName) -> _Found:
    access: NameAccess = "read" if one.is_end else "definition"
    return _Found(one.start, one.end, ("block", one.text), "block", access)
