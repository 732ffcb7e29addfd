"""What is at a place of an `input`, `schema` or `tools` turn, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.edit import words
from pdl.edit.callables import said_of
from pdl.edit.document import Range
from pdl.edit.markdown import described, escaped, fenced, shown_type
from pdl.edit.shapes import shape
from pdl.edit.types import Type, standalone
from pdl.errors import PdlError
from pdl.schema import Schema
from pdl.schema.json_values import json_document

if TYPE_CHECKING:
    from pdl._types import JsonSchema
    from pdl.edit.document import Typed
    from pdl.edit.notation import Token

_LONGEST = 4_000  # characters of a JSON Schema


def hover_typed(typed: Typed, offset: int) -> tuple[Range, str] | None:
    """Return a range and what is said of it; None for signs, comments and other notations."""
    notation = typed.notation
    index = notation.at(offset)
    if index > 0 and notation.tokens[index].role == "operator":
        before = notation.tokens[index - 1]
        index -= before.end == offset and before.role != "operator"
    if index < 0:
        return None
    token = notation.tokens[index]
    text = _said(typed, index, token)
    return (Range(token.start, token.end), text) if text else None


def _said(typed: Typed, index: int, token: Token) -> str:
    if token.role == "constraint":
        word = words.CONSTRAINTS.get(_LONG.get(token.text, token.text))
        return f"**{escaped(token.text)}**\n\n{said_of(word)}" if word is not None else ""
    if token.role == "tool":
        return _tool(typed, index)
    if token.role not in ("key", "definition", "type"):
        return ""
    found = shape(typed)
    document = {"$defs": found.definitions}
    if token.role == "type" and token.text not in found.definitions:
        return _word(typed, index, token)
    named = found.definitions.get(token.text) if token.role == "type" else found.schema(index)
    sign = ": " if token.role == "key" else " = "
    return (
        _schema(token.text.strip("\"'"), Type(named, document), sign) if named is not None else ""
    )


def _word(typed: Typed, index: int, token: Token) -> str:
    word = words.TYPES.get(words.ALIASES.get(token.text, token.text))
    if word is None:
        return ""
    schema = shape(typed).schema(index) if token.text not in words.FORMS else None
    own = f"\n\n{_in_words(Type(schema))}" if schema else ""
    return f"**{token.text}**\n\n{said_of(word)}{own}"


_LONG = {"len_min": "min", "len_max": "max"}


def _tool(typed: Typed, index: int) -> str:
    found = shape(typed)
    for tool in found.tools:
        if tool.token == index:
            schema = {**found.arguments(tool)}
            given = Type(schema, {"$defs": found.definitions})
            return f"**{escaped(tool.name)}**\n\n{_json(given)}"
    return ""


def _schema(name: str, given: Type, sign: str) -> str:
    """A name with its type in the schema DSL, in words and as JSON Schema."""
    parts = [
        shown_type(name, given, sign),
        described(given),
        _in_words(given),
        _json(given),
    ]
    return "\n\n".join(part for part in parts if part)


def _in_words(given: Type) -> str:
    """What a model is told of the type."""
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
