"""Values that nobody changes."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any, NoReturn, TypeVar

_T = TypeVar("_T")


def sealed(cls: type[_T]) -> type[_T]:
    """Let a frozen dataclass with slots refuse each name; `copy` gives the value itself.

    Python 3.11 makes such a class refuse the names of its fields, and fail with a TypeError about
    `super` on all others: the class with slots is a second one, and `super` knows the first.
    """
    cls.__setattr__ = _unchanged  # type: ignore[method-assign]  # for any value
    cls.__delattr__ = _unchanged  # type: ignore[method-assign]
    cls.__copy__ = _itself  # type: ignore[attr-defined]
    cls.__deepcopy__ = _itself  # type: ignore[attr-defined]
    return cls


def _unchanged(self: object, name: str, *_: Any) -> NoReturn:
    raise FrozenInstanceError(f"cannot change `{name}` of a {type(self).__name__}: it is frozen")


def _itself(self: _T, *_: Any) -> _T:
    return self
