"""Limits on work in C: how large a value is before it is walked, or a result before it is built.

A list that holds one list twice, which holds one twice …, is small in memory and takes for ever to
write, to compare or to hash. Nothing ends such a walk, so whatever walks a value in one call
measures it first; a part that stands in many places is measured once.

The few operations that make much out of little (`'a' * 10**9`, `center(10**9)`) are guarded as
well. A template's loops are bounded by time; these run at the speed of memory inside one call of C,
so their result's size is computed before they run.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from types import BuiltinMethodType, MappingProxyType, MethodType
from typing import Any, NamedTuple, cast

from jinja2.utils import Namespace

from pdl.prompt.meter import METER, Meter

MOST_ITEMS = 2_000_000
"""Items of a container, and of those in it, that one operation walks; it takes about a second."""
SMALL: frozenset[type] = frozenset({int, float, bool, type(None)})
_SCALARS = SMALL | {str}
_CONTAINERS: tuple[type, ...] = (
    *(dict, list, tuple, set, frozenset, deque, MappingProxyType),
    *(type({}.keys()), type({}.values()), type({}.items()), Namespace),
)
_EASY = _SCALARS | {dict, list, tuple, set}
_ORDINARY = 50_000  # items
_FOLDED = 10_000  # of what Jinja computes while it compiles
_TICKS = 512
TOO_MANY_DIGITS = "this number has too many digits"


class TooLargeError(Exception):
    """An operation would build or walk more than the limit; the message says what."""


class Size(NamedTuple):
    """What a value is when it is written out: its items at all depths, and characters of texts."""

    items: int
    chars: int


def guard_size(size: int, limit: int) -> None:
    """Refuse a text or a list of that size; a smaller one counts as work that was done."""
    meter = METER.get(None)
    if size > (limit if meter is not None else min(limit, _FOLDED)):
        raise TooLargeError(f"this would build {size:,} items or characters")
    if meter is not None:
        meter.built(size)


def _nothing(value: Any) -> None:
    """Meet a value that is neither a container nor a scalar."""


def measured(value: Any, most: int = MOST_ITEMS, meet: Callable[[Any], None] = _nothing) -> Size:
    """The size of a value; `meet` is called with what is neither a container nor a scalar.

    Raises TooLargeError for more than `most` items, for too many characters, and for a container
    that holds itself.
    """
    if isinstance(value, str):
        return Size(1, len(value))
    if not is_container(value):
        meet(value)
        return Size(1, 20)
    meter = METER.get(None) or Meter()
    size = _plain_size(value)
    if size is None or size.items > most or size.chars > meter.limits.output_chars:
        size = _Measuring(most, meter.limits.output_chars, meet).size(value)
    meter.spend(size.items)
    return size


def is_container(value: object) -> bool:
    """Whether a value is written as what it holds."""
    return type(value) not in _SCALARS and (isinstance(value, _CONTAINERS) or _is_record(value))


def _plain_size(value: Any) -> Size | None:
    """The size of lists and objects of nothing but JSON, if it is an ordinary one; else None.

    What stands in many places is counted in each, which is the quickest way for what does not.
    """
    pending = [value]
    items = chars = 0
    while pending and items < _ORDINARY:
        current = pending.pop()
        if type(current) is dict:
            items += len(current)
            for key in current:
                if type(key) is not str:
                    return None
                chars += len(key)
            current = current.values()
        elif type(current) is not list:
            return None
        items += len(current) + 1
        for part in current:
            kind = type(part)
            if kind is str:
                chars += len(part)
            elif kind is dict or kind is list:
                pending.append(part)
            elif kind not in SMALL:
                return None
    return None if pending else Size(items, chars)


def watched(values: Any, most: int | None = MOST_ITEMS) -> Any:
    """The same values, where they are an iterator one that looks at the clock, and ends."""
    return _ticking(values, most) if is_iterator(values) else values


def is_iterator(value: object) -> bool:
    """Whether a value gives its items once, and perhaps without end."""
    return type(value) not in _EASY and hasattr(type(value), "__next__")


def _ticking(values: Iterator[Any], most: int | None) -> Iterator[Any]:
    meter = METER.get(None) or Meter()
    for count, value in enumerate(values):
        if not count % _TICKS:
            meter.look()
            if most is not None and count > most:
                raise TooLargeError(f"this gives more than {most:,} items")
        yield value


def _is_record(value: object) -> bool:
    return hasattr(type(value), "__dataclass_fields__") and not isinstance(value, type)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, Namespace):
        value = value._Namespace__attrs  # noqa: SLF001
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, _CONTAINERS):
        return list(cast("Iterable[Any]", value))
    return [getattr(value, name, None) for name in type(value).__dataclass_fields__]


def _chars(parts: list[Any]) -> int:
    kinds = set(map(type, parts))
    if kinds == {str}:
        return sum(map(len, parts))
    if kinds <= SMALL:
        return 0
    return sum(len(part) for part in parts if isinstance(part, str))


class _Measuring:
    """A walk through a value, parts before what holds them, each container once."""

    def __init__(self, most: int, chars: int, meet: Callable[[Any], None]) -> None:
        self._most = most
        self._chars = chars
        self._meet = meet
        self._known: dict[int, Size] = {}
        self._kept: list[Any] = []  # so that no number of an object is given to another one

    def size(self, value: Any) -> Size:
        pending: list[tuple[Any, list[Any] | None, list[Any]]] = [(value, None, [])]
        path: set[int] = set()
        while pending:
            current, parts, below = pending.pop()
            if id(current) in self._known:
                continue
            if parts is not None:
                path.remove(id(current))
                self._note(current, parts, below)
                continue
            parts = _parts(current)
            below = [] if _SCALARS.issuperset(map(type, parts)) else self._met(parts)
            if not below:
                self._note(current, parts, below)
                continue
            path.add(id(current))
            if not path.isdisjoint(map(id, below)):
                raise TooLargeError("this holds itself, so writing it would never end")
            pending.append((current, parts, below))
            pending.extend((each, None, []) for each in below)
        return self._known[id(value)]

    def _met(self, parts: list[Any]) -> list[Any]:
        found = []
        for part in parts:
            if is_container(part):
                found.append(part)
            elif not isinstance(part, str) and type(part) not in _SCALARS:
                self._meet(part)
        return found

    def _note(self, value: Any, parts: list[Any], below: list[Any]) -> None:
        inner = [self._known[id(each)] for each in below]
        items = 1 + len(parts) + sum(size.items for size in inner)
        chars = _chars(parts) + sum(size.chars for size in inner)
        if items > self._most or chars > self._chars:
            raise TooLargeError(f"this has {max(items, chars):,} items or characters, written out")
        self._known[id(value)] = Size(items, chars)
        self._kept.append(value)


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
