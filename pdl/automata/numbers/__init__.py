"""The JSON numbers (RFC 8259, 6) in a range that are multiples of something, as a language.

Values are compared as the decimals that are written, digit by digit, whatever their length.

Parsers keep a number with a point or an exponent in double precision (IEEE 754). A text above an
exclusive bound may be rounded to that bound, and one within a bound to a value beyond it. So ranges
are narrowed until rounding can't move a text out of them.
"""

# ruff: noqa: PLC0415 - few schemas allow exponents

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
from pdl.automata.numbers.decimals import (
    BASE,
    Decimals,
    Interval,
    Number,
    RangeConstraint,
    decimal_digits,
    exact,
    explore,
    scale_of,
)
from pdl.automata.numbers.multiples import (
    CountConstraint,
    Digits,
    Divisor,
    ListedMultiples,
    MultipleConstraint,
    common_multiple,
    listed_multiples,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.automata.dfa import Budget, Dfa
    from pdl.automata.numbers.decimals import DigitConstraint

__all__ = ["Digits", "Number", "Spelling", "numbers"]

_EXACT = 2**53
"""Up to here every integer is a float."""

_NORMAL = Fraction(2) ** -1022
"""The least number whose float has as many binary digits as others."""

_ZERO = Fraction(0)
_LEAST = Fraction(Decimal(repr(math.ulp(0.0))))

SAFE_DIGITS = 15
"""A decimal of so many digits is the shortest one of its float, and no other has that float."""


def closed_against_rounding(interval: Interval, grid: Fraction | None) -> Interval:
    """Close the open ends of a range at the next float's shortest decimal.

    An end stays open where the next number of the `grid`, of which all are multiples, is no nearer
    than that; so does 0 unless the range is tiny, since no text that can be read is near it.
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
    """Whether all numbers of a range are so near 0 that their floats have few digits."""
    ends = [end for end in (interval.low, interval.high) if end is not None]
    return len(ends) > 1 and max(map(abs, ends)) < _NORMAL


def split_at_zero(interval: Interval) -> tuple[Interval, ...]:
    """Split a tiny range into 0 and the numbers that are not rounded to 0."""
    if not is_tiny(interval) or 0 not in interval or interval.low == interval.high:
        return (interval,)
    zero = replace(interval, low=_ZERO, high=_ZERO, low_open=False, high_open=False)
    below = replace(interval, high=-_LEAST, high_open=False)
    return zero, below, replace(interval, low=_LEAST, low_open=False)


def survives_rounding(interval: Interval) -> bool:
    """Whether rounding to a float can't move a number past an end of the range."""
    return not any(_is_between_floats(end) for end in (interval.low, interval.high))


def rounded_inward(interval: Interval) -> Interval:
    """Narrow a range so that its large ends are floats."""
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
    """The least float that is no less than a number; the number itself if it is beyond floats."""
    near = float(end)
    least = near if near >= end else math.nextafter(near, math.inf)
    return end if math.isinf(least) else Fraction(least)


Spelling: TypeAlias = Literal["canonical", "plain", "any"]
"""How a value may be written.

`canonical`: integers in digits alone, other numbers with or without a point, with any zeros after
it; no exponent, no `-0`. `plain`: also `1.0` for integers, and `-0`. `any`: also exponents.
"""

_MANY_REMAINDERS = 500
_SEVERAL = 10
_E = chars(CharSet.of("Ee"))


@dataclass(frozen=True)
class _Spec:
    """What is required of a number, all of it in exact decimals."""

    integer: bool
    interval: Interval
    divisor: Fraction | None
    spelling: Spelling
    digits: Digits
    budget: Budget

    @property
    def fractions(self) -> bool:
        """Whether the number may contain a point."""
        return not self.integer or self.spelling != "canonical"

    @property
    def is_free(self) -> bool:
        """Whether every number is allowed."""
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
    """Return the numbers from `least` to `most`, over `above` and under `below`, as JSON texts.

    They are multiples of each of `multiple_of`; 1.0 is an `integer` (2020-12 validation, 6.1.1).
    Bounds should be as in the schema: a large float is a bound by its binary value for integers
    and by its shortest decimal for other texts, and both are enforced.

    No text has a value out of bounds, whether it is taken as a decimal or as the float that it is
    rounded to. Therefore these are left out: fractions nearer to an open end than the next float
    (0 aside); fractions and exponents with many digits where the range ends at a large integer
    that is not a float, or a divisor is a fraction. With exponents and a range, divisor or
    `integer`, there is one digit before the point, at most 16 after it in a multiple, and the
    exponent compensates for them; multiples of a number of many digits have no exponent.
    Everything else with such a value and `digits` is included.

    Raises ValueError for a bound that is not a finite decimal and for a divisor that is not above
    0, LimitError for too many states, as large divisors need.
    """
    return _built(
        _Spec(
            integer,
            _interval((least, most, above, below), integer=integer, budget=budget),
            common_multiple(exact(number, budget) for number in multiple_of),
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
def _built(spec: _Spec) -> Dfa:
    parts = (spec.interval,) if spec.integer else split_at_zero(spec.interval)
    if len(parts) > 1:
        found = (_built(replace(spec, interval=part)) for part in parts)
        return union(*found, budget=spec.budget)
    spec = _normalized(spec)
    if spec.interval.is_empty:
        return EMPTY
    if spec.divisor is not None and _is_large(spec.divisor):
        values = listed_multiples(spec.interval, spec.divisor)
        if values is not None:
            return _listed(spec, values)
    plain = explore(_decimals(spec), spec.budget)
    if spec.spelling != "any" or (spec.divisor is not None and _is_large(spec.divisor)):
        return plain
    free = spec.is_free and not spec.integer
    return union(plain, _all_scientific(spec) if free else _scientific(spec), budget=spec.budget)


def _is_large(divisor: Fraction) -> bool:
    return Divisor(divisor).number > _MANY_REMAINDERS


def _listed(spec: _Spec, values: list[Fraction]) -> Dfa:
    low = spec.interval.low
    signs = () if low is not None and low >= 0 else ("-0.0",)
    others = signs if spec.spelling == "canonical" else ("-0", "-0.0")
    return ListedMultiples(values, spec.fractions, spec.digits.total, others).texts(spec.budget)


def _normalized(spec: _Spec) -> _Spec:
    """With ends that survive rounding, and with as many digits as a number needs."""
    if spec.integer:
        divisor = common_multiple([Fraction(1), *([spec.divisor] if spec.divisor else [])])
        return replace(spec, divisor=divisor, digits=_wide_enough(spec))
    spec = replace(spec, interval=_closed(spec))
    if _may_be_misread(spec):
        caps = [cap for cap in (spec.digits.total, SAFE_DIGITS) if cap is not None]
        spec = replace(spec, digits=replace(spec.digits, total=min(caps)))
    return replace(spec, digits=_wide_enough(spec))


def _closed(spec: _Spec) -> Interval:
    """The range with ends that no text is rounded to, for as many digits as are needed."""
    while True:
        wide = replace(spec, digits=_wide_enough(spec))
        interval = closed_against_rounding(spec.interval, _grid(wide))
        if interval == spec.interval:
            return interval
        spec = replace(spec, interval=interval)


def _may_be_misread(spec: _Spec) -> bool:
    """Whether the shortest decimal of a float may differ from the text that it was read from.

    It has no more digits than the text, so that it stays a multiple of 0.01; of 0.03 it may not.
    """
    divisor = Divisor(spec.divisor) if spec.divisor is not None else None
    odd = divisor is not None and divisor.number > 1 and divisor.scale > 0
    return odd or not survives_rounding(spec.interval)


def _grid(spec: _Spec) -> Fraction | None:
    """A number that divides every number which can be written, if there is one."""
    if spec.divisor is not None:
        return spec.divisor
    total = spec.digits.total
    return None if total is None else Fraction(1, BASE**total)


def _wide_enough(spec: _Spec) -> Digits:
    """Bounds on the digits that leave some number of the range."""
    interval, digits = spec.interval, spec.digits
    ends = [decimal_digits(abs(end)) for end in (interval.low, interval.high) if end is not None]
    before = 0 if 0 in interval else min((len(end.whole) for end in ends), default=0)
    if digits.whole is not None:
        digits = replace(digits, whole=max(digits.whole, before))
    if digits.total is None or _has_several(spec, max(0, digits.total - before)):
        return digits
    after = max((len(end.fraction) for end in ends), default=0)
    if spec.divisor is not None:
        after = scale_of(spec.divisor)
    return replace(digits, total=max(digits.total, before + after + 1))


def _has_several(spec: _Spec, places: int) -> bool:
    """Whether several numbers of the range have so many digits after the point."""
    low, high = spec.interval.low, spec.interval.high
    if low is None or high is None:
        return True
    unit = Fraction(1, BASE**places)
    if spec.divisor is not None:
        unit = common_multiple([unit, spec.divisor]) or unit
    return high // unit - low // unit > _SEVERAL


def _decimals(spec: _Spec) -> Decimals:
    interval = spec.interval
    canonical = spec.spelling == "canonical"
    minus = interval.negated.magnitudes
    if canonical and interval.low is not None and interval.low >= 0:
        minus = None
    plus = interval.magnitudes
    parts = _parts(spec, plus)
    return Decimals(
        (parts, parts if minus == plus else _parts(spec, minus)),
        fractions=spec.fractions,
        minus_zero=not canonical,
    )


def _parts(spec: _Spec, side: Interval | None) -> tuple[DigitConstraint, ...] | None:
    """The constraints on the digits of the numbers of one sign."""
    if side is None:
        return None
    parts: list[DigitConstraint] = []
    if side.is_bounded:
        parts.append(RangeConstraint(side))
    if spec.divisor is not None and (spec.divisor != 1 or spec.fractions):
        parts.append(MultipleConstraint(Divisor(spec.divisor)))
    if spec.digits.whole is not None or (spec.digits.total is not None and spec.fractions):
        zeros = spec.divisor is not None and scale_of(spec.divisor) == 0
        parts.append(CountConstraint(spec.digits, only_zeros=zeros))
    return tuple(parts)


def _scientific(spec: _Spec) -> Dfa:
    """The numbers with an exponent that are in the range and multiples."""
    interval = spec.interval if spec.integer else rounded_inward(spec.interval)
    plus, minus = interval.magnitudes, interval.negated.magnitudes
    from pdl.automata.numbers.scientific import Scientific, Side

    states = Scientific(
        (Side.of(plus) if plus else None, Side.of(minus) if minus else None),
        Divisor(spec.divisor) if spec.divisor is not None else None,
        CountConstraint(spec.digits),
        spec.digits.exponent,
    )
    return explore(states, spec.budget)


def _all_scientific(spec: _Spec) -> Dfa:
    """All numbers with an exponent."""
    from pdl.automata.numbers.scientific import Exponent

    caps = [cap for cap in (spec.digits.whole, spec.digits.total) if cap is not None]
    digits = replace(spec.digits, whole=min(caps, default=None))
    mantissa = explore(_decimals(replace(spec, digits=digits)), spec.budget)
    most = spec.digits.exponent
    exponents = explore(Exponent(None if most is None else -most, most), spec.budget)
    return concat(mantissa, _E, exponents, budget=spec.budget)
