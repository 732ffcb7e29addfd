"""The budget of a rendering: a clock that loops check, and bounds on what it builds and walks.

A list that contains one list twice, which contains one twice …, is small in memory and takes
forever to write, to compare or to hash. Nothing ends such a walk, so whatever walks a value in one
call measures it first; a part that occurs in several positions is measure_size once.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice, repeat
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from jinja2.utils import Namespace

from pdl.errors import MOST_PROBLEMS
from pdl.limits import DEFAULT_LIMITS, Limits

_TICKS_PER_LOOK = 512
_WORK_PER_LOOK = 1_000_000
_ALL_TOGETHER = 512_000_000  # characters and items of everything that is built, kept or not
_PIECES = 128  # of a text under construction that are counted together


class OverLimitError(Exception):
    """A limit was reached while a template rendered; the message says which."""


class MissingName(NamedTuple):
    """An undefined name that a template used, and where."""

    template: str | None
    line: int
    path: str
    owner: object
    reason: str


class TooManyMissingError(Exception):
    """So many undefined names were found that more would not help."""


_DEADLINE: ContextVar[float] = ContextVar("pdl_deadline", default=float("inf"))
"""When several renderings together must have ended."""


class RenderBudget:
    """What one rendering has used, and the undefined names that it found."""

    __slots__ = ("deadline", "has_captured_markers", "limits", "missing", "ticks", "total", "work")

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self.ticks = 0
        self.has_captured_markers = False  # in a value that the template has captured
        self.total = 0
        self.work = 0
        self.missing: list[MissingName] = []
        self.deadline = min(time.perf_counter() + limits.render_seconds, _DEADLINE.get())

    def check_clock(self) -> None:
        """Raise OverLimitError if the time is up."""
        self.ticks = _TICKS_PER_LOOK
        if time.perf_counter() > self.deadline:
            raise OverLimitError(
                f"rendering took longer than {self.limits.render_seconds:g} s"
                " (Limits.render_seconds)"
            )

    def spend(self, work: int) -> None:
        """Count items or characters that are processed; check the clock now and then."""
        self.work += work
        if self.work > _WORK_PER_LOOK:
            self.work = 0
            self.check_clock()

    def note_built(self, size: int) -> None:
        """Count a string or a list of that size; their total is bounded too."""
        self.spend(size)
        self.total += size
        if self.total > max(_ALL_TOGETHER, self.limits.output_chars):
            raise OverLimitError(
                f"the strings and lists that were built have {self.total:,} characters and items"
                " together"
            )

    def note_missing(self, name: MissingName) -> None:
        """Note an undefined name."""
        self.missing.append(name)
        if len(self.missing) >= MOST_PROBLEMS:
            raise TooManyMissingError

    def check_length(self, size: int) -> None:
        """Raise OverLimitError for an output that has grown too long."""
        if size > self.limits.output_chars:
            raise OverLimitError(
                f"the text grew over {self.limits.output_chars:,} characters (Limits.output_chars)"
            )


BUDGET: ContextVar[RenderBudget] = ContextVar("pdl_budget")
"""The budget of the rendering under way. A variable of the context, so that threads and tasks that
share a prompt have one each, and templates whose modules Jinja caches find the current one."""


@contextmanager
def one_clock(limits: Limits) -> Iterator[None]:
    """Give all renderings inside together the time that one has."""
    token = _DEADLINE.set(time.perf_counter() + limits.render_seconds)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def ticker() -> Iterator[None]:
    """Return an iterator that checks the clock now and then.

    The code of every template, block and macro gets one when it begins, and advances it with each
    pass through a loop.
    """
    budget = BUDGET.get(None)
    if budget is None:  # Jinja folds constants before anything is rendered
        return repeat(None)
    budget.ticks -= 1
    if budget.ticks < 0:
        budget.check_clock()
    return _ticks(budget)


def _ticks(budget: RenderBudget) -> Iterator[None]:
    while True:
        yield from repeat(None, _TICKS_PER_LOOK)
        budget.check_clock()


def concat(pieces: Any) -> str:
    """Join the pieces of a text. Raises OverLimitError if it grows over the limit."""
    budget = BUDGET.get(None) or RenderBudget()
    if isinstance(pieces, list):
        size = sum(map(len, pieces))
        budget.check_length(size)
        budget.note_built(size)
        return "".join(pieces)
    iterator = iter(pieces)
    out: list[str] = []
    size = 0
    while batch := list(islice(iterator, _PIECES)):
        size += sum(map(len, batch))
        budget.check_length(size)
        out += batch
    budget.note_built(size)
    return "".join(out)


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
_STEPS = 16
TOO_MANY_DIGITS = "this number has too many digits"


class TooLargeError(Exception):
    """An operation would build or walk more than the limit; the message says what."""


class OutputTooLargeError(TooLargeError):
    """The limit is `Limits.output_chars`."""


class Size(NamedTuple):
    """The size of a value when it is written out: items at all depths, characters of strings."""

    items: int
    chars: int


def output_limit() -> int:
    """The most characters that one string may have."""
    budget = BUDGET.get(None)
    return _FOLDED if budget is None else budget.limits.output_chars


def guard_size(size: int, limit: int | None = None) -> None:
    """Refuse a string or a list of that size; a smaller one counts as work that was done.

    Without a limit it is that of the output.
    """
    budget = BUDGET.get(None)
    most = output_limit() if limit is None else limit
    if size > (most if budget is not None else min(most, _FOLDED)):
        kind = OutputTooLargeError if limit is None else TooLargeError
        raise kind(f"this would build {size:,} items or characters")
    if budget is not None:
        budget.note_built(size)


def spend(work: int) -> None:
    """Count items that an operation walks."""
    budget = BUDGET.get(None)
    if budget is not None:
        budget.spend(work)


def _nothing(value: Any) -> None:
    """Meet a value that is neither a container nor a scalar."""


def measure_size(
    value: Any, most: int = MOST_ITEMS, meet: Callable[[Any], None] = _nothing
) -> Size:
    """Return the size of a value; `meet` is called with what is neither a container nor a scalar.

    Raises TooLargeError for more than `most` items, for too many characters, and for a container
    that contains itself.
    """
    if isinstance(value, str):
        return Size(1, len(value))
    if not is_container(value):
        meet(value)
        return Size(1, 20)
    budget = BUDGET.get(None) or RenderBudget()
    size = _plain_size(value)
    if size is None or size.items > most or size.chars > budget.limits.output_chars:
        size = _SizeMeasurer(most, budget.limits.output_chars, meet).size(value)
    budget.spend(size.items)
    return size


def is_container(value: object) -> bool:
    """Whether a value is written as its items."""
    return type(value) not in _SCALARS and (isinstance(value, _CONTAINERS) or _is_record(value))


def _plain_size(value: Any) -> Size | None:
    """The size of lists and objects of JSON only, if it is an ordinary one; else None.

    A part that occurs in several positions is counted in each, which is fastest for most values.
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
    """The same values; an iterator becomes one that checks the clock, and ends."""
    return _ticking(values, most) if is_iterator(values) else values


def is_iterator(value: object) -> bool:
    """Whether a value yields its items once, and might be infinite."""
    return type(value) not in _EASY and hasattr(type(value), "__next__")


def _ticking(values: Iterator[Any], most: int | None) -> Iterator[Any]:
    budget = BUDGET.get(None) or RenderBudget()
    for count, value in enumerate(values):
        if not count % _STEPS:  # each may be the work of a filter
            budget.check_clock()
            if most is not None and count > most:
                raise TooLargeError(f"this yields more than {most:,} items")
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


class _SizeMeasurer:
    """Measures a value in postorder, each container once."""

    def __init__(self, most: int, chars: int, meet: Callable[[Any], None]) -> None:
        self._most = most
        self._chars = chars
        self._meet = meet
        self._known: dict[int, Size] = {}
        self._kept: list[Any] = []  # so no ID is reused for another object

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
                raise TooLargeError("this contains itself, so writing it would never end")
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
            kind = TooLargeError if items > self._most else OutputTooLargeError
            raise kind(f"this has {max(items, chars):,} items or characters, written out")
        self._known[id(value)] = Size(items, chars)
        self._kept.append(value)
