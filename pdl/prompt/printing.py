"""What `{{ value }}` prints."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from types import BuiltinMethodType, FunctionType, MethodType
from typing import Any

from jinja2 import Undefined
from jinja2.environment import TemplateModule
from jinja2.exceptions import TemplateRuntimeError

from pdl.prompt.captured import Captured, encoded, module_text
from pdl.prompt.measure import MOST_ITEMS, TooLargeError, is_container, measured
from pdl.prompt.meter import METER, Meter
from pdl.prompt.undefined import StrictUndefined

_FUNCTIONS = (FunctionType, BuiltinMethodType, MethodType)
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


def emitted(value: Any) -> str:
    """The text that a value prints, with its marks if it was captured; for each `{{ … }}`.

    Raises MarkError for what was cut out of captured text, TemplateRuntimeError for what has none.
    """
    kind = type(value)
    if kind is str:
        return value if value.isascii() else encoded(value)
    if kind is Captured:
        return value.encoded  # type: ignore[no-any-return]
    if kind is not int:
        value = module_text(value) if kind is TemplateModule else printed(value)
    text = value if isinstance(value, str) else str(value)
    return text if text.isascii() else encoded(text)


def printed(value: Any) -> Any:
    """The value as it is printed.

    A list that holds an undefined name notes it. Raises TemplateRuntimeError for what has no text:
    functions, and objects that know no better than their address.
    """
    kind = type(value)
    if kind is str or kind is int or value is None:
        return value
    if is_container(value):
        return _container(value)
    if isinstance(value, Iterator):
        return _container(bounded_list(value))
    if isinstance(value, (*_FUNCTIONS, type)):
        raise TemplateRuntimeError("this is a function; call it to print what it gives")
    if (kind.__str__, kind.__repr__) == _PLAIN:
        raise TemplateRuntimeError(f"an object of the class {kind.__name__} has no text to print")
    return value


def text_of(value: Any) -> str:
    """The text that a value prints."""
    return str(printed(value))


def bounded_list(values: Any) -> list[Any]:
    """A list of all values; the clock ends it if they do not."""
    meter = METER.get(None) or Meter()
    found: list[Any] = []
    iterator = iter(values)
    while batch := list(islice(iterator, _LOOK)):
        found += batch
        meter.look()
        if len(found) > MOST_ITEMS:
            raise TooLargeError(f"this gives more than {MOST_ITEMS:,} items")
    return found


def _container(value: Any) -> Any:
    """Measure a container before it is printed, and look at what its items are printed as."""
    measured(value, meet=_meet)
    return value


def _meet(item: Any) -> None:
    kind = type(item)
    if isinstance(item, Undefined):
        str(item)  # which notes it
    elif isinstance(item, (*_FUNCTIONS, type)) or kind.__repr__ == _PLAIN[1]:
        raise TemplateRuntimeError(
            f"a list or an object that holds a {kind.__name__} has no text to print"
        )
