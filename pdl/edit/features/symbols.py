"""The outline of a document: turns, and what they declare; and the names of a whole workspace."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from pdl.edit.document import Location, Range
from pdl.edit.features.cases_sections import groups, whole
from pdl.edit.template.bindings import extents, outline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.edit.document import Document, Turn, Typed
    from pdl.edit.notation import Notation, Token
    from pdl.edit.workspace import Workspace

Kind = Literal[
    "turn",  # of a prompt, or a section of a case
    "case",
    "input",  # of the `input` turn
    "field",
    "definition",
    "tool",
    "parameter",
    "setting",  # of the `config` turn
    "macro",
    "block",
    "variable",  # what a template sets
]
_DETAIL = 60  # characters
_SETTING = re.compile(r"^[^\S\n]*([A-Za-z_][\w.-]*)[^\S\n]*:[^\S\n]*(\S[^\n]*)?", re.MULTILINE)
_MOST = 500  # symbols that a query returns


@dataclass(frozen=True)
class Symbol:
    """Something with a name: all that belongs to it, its name, and what is within it."""

    kind: Kind
    name: str
    detail: str
    range: Range
    name_range: Range
    children: tuple[Symbol, ...] = ()


class Found(NamedTuple):
    """A symbol of a workspace, and what contains it: a turn, or the names around it."""

    symbol: Symbol
    location: Location
    container: str


def symbols(document: Document) -> tuple[Symbol, ...]:
    """Return the outline of a document: each symbol within the one that it belongs to."""
    found = [_turn(document, turn, extent) for turn, extent in extents(document)]
    found += _cases(document)
    for typed in document.typed:
        found += _declared(typed)
    for turn in document.turns:
        if turn.role == "config":
            found += _settings(document, turn)
    found += _assigned(document)
    return _nested(found)


def search(workspace: Workspace, query: str) -> list[Found]:
    """Return the symbols of all files whose names contain the characters of a query in order.

    The best come first: whose beginning it is, then those that contain it, then the shortest.
    Turns have the same names in all files and count for their first lines as well.
    """
    found: list[tuple[tuple[int, int], Found]] = []
    wanted = query.lower().replace(" ", "")
    for document in workspace.documents():
        for symbol, container in _walk(symbols(document), ""):
            rank = _rank(wanted, symbol)
            if rank is not None:
                location = Location(document.path, symbol.name_range)
                found.append((rank, Found(symbol, location, container)))
    found.sort(key=lambda ranked: ranked[0])
    return [one for _, one in found[:_MOST]]


def _rank(wanted: str, symbol: Symbol) -> tuple[int, int] | None:
    name = symbol.name.lower()
    if name.startswith(wanted):
        return (0, len(name))
    if wanted in name:
        return (1, len(name))
    rest = iter(name)
    if all(character in rest for character in wanted):
        return (2, len(name))
    if symbol.kind == "turn" and wanted in symbol.detail.lower().replace(" ", ""):
        return (3, len(name))
    return None


def _walk(found: Iterable[Symbol], container: str) -> Iterator[tuple[Symbol, str]]:
    for symbol in found:
        yield symbol, container
        yield from _walk(symbol.children, symbol.name)


def _nested(found: list[Symbol]) -> tuple[Symbol, ...]:
    """The symbols as a forest; what ends after the one that it begins in ends with it."""
    found.sort(key=lambda one: (one.range.start, -one.range.end))
    stack: list[tuple[Symbol, list[Symbol]]] = []
    roots: list[Symbol] = []

    def pop() -> None:
        symbol, children = stack.pop()
        siblings = stack[-1][1] if stack else roots
        siblings.append(replace(symbol, children=tuple(children)))

    for one in found:
        while stack and stack[-1][0].range.end <= one.range.start:
            pop()
        symbol = one
        if stack:
            end = min(one.range.end, stack[-1][0].range.end)
            name = Range(one.name_range.start, min(one.name_range.end, end))
            symbol = replace(one, range=Range(one.range.start, end), name_range=name)
        stack.append((symbol, []))
    while stack:
        pop()
    return tuple(roots)


def _turn(document: Document, turn: Turn, extent: Range) -> Symbol:
    line = document.text[turn.marker.end : extent.end].lstrip()[:_DETAIL].split("\n", 1)[0]
    detail = line if turn.is_message or turn.role == "reasoning" else ""
    name = turn.role or document.text[turn.name.start : turn.name.end]
    return Symbol("turn", name or "turn", detail.strip(), extent, turn.marker)


def _cases(document: Document) -> Iterator[Symbol]:
    """The cases of a file of cases, and their sections."""
    for group in groups(document):
        for at, one in enumerate(group.sections):
            start = one.argument if one.argument.start < one.argument.end else one.body
            line = document.text[slice(*start)][:_DETAIL].split("\n", 1)[0].strip()
            mark = Range(*one.mark)
            if at or not group.name:
                yield Symbol("turn", one.name, line, whole(one), mark)
            else:
                yield Symbol("case", group.name, "", whole(*group.sections), mark)


def _settings(document: Document, turn: Turn) -> Iterator[Symbol]:
    for match in _SETTING.finditer(document.text, turn.body.start, turn.body.end):
        whole = Range(match.start(1), match.start() + len(match[0].rstrip()))
        yield Symbol("setting", match[1], (match[2] or "").strip(), whole, Range(*match.span(1)))


def _assigned(document: Document) -> Iterator[Symbol]:
    """Macros, blocks and variables of the template."""
    for keyword, piece, block in outline(document).tags:
        kind = _STATEMENTS.get(keyword)
        tokens = document.tag_tokens(piece)[1:] if kind is not None else ()
        if kind is not None and tokens and tokens[0].kind == "name":
            is_whole = block is not None and block.is_closed
            whole = block.range if block is not None and is_whole else Range(piece.start, piece.end)
            named = Range(tokens[0].start, tokens[0].end)
            text = document.text[named.start : named.end]
            detail = document.text[named.end : tokens[-1].end][:_DETAIL]
            detail = " ".join(detail.split()).removeprefix("= ")
            yield Symbol(kind, text, detail, whole, named)


_STATEMENTS: dict[str, Kind] = {
    "macro": "macro",
    "block": "block",
    "set": "variable",
    "set_global": "variable",
}


def _declared(typed: Typed) -> Iterator[Symbol]:
    """The fields, definitions, tools and parameters of a typed turn."""
    notation = typed.notation
    for index, end in ends(notation):
        token = notation.tokens[index]
        kind = _kind(typed, token)
        if kind is not None:
            text = typed.text[token.end - typed.turn.body.start : end - typed.turn.body.start]
            detail = " ".join(text[:_DETAIL].lstrip("?:= \n").split())
            name = token.text.strip("\"'") or token.text
            span = Range(token.start, token.end)
            yield Symbol(kind, name, detail, Range(token.start, end), span)


def _kind(typed: Typed, token: Token) -> Kind | None:
    if token.role in ("definition", "tool"):
        return "tool" if token.role == "tool" else "definition"
    frame = typed.notation.frames[token.frame]
    if frame.kind == "params":
        return "parameter"
    if frame.kind != "object":
        return None
    return "input" if typed.turn.role == "input" and frame.is_root else "field"


def ends(notation: Notation) -> Iterator[tuple[int, int]]:
    """Yield the index of each key, definition and tool, and where its type or default ends."""
    depths = [0] * len(notation.frames)
    for at, frame in enumerate(notation.frames[1:], 1):
        depths[at] = depths[frame.parent] + 1
    stack: list[tuple[int, int]] = []  # names, and the depths of their brackets
    last = 0
    for at, token in enumerate(notation.tokens):
        if token.role in ("comment", "error"):
            continue
        depth = depths[token.frame]
        is_named = token.role in ("key", "definition", "tool")
        is_end = is_named or token.text == ","
        while stack and (stack[-1][1] > depth or (is_end and stack[-1][1] == depth)):
            yield stack.pop()[0], last
        if is_named:
            stack.append((at, depth))
        last = token.end
    while stack:
        yield stack.pop()[0], last
