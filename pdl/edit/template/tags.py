"""The tags of a template as statements: what they bind, their expressions, their parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pdl.edit.document import Range
from pdl.edit.template.expressions import Node, Parser, unquoted

if TYPE_CHECKING:
    from pdl.edit.document import Document
    from pdl.prompt.scan import Piece


REFERRING = ("include", "import", "from", "extends")
"""The tags that name files."""
_REFERRING = re.compile(rf"\{{%[-+]?\s*(?:{'|'.join(REFERRING)})\b")
_PLAIN = frozenset({*REFERRING, "block", "endblock", "endmacro"})
"""Tags whose last words are no names."""


class Word(NamedTuple):
    """A name in a statement, or that of a file, without its quotes.

    A target can be an attribute of a namespace.
    """

    text: str
    start: int
    end: int
    attribute: Word | None = None

    @property
    def range(self) -> Range:
        """Its range."""
        return Range(self.start, self.end)


@dataclass(eq=False)
class Statement:
    """A statement, or an expression of its own, which has no `keyword`.

    `targets` are the names that it binds, or the one that it is about (`block`, `macro`, an alias
    of `import`); `values` are its expressions: those of `for` are what it walks and its condition,
    those of `with` belong to the targets, those of `from` and `import` are the file. `parameters`
    are those of `macro` and `call`; their defaults come first among the values. `aliases` are the
    names that `from` gives to its `targets`.
    """

    keyword: str
    start: int
    end: int
    word: Range
    targets: list[Word] = field(default_factory=list)
    values: list[Node] = field(default_factory=list)
    parameters: list[tuple[Word, Node | None]] = field(default_factory=list)
    aliases: list[Word] = field(default_factory=list)
    rest: list[Node] = field(default_factory=list)
    """Further expressions: the filters of a `set` block, and what makes no sense."""
    flags: frozenset[str] = frozenset()
    """The words at the end."""

    @property
    def is_reference(self) -> bool:
        """Whether it names files."""
        return self.keyword in REFERRING

    @property
    def file(self) -> str:
        """The name of the file that it includes, imports or extends, if it is written out."""
        is_file = self.is_reference and self.values[0].kind == "string"
        return unquoted(self.values[0].text) if is_file else ""

    @property
    def files(self) -> tuple[Word, ...]:
        """The names of files that are written out: of one, of a list, or of an `if`."""
        if not self.is_reference:
            return ()
        return tuple(
            Word(text, one.place + 1, one.place + 1 + len(text))
            for one in self._choices
            if one.kind == "string"
            for text in (_inside(one.text),)
        )

    @property
    def is_computed(self) -> bool:
        """Whether it may name other files than those."""
        return any(one.kind != "string" for one in self._choices)

    @property
    def _choices(self) -> tuple[Node, ...]:
        value = self.values[0]
        if value.kind == "choice":
            return (value.children[0], *(value.children[2:] or value.children[1:]))
        is_list = value.kind in ("list", "tuple")
        is_plain = is_list and all(one.kind == "string" for one in value.children)
        return value.children if is_plain else (value,)


def _inside(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[-1] == text[0] else text[1:]


def read_statement(document: Document, piece: Piece) -> Statement:
    """Read a tag."""
    tokens = document.tag_tokens(piece)
    inside = piece.end - 2 if piece.closed else piece.end
    parser = Parser(document.text, tokens, 0, max(inside, piece.start + 2))
    keyword, word = "", Range(piece.start, piece.start)
    if piece.kind == "statement":
        keyword = parser.word()
        word = Range(parser.offset, parser.offset + len(keyword))
        parser.at += bool(tokens)
    found = Statement(keyword, piece.start, piece.end, word)
    _READERS.get(keyword, _rest)(parser, found)
    if parser.at < parser.count:
        found.flags = frozenset(map(parser.word, range(parser.count - parser.at)))
    while keyword not in _PLAIN and parser.at < parser.count:
        at = parser.at
        found.rest.append(parser.tuple_or_value())
        parser.at += parser.at == at
    return found


def named_files(document: Document) -> list[Word]:
    """Return the files that tags name, without reading the other tags."""
    text = document.text
    if _REFERRING.search(text) is None:
        return []
    return [
        name
        for piece in document.pieces
        if piece.kind == "statement" and _REFERRING.match(text, piece.start, piece.end)
        for name in read_statement(document, piece).files
    ]


def _name(parser: Parser) -> Word | None:
    if parser.kind() != "name":
        return None
    start, text = parser.offset, parser.word()
    parser.at += 1
    return Word(text, start, start + len(text))


def _targets(parser: Parser, *ends: str) -> list[Word]:
    found: list[Word] = []
    while parser.kind() and parser.word() not in ends:
        word = _name(parser)
        if word is None:
            parser.at += 1
        elif parser.take("."):
            found.append(word._replace(attribute=_name(parser) or Word("", word.end, word.end)))
            while parser.take("."):
                _name(parser)
        else:
            found.append(word)
    return found


def _rest(parser: Parser, found: Statement) -> None:
    """A statement that is nothing but an expression, such as `if`, `include`, or `extends`."""
    found.values.append(parser.tuple_or_value())


def _set(parser: Parser, found: Statement) -> None:
    found.targets = _targets(parser, "=", "|")
    if parser.take("="):
        found.values.append(parser.tuple_or_value())
    elif parser.word() == "|":
        found.rest.append(_filters(parser))


def _for(parser: Parser, found: Statement) -> None:
    found.targets = _targets(parser, "in")
    parser.keywords |= {"recursive"}
    if parser.take("in"):
        found.values.append(parser.tuple_or_value(choices=False))
        if parser.take("if"):
            found.values.append(parser.value())
    parser.take("recursive")


def _with(parser: Parser, found: Statement) -> None:
    while (word := _name(parser)) is not None:
        found.targets.append(word)
        parser.take("=")
        found.values.append(parser.value())
        if not parser.take(","):
            break


def _parameters(parser: Parser, found: Statement) -> None:
    parser.take("(")
    while (word := _name(parser)) is not None:
        default = parser.value() if parser.take("=") else None
        found.parameters.append((word, default))
        found.values += [default] if default is not None else []
        if not parser.take(","):
            break
    parser.take(")")


def _macro(parser: Parser, found: Statement) -> None:
    _block(parser, found)
    if parser.word() == "(":
        _parameters(parser, found)


def _call(parser: Parser, found: Statement) -> None:
    if parser.word() == "(":
        _parameters(parser, found)
    found.values.append(parser.value())


def _block(parser: Parser, found: Statement) -> None:
    name = _name(parser)
    found.targets += [name] if name is not None else []


def _import(parser: Parser, found: Statement) -> None:
    parser.keywords |= {"as"}
    found.values.append(parser.value())
    if parser.take("as"):
        _block(parser, found)


def _from(parser: Parser, found: Statement) -> None:
    parser.keywords |= {"import"}
    found.values.append(parser.value())
    parser.take("import")
    while (word := _name(parser)) is not None:
        found.targets.append(word)
        alias = _name(parser) if parser.take("as") else None
        found.aliases.append(alias or word)
        if not parser.take(","):
            break


def _filter(parser: Parser, found: Statement) -> None:
    found.values.append(_filters(parser))


def _filters(parser: Parser) -> Node:
    """`upper | trim`: filters of a value that is missing."""
    start = parser.offset
    found = parser.filter(Node("missing", start, start))
    while parser.word() == "|":
        found = parser.filter(found)
    return found


_READERS = {
    "set": _set,
    "set_global": _set,
    "for": _for,
    "with": _with,
    "macro": _macro,
    "call": _call,
    "block": _block,
    "import": _import,
    "from": _from,
    "filter": _filter,
    "endblock": _block,
    "endmacro": _block,
}
