"""How a JSON value differs from the one that is expected, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pdl.errors import count, visible
from pdl.schema.json_values import json_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath

_SHOWN = 60  # characters of a value in an error


class Difference(NamedTuple):
    """One part that differs: its path, and what is wrong with it, without a final period.

    `nearest` is the path of the part in the expected value, or of that which contains it.
    """

    path: JsonPath
    message: str
    nearest: JsonPath


def is_equal(expected: Json, found: Json) -> bool:
    """Return whether two values are the same JSON: 1 is 1.0, and neither is true."""
    return next(differences(expected, found), None) is None


def differences(expected: Json, found: Json) -> Iterator[Difference]:
    """Yield how a value differs from the expected one, in the order of the expected one's parts."""
    pending: list[tuple[JsonPath, Json, Json]] = [((), expected, found)]
    while pending:
        path, wanted, actual = pending.pop()
        inner: list[tuple[JsonPath, Json, Json]] = []
        if isinstance(wanted, dict) and isinstance(actual, dict):
            yield from _of_keys(path, wanted, actual)
            inner = [
                ((*path, key), one, actual[key]) for key, one in wanted.items() if key in actual
            ]
        elif isinstance(wanted, list) and isinstance(actual, list):
            if len(wanted) != len(actual):
                message = f"must have {count(len(wanted), 'item')}, not {len(actual)}"
                yield Difference(path, message, path)
            pairs = enumerate(zip(wanted, actual, strict=False))
            inner = [((*path, index), one, other) for index, (one, other) in pairs]
        elif not _is_same(wanted, actual):
            message = f"must be {shown(wanted)}, not {shown(actual)}"
            yield Difference(path, message, path)
        pending += reversed(inner)


def _of_keys(
    path: JsonPath, wanted: dict[str, Json], actual: dict[str, Json]
) -> Iterator[Difference]:
    for key, one in wanted.items():
        if key not in actual:
            yield Difference((*path, key), f"is missing; it must be {shown(one)}", (*path, key))
    for key, one in actual.items():
        if key not in wanted:
            yield Difference((*path, key), f"is not expected; it is {shown(one)}", path)


def _is_same(wanted: Json, actual: Json) -> bool:
    if isinstance(wanted, bool) or isinstance(actual, bool):
        return wanted is actual
    if isinstance(wanted, int | float) and isinstance(actual, int | float):
        return wanted == actual
    return type(wanted) is type(actual) and bool(wanted == actual)


def shown(value: Json) -> str:
    """Return a value as an error shows it: as JSON on one line, cut if it is long."""
    text = visible(json_line(value))
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
