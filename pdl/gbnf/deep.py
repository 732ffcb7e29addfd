"""Recursion that Python's stack does not bound: functions that lead into each other as generators.

Each yields the calls that it needs and is sent their results.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any, TypeAlias, TypeVar, cast

_T = TypeVar("_T")

Steps: TypeAlias = Generator[Any, Any, _T]
"""A function that yields other `Steps`, is sent what they return, and returns a `_T`."""


def run(steps: Steps[_T]) -> _T:
    """What some steps return."""
    pending: list[Steps[Any]] = [steps]
    result: Any = None
    while pending:
        try:
            pending.append(pending[-1].send(result))
            result = None
        except StopIteration as done:
            pending.pop()
            result = done.value
    return cast("_T", result)


def each(calls: Iterable[Steps[_T]]) -> Steps[list[_T]]:
    """What several calls return."""
    found: list[_T] = []
    for call in calls:
        found += [(yield call)]
    return found
