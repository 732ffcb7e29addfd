"""What is at a place of an `input`, `schema` or `tools` turn, in Markdown."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from textwrap import dedent
from typing import TYPE_CHECKING

from pdl.edit.document import Range
from pdl.edit.features.markdown import described, escaped, fenced, shown_type
from pdl.edit.template import words
from pdl.edit.template.bindings import outline
from pdl.edit.template.callables import said_of
from pdl.edit.template.shapes import shape
from pdl.edit.template.types import Type, standalone
from pdl.errors import PdlError
from pdl.schema import Schema
from pdl.schema.dsl import tree
from pdl.schema.json_values import json_document

if TYPE_CHECKING:
    from pdl._types import JsonSchema
    from pdl.edit.document import Document, Typed
    from pdl.edit.notation import Token

_LONGEST = 4_000  # characters of a JSON Schema


def hover_typed(document: Document, typed: Typed, offset: int) -> tuple[Range, str] | None:
    """Return a range and what is said of it; None for signs, comments and other notations."""
    notation = typed.notation
    index = notation.at(offset)
    if index > 0 and notation.tokens[index].role == "operator":
        before = notation.tokens[index - 1]
        index -= before.end == offset and before.role != "operator"
    if index < 0:
        return None
    token = notation.tokens[index]
    text = _said(_Place(document, typed), index, token)
    return (Range(token.start, token.end), text) if text else None


class _Place:
    """A typed turn, and what of it depends on tags of the template."""

    def __init__(self, document: Document, typed: Typed) -> None:
        self.typed = typed
        self.outline = outline(document)
        self.shape = shape(typed)
        self.starts = [one.start for one in typed.notation.tokens]

    def _range(self, node: tree.Node) -> Range:
        start = self.typed.turn.body.start
        return Range(start + node.start, start + node.end)

    def depends(self, node: tree.Node) -> bool:
        """Whether a tag is in a part of the turn, or decides what a name in it stands for."""
        found = [node]
        known: set[str] = set()
        definitions = {one.name.text: one for one in self.shape.text.definitions}
        for start, end in map(self._range, found):
            at = bisect_right(self.typed.tags, start, key=lambda tag: tag.end)
            if at < len(self.typed.tags) and self.typed.tags[at].start < end:
                return True
            first, last = bisect_left(self.starts, start), bisect_left(self.starts, end)
            for one in self.typed.notation.tokens[first:last]:
                if one.role == "type" and one.text in definitions and one.text not in known:
                    known.add(one.text)
                    found.append(definitions[one.text])
                    if self.outline.open_at(self._range(found[-1]).start):
                        return True
        return False

    def written(self, node: tree.Node) -> str:
        """A part of the turn as it is written, with the tags and the blocks that it begins."""
        start, end = self._range(node)
        tags = self.typed.tags
        at = bisect_right(tags, end - 1, key=lambda tag: tag.end)
        if at < len(tags) and tags[at].start < end:
            end = tags[at].end
        for block in self.outline.open_at(end):
            if block.range.start >= start:
                end = max(end, block.range.end)
        first = self.typed.turn.body.start
        return fenced(_aligned(self.typed.written[start - first : end - first]))


def _aligned(text: str) -> str:
    """A text whose further lines have no more indentation than they need."""
    line, newline, rest = text.partition("\n")
    return line + newline + dedent(rest)


def _said(place: _Place, index: int, token: Token) -> str:
    if token.role == "constraint":
        word = words.CONSTRAINTS.get(_LONG.get(token.text, token.text))
        return f"**{escaped(token.text)}**\n\n{said_of(word)}" if word is not None else ""
    if token.role == "tool":
        return _tool(place, index)
    return _named(place, index, token) if token.role in ("key", "definition", "type") else ""


def _named(place: _Place, index: int, token: Token) -> str:
    found = place.shape
    document = {"$defs": found.definitions}
    node = found.nodes.get(index)
    if token.role == "type":
        node = next((one for one in found.text.definitions if one.name.text == token.text), None)
        if node is None:
            return _word(place, index, token)
    if node is not None and place.depends(node):
        return place.written(node)
    named = found.definitions.get(token.text) if token.role == "type" else found.schema(index)
    if named is None:
        return ""
    optional = "?" if isinstance(node, tree.Field) and node.optional else ""
    name = token.text.strip("\"'") + optional
    return _schema(name, Type(named, document), ": " if token.role == "key" else " = ")


def _word(place: _Place, index: int, token: Token) -> str:
    word = words.TYPES.get(words.ALIASES.get(token.text, token.text))
    if word is None:
        return ""
    node = place.shape.nodes.get(index)
    is_known = node is not None and token.text not in words.FORMS and not place.depends(node)
    schema = place.shape.schema(index) if is_known else None
    own = f"\n\n{in_words(Type(schema))}" if schema else ""
    return f"**{token.text}**\n\n{said_of(word)}{own}"


_LONG = {"len_min": "min", "len_max": "max"}


def _tool(place: _Place, index: int) -> str:
    found = place.shape
    for tool in found.tools:
        if tool.token == index:
            given = Type({**found.arguments(tool)}, {"$defs": found.definitions})
            is_certain = not place.depends(tool.parameters)
            said = _json(given) if is_certain else place.written(tool.parameters)
            return f"**{escaped(tool.name)}**\n\n{said}"
    return ""


def _schema(name: str, given: Type, sign: str) -> str:
    """A name with its type in the schema DSL, in words and as JSON Schema."""
    parts = [
        shown_type(name, given, sign),
        described(given),
        in_words(given),
        _json(given),
    ]
    return "\n\n".join(part for part in parts if part)


def in_words(given: Type) -> str:
    """Return what a model is told of the type."""
    try:
        text = Schema(standalone(given)).describe()
    except (PdlError, KeyError, TypeError, ValueError, RecursionError):
        return ""
    first, _, rest = text.partition("\n")
    if rest:
        return f"A model reads:\n\n{fenced(text)}"
    said = first.removeprefix("Answer with ").removesuffix(".").removesuffix(", and nothing else")
    return escaped(said[:1].upper() + said[1:]) + "."


def _json(given: Type) -> str:
    document: JsonSchema = standalone(given)
    text = json_document(document)
    return fenced(text if len(text) <= _LONGEST else text[:_LONGEST] + "\n…", "json")
