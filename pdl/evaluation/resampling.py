"""Intervals and tests that draw from the cases: the cluster bootstrap, and the sign-flip test.

Every draw is one for all series (metrics and pairs of columns) at once: the values of a case are
packed into one long integer, a field for each series, so that a sum over the cases drawn is one
`sum` of integers.
"""

from __future__ import annotations

import math
import operator
import struct
from bisect import bisect
from itertools import accumulate, chain, compress, starmap
from random import Random
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING, Final, TypeAlias

from pdl.evaluation.results import Interval
from pdl.evaluation.statistics import mcnemar, quantile, quantile_of_student

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Series: TypeAlias = "Sequence[float | None]"
"""A value for each case; None where it has none."""

SEED: Final = 20
DRAWS: Final = 2_000
"""How often the cases are drawn for an interval."""

FLIPS: Final = 9_999
"""How often signs are drawn for a test, if the cases are not too many."""

_EXACT: Final = 13
"""With so many cases that differ, all ways to set the signs are tried."""

_WORK: Final = 20_000_000
"""Above so many cases times draws, fewer signs are drawn, but never below `DRAWS`."""

_ONE: Final = 1 << 40
"""The greatest value of a series is rounded to this; the other 24 bits of a field are for sums."""

_PLUS: Final = bytes(byte >> 7 for byte in range(256))
_ODD: Final = bytes(byte & 1 for byte in range(256))
_TWICE: Final = bytes(byte >> 1 & 1 for byte in range(256))
_FOURS: Final = bytes(byte >> 2 for byte in range(256))

_BELOW: Final = [*accumulate(math.exp(-1) / math.factorial(count) for count in range(19))]
"""The chance of a count up to 0, 1, …, by Poisson's distribution with mean 1."""

_OPEN: Final = 255
_POISSON: Final = bytes(
    low if (low := bisect(_BELOW, byte / 256)) == bisect(_BELOW, (byte + 1) / 256) else _OPEN
    for byte in range(256)
)
"""The count for the first byte of a random number from 0 to 1; open where further ones decide."""


# Intervals


def bootstrap(
    table: Sequence[Series], *, level: float = 0.95, draws: int = DRAWS, seed: int = SEED
) -> list[Interval | None]:
    """Return the interval of the mean of each series; None for one of fewer than two values.

    All series are of the same cases, which are drawn with replacement. Quantiles of the means are
    taken further out than the level says, by as much as a bootstrap of so few cases is too narrow.
    The same seed gives the same intervals. Raises ValueError for series of different lengths.

    Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 13; the expansion:
    Hesterberg (2015), What teachers should know about the bootstrap, American Statistician 69.
    """
    random = Random(seed)  # noqa: S311 - no secret
    packed = _Packed(table)
    means: list[list[float]] = [[] for _ in table]
    for _ in range(draws if packed.rows else 0):
        drawn = packed.sums(_repeated(packed.rows, counts(random, len(packed.rows))))
        for column, mean in zip(means, packed.means(drawn), strict=True):
            if mean is not None:
                column.append(mean)
    return [
        _expanded([one for one in series if one is not None], sorted(column), level)
        for series, column in zip(table, means, strict=True)
    ]


def counts(random: Random, size: int) -> bytearray:
    """Return how often each of so many cases is drawn, if as many are drawn with replacement.

    Independent counts of Poisson's distribution with mean 1 are such counts, for the number that
    they come to: what lacks is drawn, and of what is too much a part is taken back, each draw as
    likely as any other. This is much faster than to draw cases one by one.
    """
    raw = random.randbytes(size)
    found = bytearray(raw.translate(_POISSON))
    at = found.find(_OPEN)
    while at >= 0:
        found[at] = bisect(_BELOW, (raw[at] + random.random()) / 256)
        at = found.find(_OPEN, at + 1)
    surplus = sum(found) - size
    for _ in range(-surplus):
        found[int(random.random() * size)] += 1
    most = max(found) if surplus > 0 else 0
    while surplus > 0:
        at = int(random.random() * size)
        if random.random() * most < found[at]:
            found[at] -= 1
            surplus -= 1
    return found


def _repeated(rows: Sequence[int], times: bytearray) -> Iterable[int]:
    """The rows so many times, or sums of them."""
    twice = 2 * sum(compress(rows, times.translate(_TWICE)))
    fours = times.translate(_FOURS)
    more = map(operator.mul, compress(rows, fours), filter(None, fours))
    return chain(compress(rows, times.translate(_ODD)), (twice, 4 * sum(more)))


def _expanded(values: list[float], means: list[float], level: float) -> Interval | None:
    """The interval of sorted means that were drawn, for the values that they are of."""
    size = len(values)
    if size <= 1:
        return None
    far = math.sqrt(size / (size - 1)) * quantile_of_student(level, size - 1)
    tail, mean = NormalDist().cdf(-far), fmean(values)
    low, high = quantile(means, tail), quantile(means, 1 - tail)
    return Interval(min(low, mean), max(high, mean), "bootstrap")


# Tests


def sign_flips(
    table: Sequence[Series], *, flips: int | None = None, seed: int = SEED
) -> list[float]:
    """Return the p of the sign-flip test for each series of differences, two-sided.

    If two columns did not differ, each difference would be as likely with the other sign. p is the
    share of all ways to set the signs in which the mean is at least as far from 0. It is exact for
    up to 13 differences other than 0, and where all have the same size: then this is McNemar's
    exact test. Otherwise signs are drawn, `flips` times (by default 9,999 times for up to 2,000
    cases, and at least 2,000 times for more), the same ones for the same seed, and p is never 0:
    (hits + 1) / (flips + 1).

    Good (2005), Permutation, parametric, and bootstrap tests of hypotheses, 3rd edition, section
    3.2; Phipson and Smyth (2010), Permutation p-values should never be zero, Statistical
    Applications in Genetics and Molecular Biology 9.
    """
    found = [_exact([one for one in series if one]) for series in table]
    pending = [index for index, one in enumerate(found) if one is None]
    if pending:
        drawn = _drawn([table[index] for index in pending], flips, Random(seed))  # noqa: S311
        for index, one in zip(pending, drawn, strict=True):
            found[index] = one
    return [one for one in found if one is not None]


def _exact(differences: list[float]) -> float | None:
    """The exact p of differences other than 0, if it can be had."""
    if len({abs(one) for one in differences}) <= 1:
        better = len([one for one in differences if one > 0])
        return mcnemar(better, len(differences) - better)
    if len(differences) > _EXACT:
        return None
    greatest = max(map(abs, differences))
    whole = [round(one / greatest * _ONE) for one in differences]
    sums = [0]
    for one in whole:
        sums = [total + part for total in sums for part in (one, -one)]
    least = abs(sum(whole)) - len(whole)  # they are rounded
    return sum(abs(one) >= least for one in sums) / len(sums)


def _drawn(table: Sequence[Series], flips: int | None, random: Random) -> list[float]:
    """The p of each series by drawing signs."""
    cases = len(table[0])
    draws = flips or max(DRAWS, min(FLIPS, _WORK // cases))
    packed = _Packed([[abs(one or 0.0) for one in series] for series in table], low=0.0)
    totals = packed.sums(packed.rows)
    least = [
        abs(math.fsum((one or 0.0) / span for one in series)) * _ONE - cases
        for series, span in zip(table, packed.spans, strict=True)
    ]
    hits = [0] * len(table)
    for _ in range(draws):
        plus = packed.sums(compress(packed.rows, random.randbytes(cases).translate(_PLUS)))
        for index, (part, total) in enumerate(zip(plus, totals, strict=True)):
            hits[index] += abs(2 * part - total) >= least[index]
    return [(one + 1) / (draws + 1) for one in hits]


class _Packed:
    """A table of series: for each case one integer, in which every series has 64 bits.

    Values are rounded to integers of 40 bits, between the least (or `low`) and the greatest one of
    their series. After them are fields that count, one for each set of cases that some series has.
    """

    def __init__(self, table: Sequence[Series], low: float | None = None) -> None:
        self.lows: list[float] = []
        self.spans: list[float] = []
        self.cases = len(table[0]) if table else 0
        masks: dict[tuple[bool, ...], int] = {(True,) * self.cases: -1}
        self.counters: list[int] = []
        fields: list[list[int]] = []
        for series in table:
            fields.append(self._whole(series, low))
            mask = tuple(one is not None for one in series)
            place = masks.setdefault(mask, len(table) + len(masks) - 1)
            self.counters.append(place)
        fields += [[int(one) for one in mask] for mask, place in masks.items() if place >= 0]
        self._format = struct.Struct(f"<{len(fields)}Q")
        rows = starmap(self._format.pack, zip(*fields, strict=True))
        self.rows = [int.from_bytes(row, "little") for row in rows]

    def _whole(self, series: Series, least: float | None) -> list[int]:
        known = [one for one in series if one is not None]
        low = min(known, default=0.0) if least is None else least
        high = max(known, default=low)
        span = high - low or 1.0
        self.lows.append(low)
        self.spans.append(span)
        return [0 if one is None else round((one - low) / span * _ONE) for one in series]

    def sums(self, rows: Iterable[int]) -> tuple[int, ...]:
        """The sums of all fields over some rows."""
        return self._format.unpack(sum(rows).to_bytes(self._format.size, "little"))

    def means(self, sums: tuple[int, ...]) -> Iterator[float | None]:
        """The mean of each series, from sums over as many rows as there are cases."""
        for index, place in enumerate(self.counters):
            count = self.cases if place < 0 else sums[place]
            mean = self.lows[index] + self.spans[index] * (sums[index] / (max(count, 1) * _ONE))
            yield mean if count else None
