"""Multiples in a narrow range, which are listed rather than counted by their remainders."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING

from pdl.automata.build import concat, literal, repeat, union, words
from pdl.automata.numbers.exact import written

if TYPE_CHECKING:
    from fractions import Fraction

    from pdl.automata.dfa import Budget, Dfa
    from pdl.automata.numbers.interval import Interval

_MANY = 2_000


def listed(interval: Interval, divisor: Fraction) -> list[Fraction] | None:
    """The multiples in a range; None if there are many of them."""
    if interval.low is None or interval.high is None:
        return None
    low, high = ceil(interval.low / divisor), floor(interval.high / divisor)
    if high - low > _MANY:
        return None
    return [value for at in range(low, high + 1) if (value := at * divisor) in interval]


@dataclass(frozen=True)
class Few:
    """Some values, and how they may be written.

    `fractions`: a point may stand in them, with needless zeros behind it, at most `zeros` (None
    for any number). `others`: further spellings of 0, `-0` and `-0.0`.
    """

    values: list[Fraction]
    fractions: bool
    zeros: int | None
    others: tuple[str, ...] = ()

    def texts(self, budget: Budget) -> Dfa:
        """All their spellings without an exponent."""
        known = [_text(value) for value in self.values]
        known.extend(self.others if 0 in self.values else ())
        whole = words((text for text in known if "." not in text), budget=budget)
        if not self.fractions:
            return whole
        dotted = words((text if "." in text else f"{text}.0" for text in known), budget=budget)
        behind = repeat(literal("0"), 0, self.zeros, budget=budget)
        return union(whole, concat(dotted, behind, budget=budget), budget=budget)


def _text(value: Fraction) -> str:
    digits = written(abs(value))
    text = "-" * (value < 0) + "".join(map(str, digits.whole))
    return f"{text}.{''.join(map(str, digits.fraction))}" if digits.fraction else text
