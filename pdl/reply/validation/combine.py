"""Compiled tests of the keywords that hold for any value, or that combine other schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.reply.validation.compiled import ONE, always
from pdl.reply.validation.equality import key
from pdl.schema.keywords import DIGITS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl._types import Json
    from pdl.reply.validation.compiled import CellOf, Memo, Test


def _enum(_cell_of: CellOf, schema: Mapping[str, Any]) -> Test:
    values = schema["enum"]
    if all(isinstance(value, str) for value in values):
        words = frozenset(values)
        return lambda value, _memo: isinstance(value, str) and value in words
    keys = frozenset(map(key, values))
    return lambda value, _memo: key(value) in keys


def _const(cell_of: CellOf, schema: Mapping[str, Any]) -> Test:
    return _enum(cell_of, {"enum": [schema["const"]]})


def _digits(_cell_of: CellOf, schema: Mapping[str, Any]) -> Test:
    if schema[DIGITS] is not True:
        return always
    return lambda value, _memo: not isinstance(value, float)


def _all_of(cell_of: CellOf, schema: Mapping[str, Any]) -> Test:
    cells = [cell_of(sub) for sub in schema["allOf"]]

    def test(value: Json, memo: Memo) -> bool:
        for cell in cells:  # noqa: SIM110 - a generator would be a second frame
            if not cell[ONE](value, memo):
                return False
        return True

    return test


def _any_of(cell_of: CellOf, schema: Mapping[str, Any]) -> Test:
    cells = [cell_of(sub) for sub in schema["anyOf"]]

    def test(value: Json, memo: Memo) -> bool:
        for cell in cells:  # noqa: SIM110 - a generator would be a second frame
            if cell[ONE](value, memo):
                return True
        return False

    return test


def _one_of(cell_of: CellOf, schema: Mapping[str, Any]) -> Test:
    cells = [cell_of(sub) for sub in schema["oneOf"]]

    def test(value: Json, memo: Memo) -> bool:
        count = 0
        for cell in cells:
            count += cell[ONE](value, memo)
        return count == 1

    return test


def _not(cell_of: CellOf, schema: Mapping[str, Any]) -> Test:
    cell = cell_of(schema["not"])
    return lambda value, memo: not cell[ONE](value, memo)


def _if(cell_of: CellOf, schema: Mapping[str, Any]) -> Test:
    condition = cell_of(schema["if"])
    then, other = cell_of(schema.get("then", True)), cell_of(schema.get("else", True))
    return lambda value, memo: (then if condition[ONE](value, memo) else other)[ONE](value, memo)


def _dependent_schemas(cell_of: CellOf, schema: Mapping[str, Any]) -> Test:
    cells = {name: cell_of(sub) for name, sub in schema["dependentSchemas"].items()}

    def test(value: Json, memo: Memo) -> bool:
        if not isinstance(value, dict):
            return True
        for name, cell in cells.items():
            if name in value and not cell[ONE](value, memo):
                return False
        return True

    return test


COMBINED: Mapping[str, Callable[[CellOf, Mapping[str, Any]], Test]] = {
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
