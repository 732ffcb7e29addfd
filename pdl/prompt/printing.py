"""What `{{ value }}` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from types import BuiltinMethodType, FunctionType, MethodType
from typing import Any

from jinja2 import Undefined
from jinja2.exceptions import TemplateRuntimeError

from pdl.prompt.meter import METER, Meter
from pdl.prompt.undefined import StrictUndefined

_CONTAINERS = (dict, list, tuple, set, frozenset)
_PLAIN: tuple[Any, Any] = (object.__str__, object.__repr__)
_LOOK = 10_000  # items of a container between two looks at the clock


class Method(StrictUndefined):
    """A method of a built-in value that is named but not called, as in `{{ order.items }}`.

    Where a key was meant it counts as undefined; called, it is the method.
    """

    __slots__ = ("method",)

    def __init__(self, method: BuiltinMethodType, name: str) -> None:
        super().__init__(
            f"`{name}` is a method of a {type(method.__self__).__name__}, and no key of it;"
            f" call it, `{name}()`, or pass a value of that name",
            method.__self__,
            name,
        )
        self.method = method


def printed(value: Any) -> Any:
    """The value as it is printed; called for each `{{ … }}`.

    A list that holds an undefined name notes it. Raises TemplateRuntimeError for what has no text:
    functions, and objects that know no better than their address.
    """
    kind = type(value)
    if kind is str or kind is int or value is None:
        return value
    if isinstance(value, _CONTAINERS):
        return _container(value)
    if isinstance(value, Iterator):
        return _container(bounded_list(value))
    if isinstance(value, (FunctionType, BuiltinMethodType, MethodType, type)):
        raise TemplateRuntimeError("this is a function; call it to print what it gives")
    if (kind.__str__, kind.__repr__) == _PLAIN:
        raise TemplateRuntimeError(f"an object of the class {kind.__name__} has no text to print")
    return value


def bounded_list(values: Any) -> list[Any]:
    """A list of all values; the clock ends it if they do not."""
    meter = METER.get(None) or Meter()
    found: list[Any] = []
    iterator = iter(values)
    while batch := list(islice(iterator, _LOOK)):
        found += batch
        meter.look()
        meter.sized(len(found))
    return found


def _container(value: Any) -> Any:
    """Walk a container before it is printed: its text may be far longer than what it holds.

    A list that holds one list ten times, which holds one ten times …, is small in memory.
    """
    meter = METER.get(None) or Meter()
    pending, seen = [value], 0
    while pending:
        current = pending.pop()
        items = list(current.values()) if isinstance(current, Mapping) else current
        for item in items:
            if isinstance(item, _CONTAINERS):
                pending.append(item)
            elif isinstance(item, Undefined):
                str(item)
        seen += len(current) + 1
        meter.sized(seen)
        if seen % _LOOK < len(current) + 1:
            meter.look()
    return value
