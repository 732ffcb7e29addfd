"""What `{{ value }}` prints, and undefined names.

Those are false in a condition, and an error where they are used (`StrictUndefined`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from types import BuiltinMethodType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from jinja2 import TemplateRuntimeError, Undefined
from jinja2.environment import TemplateModule
from jinja2.exceptions import SecurityError

from pdl.prompt.captured import Captured, encoded, module_text
from pdl.prompt.measure import MOST_ITEMS, TooLargeError, is_container, measured
from pdl.prompt.meter import METER, Meter, MissingName

if TYPE_CHECKING:
    from collections.abc import Callable


_LONGEST = 200  # characters of a name in an error


class StrictUndefined(Undefined):
    """False in a condition; printed, looped over or computed with, it is noted as an error.

    Noting instead of raising lets one rendering find all undefined names. What it renders is
    thrown away then, so it may go on with an empty text.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__" and name[-2:] == "__":
            raise AttributeError(name)
        return _part(self, f".{name}")

    def __str__(self) -> str:
        _note(self)
        return ""

    def __iter__(self) -> Iterator[Any]:
        _note(self)
        return iter(())

    def __len__(self) -> int:
        _note(self)
        return 0

    def __eq__(self, other: object) -> bool:
        _note(self)
        return False

    def __hash__(self) -> int:
        return id(self)


def note_unsafe(undefined: Undefined) -> None:
    """Note as an error that the sandbox refused an attribute, which is more than its absence."""
    if undefined._undefined_exception is SecurityError:
        str(undefined)


def _part(undefined: StrictUndefined, step: str) -> StrictUndefined:
    return StrictUndefined(
        undefined._undefined_hint,
        undefined._undefined_obj,
        _named(undefined) + step,
        undefined._undefined_exception,
    )


def _named(undefined: StrictUndefined) -> str:
    return _written(undefined._undefined_name, str)


def _written(key: object, form: Callable[[object], str]) -> str:
    """A name or a key as an error shows it. Raises TooLargeError for a bomb."""
    for part in (key.start, key.stop, key.step) if isinstance(key, slice) else (key,):
        if is_container(part):
            measured(part)
    text = form(key[: _LONGEST + 1] if isinstance(key, str) else key)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _item(undefined: StrictUndefined, key: object) -> StrictUndefined:
    return _part(undefined, f"[{_written(key, repr)}]")


def _note(undefined: StrictUndefined, *_: object, **__: object) -> StrictUndefined:
    meter = METER.get(None)
    if meter is None:
        raise TemplateRuntimeError(undefined._undefined_message)
    name, owner = _named(undefined), undefined._undefined_obj
    template, line = _where()
    if line is None:
        return undefined  # it is on its way out, and was noted where it was used
    reason = undefined._undefined_hint or ""
    meter.miss(MissingName(template, line, name, owner, reason))
    return undefined


def _false(undefined: StrictUndefined, *_: object) -> bool:
    _note(undefined)
    return False


def _zero(undefined: StrictUndefined) -> int:
    _note(undefined)
    return 0


_OPERATORS = {
    _note: "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow"
    " pos neg call",
    _false: "lt le gt ge contains",
    _zero: "int index",
    _item: "getitem",
}
for _function, _names in _OPERATORS.items():
    for _name in _names.split():
        setattr(StrictUndefined, f"__{_name}__", _function)


def _where() -> tuple[str | None, int | None]:
    """The template and the line that are being rendered, read off the stack, if there are."""
    frame = sys._getframe(1)
    while True:
        template = frame.f_globals.get("__jinja_template__")
        if template is not None:
            return template.name, template.get_corresponding_lineno(frame.f_lineno)
        if frame.f_back is None:
            return None, None
        frame = frame.f_back


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
