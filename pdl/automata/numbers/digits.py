"""How many digits a number may have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

_NO_END = -1

State: TypeAlias = int
"""Digits before the point so far; behind it, the digits that may still come."""


@dataclass(frozen=True)
class Digits:
    """Upper bounds on the digits that are written; None for no bound.

    `whole`: those before the point. `total`: those of a number with a point or an exponent, but
    for the 0 before its point; only those behind it in a multiple of an integer. `exponent`: the
    largest exponent, and the smallest with a minus. Where a range or a divisor leaves no number
    with so few digits, they give way.
    """

    whole: int | None = None
    total: int | None = None
    exponent: int | None = None


READABLE = Digits(total=16, exponent=290)
"""All of these numbers have a value in IEEE 754 double precision that does not mislead.

A fraction of 16 digits is never read as a whole number, none is read as 0 or as infinite, and
whole numbers without a point may have any length, as Python's integers do.
"""


class Counted:
    """Counts digits as they come; see `decimals.Part`.

    Where none but zeros stand behind the point, there may be `total` of them behind any digits.
    """

    start: State = 0

    def __init__(self, digits: Digits, *, only_zeros: bool = False) -> None:
        self._whole = digits.whole
        self._total = digits.total
        self._only_zeros = only_zeros
        counted = (digits.whole, None if only_zeros else digits.total)
        self._most = max((cap + 1 for cap in counted if cap is not None), default=0)

    def whole(self, state: State, digit: int) -> State | None:
        """One more digit before the point."""
        if self._whole is not None and state >= self._whole:
            return None
        return min(state + (digit > 0 or state > 0), self._most)

    def point(self, state: State) -> State:
        """The digits that may stand behind the point."""
        if self._total is None or self._only_zeros:
            return _NO_END if self._total is None else self._total
        return max(0, self._total - state)

    def fraction(self, state: State, digit: int) -> State | None:  # noqa: ARG002 - of any value
        """One more digit behind the point."""
        return None if not state else max(state - 1, _NO_END)

    def accepts(self, state: State) -> bool:  # noqa: ARG002 - as few digits as one likes
        """Whether the number may end."""
        return True
