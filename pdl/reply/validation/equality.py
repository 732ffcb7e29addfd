"""Equality of JSON values (2020-12 core, 4.2.2): 1 is 1.0, but true is not 1."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

    from pdl._types import Json, JsonPath

_ABSENT = object()  # stands for a part that one of two values lacks; equal to nothing else


def key(value: Json) -> Hashable:
    """A hashable that is the same for equal values and for no others.

    One frame for each level of the value, whose depth is limited.
    """
    if isinstance(value, dict):
        return frozenset([(name, key(part)) for name, part in value.items()])
    if isinstance(value, list | tuple):
        return tuple([key(part) for part in value])
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, int | float):
        return _digits(value)
    scalar: Hashable = value
    return scalar


def _digits(number: float) -> bytes:
    """A number as bytes, the same for 1 and 1.0.

    Python hashes numbers in a way that anybody can foresee (all multiples of 2**61 - 1 alike, and
    -1 as -2), so that a set of them may take the square of their number; bytes it hashes otherwise.
    """
    if isinstance(number, int):
        return b"%x" % number
    return b"%x" % int(number) if number.is_integer() else number.hex().encode()


def equal(one: Json, other: Json) -> bool:
    """Whether two JSON values are equal; the order of keys does not count."""
    return first_difference(one, other) is None


def first_difference(one: Json, other: Json) -> JsonPath | None:
    """The path of the first part in which two values differ, in the order of the first value."""
    pending: list[tuple[JsonPath, Json, Json]] = [((), one, other)]
    while pending:
        path, a, b = pending.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            names = [*a, *(name for name in b if name not in a)]
            parts = [((*path, name), a.get(name, _ABSENT), b.get(name, _ABSENT)) for name in names]
            pending += reversed(parts)
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            pairs = enumerate(zip_longest(a, b, fillvalue=_ABSENT))
            pending += reversed([((*path, index), x, y) for index, (x, y) in pairs])
        elif not _same_scalar(a, b):
            return path
    return None


def _same_scalar(a: Json, b: Json) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    same: bool = a == b
    return same
