"""What the reader knows at a moment: cheap to keep, so that it can come back to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from pdl.reply.parsing.events import Event, Made

Phase: TypeAlias = Literal["value", "key", "first", "after", "done"]
"""What the reader expects: a value, a key, either behind an opener, what follows a value."""


class Frame(NamedTuple):
    """A bracket that is open; a new one stands for it at each key and each item.

    `key` is the key that waits for its value, or the index of the next item; `size` the values
    that are in it; `closer` what ends it.
    """

    parent: Frame | None
    is_object: bool
    key: str | int | None
    size: int
    closer: str
    depth: int


@dataclass(frozen=True, slots=True)
class State:
    """All that the reader knows. `passed`: a quote was read over that a key may follow."""

    at: int = 0
    phase: Phase = "value"
    frame: Frame | None = None
    trail: Event | None = None
    passed: bool = False
    mended: str = ""  # `missing` or `extra`, if a closer was
    string: tuple[int, int, tuple[int, ...]] | None = (
        None  # a string to go on with: start, offset, quotes
    )
    ending: tuple[int, int] | None = None  # a string to end without a quote: start, end


@dataclass(frozen=True, slots=True)
class Whole:
    """One reading of all of a text. `closed`: all its brackets are there."""

    made: Made
    passed: bool
    closed: bool
