"""Compiled tests of the keywords that look at one type of value (2020-12 validation, 6.2 to 6.5).

Each says yes to values of other types, unless the schema's `type` is that one type: then the test
covers `type` as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.reply import late
from pdl.reply.validation.columns import exact_type
from pdl.reply.validation.compiled import MANY, ONE
from pdl.reply.validation.equality import key
from pdl.reply.validation.json_types import is_multiple, is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pdl._types import Json
    from pdl.reply.validation.compiled import Cell, CellOf, Memo, Test

_MOST = 1 << 62  # more than any value holds
_FEW = 3  # values that are asked one by one sooner than as a column


def only_type(schema: Mapping[str, Any]) -> str:
    """The one type that the schema allows, or an empty string."""
    kinds = schema.get("type", "")
    return kinds if isinstance(kinds, str) else kinds[0] if len(kinds) == 1 else ""


def _string(_cell_of: CellOf, schema: Mapping[str, Any]) -> Test | None:
    strict = only_type(schema) == "string"
    least, most = schema.get("minLength", 0), schema.get("maxLength", _MOST)
    questions: list[Callable[[str], bool]] = []
    if "pattern" in schema:
        questions.append(late.compile_pattern(schema["pattern"]))
    if "format" in schema and schema["format"] in late.formats():
        questions.append(late.formats()[schema["format"]])
    if not questions and not least and most == _MOST:
        return (lambda value, _memo: isinstance(value, str)) if strict else None

    def test(value: Json, _memo: Memo) -> bool:
        if not isinstance(value, str):
            return not strict
        return least <= len(value) <= most and all(question(value) for question in questions)

    return test


def _number(_cell_of: CellOf, schema: Mapping[str, Any]) -> Test | None:
    strict = only_type(schema) == "number"
    questions = [build(schema[word]) for word, build in NUMBER_KEYWORDS.items() if word in schema]
    if not questions:
        return None

    def test(value: Json, _memo: Memo) -> bool:
        if not is_number(value):
            return not strict
        return all(question(value) for question in questions)

    return test


NUMBER_KEYWORDS: Mapping[str, Callable[[Any], Callable[[Any], bool]]] = {
    "minimum": lambda bound: lambda value: value >= bound,
    "maximum": lambda bound: lambda value: value <= bound,
    "exclusiveMinimum": lambda bound: lambda value: value > bound,
    "exclusiveMaximum": lambda bound: lambda value: value < bound,
    "multipleOf": lambda divisor: lambda value: is_multiple(value, divisor),
}


def _object(cell_of: CellOf, schema: Mapping[str, Any]) -> Test | None:
    strict = only_type(schema) == "object"
    if not any(keyword in schema for keyword in _OBJECT_KEYWORDS):
        return (lambda value, _memo: isinstance(value, dict)) if strict else None
    required = tuple(schema.get("required", ()))
    sizes, properties = _sizes(schema), _properties(cell_of, schema)

    def test(value: Json, memo: Memo) -> bool:
        if not isinstance(value, dict):
            return not strict
        for name in required:
            if name not in value:
                return False
        return (sizes is None or sizes(value)) and properties(value, memo)

    return test


def _properties(cell_of: CellOf, schema: Mapping[str, Any]) -> Test:
    """Each property fits what its key asks for."""
    if "patternProperties" in schema or "propertyNames" in schema:
        return _patterned(cell_of, schema)
    named = schema.get("properties", {})
    types = {name: exact_type(sub) for name, sub in named.items()}
    cells = {name: cell_of(sub) for name, sub in named.items()}
    rest = cell_of(schema["additionalProperties"]) if "additionalProperties" in schema else None

    def test(value: Json, memo: Memo) -> bool:
        for name, part in value.items():
            if type(part) is not types.get(name):
                cell = cells.get(name, rest)
                if cell is not None and not cell[ONE](part, memo):
                    return False
        return True

    return test


def _patterned(cell_of: CellOf, schema: Mapping[str, Any]) -> Test:
    """The same where keys are matched by patterns, or have a schema themselves."""
    properties = {name: cell_of(sub) for name, sub in schema.get("properties", {}).items()}
    patterns = [
        (late.compile_pattern(pattern), cell_of(sub))
        for pattern, sub in schema.get("patternProperties", {}).items()
    ]
    rest = cell_of(schema.get("additionalProperties", True))
    names = cell_of(schema.get("propertyNames", True))

    def test(value: Json, memo: Memo) -> bool:
        for name, part in value.items():
            cells = [properties[name]] if name in properties else []
            for matches, cell in patterns:
                if matches(name):
                    cells.append(cell)
            for cell in cells or [rest]:
                if not cell[ONE](part, memo):
                    return False
            if not names[ONE](name, memo):
                return False
        return True

    return test


_OBJECT_KEYWORDS = (
    *("properties", "required", "additionalProperties", "patternProperties", "propertyNames"),
    *("minProperties", "maxProperties", "dependentRequired"),
)


def _sizes(schema: Mapping[str, Any]) -> Callable[[dict[str, Any]], bool] | None:
    """What the keys alone decide: how many, and which need others."""
    least, most = schema.get("minProperties", 0), schema.get("maxProperties", _MOST)
    dependent = schema.get("dependentRequired", {})
    if not least and most == _MOST and not dependent:
        return None

    def test(value: dict[str, Any]) -> bool:
        if not least <= len(value) <= most:
            return False
        return all(
            name not in value or all(other in value for other in others)
            for name, others in dependent.items()
        )

    return test


def _array(cell_of: CellOf, schema: Mapping[str, Any]) -> Test | None:
    strict = only_type(schema) == "array"
    if not any(keyword in schema for keyword in _ARRAY_KEYWORDS):
        return (lambda value, _memo: isinstance(value, list | tuple)) if strict else None
    least, most = schema.get("minItems", 0), schema.get("maxItems", _MOST)
    prefix = [cell_of(sub) for sub in schema.get("prefixItems", ())]
    items = cell_of(schema["items"]) if "items" in schema else None
    unique = schema.get("uniqueItems", False)
    contains = _contains(cell_of, schema) if "contains" in schema else None

    def test(value: Json, memo: Memo) -> bool:
        if not isinstance(value, list | tuple):
            return not strict
        if not least <= len(value) <= most or (unique and not is_unique(value)):
            return False
        for cell, part in zip(prefix, value, strict=False):
            if not cell[ONE](part, memo):
                return False
        if items is not None and not _all(items, value[len(prefix) :] if prefix else value, memo):
            return False
        return contains is None or contains(value, memo)

    return test


def _all(cell: Cell, values: Sequence[Json], memo: Memo) -> bool:
    """Whether each value fits."""
    if len(values) > _FEW:
        return cell[MANY](values, memo)
    for value in values:  # noqa: SIM110 - a generator would be a second frame
        if not cell[ONE](value, memo):
            return False
    return True


_ARRAY_KEYWORDS = ("prefixItems", "items", "minItems", "maxItems", "uniqueItems", "contains")


def is_unique(items: Sequence[Json]) -> bool:
    """Whether no two items are equal."""
    return len({key(item) for item in items}) == len(items)


def _contains(cell_of: CellOf, schema: Mapping[str, Any]) -> Test:
    cell = cell_of(schema["contains"])
    least, most = schema.get("minContains", 1), schema.get("maxContains", _MOST)

    def test(value: Json, memo: Memo) -> bool:
        count = 0
        for part in value:
            count += cell[ONE](part, memo)
        return bool(least <= count <= most)

    return test


BY_TYPE: Mapping[str, Callable[[CellOf, Mapping[str, Any]], Test | None]] = {
    "string": _string,
    "number": _number,
    "object": _object,
    "array": _array,
}
