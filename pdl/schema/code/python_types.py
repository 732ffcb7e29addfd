"""Types, constraints and defaults as Python expressions."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from itertools import repeat
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias
from uuid import UUID

from pdl.schema.code.layout import Chain, Doc, Either, Group, call, flat, literal, value
from pdl.schema.json_values import copy_json
from pdl.schema.keywords import nodes
from pdl.schema.records import NO_DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl._types import Json
    from pdl.schema.code.named_types import Kind, Named, Type

PythonTarget: TypeAlias = Literal["dataclass", "pydantic", "typeddict"]

_SCALARS: Mapping[Kind, str] = MappingProxyType(
    {"any": "Any", "null": "None", "bool": "bool", "int": "int", "float": "float", "str": "str"}
)
_VALUES: Mapping[Kind, type | tuple[type, ...]] = MappingProxyType(
    {"null": type(None), "bool": bool, "int": int, "float": (int, float), "str": str}
)
_FORMATS = MappingProxyType(
    {
        "date": "dt.date",
        "x-date-time": "dt.datetime",
        "x-time": "dt.time",
        "duration": "dt.timedelta",
        "uuid": "UUID",
        "ipv4": "IPv4Address",
        "ipv6": "IPv6Address",
    }
)
"""The formats that a Python type has as its own."""

_ZONED = MappingProxyType({"date-time": "dt.datetime", "time": "dt.time"})
"""Those of types that have another format."""

_READERS = {
    "dt.date": dt.date.fromisoformat,
    "dt.datetime": dt.datetime.fromisoformat,
    "dt.time": dt.time.fromisoformat,
    "UUID": UUID,
}
"""What reads the defaults of types; durations and addresses have no such function here."""

_BOUNDS = MappingProxyType(
    {
        "minimum": "ge",
        "exclusiveMinimum": "gt",
        "maximum": "le",
        "exclusiveMaximum": "lt",
        "multipleOf": "multiple_of",
    }
)
_SIZES = MappingProxyType(
    {
        "str": ("minLength", "maxLength"),
        "list": ("minItems", "maxItems"),
        "map": ("minProperties", "maxProperties"),
    }
)


@dataclass(frozen=True)
class Expressions:
    """Writes types for one target; `named` has all named types of the module.

    `strings` gathers the types that are written as strings.
    """

    target: PythonTarget
    named: Mapping[str, Named]
    strings: list[str] = field(default_factory=list)

    def quoted(self, doc: Doc) -> str:
        """Return a type as a string, which is read when all of its names are defined."""
        self.strings.append(flat(doc))
        return literal(flat(doc))

    def type(self, one: Type, default: Json = NO_DEFAULT, further: tuple[Doc, ...] = ()) -> Doc:
        """Return a type; a default is that of its schema, and `further` are annotations."""
        bare, keywords = self._bare(one)
        extra = {} if default is NO_DEFAULT else {"default": default}
        if self.target == "pydantic":
            meta = self._field(one, keywords, extra)
        else:
            meta = [literal(one.description)] if one.description else []
            found = self._constraints(one, keywords, extra)
            meta = [call("Constraints", found), *meta] if found else meta
        meta += further
        return Group("Annotated[", (bare, *meta), "]") if meta else bare

    def _bare(self, one: Type) -> tuple[Doc, dict[str, Json]]:  # noqa: PLR0911 - one for each kind
        """A type without its constraints, and the constraints."""
        keywords = dict(one.keywords)
        match one.kind:
            case "choice" if any(isinstance(value, float) for value in one.values):
                values = list(one.values)
                numbers = all(type(value) in (int, float) for value in values)
                return "float" if numbers else "Any", {**_enumerated(values), **keywords}
            case "choice":
                return Group("Literal[", tuple(map(value, one.values)), "]"), keywords
            case "list":
                return Group("list[", (self.type(one.parts[0]),), "]", comma=False), keywords
            case "map":
                return Group("dict[", ("str", self.type(one.parts[0])), "]"), keywords
            case "tuple":
                return Group("tuple[", tuple(map(self.type, one.parts)), "]"), keywords
            case "union":
                return _union(tuple(map(self.type, one.parts))), keywords
            case "name":
                return one.name, keywords
        if one.kind == "str" and keywords.get("format") in {*_FORMATS, *_ZONED}:
            return self._moment(keywords), keywords
        return _SCALARS[one.kind], keywords

    def _moment(self, keywords: dict[str, Json]) -> str:
        name = keywords["format"]
        if name in _FORMATS:
            return _FORMATS[keywords.pop("format")]
        if name == "date-time" and self.target == "pydantic":
            del keywords["format"]
            return "AwareDatetime"
        return _ZONED[name]

    def _constraints(
        self, one: Type, keywords: dict[str, Json], extra: dict[str, Json]
    ) -> dict[str, Doc]:
        """The arguments of `Constraints`."""
        found = {name: value(data) for name, data in _bounds(one, keywords)}
        for key in ("pattern", "format"):
            if key in keywords and one.kind == "str":
                found[key] = value(keywords.pop(key))
        if keywords.get("uniqueItems") is True and one.kind == "list":
            found["unique"] = value(keywords.pop("uniqueItems"))
        found |= {key: value(data) for key, data in extra.items()}
        return found | ({"keywords": value(keywords)} if keywords else {})

    def _field(self, one: Type, keywords: dict[str, Json], extra: dict[str, Json]) -> list[Doc]:
        """The pydantic field of a type; what pydantic would read otherwise stays a keyword."""
        # It takes no fractions for an `int`, and its steps are those of binary fractions.
        held = {
            key: keywords.pop(key)
            for key in [*keywords]
            if key in _BOUNDS and (key == "multipleOf" or one.kind == "int")
            if not (one.kind == "int" and isinstance(keywords[key], int))
        }
        is_moment = one.kind == "str" and "format" in one.keywords
        found = {} if is_moment else {key: value(data) for key, data in _bounds(one, keywords)}
        further = {**opened({**held, **keywords}), **extra}
        found |= {"json_schema_extra": value(further)} if further else {}
        found |= {"description": literal(one.description)} if one.description else {}
        return [call("Field", found)] if found else []

    def accepts_null(self, one: Type) -> bool:
        """Whether null is a value of a type."""
        if one.kind == "name":
            target = self.named[one.name]
            return target.fields is None and self.accepts_null(target.type)
        if one.kind == "union":
            return any(map(self.accepts_null, one.parts))
        return one.kind in ("any", "null") or None in one.values

    def default(self, one: Type, data: Json) -> Doc | None:  # noqa: PLR0911 - one for each kind
        """Return the Python value of a default, or None if there is no expression for it."""
        match one.kind:
            case "union":
                found = (self.default(part, data) for part in one.parts)
                return next((doc for doc in found if doc is not None), None)
            case "name":
                target = self.named[one.name]
                if target.fields is None:
                    return self.default(target.type, data)
                return self._instance(target, data) if isinstance(data, dict) else None
            case "list" | "tuple":
                return self._items(one, data) if isinstance(data, list) else None
            case "map":
                types = repeat(one.parts[0])
                return self._entries(types, data) if isinstance(data, dict) else None
            case "str" if one.keywords.get("format") in {*_FORMATS, *_ZONED}:
                return _moment_default(one.keywords["format"], data)
        return value(data) if _is_of(one, data) else None

    def _items(self, one: Type, data: list[Json]) -> Doc | None:
        is_tuple = one.kind == "tuple"
        parts = one.parts if is_tuple else one.parts * len(data)
        items = [self.default(*pair) for pair in zip(parts, data, strict=True)]
        known = tuple(item for item in items if item is not None)
        opening, closing = "()" if is_tuple else "[]"
        return Group(opening, known, closing) if len(known) == len(items) else None

    def _entries(self, types: Iterable[Type], data: dict[str, Json]) -> Doc | None:
        """A dict; each of its values has a type."""
        docs = list(map(self.default, types, data.values()))
        entries = tuple(
            Chain((f"{literal(key)}: ", doc))
            for key, doc in zip(data, docs, strict=True)
            if doc is not None
        )
        return Group("{", entries, "}") if len(entries) == len(docs) else None

    def _instance(self, target: Named, data: dict[str, Json]) -> Doc | None:
        """A dict for a TypedDict; other records are made of it by no expression."""
        fields = {one.key: one for one in target.fields or ()}
        if self.target != "typeddict" or data.keys() - fields.keys():
            return None
        return self._entries((fields[key].type for key in data), data)


def opened(keywords: Mapping[str, Json]) -> dict[str, Json]:
    """Return keywords for pydantic's models, whose schemas close all objects that do not say."""
    copied: dict[str, Json] = copy_json(keywords)
    for node in nodes(copied):
        if "properties" in node and node is not copied:
            node.setdefault("additionalProperties", True)
    return copied


def _bounds(one: Type, keywords: dict[str, Json]) -> list[tuple[str, Json]]:
    """The bounds that a type can have, removed from the keywords."""
    if one.kind in ("int", "float"):
        return [(name, keywords.pop(key)) for key, name in _BOUNDS.items() if key in keywords]
    names = zip(_SIZES.get(one.kind, ()), ("min_length", "max_length"), strict=False)
    return [(name, int(keywords.pop(key))) for key, name in names if key in keywords]


def _enumerated(values: list[Json]) -> dict[str, Json]:
    """The keyword of a choice among numbers that no literal type has."""
    return {"const": values[0]} if len(values) == 1 else {"enum": values}


def _union(parts: tuple[Doc, ...]) -> Doc:
    return Either(" | ".join(map(flat, parts)), Group("Union[", parts, "]"))


def _is_of(one: Type, data: Json) -> bool:
    """Whether JSON data is a value of a type without parts."""
    if one.kind == "choice":
        return any(data == known and type(data) is type(known) for known in one.values)
    if isinstance(data, bool):
        return one.kind in ("bool", "any")
    return isinstance(data, _VALUES.get(one.kind, object))


def _moment_default(name: str, data: Json) -> Doc | None:
    """A date or a time as a call that reads it; None for what Python does not have."""
    written = (_FORMATS | _ZONED)[name]
    if not isinstance(data, str) or written not in _READERS:
        return None
    try:
        _READERS[written](data)
    except ValueError:
        return None
    method = "" if written == "UUID" else ".fromisoformat"
    return Group(f"{written}{method}(", (literal(data),), ")")


_STRING = re.compile(r'"(?:\\.|[^"\\])*(?:"|\Z)|\'(?:\\.|[^\'\\])*(?:\'|\Z)|#[^\n]*', re.DOTALL)
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*\b(?![=:])")


def names_in(code: str) -> set[str]:
    """Return the names that code uses: no attributes, no names of fields or of arguments."""
    return set(_NAME.findall(_STRING.sub("", code)))
