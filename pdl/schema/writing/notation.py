"""The canonical text of a schema in the notation."""

from __future__ import annotations

import json
import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from pdl.schema.deep import Deep, call, each, run
from pdl.schema.notation.unions import NULL
from pdl.schema.notation.words import FORMATS, ZONED
from pdl.schema.prose import lines_of
from pdl.schema.writing.canonical import canonical
from pdl.schema.writing.layout import (
    Alternatives,
    Doc,
    Entry,
    alternatives,
    block,
    comment_lines,
    render,
    sequence,
)

if TYPE_CHECKING:
    from pdl._types import Json, JsonSchema
    from pdl.schema.parts import Parts

_BARE_KEY = re.compile(r"[^\W\d][\w-]*")
_RAW = re.compile(r"[^'\\\"\x00-\x1f\x7f]*+[\\\"][^'\x00-\x1f\x7f]*")
_WORD_OF = MappingProxyType(
    {name: word for word, one in FORMATS.items() for name in (one, ZONED.get(one, one))}
)
_TYPES = MappingProxyType(
    {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "null"}
)
_SIZES = MappingProxyType({"string": "Length", "array": "Items", "object": "Properties"})
_BRACES = MappingProxyType(
    {
        "exclusiveMinimum": "gt",
        "exclusiveMaximum": "lt",
        "multipleOf": "multiple",
        "pattern": "pattern",
        "uniqueItems": "unique",
        "x-gbnf": "gbnf",
    }
)


def write(parts: Parts) -> str:
    """schema: type (NAME '=' type)*, on one line if that is short.

    Raises SchemaError with each keyword that the notation has no way to write.
    """
    if parts.form in ("yesno", "code", "tasklist"):
        return _described(parts.document, render(_form(parts)))
    whole = canonical(parts.document)
    texts = [_described(whole.root, render(run(_type(whole.root))))]
    for name, schema in whole.definitions.items():
        doc = sequence(f"{name} = ", run(_type(schema)))
        texts.append(_described(schema, render(doc)))
    return "\n".join(texts)


def _described(schema: JsonSchema, text: str) -> str:
    return comment_lines(tuple(lines_of(schema.get("description", ""))), "") + text


def _form(parts: Parts) -> Doc:
    """A root that is `yesno`, `code bounds? constraints?` or `tasklist bounds?`."""
    low, high = parts.tasks
    if parts.form == "code":
        low, high = parts.document.get("minLength"), parts.document.get("maxLength")
    braces = {} if parts.lang is None else {"lang": parts.lang}
    return sequence(parts.form + _bounds(low, high, exact=True), *_constraints(braces))


def _type(schema: JsonSchema) -> Deep[Doc]:
    """type: item ('|' item)*, the form that a canonical schema has."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "const" in schema or "enum" in schema:
        return _choice(schema)
    if "anyOf" in schema:
        return (yield from _union(schema["anyOf"]))
    kind = schema.get("type")
    if kind is None:
        return "any"
    if isinstance(kind, list):
        return sequence((yield from _item(schema, kind[0])), "?")
    return (yield from _item(schema, kind))


def _choice(schema: JsonSchema) -> Doc:
    values = schema["enum"] if "enum" in schema else [schema["const"]]
    literals = tuple(map(_literal, values))
    return literals[0] if len(literals) == 1 else alternatives(literals)


def _union(branches: list[JsonSchema]) -> Deep[Doc]:
    others = [branch for branch in branches if branch != NULL]
    if len(others) == 1 and "enum" not in others[0]:
        return sequence((yield from call(_type(others[0]))), "?")
    parts: list[Doc] = []
    for branch in branches:
        doc = yield from call(_type(branch))
        parts += doc.parts if isinstance(doc, Alternatives) else [doc]
    return alternatives(tuple(parts))


def _item(schema: JsonSchema, kind: str) -> Deep[Doc]:
    """item: atom bounds? constraints?."""
    if kind == "array":
        atom = yield from _array(schema)
    elif kind == "object":
        atom = yield from _object(schema)
    else:
        atom = _WORD_OF[schema["format"]] if "format" in schema else _TYPES[kind]
    is_tuple = "prefixItems" in schema
    size = _SIZES.get(kind)
    low = schema.get(f"min{size}" if size else "minimum") if not is_tuple else None
    high = schema.get(f"max{size}" if size else "maximum")
    braces = {word: schema[key] for key, word in _BRACES.items() if key in schema}
    if schema.get("format") in ZONED.values():
        braces["zone"] = True
    bounds = _bounds(low, high, exact=size is not None)
    return sequence(atom, bounds, *_constraints(braces))


def _bounds(low: Json, high: Json, *, exact: bool) -> str:
    """bounds: '<' lo? ',' hi? '>' | '<' n '>'."""
    if low is None and high is None:
        return ""
    if exact and low == high:
        return f"<{_literal(low)}>"
    ends = ("" if end is None else _literal(end) for end in (low, high))
    return f"<{','.join(ends)}>"


def _constraints(braces: dict[str, Json]) -> tuple[Doc, ...]:
    """constraints: '{' (key ':' value),* '}'."""
    if not braces:
        return ()
    entries = tuple(Entry(f"{word}: {_literal(value)}") for word, value in braces.items())
    return (" ", block("{}", entries, " "))


def _array(schema: JsonSchema) -> Deep[Doc]:
    """array: '[' ']' | '[' type ']' | '[' type ',' type … ']'."""
    items = schema.get("prefixItems") or ([schema["items"]] if "items" in schema else [])
    docs = yield from each(map(_type, items))
    return block("[]", tuple(map(Entry, docs)))


def _object(schema: JsonSchema) -> Deep[Doc]:
    """object: '{' (field),* '}'."""
    required = frozenset(schema.get("required", ()))
    entries = []
    for key, field in schema.get("properties", {}).items():
        name = _key(key) if key in required else f"{_key(key)}?"
        entries.append((yield from _field(f"{name}: ", field)))
    rest = schema["additionalProperties"]
    if rest is not False:
        entries.append((yield from _field("[str]: ", {} if rest is True else rest)))
    return block("{}", tuple(entries), " ")


def _field(start: str, schema: JsonSchema) -> Deep[Entry]:
    """field: key '?'? ':' type ('=' literal)?."""
    default = f" = {_value(schema['default'])}" if "default" in schema else ""
    doc = sequence(start, (yield from call(_type(schema))), default)
    return Entry(doc, tuple(lines_of(schema.get("description", ""))))


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)


def _literal(value: Json) -> str:
    """A scalar; a string that JSON would have to escape stands raw if it can."""
    if isinstance(value, str) and _RAW.fullmatch(value):
        return f"'{value}'"
    return _value(value)


def _value(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
