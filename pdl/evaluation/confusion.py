"""Confusion matrices: which word of an enum was answered where which was expected."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from pdl.evaluation.results import Confusion
from pdl.reply.validation.json_types import key
from pdl.reply.validation.schema_walk import branches, conjoined, literals_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from pdl._types import Json, JsonPath
    from pdl.evaluation.records import Column
    from pdl.evaluation.table import Table

_MOST: Final = 60
"""A matrix of more labels than these is no help to anybody."""

_ABSENT: Final = object()


def confusions(table: Table) -> tuple[Confusion, ...]:
    """Return a matrix for each column and each enum of its answers.

    An enum is a choice of literals, or a boolean, as a property of objects or as the whole answer;
    items of lists are left out, since it isn't known which of them belong together. The trials are
    those of cases whose exact value is known and has the enum.
    """
    expected = [case.exact[0] for case in table.run.cases if case.exact is not None]
    found = []
    for column in table.run.columns:
        schema = table.run.schemas.get(column.prompt)
        for path, values in _enums(schema, schema, (), expected):
            matrix = _matrix(table, column, path, values)
            if any(map(any, matrix.counts)):
                found.append(matrix)
    return tuple(found)


def _enums(
    document: Json, schema: Json, path: JsonPath, expected: list[Json]
) -> Iterator[tuple[JsonPath, list[Json]]]:
    """The paths of a schema that allow several literals and nothing else, and the literals.

    Only those that some expected value has: the schema of a tree has paths without end.
    """
    values = _literals(document, schema)
    if values is not None and 1 < len(values) <= _MOST:
        yield path, values
        return
    for part in conjoined(document, schema):
        for name, inner in part.get("properties", {}).items():
            below = [one[name] for one in expected if isinstance(one, dict) and name in one]
            if below:
                yield from _enums(document, inner, (*path, name), below)


def _literals(document: Json, schema: Json) -> list[Json] | None:
    """The literals that a schema allows, each once; None if it allows anything else."""
    found: dict[Hashable, Json] = {}
    for branch in branches(document, schema):
        values = _own_literals(branch)
        if values is None:
            return None
        found.update((key(one), one) for one in values)
    return list(found.values())


def _own_literals(branch: Mapping[str, Any]) -> Sequence[Json] | None:
    values = literals_of(branch)
    if values is not None:
        return values
    simple: dict[str, list[Json]] = {"boolean": [True, False], "null": [None]}
    kinds: str | list[str] = branch.get("type", [])
    named = [kinds] if isinstance(kinds, str) else kinds
    if not named:
        return [] if {"$ref", "anyOf", "oneOf", "allOf"} & set(branch) else None
    if not set(named) <= set(simple):
        return None
    return [one for kind in named for one in simple[kind]]


def _matrix(table: Table, column: Column, path: JsonPath, values: list[Json]) -> Confusion:
    places = {key(one): index for index, one in enumerate(values)}
    counts = [[0] * (len(values) + 1) for _ in values]
    for case, _, trial in table.known(column):
        assert case.exact is not None
        row = places.get(_at(case.exact[0], path))
        if row is not None:
            answered = _at(trial.value, path) if trial.status == "valid" else _ABSENT
            counts[row][places.get(answered, len(values))] += 1
    return Confusion(column, path, _labels(values), tuple(map(tuple, counts)))


def _at(value: Json, path: JsonPath) -> Hashable:
    """The key of the value at a path."""
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return _ABSENT
        value = value[name]
    return key(value)


def _labels(values: list[Json]) -> tuple[str, ...]:
    """The literals as they are shown: strings without quotes, unless they look like others."""
    shown = [one if isinstance(one, str) else json.dumps(one) for one in values]
    if len(set(shown)) < len(shown):
        shown = [json.dumps(one, ensure_ascii=False) for one in values]
    return tuple(shown)
