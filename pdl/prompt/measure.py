"""How much there is to a value, before something in C walks all of it.

A list that holds one list twice, which holds one twice …, is small in memory and takes for ever to
write, to compare or to hash. Nothing ends such a walk, so whatever walks a value in one call
measures it first; a part that stands in many places is measured once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
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
