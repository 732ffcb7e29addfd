"""Compiled tests of the keywords of JSON Schema 2020-12 (validation, 6; core, 10).

A test takes a value and the memo of its run, and says yes or no. That of one type says yes to
values of other types, unless the schema's `type` is that one type: then it covers `type` as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl._types import Json
from pdl.reply.validation.json_types import KINDS, is_multiple, is_number, key
from pdl.reply.validation.patterns import compile_pattern
from pdl.schema.keywords import ANNOTATIONS, DIGITS

if TYPE_CHECKING:
    from collections.abc import Sequence

Memo: TypeAlias = dict[tuple[int, int], bool]
"""What is known of (test, part of the value) in one run: keeps unions from being tried twice."""

Test: TypeAlias = Callable[[Json, Memo], bool]
Cell: TypeAlias = list[Test]
"""One test, which may be filled in after others refer to the cell."""

CellOf: TypeAlias = Callable[[Json], Cell]
"""From a subschema to its cell."""

Schema: TypeAlias = Mapping[str, Any]

FLOAT_MET = (0, 0)
"""What a memo holds once a float was met where an integer is wanted: 5.0 for 5."""

ARRAY = (list, tuple)
"""The Python types of arrays."""

_MOST = 1 << 62  # more than any value holds


def always(_value: Json, _memo: Memo) -> bool:
    """The test of `true` and `{}`."""
    return True


def never(_value: Json, _memo: Memo) -> bool:
    """The test of `false`."""
    return False


# One type


_EXACT = {"string": str, "integer": int, "boolean": bool, "null": type(None)}
_TYPE_ALONE = ANNOTATIONS | {"type", "$schema", "$id", "$defs", "definitions"}


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
    """`type`."""
    kinds = [kinds] if isinstance(kinds, str) else kinds
    fits = [KINDS[kind] for kind in kinds]
    if "integer" in kinds and "number" not in kinds:
        return _integer(fits)
    if kinds == ["number"]:
        return _number_alone
    if len(fits) == 1:
        one = fits[0]
        return lambda value, _memo: one(value)
    return lambda value, _memo: any(fit(value) for fit in fits)


def _number_alone(value: Json, _memo: Memo) -> bool:
    return isfinite(value) if type(value) is float else is_number(value)


def _integer(fits: list[Callable[[Json], bool]]) -> Test:
    """The test of `integer`, perhaps among other types: notes the floats that are such ones."""

    def test(value: Json, memo: Memo) -> bool:
        if type(value) is float and value.is_integer():
            memo[FLOAT_MET] = True
        return any(fit(value) for fit in fits)

    return test


def _string(_cell_of: CellOf, schema: Schema) -> Test | None:
    strict = only_type(schema) == "string"
    least, most = schema.get("minLength", 0), schema.get("maxLength", _MOST)
    questions: list[Callable[[str], bool]] = []
    if "pattern" in schema:
        questions.append(compile_pattern(schema["pattern"]))
    if "format" in schema and (is_so := is_format(schema["format"])):
        questions.append(is_so)
    if not questions and not least and most == _MOST:
        return (lambda value, _memo: isinstance(value, str)) if strict else None

    def test(value: Json, _memo: Memo) -> bool:
        if not isinstance(value, str):
            return not strict
        return least <= len(value) <= most and all(question(value) for question in questions)

    return test


def is_format(name: str) -> Callable[[str], bool] | None:
    """The question of a format; None if it asserts nothing."""
    from pdl.reply.validation.formats import FORMATS  # noqa: PLC0415 - compiles patterns for 10 ms

    return FORMATS.get(name)


BOUNDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda value, bound: value >= bound,
    "maximum": lambda value, bound: value <= bound,
    "exclusiveMinimum": lambda value, bound: value > bound,
    "exclusiveMaximum": lambda value, bound: value < bound,
    "multipleOf": is_multiple,
}
"""Keyword -> whether a number keeps it."""


def _number(_cell_of: CellOf, schema: Schema) -> Test | None:
    strict = only_type(schema) == "number"
    bounds = [(keeps, schema[word]) for word, keeps in BOUNDS.items() if word in schema]
    if not bounds:
        return None

    def test(value: Json, _memo: Memo) -> bool:
        if not is_number(value):
            return not strict
        return all(keeps(value, bound) for keeps, bound in bounds)

    return test


def _object(cell_of: CellOf, schema: Schema) -> Test | None:
    strict = only_type(schema) == "object"
    if _OBJECT_WORDS.isdisjoint(schema):
        return (lambda value, _memo: isinstance(value, dict)) if strict else None
    required = tuple(schema.get("required", ()))
    patterned = "patternProperties" in schema or "propertyNames" in schema
    sizes, parts = _sizes(schema), (_patterned if patterned else _properties)(cell_of, schema)

    def test(value: Json, memo: Memo) -> bool:
        if not isinstance(value, dict):
            return not strict
        for name in required:
            if name not in value:
                return False
        return (sizes is None or sizes(value)) and parts(value, memo)

    return test


_OBJECT_WORDS = frozenset(
    (
        *("properties", "required", "additionalProperties", "patternProperties", "propertyNames"),
        *("minProperties", "maxProperties", "dependentRequired"),
    )
)


def _sizes(schema: Schema) -> Callable[[dict[str, Any]], bool] | None:
    """What the keys alone decide: how many, and which need others."""
    least, most = schema.get("minProperties", 0), schema.get("maxProperties", _MOST)
    dependent = schema.get("dependentRequired", {})
    if not least and most == _MOST and not dependent:
        return None
    return lambda value: (
        least <= len(value) <= most
        and all(
            name not in value or value.keys() >= set(others) for name, others in dependent.items()
        )
    )


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
            for matches, cell in patterns:
                if matches(name):
                    cells.append(cell)
            for cell in cells or [rest]:
                if not cell[0](part, memo):
                    return False
            if not names[0](name, memo):
                return False
        return True

    return test


def _array(cell_of: CellOf, schema: Schema) -> Test | None:
    strict = only_type(schema) == "array"
    if _ARRAY_WORDS.isdisjoint(schema):
        return (lambda value, _memo: isinstance(value, ARRAY)) if strict else None
    least, most = schema.get("minItems", 0), schema.get("maxItems", _MOST)
    unique = schema.get("uniqueItems", False)
    parts = [build(cell_of, schema) for word, build in _OF_ITEMS.items() if word in schema]

    def test(value: Json, memo: Memo) -> bool:
        if not isinstance(value, ARRAY):
            return not strict
        if not least <= len(value) <= most or (unique and not is_unique(value)):
            return False
        for part in parts:
            if not part(value, memo):
                return False
        return True

    return test


def _prefix_items(cell_of: CellOf, schema: Schema) -> Test:
    cells = [cell_of(sub) for sub in schema["prefixItems"]]

    def test(value: Json, memo: Memo) -> bool:
        for cell, part in zip(cells, value):  # noqa: B905
            if not cell[0](part, memo):
                return False
        return True

    return test


def _items(cell_of: CellOf, schema: Schema) -> Test:
    """Those after the prefix; whether they are of one type is asked in C."""
    types = frozenset([_exact_type(schema["items"])])
    cell, first = cell_of(schema["items"]), len(schema.get("prefixItems", ()))

    def test(value: Json, memo: Memo) -> bool:
        rest = value[first:] if first else value
        if types.issuperset(map(type, rest)):
            return True
        for part in rest:
            if not cell[0](part, memo):
                return False
        return True

    return test


def is_unique(items: Sequence[Json]) -> bool:
    """Whether no two items are equal."""
    return len({key(item) for item in items}) == len(items)


def _contains(cell_of: CellOf, schema: Schema) -> Test:
    cell = cell_of(schema["contains"])
    least, most = schema.get("minContains", 1), schema.get("maxContains", _MOST)

    def test(value: Json, memo: Memo) -> bool:
        count = 0
        for part in value:
            count += cell[0](part, memo)
        return bool(least <= count <= most)

    return test


_OF_ITEMS = {"prefixItems": _prefix_items, "items": _items, "contains": _contains}
_ARRAY_WORDS = frozenset([*_OF_ITEMS, "minItems", "maxItems", "uniqueItems"])

BY_TYPE: Mapping[str, Callable[[CellOf, Schema], Test | None]] = {
    "string": _string,
    "number": _number,
    "object": _object,
    "array": _array,
}
"""Type -> what builds the test of all keywords that look at it, if the schema has any."""


# Any type


def _enum(_cell_of: CellOf, schema: Schema) -> Test:
    values = schema["enum"] if "enum" in schema else [schema["const"]]
    if all(isinstance(value, str) for value in values):
        words = frozenset(values)
        return lambda value, _memo: isinstance(value, str) and value in words
    keys = frozenset(map(key, values))
    return lambda value, _memo: key(value) in keys


def _const(cell_of: CellOf, schema: Schema) -> Test:
    return _enum(cell_of, {"const": schema["const"]})


def _digits(_cell_of: CellOf, schema: Schema) -> Test:
    if schema[DIGITS] is not True:
        return always
    return lambda value, _memo: not isinstance(value, float)


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

    def test(value: Json, memo: Memo) -> bool:
        count = 0
        for cell in cells:
            count += cell[0](value, memo)
        return count == 1

    return test


def _not(cell_of: CellOf, schema: Schema) -> Test:
    cell = cell_of(schema["not"])
    return lambda value, memo: not cell[0](value, memo)


def _if(cell_of: CellOf, schema: Schema) -> Test:
    condition = cell_of(schema["if"])
    then, other = cell_of(schema.get("then", True)), cell_of(schema.get("else", True))
    return lambda value, memo: (then if condition[0](value, memo) else other)[0](value, memo)


def _dependent_schemas(cell_of: CellOf, schema: Schema) -> Test:
    cells = {name: cell_of(sub) for name, sub in schema["dependentSchemas"].items()}

    def test(value: Json, memo: Memo) -> bool:
        if not isinstance(value, dict):
            return True
        for name, cell in cells.items():
            if name in value and not cell[0](value, memo):
                return False
        return True

    return test


ANY_TYPE: Mapping[str, Callable[[CellOf, Schema], Test]] = {
    "enum": _enum,
    "const": _const,
    DIGITS: _digits,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "dependentSchemas": _dependent_schemas,
}
"""Keyword -> what builds its test, for those that hold for any value or combine other schemas."""
