"""The shape of a compiled test. A test takes a value and the memo of its run and says yes or no.

A column is the same question about a list of values, all of which must fit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from pdl._types import Json

Memo: TypeAlias = dict[tuple[int, int], bool]
"""What is known of (test, part of the value) in one run: keeps unions from being tried twice."""

Test: TypeAlias = Callable[[Json, Memo], bool]
Column: TypeAlias = Callable[[list[Json], Memo], bool]
Cell: TypeAlias = list[Test]
"""A test, and the column beside it; they may be filled in after others refer to the cell."""

FLOAT_MET = (0, 0)
"""What a memo holds once a float was met where an integer is wanted: 5.0 for 5."""

ONE, MANY = 0, 1
"""Where in a cell the test stands, and where the column."""

CellOf: TypeAlias = Callable[[Json], Cell]
"""From a subschema to its cell."""


def always(_value: Json, _memo: Memo) -> bool:
    """The test of `true` and `{}`."""
    return True


def never(_value: Json, _memo: Memo) -> bool:
    """The test of `false`."""
    return False


def nothing(values: list[Json], _memo: Memo) -> bool:
    """The column of `false`."""
    return not values


class PatternTimeout(Exception):  # noqa: N818 - it ends a check with a reason; nobody else sees it
    """A pattern took too long on one string."""


class UnusablePattern(ValueError):  # noqa: N818 - it ends a check with a reason, as the other does
    """A pattern of the schema is none."""
