"""The language of the numbers that keep all of some constraints, also when they are read as floats.

A reader keeps a number with a point or an exponent in double precision (IEEE 754). A text that is
above an open end may be read as that very end; and a text that is not, as one beyond it. So the
ranges are narrowed until reading cannot move a text out of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl.automata.build import EMPTY, chars, concat, union
from pdl.automata.charset import CharSet
from pdl.automata.dfa import DEFAULT_BUDGET
from pdl.automata.numbers import multiples
from pdl.automata.numbers.decimals import Decimals, walked
from pdl.automata.numbers.interval import BASE, Between, Interval, exact, scale_of, written
from pdl.automata.numbers.multiples import Counted, Digits, Divisor, Multiples, common
from pdl.automata.numbers.scientific import Powers, Scientific, Side

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.automata.dfa import Budget, Dfa
    from pdl.automata.numbers.decimals import Part
    from pdl.automata.numbers.interval import Number


_EXACT = 2**53
"""Up to here each whole number is a float."""

_NORMAL = Fraction(2) ** -1022
"""The least number whose float has as many binary digits as others."""

_ZERO = Fraction(0)
_LEAST = Fraction(Decimal(repr(math.ulp(0.0))))

SAFE_DIGITS = 15
"""A decimal of so many digits is the shortest one of its float, and no other has that float."""


def apart(interval: Interval, grid: Fraction | None) -> Interval:
    """A range whose open ends are closed at the next float's shortest decimal.

    An end stays open where the next number of the `grid`, of which all are multiples, is no nearer
    than that; so does 0, from which no text that can be read is near, unless it is a tiny range.
    """
    tiny = is_tiny(interval)
    low = _above(interval.low, grid) if interval.low_open and (interval.low or tiny) else None
    end = None if interval.high is None else -interval.high
    high = _above(end, grid) if interval.high_open and (end or tiny) else None
    if low is not None:
        interval = replace(interval, low=low, low_open=False)
    if high is not None:
        interval = replace(interval, high=-high, high_open=False)
    return interval


def _above(end: Fraction | None, grid: Fraction | None) -> Fraction | None:
    if end is None or abs(end) >= _EXACT or (end and not float(end)):
        return None
    near = Fraction(Decimal(repr(math.nextafter(float(end), math.inf))))
    if grid is not None and (end // grid + 1) * grid >= near:
        return None
    return near


def is_tiny(interval: Interval) -> bool:
    """Whether all numbers of a range are so near to 0 that their floats have few digits."""
    ends = [end for end in (interval.low, interval.high) if end is not None]
    return len(ends) > 1 and max(map(abs, ends)) < _NORMAL


def read_apart_from_0(interval: Interval) -> tuple[Interval, ...]:
    """The parts of a range, if it is tiny: 0, and what is not read as 0."""
    if not is_tiny(interval) or 0 not in interval or interval.low == interval.high:
        return (interval,)
    zero = replace(interval, low=_ZERO, high=_ZERO, low_open=False, high_open=False)
    below = replace(interval, high=-_LEAST, high_open=False)
    return zero, below, replace(interval, low=_LEAST, low_open=False)


def is_plain(interval: Interval) -> bool:
    """Whether reading digits as a float cannot move them past an end of the range."""
    return not any(_is_between_floats(end) for end in (interval.low, interval.high))


def inward(interval: Interval) -> Interval:
    """A range whose ends are floats where they are large."""
    low, high = interval.low, interval.high
    if low is not None and _is_between_floats(low):
        interval = replace(interval, low=_float_from(low), low_open=False)
    if high is not None and _is_between_floats(high):
        interval = replace(interval, high=-_float_from(-high), high_open=False)
    return interval


def _is_between_floats(end: Fraction | None) -> bool:
    return end is not None and abs(end) > _EXACT and _nearest(end) != end


def _nearest(end: Fraction) -> Fraction:
    try:
        return Fraction(float(end))
    except OverflowError:
        return end


def _float_from(end: Fraction) -> Fraction:
    """The least float that is no less than a number; the number itself if it is beyond them."""
    near = float(end)
    least = near if near >= end else math.nextafter(near, math.inf)
    return end if math.isinf(least) else Fraction(least)


Spelling: TypeAlias = Literal["canonical", "plain", "any"]
"""How a value may be written.

`canonical`: integers in digits alone, other numbers with or without a point, with any zeros
behind it; no exponent, no `-0`. `plain`: also `1.0` for integers, and `-0`. `any`: also exponents.
"""

_MANY_REMAINDERS = 500
_SEVERAL = 10
_E = chars(CharSet.of("Ee"))


@dataclass(frozen=True)
class _Asked:
    """What is asked of a number, all of it in exact decimals."""

    integer: bool
    interval: Interval
    divisor: Fraction | None
    spelling: Spelling
    digits: Digits
    budget: Budget

    @property
    def fractions(self) -> bool:
        """Whether a point may stand in the text."""
        return not self.integer or self.spelling != "canonical"

    @property
    def is_free(self) -> bool:
        """Whether each number will do."""
        return self.divisor is None and not self.interval.is_bounded


def numbers(  # noqa: PLR0913 - the keywords of JSON Schema, each of which may be left out
    *,
    integer: bool = False,
    least: Number | None = None,
    most: Number | None = None,
    above: Number | None = None,
    below: Number | None = None,
    multiple_of: Iterable[Number] = (),
    spelling: Spelling = "canonical",
    digits: Digits = Digits(),  # noqa: B008 - a frozen value
    budget: Budget = DEFAULT_BUDGET,
) -> Dfa:
    """The texts of the numbers from `least` to `most`, over `above` and under `below`.

    They are multiples of each of `multiple_of`; 1.0 is an `integer` (2020-12 validation, 6.1.1).
    Bounds should be as the schema has them: a large float is a bound by its binary value for
    integers and by its shortest decimal for other texts, and both are kept.

    No text has a value out of bounds, be it taken as a decimal or as the float that it is read
    as. For that these are left out: fractions nearer to an open end than the next float is (0
    aside); fractions and exponents with many digits where the range ends at a large integer that
    is no float, or a divisor is a fraction. With exponents and a range, divisor or `integer`, there
    is one digit before the point, at most 16 stand behind it in a multiple, and the exponent
    makes up for them all; multiples of a number of many digits have none. Everything else with
    such a value and `digits` is in.

    Raises ValueError for a bound that is not finite or no decimal and for a divisor that is not
    above 0, LimitError where there would be too many states: for large divisors.
    """
    return _built(
        _Asked(
            integer,
            _interval((least, most, above, below), integer=integer, budget=budget),
            common(exact(number, budget) for number in multiple_of),
            spelling,
            digits,
            budget,
        )
    )


def _interval(
    ends: tuple[Number | None, Number | None, Number | None, Number | None],
    *,
    integer: bool,
    budget: Budget,
) -> Interval:
    least, most, above, below = (
        None if end is None else _end(end, sign, budget)
        for end, sign in zip(ends, (1, -1, 1, -1), strict=True)
    )
    lows = [(low, is_open) for low, is_open in ((least, False), (above, True)) if low is not None]
    highs = [(end, closed) for end, closed in ((most, True), (below, False)) if end is not None]
    low, low_open = max(lows, default=(None, False))
    high, closed = min(highs, default=(None, True))
    interval = Interval(low, high, low_open, not closed)
    return _whole(interval) if integer else interval


def _end(number: Number, sign: int, budget: Budget) -> Fraction:
    """An end of a range; of the two values of a large float, the one further inside."""
    value = exact(number, budget)
    if isinstance(number, float) and number.is_integer():
        return sign * max(sign * value, sign * Fraction(number))
    return value


def _whole(interval: Interval) -> Interval:
    """The range of the same integers, with closed ends."""
    low, high = interval.low, interval.high
    if low is not None:
        low = Fraction(floor(low) + 1 if interval.low_open else ceil(low))
    if high is not None:
        high = Fraction(ceil(high) - 1 if interval.high_open else floor(high))
    return Interval(low, high)


@lru_cache(maxsize=256)
def _built(asked: _Asked) -> Dfa:
    parts = (asked.interval,) if asked.integer else read_apart_from_0(asked.interval)
    if len(parts) > 1:
        found = (_built(replace(asked, interval=part)) for part in parts)
        return union(*found, budget=asked.budget)
    asked = _settled(asked)
    if asked.interval.is_empty:
        return EMPTY
    if asked.divisor is not None and _is_large(asked.divisor):
        values = multiples.listed(asked.interval, asked.divisor)
        if values is not None:
            return _listed(asked, values)
    plain = walked(_decimals(asked), asked.budget)
    if asked.spelling != "any" or (asked.divisor is not None and _is_large(asked.divisor)):
        return plain
    powers = _free_powers(asked) if asked.is_free and not asked.integer else _powers(asked)
    return union(plain, powers, budget=asked.budget)


def _is_large(divisor: Fraction) -> bool:
    return Divisor(divisor).number > _MANY_REMAINDERS


def _listed(asked: _Asked, values: list[Fraction]) -> Dfa:
    low = asked.interval.low
    signs = () if low is not None and low >= 0 else ("-0.0",)
    others = signs if asked.spelling == "canonical" else ("-0", "-0.0")
    return multiples.Few(values, asked.fractions, asked.digits.total, others).texts(asked.budget)


def _settled(asked: _Asked) -> _Asked:
    """With ends that reading does not move, and with as many digits as are needed for a number."""
    if asked.integer:
        divisor = common([Fraction(1), *([asked.divisor] if asked.divisor else [])])
        return replace(asked, divisor=divisor, digits=_wide_enough(asked))
    asked = replace(asked, interval=_apart(asked))
    if _may_be_misread(asked):
        caps = [cap for cap in (asked.digits.total, SAFE_DIGITS) if cap is not None]
        asked = replace(asked, digits=replace(asked.digits, total=min(caps)))
    return replace(asked, digits=_wide_enough(asked))


def _apart(asked: _Asked) -> Interval:
    """The range with ends that no text is read as, be there as many digits as are needed."""
    while True:
        wide = replace(asked, digits=_wide_enough(asked))
        interval = apart(asked.interval, _grid(wide))
        if interval == asked.interval:
            return interval
        asked = replace(asked, interval=interval)


def _may_be_misread(asked: _Asked) -> bool:
    """Whether the shortest decimal of a float may be another number than the text that it is of.

    It has no more digits than the text, so that it stays a multiple of 0.01; of 0.03 it may not.
    """
    divisor = Divisor(asked.divisor) if asked.divisor is not None else None
    odd = divisor is not None and divisor.number > 1 and divisor.scale > 0
    return odd or not is_plain(asked.interval)


def _grid(asked: _Asked) -> Fraction | None:
    """A number of which all that can be written are multiples, if there is one."""
    if asked.divisor is not None:
        return asked.divisor
    total = asked.digits.total
    return None if total is None else Fraction(1, BASE**total)


def _wide_enough(asked: _Asked) -> Digits:
    """Bounds on the digits that leave something of the range."""
    interval, digits = asked.interval, asked.digits
    ends = [written(abs(end)) for end in (interval.low, interval.high) if end is not None]
    before = 0 if 0 in interval else min((len(end.whole) for end in ends), default=0)
    if digits.whole is not None:
        digits = replace(digits, whole=max(digits.whole, before))
    if digits.total is None or _has_several(asked, max(0, digits.total - before)):
        return digits
    behind = max((len(end.fraction) for end in ends), default=0)
    if asked.divisor is not None:
        behind = scale_of(asked.divisor)
    return replace(digits, total=max(digits.total, before + behind + 1))


def _has_several(asked: _Asked, places: int) -> bool:
    """Whether there are several numbers in the range with so many digits behind the point."""
    low, high = asked.interval.low, asked.interval.high
    if low is None or high is None:
        return True
    unit = Fraction(1, BASE**places)
    if asked.divisor is not None:
        unit = common([unit, asked.divisor]) or unit
    return high // unit - low // unit > _SEVERAL


def _decimals(asked: _Asked) -> Decimals:
    interval = asked.interval
    canonical = asked.spelling == "canonical"
    minus = interval.negated.magnitudes
    if canonical and interval.low is not None and interval.low >= 0:
        minus = None
    plus = interval.magnitudes
    parts = _parts(asked, plus)
    return Decimals(
        (parts, parts if minus == plus else _parts(asked, minus)),
        fractions=asked.fractions,
        minus_zero=not canonical,
    )


def _parts(asked: _Asked, side: Interval | None) -> tuple[Part, ...] | None:
    """What holds for the digits of the numbers of one sign."""
    if side is None:
        return None
    parts: list[Part] = []
    if side.is_bounded:
        parts.append(Between(side))
    if asked.divisor is not None and (asked.divisor != 1 or asked.fractions):
        parts.append(Multiples(Divisor(asked.divisor)))
    if asked.digits.whole is not None or (asked.digits.total is not None and asked.fractions):
        zeros = asked.divisor is not None and scale_of(asked.divisor) == 0
        parts.append(Counted(asked.digits, only_zeros=zeros))
    return tuple(parts)


def _powers(asked: _Asked) -> Dfa:
    """The texts with an exponent that are in the range and multiples."""
    interval = asked.interval if asked.integer else inward(asked.interval)
    plus, minus = interval.magnitudes, interval.negated.magnitudes
    machine = Scientific(
        (Side.of(plus) if plus else None, Side.of(minus) if minus else None),
        Divisor(asked.divisor) if asked.divisor is not None else None,
        Counted(asked.digits),
        asked.digits.exponent,
    )
    return walked(machine, asked.budget)


def _free_powers(asked: _Asked) -> Dfa:
    """All texts with an exponent."""
    caps = [cap for cap in (asked.digits.whole, asked.digits.total) if cap is not None]
    digits = replace(asked.digits, whole=min(caps, default=None))
    mantissa = walked(_decimals(replace(asked, digits=digits)), asked.budget)
    most = asked.digits.exponent
    powers = walked(Powers(None if most is None else -most, most), asked.budget)
    return concat(mantissa, _E, powers, budget=asked.budget)
