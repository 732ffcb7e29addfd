"""The tags of a template as statements: what they bind, their expressions, their parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pdl.edit.document import Range
from pdl.edit.expressions import Node, Parser, unquoted

if TYPE_CHECKING:
    from pdl.edit.document import Document
    from pdl.prompt.scan import Piece


class Word(NamedTuple):
    """A name in a statement."""

    text: str
    start: int
    end: int

    @property
    def range(self) -> Range:
        """Its range."""
        return Range(self.start, self.end)


@dataclass(frozen=True, eq=False)
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
    targets: tuple[Word, ...] = ()
    values: tuple[Node, ...] = ()
    parameters: tuple[tuple[Word, Node | None], ...] = ()
    aliases: tuple[Word, ...] = ()
    is_attribute: bool = False
    """Whether it sets an attribute: `{% set ns.x = 1 %}`."""

    @property
    def file(self) -> str:
        """The name of the file that it includes, imports or extends, if it is written out."""
        is_file = self.keyword in ("include", "import", "from", "extends")
        if not is_file or not self.values or self.values[0].kind != "string":
            return ""
        return unquoted(self.values[0].text)


def read_statement(document: Document, piece: Piece) -> Statement:
    """Read a tag."""
    tokens = document.tag_tokens(piece)
    inside = piece.end - 2 if piece.closed else piece.end
    parser = Parser(document.text, tokens, 0, max(inside, piece.start + 2))
    if piece.kind == "expression":
        value = parser.tuple_or_value()
        return Statement("", piece.start, piece.end, Range(piece.start, piece.start), (), (value,))
    word = Range(parser.offset, parser.offset + len(parser.word()))
    keyword = parser.word()
    parser.at += bool(tokens)
    read = _READERS.get(keyword, _rest)
    found = read(parser)
    return Statement(
        keyword,
        piece.start,
        piece.end,
        word,
        tuple(found.targets),
        tuple(found.values),
        tuple(found.parameters),
        tuple(found.aliases),
        found.is_attribute,
    )


@dataclass
class _Parts:
    targets: list[Word] = field(default_factory=list)
    values: list[Node] = field(default_factory=list)
    parameters: list[tuple[Word, Node | None]] = field(default_factory=list)
    aliases: list[Word] = field(default_factory=list)
    is_attribute: bool = False


def _name(parser: Parser) -> Word | None:
    if parser.kind() != "name":
        return None
    start, text = parser.offset, parser.word()
    parser.at += 1
    return Word(text, start, start + len(text))


def _targets(parser: Parser) -> list[Word]:
    found: list[Word] = []
    while True:
        parser.take("(", ")")
        if parser.kind() != "name" or parser.word() == "in":
            return found
        word = _name(parser)
        found += [word] if word is not None else []
        parser.take(")")
        if not parser.take(","):
            return found


def _rest(parser: Parser) -> _Parts:
    """A statement that is nothing but an expression, such as `if`, `include`, or `extends`."""
    return _Parts(values=[parser.tuple_or_value()])


def _set(parser: Parser) -> _Parts:
    parts = _Parts(_targets(parser))
    while parser.take("."):
        parts.is_attribute = True
        parser.take(parser.word())
    if parser.take("="):
        parts.values = [parser.tuple_or_value()]
    return parts


def _for(parser: Parser) -> _Parts:
    parts = _Parts(_targets(parser))
    if parser.take("in"):
        parts.values = [parser.tuple_or_value(choices=False)]
        if parser.take("if"):
            parts.values.append(parser.value())
    return parts


def _with(parser: Parser) -> _Parts:
    parts = _Parts()
    while (word := _name(parser)) is not None:
        parts.targets.append(word)
        parser.take("=")
        parts.values.append(parser.value())
        if not parser.take(","):
            break
    return parts


def _parameters(parser: Parser, parts: _Parts) -> None:
    parser.take("(")
    while (word := _name(parser)) is not None:
        default = parser.value() if parser.take("=") else None
        parts.parameters.append((word, default))
        parts.values += [default] if default is not None else []
        if not parser.take(","):
            break
    parser.take(")")


def _macro(parser: Parser) -> _Parts:
    name = _name(parser)
    parts = _Parts([name] if name is not None else [])
    if parser.word() == "(":
        _parameters(parser, parts)
    return parts


def _call(parser: Parser) -> _Parts:
    parts = _Parts()
    if parser.word() == "(":
        _parameters(parser, parts)
    parts.values.append(parser.value())
    return parts


def _block(parser: Parser) -> _Parts:
    name = _name(parser)
    return _Parts([name] if name is not None else [])


def _import(parser: Parser) -> _Parts:
    parts = _Parts(values=[parser.value()])
    if parser.take("as"):
        name = _name(parser)
        parts.targets += [name] if name is not None else []
    return parts


def _from(parser: Parser) -> _Parts:
    parts = _Parts(values=[parser.value()])
    parser.take("import")
    while (word := _name(parser)) is not None:
        parts.targets.append(word)
        alias = _name(parser) if parser.take("as") else None
        parts.aliases.append(alias or word)
        if not parser.take(","):
            break
    return parts


def _filter(parser: Parser) -> _Parts:
    """`filter upper | trim`: the filters, of a value that is missing."""
    start = parser.offset
    found = parser.filter(Node("missing", start, start))
    while parser.word() == "|":
        found = parser.filter(found)
    return _Parts(values=[found])


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
