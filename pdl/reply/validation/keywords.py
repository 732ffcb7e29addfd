"""Compiled tests of the keywords of JSON Schema 2020-12 (validation, 6; core, 10).

A test takes a value and the memo of its run, and says yes or no. That of one type says yes to
values of other types. Tests that ask others loop themselves: a generator would be a second frame.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl._types import Json
from pdl.reply.validation.json_types import KINDS, is_multiple, is_number, key
from pdl.reply.validation.schema_walk import compile_pattern
from pdl.schema.keywords import ANNOTATIONS, DRAFT_4_INTEGER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Memo: TypeAlias = dict[tuple[int, int], bool]
"""(test, part of the value) -> result in one run: keeps unions from being tried twice."""

Test: TypeAlias = Callable[[Json, Memo], bool]
Cell: TypeAlias = list[Test]
"""One test, which can be filled in after others refer to the cell."""

CellOf: TypeAlias = Callable[[Json], Cell]
"""From a subschema to its cell."""

Schema: TypeAlias = Mapping[str, Any]

FLOAT_MET = (0, 0)
"""The memo's key once a float was found where an integer is expected: 5.0 for 5."""

ARRAY = (list, tuple)
"""The Python types of arrays."""

_EXACT = {"string": str, "integer": int, "boolean": bool, "null": type(None)}
_TYPE_ALONE = ANNOTATIONS | {"type", "$schema", "$id", "$defs", "definitions"}


def always(_value: Json, _memo: Memo) -> bool:
    """The test of `true` and `{}`."""
    return True


def never(_value: Json, _memo: Memo) -> bool:
    """The test of `false`."""
    return False


def every(tests: Iterable[Test]) -> Test:
    """All of the tests."""
    query = list(tests)
    if len(query) == 1:
        return query[0]

    def test(value: Json, memo: Memo) -> bool:
        for one in query:
            if not one(value, memo):
                return False
        return True

    return test if query else always


# Types


def only_type(schema: Schema) -> str:
    """The one type that the schema allows, or an empty string."""
    kinds = schema.get("type", "")
    return kinds if isinstance(kinds, str) else kinds[0] if len(kinds) == 1 else ""


def _exact_type(schema: Json) -> type | None:
    """The Python type of which each value fits the schema, where few values of others do."""
    if not isinstance(schema, dict) or not _TYPE_ALONE.issuperset(schema):
        return None
    return _EXACT.get(only_type(schema))


def of_types(kinds: str | list[str]) -> Test:
    """`type`; notes the floats that are integers where only integers are expected."""
    kinds = [kinds] if isinstance(kinds, str) else kinds
    fits = [KINDS[kind] for kind in kinds]
    one = fits[0]
    if kinds == ["number"]:
        return lambda value, _: isfinite(value) if type(value) is float else is_number(value)
    if "integer" not in kinds or "number" in kinds:
        return lambda value, _: one(value) or any(fit(value) for fit in fits)

    def test(value: Json, memo: Memo) -> bool:
        if type(value) is float and value.is_integer():
            memo[FLOAT_MET] = True
        return any(fit(value) for fit in fits)

    return test


# A value by itself


def is_unique(items: Sequence[Json]) -> bool:
    """Whether no two items are equal."""
    return len({key(item) for item in items}) == len(items)


def format_test(name: str) -> Callable[[str], bool]:
    """The question of a format; yes to all strings if it asserts nothing."""
    from pdl.reply.validation.formats import FORMATS  # noqa: PLC0415 - compiles patterns for 10 ms

    return FORMATS.get(name, lambda _: True)


def _has_dependent(needed: Mapping[str, Sequence[str]]) -> Callable[[dict[str, Any]], bool]:
    return lambda value: all(
        name not in value or value.keys() >= set(others) for name, others in needed.items()
    )


ASSERTIONS: Mapping[str, tuple[str, Callable[[Any], Callable[[Any], bool]]]] = {
    "minLength": ("string", lambda least: lambda value: len(value) >= least),
    "maxLength": ("string", lambda most: lambda value: len(value) <= most),
    "pattern": ("string", compile_pattern),
    "format": ("string", format_test),
    "minimum": ("number", lambda bound: lambda value: value >= bound),
    "maximum": ("number", lambda bound: lambda value: value <= bound),
    "exclusiveMinimum": ("number", lambda bound: lambda value: value > bound),
    "exclusiveMaximum": ("number", lambda bound: lambda value: value < bound),
    "multipleOf": ("number", lambda divisor: lambda value: is_multiple(value, divisor)),
    DRAFT_4_INTEGER: (
        "number",
        lambda on: lambda value: on is not True or not isinstance(value, float),
    ),
    "minItems": ("array", lambda least: lambda value: len(value) >= least),
    "maxItems": ("array", lambda most: lambda value: len(value) <= most),
    "uniqueItems": ("array", lambda on: lambda value: not on or is_unique(value)),
    "minProperties": ("object", lambda least: lambda value: len(value) >= least),
    "maxProperties": ("object", lambda most: lambda value: len(value) <= most),
    "dependentRequired": ("object", _has_dependent),
}
"""Keyword -> the type of the values that it looks at, and from its limit to the question."""


def assertion(word: str, limit: Any) -> Test:
    """The test of one of `ASSERTIONS`."""
    kind, build = ASSERTIONS[word]
    is_kind, keeps = KINDS[kind], build(limit)
    return lambda value, _memo: not is_kind(value) or keeps(value)


def _enum(_cell_of: CellOf, schema: Schema) -> Test:
    values = schema["enum"]
    if all(isinstance(value, str) for value in values):
        words = frozenset(values)
        return lambda value, _memo: isinstance(value, str) and value in words
    keys = frozenset(map(key, values))
    return lambda value, _memo: key(value) in keys


def _const(cell_of: CellOf, schema: Schema) -> Test:
    return _enum(cell_of, {"enum": [schema["const"]]})


# Objects and arrays


def of_object(cell_of: CellOf, schema: Schema) -> Test:
    """The keywords about the properties of an object, and `type` if it is the only one."""
    strict = only_type(schema) == "object"
    required = tuple(schema.get("required", ()))
    patterned = "patternProperties" in schema or "propertyNames" in schema
    fit = (_patterned if patterned else _properties)(cell_of, schema)

    def test(value: Json, memo: Memo) -> bool:
        if not isinstance(value, dict):
            return not strict
        for name in required:
            if name not in value:
                return False
        return fit(value, memo)

    return test


def _properties(cell_of: CellOf, schema: Schema) -> Test:
    """Each property fits what its key asks for."""
    named = schema.get("properties", {})
    types = {name: _exact_type(sub) for name, sub in named.items()}
    cells = {name: cell_of(sub) for name, sub in named.items()}
    rest = cell_of(schema["additionalProperties"]) if "additionalProperties" in schema else None

    def test(value: Json, memo: Memo) -> bool:
        for name, part in value.items():
            if type(part) is not types.get(name):
                cell = cells.get(name, rest)
                if cell is not None and not cell[0](part, memo):
                    return False
        return True

    return test


def _patterned(cell_of: CellOf, schema: Schema) -> Test:
    """The same where keys are matched by patterns, or have a schema themselves."""
    properties = {name: cell_of(sub) for name, sub in schema.get("properties", {}).items()}
    patterns = [
        (compile_pattern(pattern), cell_of(sub))
        for pattern, sub in schema.get("patternProperties", {}).items()
    ]
    rest = cell_of(schema.get("additionalProperties", True))
    names = cell_of(schema.get("propertyNames", True))

    def test(value: Json, memo: Memo) -> bool:
        for name, part in value.items():
            cells = [properties[name]] if name in properties else []
            cells += [cell for matches, cell in patterns if matches(name)]
            for cell in cells or [rest]:
                if not cell[0](part, memo):
                    return False
            if not names[0](name, memo):
                return False
        return True

    return test


def of_array(cell_of: CellOf, schema: Schema) -> Test:
    """The keywords about the items of an array, and `type` if it is the only one."""
    strict = only_type(schema) == "array"
    prefix = [cell_of(sub) for sub in schema.get("prefixItems", ())]
    items = cell_of(schema.get("items", True))
    types = frozenset([_exact_type(schema.get("items"))])
    contains = _contains(cell_of, schema) if "contains" in schema else None

    def test(value: Json, memo: Memo) -> bool:
        if not isinstance(value, ARRAY):
            return not strict
        if prefix:
            for cell, part in zip(prefix, value):  # noqa: B905 - either may be the longer one
                if not cell[0](part, memo):
                    return False
        rest = value[len(prefix) :] if prefix else value
        if not types.issuperset(map(type, rest)):  # which is soon known in C
            for part in rest:
                if not items[0](part, memo):
                    return False
        return contains is None or contains(value, memo)

    return test


def _contains(cell_of: CellOf, schema: Schema) -> Test:
    cell = cell_of(schema["contains"])
    least, most = schema.get("minContains", 1), schema.get("maxContains")

    def test(value: Json, memo: Memo) -> bool:
        count = sum([cell[0](part, memo) for part in value])
        return bool(least <= count and (most is None or count <= most))

    return test


OBJECT_WORDS = frozenset(
    ("properties", "required", "additionalProperties", "patternProperties", "propertyNames")
)
ARRAY_WORDS = frozenset(["prefixItems", "items", "contains"])


# Schemas for the same value


def _all_of(cell_of: CellOf, schema: Schema) -> Test:
    cells = [cell_of(sub) for sub in schema["allOf"]]

    def test(value: Json, memo: Memo) -> bool:
        for cell in cells:
            if not cell[0](value, memo):
                return False
        return True

    return test


def _any_of(cell_of: CellOf, schema: Schema) -> Test:
    cells = [cell_of(sub) for sub in schema["anyOf"]]

    def test(value: Json, memo: Memo) -> bool:
        for cell in cells:
            if cell[0](value, memo):
                return True
        return False

    return test


def _one_of(cell_of: CellOf, schema: Schema) -> Test:
    cells = [cell_of(sub) for sub in schema["oneOf"]]
    return lambda value, memo: sum([cell[0](value, memo) for cell in cells]) == 1


def _not(cell_of: CellOf, schema: Schema) -> Test:
    cell = cell_of(schema["not"])
    return lambda value, memo: not cell[0](value, memo)


def _if(cell_of: CellOf, schema: Schema) -> Test:
    condition = cell_of(schema["if"])
    then, other = cell_of(schema.get("then", True)), cell_of(schema.get("else", True))
    return lambda value, memo: (then if condition[0](value, memo) else other)[0](value, memo)


def _dependent_schemas(cell_of: CellOf, schema: Schema) -> Test:
    cells = {name: cell_of(sub) for name, sub in schema["dependentSchemas"].items()}
    return lambda value, memo: (
        not isinstance(value, dict)
        or all(cell[0](value, memo) for name, cell in cells.items() if name in value)
    )


ANY_TYPE: Mapping[str, Callable[[CellOf, Schema], Test]] = {
    "enum": _enum,
    "const": _const,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "dependentSchemas": _dependent_schemas,
}
"""Keyword -> the builder of its test, for any type of value and for combined schemas."""
