"""The output growth guard: operations that make much out of little are refused before they run.

A template's loops are bounded by time. `'a' * 10**9` and `center(10**9)` run at the speed of memory
inside one call of C, so the size of their result is computed first.

Filters and tests measure what they are given before they walk it. Nothing stops a walk in C, so
each of them is called through a function that refuses what would take too long: containers that are
too large when they are written out, strings that are too long for what goes through them character
by character, infinite iterators.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Sized
from functools import wraps
from types import BuiltinMethodType, MethodType
from typing import Any

from jinja2.filters import make_attrgetter
from jinja2.utils import _PassArg

from pdl.prompt.render_budget import (
    MOST_ITEMS,
    SMALL,
    TooLargeError,
    guard_size,
    is_container,
    is_iterator,
    measure_size,
    output_limit,
    spend,
    watched,
)

_INTEGER_BITS = 100_000
_NUMBER = re.compile(r"\d+")
_FAST_ENCODING = re.compile(
    r"(?:utf|latin|iso8859|iso-8859|cp|windows)[-_]?[\d\w-]*|(?:us-)?ascii", re.IGNORECASE
)
_UNCHECKED = 1_000  # characters of a string whose methods are never slow
_SLOW_CHARS = 1_000_000
_SLOW = frozenset({"title", "translate", "split", "rsplit", "splitlines"})
"""Methods that make an object of each word or character."""


def guard_binary(operator: str, left: Any, right: Any) -> None:
    """Refuse `left operator right` if its result would be larger than the limit allows."""
    if operator == "*":
        _guard_product(left, right)
    elif operator == "**":
        if isinstance(left, int) and isinstance(right, int):
            _guard_bits(left.bit_length() * max(right, 0))
    elif operator == "+":
        if isinstance(left, Sequence) and isinstance(right, Sequence):
            guard_size(len(left) + len(right), _most(left))
    elif operator == "%" and isinstance(left, (str, bytes)):
        guard_printf(left, right)


def _guard_product(left: Any, right: Any) -> None:
    if isinstance(left, int) and isinstance(right, int):
        _guard_bits(left.bit_length() + right.bit_length())
    elif isinstance(left, Sequence) and isinstance(right, int):
        guard_size(len(left) * right, _most(left))
    elif isinstance(right, Sequence) and isinstance(left, int):
        guard_size(len(right) * left, _most(right))


def _most(value: Sequence[Any]) -> int | None:
    return None if isinstance(value, (str, bytes)) else min(output_limit(), MOST_ITEMS)


def _guard_bits(bits: int) -> None:
    if bits > _INTEGER_BITS:
        raise TooLargeError(f"this would build an integer of {bits:,} bits")


def guard_printf(template: str | bytes, values: Any) -> None:
    """Refuse `template % values` if it may be too large."""
    text = template.decode("latin-1") if isinstance(template, bytes) else template
    if "%*" in text or ".*" in text:
        raise TooLargeError("a width that is itself a value (`%*d`) is not allowed")
    listed = values.values() if isinstance(values, dict) else values
    _guard_fields(text, "%", listed if isinstance(values, (tuple, dict)) else [values])


def _guard_fields(text: str, opening: str, values: Any) -> None:
    widths = sum(int(number[:12]) for number in _NUMBER.findall(text))
    longest = max((_length(value) for value in values), default=0)
    guard_size(widths + text.count(opening) * longest)


def guard_replace(text: str, old: str, new: str) -> None:
    """Refuse a replacement that may be too large."""
    places = text.count(old) if old else len(text) + 1
    guard_size(len(text) + places * len(new))


def guard_join(separator: str, parts: Sized) -> None:
    """Refuse a join whose parts and separators are too large."""
    sizes = 0
    if isinstance(parts, (list, tuple)) and set(map(type, parts)) == {str}:
        sizes = sum(map(len, parts))
    elif isinstance(parts, Sequence):
        sizes = sum(map(_length, parts))
    guard_size(sizes + len(separator) * len(parts))


def guard_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse a call of a method of a built-in type if its result may be too large.

    Widths (`ljust`, `zfill`, `expandtabs`, `to_bytes`) are the integers among the arguments.
    """
    given = (*args, *kwargs.values())
    for value in given:
        if isinstance(value, int):
            guard_size(value)
    subject, name = function.__self__, function.__name__
    if isinstance(subject, (str, bytes)) and len(subject) > _UNCHECKED:
        guard_size(len(subject), _SLOW_CHARS if name in _SLOW else None)
    if name in ("encode", "decode") and not _is_fast(given):
        guard_size(len(subject), _UNCHECKED)
    if not isinstance(subject, str):
        return
    if name == "expandtabs":
        guard_size(subject.count("\t") * max((v for v in given if isinstance(v, int)), default=8))
    elif (
        name == "replace" and all(isinstance(value, str) for value in given[:2]) and len(given) > 1
    ):
        guard_replace(subject, given[0], given[1])
    elif name == "join" and given and isinstance(given[0], Sized):
        guard_join(subject, given[0])
    elif name == "translate" and given and isinstance(given[0], dict):
        longest = max((_length(value) for value in given[0].values()), default=1)
        guard_size(len(subject) * max(longest, 1))


def guard_format(text: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse `text.format(…)` if it may be too large."""
    mapping = args[0].values() if len(args) == 1 and isinstance(args[0], dict) else ()
    values = (*args, *kwargs.values(), *mapping)
    _guard_fields(text, "{", values)
    # A width may itself be a field ({:{width}}): then any integer given may be the width.
    if "{:{" in text or re.search(r":[^{}]*\{", text):
        guard_size(sum(value for value in values if isinstance(value, int)))


def is_guarded(function: Any) -> bool:
    """Whether the function is a method of a built-in string, bytes or number."""
    return isinstance(function, (BuiltinMethodType, MethodType)) and isinstance(
        function.__self__, (str, bytes, int, float)
    )


def given_to(function: Any, value: Any) -> Any:
    """An argument of one of Python's own types or methods: bounded, if the call walks it."""
    owner = function if isinstance(function, type) else getattr(function, "__self__", None)
    if not isinstance(function, type) and not isinstance(function, BuiltinMethodType):
        return value
    if isinstance(value, str):
        if not isinstance(owner, (str, bytes)):
            guard_size(len(value), _SLOW_CHARS)
        return value
    if is_container(value):
        measure_size(value)
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
        size = measure_size(value)
        return size.chars + 20 * size.items
    return len(value) if isinstance(value, Sized) else 20


_PER_CHARACTER = 4_000_000  # characters that go through Python one by one in less than a second
SHORT = 200_000
_ANY_LENGTH = 1 << 62
_LENGTHS = dict.fromkeys(["striptags", "urlize", "wordwrap"], SHORT) | dict.fromkeys(
    "as_str capitalize center count d default e escape first forceescape format indent join"  # noqa: SIM905
    " json_encode last length linebreaksbr lower nth replace safe slice string tojson trim"
    " trim_end trim_end_matches trim_start trim_start_matches truncate upper".split(),
    _ANY_LENGTH,
)
"""The most characters of a string that a filter takes, by default `_PER_CHARACTER`; any number for
those that copy it at the speed of memory."""
_SHALLOW = frozenset(
    "attr batch concat count d default filter first get items last length list map nth random"  # noqa: SIM905
    " join reject rejectattr reverse select selectattr slice".split()
)
"""Filters that pass on the items of a container without looking into them, or measure them."""
_BY_KEY = frozenset({"group_by", "groupby", "max", "min", "sort", "sum", "unique"})
"""Filters that can look at a single attribute of each item."""
_ITEMS = {"pprint": 50_000}
_COMPARING = frozenset(
    "== eq equalto != ne > gt greaterthan >= ge < lt lessthan <= le in containing".split()  # noqa: SIM905
)


def bounded_filter(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a filter that refuses values for which it would take too long."""
    first = _first(function)
    longest = _LENGTHS.get(name, _PER_CHARACTER)
    most = _ITEMS.get(name, MOST_ITEMS)
    walks = name not in _SHALLOW and name not in _BY_KEY
    passed = frozenset({list, dict, tuple}) if name in _SHALLOW else frozenset()

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and _are_small(args[first:], passed):  # as nearly always
            return function(*args)
        looked = list(args)
        for at in range(first, len(args)):
            if type(args[at]) not in SMALL:
                looked[at] = _checked_value(args[at], longest, most, walks=walks or at > first)
        for key, value in kwargs.items():
            kwargs[key] = _checked_value(value, longest, most, walks=True)
        if name in _BY_KEY and len(looked) > first:
            looked[first] = _with_small_keys(looked[first], looked, kwargs)
        return function(*looked, **kwargs)

    return call


def bounded_test(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a test that refuses values for which it would take too long."""
    if name not in _COMPARING:
        return function

    @wraps(function)
    def call(value: Any, other: Any) -> Any:
        if name == "containing":
            return function(watched(value), comparable(other, value))
        return function(comparable(value, other), watched(other))

    return call


def comparable(value: Any, other: Any = None) -> Any:
    """A value that is comparable or hashed next, no larger than that may take."""
    if is_container(value):
        size = measure_size(value)
        if isinstance(other, (list, tuple)):  # in which it is looked for
            guard_size(size.items * len(other), 10 * MOST_ITEMS)
    return value


def _first(function: Callable[..., Any]) -> int:
    """Which argument is the value: the second one, if Jinja passes something before it."""
    return 0 if _PassArg.from_obj(function) is None else 1


def _are_small(values: tuple[Any, ...], passed: frozenset[type]) -> bool:
    """Whether there is nothing to check; the first value can be of a type that is passed on."""
    for at, value in enumerate(values):
        kind = type(value)
        if kind is str:
            if len(value) > SHORT:
                return False
        elif kind not in SMALL and (at or kind not in passed):
            return False
    return True


def _checked_value(value: Any, longest: int, most: int, *, walks: bool) -> Any:
    if isinstance(value, str):
        if len(value) > SHORT:
            guard_size(len(value), longest)
        return value
    if is_iterator(value):
        return watched(value)
    if isinstance(value, range):
        spend(len(value))
    elif walks and is_container(value):
        measure_size(value, most)
    return value


def _with_small_keys(values: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The values of a filter that compares them, or their attribute that it names."""
    if not is_container(values) and not is_iterator(values):
        return values
    items = values if is_container(values) else list(values)
    try:
        measure_size(items)
    except TooLargeError:
        named = [value for value in (*args[1:], kwargs.get("attribute")) if isinstance(value, str)]
        if not named:
            raise
        for path in named[0].split(","):
            measure_size(list(map(make_attrgetter(args[0], path), items)))
    return items
