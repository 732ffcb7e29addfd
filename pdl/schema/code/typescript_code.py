"""Named types as a TypeScript module."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pdl.schema.formats import ZONED
from pdl.schema.records import NO_DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pdl._types import Json
    from pdl.schema.code.named_types import Field, Kind, Named, Section, Type

_SCALARS: Mapping[Kind, str] = {
    "any": "unknown",
    "null": "null",
    "bool": "boolean",
    "int": "number",
    "float": "number",
    "str": "string",
}
RESERVED = frozenset({"Array", "Infinity", "NaN", "Object", "Record", "String", "Symbol"})
"""The names that no type can have."""

_TAGS = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern"),
        *("minLength", "maxLength", "minItems", "maxItems", "format", "uniqueItems"),
        *("minProperties", "maxProperties"),
    }
)
"""The keywords that no type of TypeScript says, which are told in comments."""

_STEPS: Mapping[Kind, str] = {
    "list": "items",
    "map": "additionalProperties",
    "tuple": "prefixItems[{}]",
    "union": "anyOf[{}]",
}
_KEY = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)


def write_typescript(sections: Sequence[Section]) -> str:
    """Return the module of all sections; the types get notes of what TypeScript cannot say."""
    return "\n".join(map(_section, sections))


def _section(section: Section) -> str:
    return section.title("//") + "".join(f"\n{_definition(one)}" for one in section.types)


def _definition(one: Named) -> str:
    one.notes += _widened(one)
    notes = [f"Not exact: {note}." for note in dict.fromkeys(one.notes)]
    comment = _comment([*_described(one.type), *_tags(one.type), *notes], "")
    if one.fields is None:
        return f"{comment}export type {one.name} = {_type(one.type)};\n"
    fields = "".join(map(_field, one.fields))
    if not fields and not one.is_open:
        return f"{comment}export type {one.name} = Record<string, never>;\n"
    return f"{comment}export interface {one.name} {{\n{fields}{_rest(one)}}}\n"


def _widened(named: Named) -> Iterator[str]:
    """Keywords that TypeScript cannot express, and that are not tags of comments."""
    inside = (one for part in named.parts() for one in part.inside())
    found = dict.fromkeys(key for one in inside for key in one.keywords if key not in _TAGS)
    for key in found:
        yield f"`{key}` is not part of the type"
    if named.extra is not None and named.extra.kind != "any" and not _is_index(named, named.extra):
        yield "other keys can have any type"


def _rest(one: Named) -> str:
    """The other keys."""
    if not one.is_open:
        return ""
    if one.extra is None or not _is_index(one, one.extra):
        return "  [key: string]: unknown;\n"
    comment = _comment([*_described(one.extra), *_tags(one.extra)], "  ")
    return f"{comment}  [key: string]: {_type(one.extra)};\n"


def _is_index(one: Named, extra: Type) -> bool:
    """Whether the type of the other keys can be that of the index, which all keys must fit.

    TypeScript adds undefined to the type of an optional key.
    """
    if "patternProperties" in one.type.keywords:
        return False
    accepted = set(_branches(extra))
    return all(
        field.required and accepted.issuperset(_branches(field.type)) for field in one.fields or ()
    )


def _branches(one: Type) -> Iterator[str]:
    for part in one.parts if one.kind == "union" else (one,):
        yield from map(_json, part.values) if part.kind == "choice" else (_type(part),)


def _field(field: Field) -> str:
    lines = [*_described(field.type), *_tags(field.type)]
    if field.default is not NO_DEFAULT:
        lines.append(f"@default {_json(field.default)}")
    mark = "" if field.required else "?"
    key = field.key if _KEY.fullmatch(field.key) else _json(field.key)
    start = f"  {key}{mark}: "
    return f"{_comment(lines, '  ')}{start}{_type(field.type)};\n"


def _described(one: Type) -> list[str]:
    return one.description.splitlines()


def _tags(one: Type, path: str = "") -> Iterator[str]:
    """The constraints of a type and of those in it, with their paths in a JSON Schema."""
    yield from (f"@{path}{key} {_tag(data)}" for key, data in one.keywords.items() if key in _TAGS)
    parts = [part for part in one.parts if part.kind != "null"]
    step = _STEPS.get(one.kind, "")
    for number, part in enumerate(parts):
        is_one = one.kind == "union" and len(parts) == 1
        yield from _tags(part, path if is_one else f"{path}{step.format(number)}.")


def _tag(data: Json) -> str:
    """What a constraint says: the formats that only pdl has by the names of JSON Schema."""
    return ZONED.get(data, data) if isinstance(data, str) else _json(data)


def _comment(lines: Sequence[str], indent: str) -> str:
    safe = [line.replace("*/", "*\\/") for line in lines]
    if not safe:
        return ""
    if len(safe) == 1:
        return f"{indent}/** {safe[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in safe)
    return f"{indent}/**\n{body}{indent} */\n"


def _type(one: Type) -> str:  # noqa: PLR0911 - one for each kind
    match one.kind:
        case "choice":
            return " | ".join(map(_json, one.values))
        case "list":
            inner = _type(one.parts[0])
            return f"({inner})[]" if _has_bar(one.parts[0]) else f"{inner}[]"
        case "tuple":
            return f"[{', '.join(map(_type, one.parts))}]"
        case "map":
            return f"Record<string, {_type(one.parts[0])}>"
        case "union":
            return " | ".join(dict.fromkeys(map(_type, one.parts)))
        case "name":
            return one.name
    return _SCALARS[one.kind]


def _has_bar(one: Type) -> bool:
    return one.kind == "union" or (one.kind == "choice" and len(one.values) > 1)


def _json(data: Json) -> str:
    return json.dumps(data, ensure_ascii=False)
