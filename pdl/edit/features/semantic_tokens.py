"""What each word of a document is, so that an editor colors inputs, types and names apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.edit.document import Range
from pdl.edit.features.cases_sections import content, expressions_of, groups
from pdl.prompt.filters import TESTS
from pdl.schema.dsl.words import CONSTANTS, FORMS, TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.edit.document import Document, Turn
    from pdl.edit.notation import Token
    from pdl.prompt.scan import Token as Word

Kind: TypeAlias = Literal[
    "keyword",  # turns, statements, constants
    "type",  # of the schema DSL
    "class",  # a name that the schema DSL defines
    "property",  # a key, an attribute
    "parameter",  # an input; a constraint; an argument by name
    "variable",  # of the template
    "function",  # a filter, a test, a macro, a tool
    "namespace",  # a block
    "string",
    "number",
    "comment",
]
Modifier: TypeAlias = Literal["declaration", "readonly", "defaultLibrary"]
_CONFIG = re.compile(
    r"^[^\S\n]*+(?P<key>[A-Za-z_][\w.-]*+)[^\S\n]*+:[^\S\n]*+"
    r"(?P<value>\S(?:[^\n]*\S)?)?[^\S\n]*+$",
    re.MULTILINE,
)
_COMMENT = re.compile(r"^[^\S\n]*(#[^\n]*)", re.MULTILINE)
_NUMBER = re.compile(r"-?\d[\d.eE+-]*")
_KEYWORDS = frozenset(
    "and or not in is if else true false none True False None recursive import as with without"  # noqa: SIM905
    " context ignore missing scoped required".split()
)
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_WORDS = frozenset({*TYPES, *FORMS})


class SemanticToken(NamedTuple):
    """A range on one line, what is there, and more about it."""

    start: int
    end: int
    kind: Kind
    modifiers: tuple[Modifier, ...] = ()


def semantic_tokens(document: Document) -> list[SemanticToken]:
    """Return the tokens in the order of the text; none overlaps another or has a line end."""
    found = [*_of_tags(document), *_of_cases(document)]
    for one in (*_of_marks(document), *_of_typed(document), *_of_config(document)):
        found += _outside_tags(document, one)
    found.sort()
    kept: list[SemanticToken] = []
    for one in found:
        if not kept or kept[-1].end <= one.start:
            kept += _lines(document.text, one)
    return kept


def _lines(text: str, one: SemanticToken) -> Iterator[SemanticToken]:
    start = one.start
    for line in text[one.start : one.end].split("\n"):
        if line.strip():
            yield one._replace(start=start, end=start + len(line))
        start += len(line) + 1


def _outside_tags(document: Document, one: SemanticToken) -> Iterator[SemanticToken]:
    if document.sections is not None:
        yield one
    for piece in document.pieces_in(Range(one.start, one.end)):
        if piece.kind in ("text", "raw"):
            start, end = max(one.start, piece.start), min(one.end, piece.end)
            if start < end:
                yield one._replace(start=start, end=end)


def _of_marks(document: Document) -> Iterator[SemanticToken]:
    """The markers of turns that exist, and media."""
    turns = {turn.marker.start: turn for turn in document.turns}
    for mark in document.marks:
        turn = turns.get(mark.start)
        if turn is None:
            if mark.names_media:
                yield SemanticToken(mark.start, mark.end, "string")
        elif turn.is_known:
            yield SemanticToken(mark.start, mark.end, "keyword")


def _of_cases(document: Document) -> Iterator[SemanticToken]:
    """The marks of a file of cases, the names of the cases, comments, and assertions."""
    if document.sections is None:
        return
    assertions = expressions_of(document)
    for token in semantic_tokens(assertions.document):
        place = assertions.of(Range(token.start, token.end))
        if place is not None:
            yield token._replace(start=place.start, end=place.end)
    for line in _COMMENT.finditer(document.text, *document.sections.preamble):
        yield SemanticToken(*line.span(1), "comment")
    for group in groups(document):
        for one in group.sections:
            yield SemanticToken(*one.mark, "keyword")
            if one.name == "case":
                yield SemanticToken(*one.argument, "function", ("declaration",))
            elif one.name == "assert":
                lines = _COMMENT.finditer(document.text, *content(one))
                yield from (SemanticToken(*line.span(1), "comment") for line in lines)


def _of_typed(document: Document) -> Iterator[SemanticToken]:
    for typed in document.typed:
        defined = {one.text for one in typed.notation.tokens if one.role == "definition"}
        inputs = {place.start for place in document.inputs.values()}
        for token in typed.notation.tokens:
            found = _of_token(token, defined)
            if found is not None:
                is_input = token.start in inputs
                kind: Kind = "parameter" if is_input else found[0]
                yield SemanticToken(token.start, token.end, kind, found[1])


def _of_token(token: Token, defined: set[str]) -> tuple[Kind, tuple[Modifier, ...]] | None:
    """What a token of the schema DSL is."""
    if token.role in ("type", "literal", "value"):
        if token.role == "type" and token.text not in CONSTANTS:
            if token.text in _WORDS:
                return "type", ("defaultLibrary",)
            return ("class", ()) if token.text in defined else None
        return _literal(token.text), ()
    return _ROLES.get(token.role)


_ROLES: dict[str, tuple[Kind, tuple[Modifier, ...]]] = {
    "tool": ("function", ("declaration",)),
    "definition": ("class", ("declaration",)),
    "key": ("property", ("declaration",)),
    "constraint": ("parameter", ()),
    "bound": ("number", ()),
    "comment": ("comment", ()),
}


def _literal(text: str) -> Kind:
    if text[:1] in ("'", '"'):
        return "string"
    if _NUMBER.fullmatch(text):
        return "number"
    return "keyword" if text in CONSTANTS else "string"


def _of_config(document: Document) -> Iterator[SemanticToken]:
    for turn in document.turns:
        if turn.role == "config":
            yield from _settings(document.text, turn)


def _settings(text: str, turn: Turn) -> Iterator[SemanticToken]:
    for line in _CONFIG.finditer(text, turn.body.start, turn.body.end):
        yield SemanticToken(*line.span("key"), "property")
        value = line["value"] or ""
        if value and value[0] not in "[{":
            yield SemanticToken(*line.span("value"), _literal(value))


def _of_tags(document: Document) -> Iterator[SemanticToken]:
    for piece in document.pieces:
        if piece.kind == "comment":
            yield SemanticToken(piece.start, piece.end, "comment")
        elif piece.kind == "expression":
            yield from _of_words(document, document.tag_tokens(piece))
        elif piece.kind == "statement":
            words = document.tag_tokens(piece)
            if words and words[0].kind == "name":
                start, end = words[0].start, words[0].end
                yield SemanticToken(start, end, "keyword")
                yield from _of_words(document, words, document.text[start:end])


_NAMED: dict[str, Kind] = {
    "macro": "function",
    "block": "namespace",
    "endblock": "namespace",
    "endmacro": "function",
    "filter": "function",
    "set": "variable",
    "set_global": "variable",
    "for": "variable",
}
"""What the name after the first word of a statement is."""


def _of_words(
    document: Document, words: Sequence[Word], statement: str = ""
) -> Iterator[SemanticToken]:
    """The words of a tag, without the first one of a statement."""
    written = [document.text[one.start : one.end] for one in words]
    inputs = document.inputs
    depth = 0
    for at, (kind, start, end) in enumerate(words):
        word = written[at]
        depth += (word in _OPENING) - (word in _CLOSING)
        if kind in ("string", "number"):
            yield SemanticToken(start, end, "string" if kind == "string" else "number")
        elif kind == "name" and (at or not statement):
            before, after = written[at - 1] if at else "", written[at + 1 : at + 2]
            if at == 1 and statement in _NAMED:
                found: tuple[Kind, tuple[Modifier, ...]] = _NAMED[statement], _declared(statement)
            elif word in _KEYWORDS and before != ".":
                found = "keyword", ()
            elif after == ["="] and depth:
                found = "parameter", ()
            else:
                found = _of_name(word, before, after, inputs)
            yield SemanticToken(start, end, *found)


def _declared(statement: str) -> tuple[Modifier, ...]:
    return ("defaultLibrary",) if statement == "filter" else ("declaration",)


def _of_name(
    word: str, before: str, after: list[str], inputs: dict[str, Range]
) -> tuple[Kind, tuple[Modifier, ...]]:
    """What a name is, by the signs around it."""
    if before == "|":
        return "function", ("defaultLibrary",)
    if before in ("is", "not") and word in TESTS:
        return "function", ("defaultLibrary",)
    if before == ".":
        return "property", ()
    if after == ["("]:
        return "function", ()
    return ("parameter", ("readonly",)) if word in inputs else ("variable", ())
