"""The limits on grammars as errors that say what to do; and a pause of the garbage collector.

`uncollected` pauses the cyclic garbage collector, which would scan everything that is made, again
and again. A compilation makes trees and tables, which reference counts free; the collector, which
runs for every few hundred of them, takes a fifth of the time and finds nothing.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from functools import wraps
from time import monotonic
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from pdl.errors import LimitError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl.limits import Limits
    from pdl.source import Span


_P = ParamSpec("_P")
_T = TypeVar("_T")

_MENDS = {
    "grammar_depth": "put the inner groups into separate rules",
    "grammar_configurations": (
        "make the grammar less ambiguous (`Grammar.lint` names what has many parses)"
    ),
}
_OTHERWISE = "split it"
DEEPEST = 100
"""Nested groups for which Python's stack has room; their `repr` and `pickle` take nine calls a
level."""


def limit_error(bound: str, message: str, span: Span | None = None) -> LimitError:
    """Return the error for a limit, by its name in `Limits`."""
    mend = _MENDS.get(bound, _OTHERWISE)
    hint = f"{mend}, or allow more with `Limits({bound}=…)`"
    return LimitError(Problem(f"limit/{bound.replace('_', '-')}", message, span, hint))


def too_deep(what: str, limits: Limits, span: Span | None = None) -> LimitError:
    """Return the error for nested groups: beyond `DEEPEST` no limit helps."""
    bound = limits.grammar_depth
    if bound < DEEPEST:
        return limit_error("grammar_depth", f"{what} deeper than {bound} levels", span)
    message = f"{what} deeper than {DEEPEST} levels, the maximum"
    hint = _MENDS["grammar_depth"]
    return LimitError(Problem("limit/grammar-depth", message, span, hint))


class Clock:
    """The time for one step, `grammar_seconds` of it, or fewer `seconds` for a part of one.

    It is checked for each rule, not for each character.
    """

    def __init__(self, limits: Limits, doing: str, seconds: float | None = None) -> None:
        self._seconds = limits.grammar_seconds
        self._end = monotonic() + (self._seconds if seconds is None else seconds)
        self._doing = doing

    @property
    def left(self) -> float:
        """The seconds that are left; 0 if the time is over."""
        return max(0.0, self._end - monotonic())

    def check(self, span: Span | None = None) -> None:
        """Raise LimitError if the time is over."""
        if monotonic() > self._end:
            message = f"{self._doing} takes longer than {self._seconds:g} seconds"
            raise limit_error("grammar_seconds", message, span)


def within_stack(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let a function raise LimitError where Python's stack ends.

    Groups nest to `grammar_depth`, for which the stack of a program has room, but for a caller that
    is hundreds of calls deep itself.
    """

    @wraps(function)
    def bounded(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return function(*args, **kwargs)
        except RecursionError:
            message = "the groups of the grammar nest deeper than the rest of Python's stack"
        hint = f"{_MENDS['grammar_depth']}, or call this from a function that is nested less deeply"
        raise LimitError(Problem("limit/grammar-depth", message, None, hint))

    return bounded


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the collector of the process, if it runs; other threads continue without it."""
    ran = gc.isenabled()
    try:
        gc.disable()  # within, as an interrupt may come right after it
        yield
    finally:
        if ran:
            gc.enable()
