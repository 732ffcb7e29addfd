"""A trampoline: recursion on a list instead of the interpreter's stack.

Schemas and grammars can nest deeper than frames.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any, TypeAlias, TypeVar

_T = TypeVar("_T")

Recur: TypeAlias = Generator[Any, Any, _T]
"""A function that yields the calls it would make, is sent their results, and returns its own."""


def call(task: Recur[_T]) -> Recur[_T]:
    """Return the result of a yielded task."""
    value: _T = yield task
    return value


def gather(tasks: Iterable[Recur[_T]]) -> Recur[list[_T]]:
    """Return the results of tasks, which run in order."""
    values = []
    for task in tasks:
        value: _T = yield task
        values.append(value)
    return values


def run(task: Recur[_T]) -> _T:
    """Run a task, with all calls that it yields on a list instead of the stack.

    An exception propagates to the caller, as from any call.
    """
    pending: list[Recur[Any]] = [task]
    value: Any = None
    error: Exception | None = None
    while pending:
        try:
            call = pending[-1].send(value) if error is None else pending[-1].throw(error)
        except StopIteration as done:
            pending.pop()
            value, error = done.value, None
        except Exception as raised:  # noqa: BLE001 - it is thrown into the caller, or raised below
            pending.pop()
            error = raised
        else:
            pending.append(call)
            value, error = None, None
    if error is not None:
        raise error
    result: _T = value
    return result
