"""Compiled tests of many values at once: the items of an array, or one property of all of them.

What a test asks of each value in Python, the sets and iterators of a column ask in C. A column may
say no too early only where a test of each value would say no as well; where it cannot tell it asks
that test.
"""

from __future__ import annotations

import math
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from pdl.reply.validation.compiled import MANY, always

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl._types import Json
    from pdl.reply.validation.compiled import Cell, CellOf, Column, Memo, Test

_TYPES: Mapping[str, frozenset[type]] = {
    "string": frozenset([str]),
    "integer": frozenset([int]),
    "boolean": frozenset([bool]),
    "null": frozenset([type(None)]),
}
"""Types of which each value fits a schema that says no more than that type."""

_STR, _INT, _FLOAT = frozenset([str]), frozenset([int]), frozenset([float])
_DICT, _LIST = frozenset([dict]), frozenset([list])

_NO_WORDS = frozenset(
    (
        *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"),
        *("$comment", "$schema", "$id", "$defs", "definitions", "type"),
    )
)
_WORDS = _NO_WORDS | {"enum"}
_OBJECT = _NO_WORDS | {"properties", "required", "additionalProperties"}
_ARRAY = _NO_WORDS | {"items", "minItems", "maxItems"}


def exact_type(schema: Json) -> type | None:
    """The Python type of which each value fits the schema, and JSON has no other that does."""
    if not isinstance(schema, dict) or not _NO_WORDS.issuperset(schema):
        return None
    found = _TYPES.get(_kind(schema), frozenset())
    return next(iter(found), None)


def column(cell_of: CellOf, schema: Mapping[str, Any], test: Test) -> Column:
    """The test of many values by the schema; `test` is that of one."""
    kind = _kind(schema)
    if kind in _TYPES and _NO_WORDS.issuperset(schema):
        return _of_type(_TYPES[kind], test)
    if kind == "number" and _NO_WORDS.issuperset(schema):
        return _of_numbers(test)
    if kind == "string" and "enum" in schema and _WORDS.issuperset(schema):
        return _of_words(schema["enum"], test)
    if kind == "object" and _OBJECT.issuperset(schema):
        return _of_objects(cell_of, schema, test)
    if kind == "array" and "items" in schema and _ARRAY.issuperset(schema):
        return _of_arrays(cell_of, schema, test)
    return each(test)


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "")
    return kind if isinstance(kind, str) else ""


def each(test: Test) -> Column:
    """The test of many values one by one."""

    def ask(values: list[Json], memo: Memo) -> bool:
        for value in values:  # noqa: SIM110 - a generator would be a second frame
            if not test(value, memo):
                return False
        return True

    return ask


def _of_type(types: frozenset[type], test: Test) -> Column:
    slowly = each(test)
    return lambda values, memo: types.issuperset(map(type, values)) or slowly(values, memo)


def _of_numbers(test: Test) -> Column:
    slowly = each(test)

    def ask(values: list[Json], memo: Memo) -> bool:
        types = set(map(type, values))
        if types <= _INT:
            return True
        return all(map(math.isfinite, values)) if types == _FLOAT else slowly(values, memo)

    return ask


def _of_words(words: list[Json], test: Test) -> Column:
    known = frozenset(word for word in words if isinstance(word, str))
    slowly = each(test)

    def ask(values: list[Json], memo: Memo) -> bool:
        if _STR.issuperset(map(type, values)):
            return known.issuperset(values)
        return slowly(values, memo)

    return ask


def _of_objects(cell_of: CellOf, schema: Mapping[str, Any], test: Test) -> Column:
    slowly = each(test)
    parts = list(_properties(cell_of, schema))

    def ask(values: list[Json], memo: Memo) -> bool:
        if not _DICT.issuperset(map(type, values)):
            return slowly(values, memo)
        if not values:
            return True  # where a schema holds itself there would be no end to asking
        for part in parts:  # noqa: SIM110 - a generator would be a second frame
            if not part(values, memo):
                return False
        return True

    return ask


def _properties(cell_of: CellOf, schema: Mapping[str, Any]) -> Iterator[Column]:
    """What is asked of one property of all the objects, for each property that is named."""
    required = schema.get("required", ())
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name, sub in properties.items():
        yield (_always if name in required else _at_times)(name, cell_of(sub))
    for name in required:
        if name not in properties:
            yield _always(name, [always, always])
    if others is False:
        known = frozenset(properties)
        yield lambda objects, _memo: known.issuperset(chain.from_iterable(objects))
    elif others is not True:
        yield _others(frozenset(properties), cell_of(others))


def _always(name: str, cell: Cell) -> Column:
    get = itemgetter(name)

    def ask(objects: list[Json], memo: Memo) -> bool:
        try:
            found = list(map(get, objects))
        except KeyError:
            return False
        return cell[MANY](found, memo)

    return ask


def _at_times(name: str, cell: Cell) -> Column:
    def ask(objects: list[Json], memo: Memo) -> bool:
        return cell[MANY]([one[name] for one in objects if name in one], memo)

    return ask


def _others(known: frozenset[str], cell: Cell) -> Column:
    def ask(objects: list[Json], memo: Memo) -> bool:
        found = [part for one in objects for name, part in one.items() if name not in known]
        return cell[MANY](found, memo)

    return ask


def _of_arrays(cell_of: CellOf, schema: Mapping[str, Any], test: Test) -> Column:
    slowly = each(test)
    items = cell_of(schema["items"])
    least, most = schema.get("minItems", 0), schema.get("maxItems", math.inf)

    def ask(values: list[Json], memo: Memo) -> bool:
        if not _LIST.issuperset(map(type, values)):
            return slowly(values, memo)
        sizes = set(map(len, values))
        if not sizes:
            return True
        if not least <= min(sizes) <= max(sizes) <= most:
            return False
        return items[MANY](list(chain.from_iterable(values)), memo)

    return ask
