"""Undefined names: false in a condition, an error where they are used."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from jinja2 import TemplateRuntimeError, Undefined
from jinja2.exceptions import SecurityError

from pdl.prompt.measure import is_container, measured
from pdl.prompt.meter import METER, MissingName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
