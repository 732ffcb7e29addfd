"""A goal as languages and machines: all that its rules are written from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.machine import Arrays, Objects


MOST_COUNTED = 100_000
"""Characters of a string, or items of an array, up to which there is a bound for them."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """All strings of `least` to `most` (None: any number of) code points."""

    least: int = 0
    most: int | None = None


@dataclass(frozen=True)
class Pieces:
    """The values of a goal by their kinds; None where it has none of a kind.

    `numbers` are texts of JSON numbers over ASCII, in the spellings that are to be written;
    `strings` are values, before they are spelled as JSON. `written` are the JSON pointers of rules
    written by hand, whose values there are besides.
    """

    null: bool = False
    booleans: frozenset[bool] = frozenset()
    numbers: Dfa | None = None
    strings: Dfa | Lengths | None = None
    arrays: Arrays | None = None
    objects: Objects | None = None
    written: tuple[str, ...] = ()
