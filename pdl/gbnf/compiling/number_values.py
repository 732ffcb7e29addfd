"""Numbers that satisfy the constraints of a conjunct, or a proof that none does.

Numbers are values as the checker reads them: integers, and floats, which it compares as the
decimals that they are written as. A language of spellings leaves some of them out.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import count, islice
from math import ceil, floor, gcd, inf, isfinite, lcm, nextafter
from typing import TYPE_CHECKING, TypeAlias, cast

from pdl.gbnf.compiling.constraints import NumberAtom
from pdl.gbnf.compiling.document import exact, stored
from pdl.gbnf.compiling.number_language import Bounds, is_float, is_unlike, satisfies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Numbers: TypeAlias = "tuple[float, ...]"

_MOST = 6  # values that are returned
_TRIES = 200  # values that are looked at, besides the excluded ones
_LARGEST = 2**53  # up to here each integer is a float, and is written as one
_DIGITS = 17  # after the point


@lru_cache(maxsize=1024)
def number_values(atoms: frozenset[NumberAtom]) -> Numbers | None:
    """Some numbers that satisfy all atoms, the shortest first; None if it is proven that none does.

    An empty tuple if neither is known.
    """
    if any(_opposite(atom) in atoms for atom in atoms):
        return None
    listed = [atom for atom in atoms if atom.keyword == "enum" and atom.positive]
    if listed:
        named = (_both(value) for value in cast("frozenset[Fraction]", listed[0].value))
        fitting = [one for pair in named for one in pair if _meets(one, atoms)]
        return tuple(sorted(fitting, key=lambda one: (len(repr(one)), one))[:_MOST]) or None
    looked = _Numbers(atoms)
    whole, complete = ([], True) if looked.excludes_integers else looked.integers()
    others, all_of_them = ([], True) if looked.wants_integers else looked.fractions()
    found = (*whole, *others)
    return None if not found and complete and all_of_them else found[:_MOST]


def _opposite(atom: NumberAtom) -> NumberAtom:
    return NumberAtom(atom.keyword, atom.value, not atom.positive)


def _both(value: Fraction) -> list[float]:
    """A number as an integer and as a float, where it is that."""
    found: list[float] = [int(value)] if value.denominator == 1 else []
    return [*found, float(value)] if is_float(value) else found


def _meets(value: float, atoms: Iterable[NumberAtom]) -> bool:
    """Whether a value satisfies all atoms, as the checker judges."""
    return all(_meets_one(value, atom) for atom in atoms)


def _meets_one(value: float, atom: NumberAtom) -> bool:
    if atom.keyword == "digits":
        return isinstance(value, int) == atom.positive
    return satisfies(exact(value) if atom.keyword == "multipleOf" else stored(value), atom)


class _Numbers:
    """The numbers of some atoms without a list of values."""

    def __init__(self, atoms: frozenset[NumberAtom]) -> None:
        self._atoms = atoms
        self._bounds = bounds = Bounds()
        unlike: list[NumberAtom] = []
        for atom in atoms:
            if is_unlike(atom):
                unlike.append(atom)
            elif atom.keyword != "digits":
                bounds.take(atom)
        signs = {atom.positive for atom in atoms if atom.keyword == "digits"}
        self._as_float = False in signs
        self.wants_integers = bounds.integer or True in signs
        self.excludes_integers = NumberAtom("integer", positive=False) in atoms
        self._indivisible = [
            cast("Fraction", one.value) for one in unlike if one.keyword == "multipleOf"
        ]
        listed = (cast("frozenset[Fraction]", one.value) for one in unlike if one.keyword == "enum")
        self._tries = _TRIES + sum(map(len, listed))
        self.least, self.most = bounds.least, bounds.most

    def integers(self) -> tuple[list[float], bool]:
        """Some integers, and whether none of them proves that there is none."""
        bounds = self._bounds
        if bounds.is_empty:
            return [], True
        step = lcm(*(one.numerator for one in bounds.steps))
        if any(step % one.numerator == 0 for one in self._indivisible):
            return [], True
        low, high = self._factors(step)
        turn = lcm(*(one.numerator // gcd(one.numerator, step) for one in self._indivisible))
        turns = _nearest(low and low // turn, high and high // turn)
        jumps = (1 + turn * number for number in turns)
        steps = (*islice(_nearest(low, high), self._tries), *islice(jumps, self._tries))
        convert = _as_float if self._as_float else int
        found = self._kept(convert(number * step) for number in dict.fromkeys(steps))
        is_small = low is not None and high is not None and high - low < self._tries
        divided = bool(bounds.steps or self._indivisible)
        ends = (inf if end is None else abs(end) for end in (self.least, self.most))
        if not is_small or not divided or max(ends) <= _LARGEST:
            return found, is_small
        # Of a large float the multiples are those of the decimal that it is written as.
        others, complete = self._floats(float.is_integer)
        return [*found, *others], complete

    def fractions(self) -> tuple[list[float], bool]:
        """The same for floats that are not integers."""
        bounds = self._bounds
        if bounds.is_empty:
            return [], True
        if bounds.steps:
            return self._multiples(
                Fraction(
                    lcm(*(one.numerator for one in bounds.steps)),
                    gcd(*(one.denominator for one in bounds.steps)),
                )
            )
        if self.least is not None and self.least >= _LARGEST:
            return [], True
        if self.most is not None and self.most <= -_LARGEST:
            return [], True
        found = self._kept(self._decimals(), _is_fraction)
        return (found, True) if found else self._floats(_is_fraction)

    def _multiples(self, step: Fraction) -> tuple[list[float], bool]:
        if step.denominator == 1 or any((step / one).denominator == 1 for one in self._indivisible):
            return [], True
        low, high = self._factors(step)
        numbers = islice(_nearest(low, high), self._tries)
        found = self._kept((_as_float(number * step) for number in numbers), _is_fraction)
        return found, low is not None and high is not None and high - low < self._tries

    def _decimals(self) -> Iterator[float]:
        """Numbers of few digits after the point, the fewest first."""
        for digits in range(1, _DIGITS + 1):
            step = Fraction(1, 10**digits)
            for number in islice(_nearest(*self._factors(step)), self._tries):
                yield _as_float(number * step)

    def _factors(self, step: Fraction | int) -> tuple[int | None, int | None]:
        """The bounds of the integers by which a step is multiplied to be in the range."""
        low = None if self.least is None else ceil(self.least / step)
        high = None if self.most is None else floor(self.most / step)
        return low, high

    def _floats(self, fits: Callable[[float], bool]) -> tuple[list[float], bool]:
        """The floats of a narrow range: all, unless they are too many."""
        if self.least is None or self.most is None:
            return [], False
        value, last = nextafter(_as_float(self.least), -inf), _as_float(self.most)
        values: list[float] = []
        while value <= last and len(values) < self._tries:
            values.append(value)
            value = nextafter(value, inf)
        return self._kept(values, fits), value > last

    def _kept(
        self, values: Iterable[float], fits: Callable[[float], bool] = lambda _: True
    ) -> list[float]:
        kept = (one for one in values if _is_json(one) and fits(one) and _meets(one, self._atoms))
        return list(islice(dict.fromkeys(islice(kept, 2 * _MOST)), _MOST))


def _nearest(low: int | None, high: int | None) -> Iterator[int]:
    """The integers of a range, those near zero first, each once."""
    if low is not None and high is not None and low > high:
        return
    start = max(0, low) if low is not None else 0
    start = min(start, high) if high is not None else start
    yield start
    for distance in count(1):
        above, below = start + distance, start - distance
        inside = (high is None or above <= high, low is None or below >= low)
        if not any(inside):
            return
        if inside[0]:
            yield above
        if inside[1]:
            yield below


def _as_float(value: Fraction | int) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _is_json(value: float) -> bool:
    """Whether JSON has a number; an integer can be larger than all floats."""
    return isinstance(value, int) or isfinite(value)


def _is_fraction(value: float) -> bool:
    return not value.is_integer()
