"""What a rendering may use: a clock that loops look at, and a bound on every text they build."""

from __future__ import annotations

import time
from contextvars import ContextVar
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from pdl.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

_TICKS_PER_LOOK = 512
_WORK_PER_LOOK = 1_000_000
_ALL_TOGETHER = 512_000_000  # characters and items of all that is built, kept or not
_MISSING = 100  # undefined names that are looked for
_PIECES = 128  # of a text under construction that are looked at together


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
    """So many undefined names were met that looking for more helps nobody."""


class Meter:
    """What one rendering has used, and the undefined names that it met."""

    __slots__ = ("deadline", "has_marks", "limits", "missing", "ticks", "total", "work")

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self.ticks = 0
        self.has_marks = False  # in a value that the template has captured
        self.total = 0
        self.work = 0
        self.missing: list[MissingName] = []
        self.deadline = time.perf_counter() + limits.render_seconds

    def look(self) -> None:
        """Look at the clock."""
        self.ticks = _TICKS_PER_LOOK
        if time.perf_counter() > self.deadline:
            raise OverLimitError(
                f"rendering took longer than {self.limits.render_seconds:g} s"
                " (Limits.render_seconds)"
            )

    def spend(self, work: int) -> None:
        """Note so many items or characters that are gone through, and look at the clock if many."""
        self.work += work
        if self.work > _WORK_PER_LOOK:
            self.work = 0
            self.look()

    def built(self, size: int) -> None:
        """Note a text or a list of that size. All together may be much, but not any number."""
        self.spend(size)
        self.total += size
        if self.total > max(_ALL_TOGETHER, self.limits.output_chars):
            raise OverLimitError(
                f"the texts and lists that were built have {self.total:,} characters and items"
                " together"
            )

    def miss(self, name: MissingName) -> None:
        """Note an undefined name."""
        self.missing.append(name)
        if len(self.missing) >= _MISSING:
            raise TooManyMissingError

    def sized(self, size: int) -> None:
        """Refuse a text that has grown too long."""
        if size > self.limits.output_chars:
            raise OverLimitError(
                f"the text grew over {self.limits.output_chars:,} characters (Limits.output_chars)"
            )


METER: ContextVar[Meter] = ContextVar("pdl_meter")
"""The meter of the rendering under way. A variable of the context, so that threads and tasks that
share a prompt have one each, and templates whose modules Jinja caches find the current one."""


def ticker() -> Iterator[None]:
    """An iterator that looks at the clock now and then.

    The code of every template, block and macro gets one when it begins, and advances it with each
    pass through a loop.
    """
    meter = METER.get(None)
    if meter is None:  # Jinja folds constants before anything is rendered
        return repeat(None)
    meter.ticks -= 1
    if meter.ticks < 0:
        meter.look()
    return _ticks(meter)


def _ticks(meter: Meter) -> Iterator[None]:
    while True:
        yield from repeat(None, _TICKS_PER_LOOK)
        meter.look()


def concat(pieces: Any) -> str:
    """Join the pieces of a text, refusing to let it grow over the limit."""
    meter = METER.get(None) or Meter()
    if isinstance(pieces, list):
        size = sum(map(len, pieces))
        meter.sized(size)
        meter.built(size)
        return "".join(pieces)
    iterator = iter(pieces)
    out: list[str] = []
    size = 0
    while batch := list(islice(iterator, _PIECES)):
        size += sum(map(len, batch))
        meter.sized(size)
        out += batch
    meter.built(size)
    return "".join(out)
