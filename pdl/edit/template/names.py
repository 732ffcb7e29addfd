"""All names of a document: what defines them, what uses them, and which of them are the same.

A name is a range of the text that belongs to a symbol: a variable of the template, a block, a key,
a type or a tool of a typed turn. All names of a symbol are renamed together.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.edit.document import Range
from pdl.edit.template.mentions import IMPLICIT, Attribute, Mentions
from pdl.edit.template.scopes import CONTEXT, GLOBALS, Scopes
from pdl.schema.dsl.words import CONSTANTS, FORMS, TYPES

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from pdl.edit.document import Document, Typed
    from pdl.edit.template.mentions import BlockName, Keyword, Reference

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
    def free(self) -> frozenset[str]:
        """The variables that the tags read from what is passed to the template."""
        return self.scopes.free

    @property
    def references(self) -> list[Reference]:
        """The tags that name other files."""
        return self.scopes.mentions.references

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

    @cached_property
    def keys(self) -> tuple[Hashable, ...]:
        """What each symbol is, by its number; a tuple of a scope and a name for variables."""
        return tuple(self.symbols)

    @cached_property
    def referring(self) -> dict[int, Reference]:
        """The tags that name other files, by the offsets of the names."""
        return {name.start: one for one in self.references for name in one.names}

    def is_passed(self, text: str) -> bool:
        """Whether a variable of the template's top can come from what includes the file."""
        is_set = text in self.scopes.tables[0].stored
        return not is_set or text in self.free or text in self.scopes.mentions.globals

    def variable(self, frame: int, text: str) -> int | None:
        """Return the symbol that a variable's name would be in a scope."""
        return self.symbols.get(self.scopes.key(frame, text))

    def passed(self, text: str) -> int | None:
        """Return the symbol of a variable that is passed to the template or set at its top."""
        return self.symbols.get(self.scopes.own(CONTEXT, text))


def _start(name: Name) -> int:
    return name.start


def names_of(document: Document) -> Names:
    """Return all names of a document; those of a text are found once."""
    return document.derive(_read)


def _read(document: Document) -> Names:
    return _Reader(document).read()


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
        self.mentions = Mentions(document)
        self.scopes = Scopes(self.mentions)

    def read(self) -> Names:
        found = [
            *self._arguments(),  # before the others, since it unites the parameters of a macro
            *self._variables(),
            *self._attributes(),
            *(_block(one) for one in self.mentions.blocks),
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
        """Names of arguments in calls of macros, of this file and of others."""
        parameters = [(one, self.scopes.argument(one)) for one in self.mentions.keywords]
        found: list[_Found] = []
        for one, key in parameters:
            callee = self._callee(one)
            if key is not None:
                own = self.scopes.own(*key)
                found.append(_Found(one.start, one.end, own, "parameter", "read"))
            elif callee is not None:
                other = ("argument", callee, one.text)
                found.append(_Found(one.start, one.end, other, "parameter", "read"))
        return found

    def _callee(self, one: Keyword) -> Hashable | None:
        """What is called, if it is imported from another file."""
        if isinstance(one.callee, Attribute):
            return self._member(one.callee)
        key = self.scopes.of(one.callee)
        return key if key in self._imported else None

    def _member(self, one: Attribute) -> Hashable | None:
        """The name of another file that an attribute is."""
        key = self.scopes.of(one.base) if one.base is not None else None
        return ("member", key, one.text) if key in self._imports else None

    def _variables(self) -> Iterator[_Found]:
        for one in self.mentions.all:
            if one.text in IMPLICIT:
                continue
            key = self.scopes.of(one)
            access: NameAccess = "read" if one.access == "read" else "definition"
            kind: NameKind = one.kind if access == "definition" else "free"
            if kind == "free" and key[0] == CONTEXT and one.text in GLOBALS:
                kind = "function"
            yield _Found(one.start, one.end, key, kind, access, one.frame)
        for each in self.mentions.references:
            for name in each.imported:
                if name.is_renamed:
                    own = ("imported", name.start)
                    yield _Found(name.start, name.end, own, "member", "read")

    def _attributes(self) -> Iterator[_Found]:
        """Attributes of imports, of namespaces, and of `self`, which are blocks."""
        for one in self.mentions.attributes:
            if one.base is None:
                yield _Found(one.start, one.end, ("block", one.text), "block", "read")
                continue
            key, member = self.scopes.of(one.base), self._member(one)
            if member is not None:
                yield _Found(one.start, one.end, member, "member", "read")
            elif key in self._namespaces:
                access: NameAccess = "read" if one.access == "read" else "definition"
                yield _Found(one.start, one.end, ("field", key, one.text), "field", access)

    @cached_property
    def _imports(self) -> set[Hashable]:
        targets = (one.target for one in self.mentions.references)
        return {self.scopes.of(one) for one in targets if one is not None}

    @cached_property
    def _imported(self) -> set[Hashable]:
        imported = (one for each in self.mentions.references for one in each.imported)
        return {self.scopes.of(one.mention) for one in imported}

    @cached_property
    def _namespaces(self) -> set[Hashable]:
        written = (one.base for one in self.mentions.attributes if one.access == "write")
        return {self.scopes.of(one) for one in written if one is not None}

    def _typed(self, typed: Typed, number: int) -> Iterator[_Found]:
        """The keys, types and tools of a typed turn; each turn has its own types."""
        for token in typed.notation.tokens:
            start, end, text = token.start, token.end, token.text
            if token.role in ("definition", "type"):
                if token.role == "definition" or text not in _WORDS:
                    access: NameAccess = "read" if token.role == "type" else "definition"
                    yield _Found(start, end, ("type", number, text), "type", access)
            elif token.role == "tool":
                yield _Found(start, end, ("tool", start), "tool", "definition")
            elif token.role == "key":
                is_quoted = text[0] in "\"'" and len(text) > 1
                start, end = start + is_quoted, end - is_quoted
                frame = typed.notation.frames[token.frame]
                if frame.is_root and typed.turn.role == "input":
                    key = self.scopes.own(CONTEXT, self.document.text[start:end])
                    yield _Found(start, end, key, "input", "definition")
                elif frame.kind in ("object", "params"):
                    yield _Found(start, end, ("key", start), "key", "definition")


def _block(one: BlockName) -> _Found:
    access: NameAccess = "read" if one.is_end else "definition"
    return _Found(one.start, one.end, ("block", one.text), "block", access)
