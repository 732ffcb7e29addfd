"""Guards for the few operations that make much out of little: `'a' * 10**9`, `center(10**9)`.

A template's loops are bounded by time; these run at the speed of memory inside one call of C, so
their result's size is computed before they run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Sized
from types import BuiltinMethodType, MethodType
from typing import Any

from pdl.prompt.measure import (
    MOST_ITEMS,
    TooLargeError,
    guard_size,
    is_container,
    measured,
    watched,
)

_INTEGER_BITS = 100_000
_NUMBER = re.compile(r"\d+")
_FAST_ENCODING = re.compile(
    r"(?:utf|latin|iso8859|iso-8859|cp|windows)[-_]?[\d\w-]*|(?:us-)?ascii", re.IGNORECASE
)
_SHORT = 1_000
_LONG = 1_000_000
_SLOW = frozenset({"title", "translate", "split", "rsplit", "splitlines"})
"""Methods that make an object of each word or character."""


def guard_binary(operator: str, left: Any, right: Any, limit: int) -> None:
    """Refuse `left operator right` if its result would be larger than the limit allows."""
    if operator == "*":
        _guard_product(left, right, limit)
    elif operator == "**":
        if isinstance(left, int) and isinstance(right, int):
            _guard_bits(left.bit_length() * max(right, 0))
    elif operator == "+":
        if isinstance(left, Sequence) and isinstance(right, Sequence):
            guard_size(len(left) + len(right), _most(left, limit))
    elif operator == "%" and isinstance(left, (str, bytes)):
        guard_printf(left, right, limit)


def _guard_product(left: Any, right: Any, limit: int) -> None:
    if isinstance(left, int) and isinstance(right, int):
        _guard_bits(left.bit_length() + right.bit_length())
    elif isinstance(left, Sequence) and isinstance(right, int):
        guard_size(len(left) * right, _most(left, limit))
    elif isinstance(right, Sequence) and isinstance(left, int):
        guard_size(len(right) * left, _most(right, limit))


def _most(value: Sequence[Any], limit: int) -> int:
    return limit if isinstance(value, (str, bytes)) else min(limit, MOST_ITEMS)


def _guard_bits(bits: int) -> None:
    if bits > _INTEGER_BITS:
        raise TooLargeError(f"this would build an integer of {bits:,} bits")


def guard_printf(template: str | bytes, values: Any, limit: int) -> None:
    """Refuse `template % values` if it may be too large."""
    text = template.decode("latin-1") if isinstance(template, bytes) else template
    if "%*" in text or ".*" in text:
        raise TooLargeError("a width that is itself a value (`%*d`) is not allowed")
    listed = values.values() if isinstance(values, dict) else values
    _guard_fields(text, "%", listed if isinstance(values, (tuple, dict)) else [values], limit)


def _guard_fields(text: str, opener: str, values: Any, limit: int) -> None:
    widths = sum(int(number[:12]) for number in _NUMBER.findall(text))
    longest = max((_length(value) for value in values), default=0)
    guard_size(widths + text.count(opener) * longest, limit)


def guard_replace(text: str, old: str, new: str, limit: int) -> None:
    """Refuse a replacement that may be too large."""
    places = text.count(old) if old else len(text) + 1
    guard_size(len(text) + places * len(new), limit)


def guard_join(separator: str, parts: Sized, limit: int) -> None:
    """Refuse a join whose parts and separators are too large."""
    sizes = 0
    if isinstance(parts, (list, tuple)) and set(map(type, parts)) == {str}:
        sizes = sum(map(len, parts))
    elif isinstance(parts, Sequence):
        sizes = sum(map(_length, parts))
    guard_size(sizes + len(separator) * len(parts), limit)


def guard_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], limit: int) -> None:
    """Refuse a call of a method of a built-in type if its result may be too large.

    Widths (`ljust`, `zfill`, `expandtabs`, `to_bytes`) are the integers among the arguments.
    """
    given = (*args, *kwargs.values())
    for value in given:
        if isinstance(value, int):
            guard_size(value, limit)
    subject, name = function.__self__, function.__name__
    if isinstance(subject, (str, bytes)) and len(subject) > _SHORT:
        guard_size(len(subject), _LONG if name in _SLOW else limit)
    if name in ("encode", "decode") and not _is_fast(given):
        guard_size(len(subject), _SHORT)
    if not isinstance(subject, str):
        return
    if name == "expandtabs":
        guard_size(
            subject.count("\t") * max((v for v in given if isinstance(v, int)), default=8), limit
        )
    elif (
        name == "replace" and all(isinstance(value, str) for value in given[:2]) and len(given) > 1
    ):
        guard_replace(subject, given[0], given[1], limit)
    elif name == "join" and given and isinstance(given[0], Sized):
        guard_join(subject, given[0], limit)
    elif name == "translate" and given and isinstance(given[0], dict):
        longest = max((_length(value) for value in given[0].values()), default=1)
        guard_size(len(subject) * max(longest, 1), limit)


def guard_format(text: str, args: tuple[Any, ...], kwargs: dict[str, Any], limit: int) -> None:
    """Refuse `text.format(…)` if it may be too large."""
    mapping = args[0].values() if len(args) == 1 and isinstance(args[0], dict) else ()
    values = (*args, *kwargs.values(), *mapping)
    _guard_fields(text, "{", values, limit)
    # A width may itself be a field ({:{width}}): then any integer given may be the width.
    if "{:{" in text or re.search(r":[^{}]*\{", text):
        guard_size(sum(value for value in values if isinstance(value, int)), limit)


def is_guarded(function: Any) -> bool:
    """Whether the function is a method of a built-in text, bytes or number."""
    return isinstance(function, (BuiltinMethodType, MethodType)) and isinstance(
        function.__self__, (str, bytes, int, float)
    )


def given_to(function: Any, value: Any) -> Any:
    """A value that a type or a method of Python's own is called with: bounded, if it walks it."""
    owner = function if isinstance(function, type) else getattr(function, "__self__", None)
    if not isinstance(function, type) and not isinstance(function, BuiltinMethodType):
        return value
    if isinstance(value, str):
        if not isinstance(owner, (str, bytes)):
            guard_size(len(value), _LONG)
        return value
    if is_container(value):
        measured(value)
    return watched(value)


def _is_fast(given: tuple[Any, ...]) -> bool:
    """Whether the first argument, if there is one, names an encoding that takes linear time."""
    name = given[0] if given else "utf-8"
    return isinstance(name, str) and _FAST_ENCODING.fullmatch(name) is not None


def _length(value: Any) -> int:
    """The most characters that a value has when it is written out."""
    if type(value) is str:
        return len(value)
    if is_container(value):
        size = measured(value)
        return size.chars + 20 * size.items
    return len(value) if isinstance(value, Sized) else 20
