"""The numbers of a conjunct, also those that are listed, as a language of their spellings."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from math import lcm
from typing import TYPE_CHECKING, Any, cast

from pdl.automata import build
from pdl.automata.charset import EVERY, CharSet
from pdl.automata.dfa import DEFAULT_BUDGET
from pdl.automata.numbers import Digits
from pdl.automata.numbers import numbers as numbers_of
from pdl.automata.numbers.decimals import decimal_digits
from pdl.automata.numbers.multiples import ListedMultiples
from pdl.automata.pattern import pattern
from pdl.errors import LimitError
from pdl.gbnf.compiling.constraints import NumberAtom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.automata.dfa import Dfa
    from pdl.automata.numbers import Spelling
    from pdl.gbnf.compiling.options import Note, Numbers


FEW = 32
"""Numbers of which each has an automaton of its own."""

_EXACT = 2**53
"""Up to here each whole number is a float."""


def spelled_out(values: list[Fraction], spelling: Spelling, note: Note) -> Dfa:
    """The spellings of some numbers. Raises LimitError for too many."""
    if spelling == "canonical":
        return build.words(map(text_of, values))
    if spelling == "any" and len(values) <= FEW:
        exact = [value for value in values if is_float(value)]
        others = build.words(text_of(value) for value in values if not is_float(value))
        each = (numbers_of(least=one, most=one, spelling=spelling) for one in exact)
        return build.union(others, *each)
    if spelling == "any":
        note("enum", "BOUNDED", f"more than {FEW} numbers have no exponent")
    return without_exponents(values)


def without_exponents(values: Iterable[Fraction]) -> Dfa:
    """Numbers with and without a point; those that are read as others with a point have none."""
    told = list(values)
    pointed = ListedMultiples([one for one in told if is_float(one)], True, None, ("-0", "-0.0"))  # noqa: FBT003
    others = build.words(text_of(one) for one in told if not is_float(one))
    return build.union(others, pointed.texts(DEFAULT_BUDGET))


def is_float(value: Fraction) -> bool:
    """Whether a number with a point or an exponent after it is read as it is."""
    if value.denominator > 1 or abs(value) <= _EXACT:
        return True
    try:
        return Fraction(float(value)) == value
    except OverflowError:
        return False


def text_of(value: Fraction) -> str:
    """The canonical spelling of a number."""
    digits = decimal_digits(abs(value))
    whole = "".join(map(str, digits.whole))
    fraction = "".join(map(str, digits.fraction))
    return f"{'-' if value < 0 else ''}{whole}{f'.{fraction}' if fraction else ''}"


_FINITE = Digits(exponent=99)
"""No number of fewer than 200 digits is beyond IEEE 754 double precision."""

_SENDABLE = Digits(whole=20, total=16)
"""So that a model comes to an end, and that what it writes has a value that does not mislead."""

_PRECISE = Digits(total=16, exponent=99)
"""So that a float is the multiple that was written."""

_SHORT = Digits(whole=14, total=14, exponent=99)
"""So that a float is a multiple, or an integer, if and only if the spelling is."""

_SMALL = 20  # a divisor whose remainders, for each number of digits, are few states

_EXPONENT = r"^[eE][+]?[0-9]{1,2}$"

_IN_DIGITS = r"^-?[0-9]+$"

_SCIENTIFIC = r"^-?[0-9](\.[0-9]+)?[eE][+-]?([12][0-9]{2}|30[0-7])$"
"""The numbers with larger exponents that are floats: their point comes after the first digit."""

_LOWER = ("minimum", "exclusiveMinimum")
_UPPER = ("maximum", "exclusiveMaximum")
_OPPOSITE = {
    "minimum": "exclusiveMaximum",
    "maximum": "exclusiveMinimum",
    "exclusiveMinimum": "maximum",
    "exclusiveMaximum": "minimum",
}


def number_language(atoms: Iterable[NumberAtom], numbers: Numbers, note: Note) -> Dfa | None:
    """The JSON numbers that satisfy some atoms, except for what is reported to `note`.

    None if no number does.
    """
    told = list(atoms)
    if any(atom.keyword == "digits" for atom in told):
        return _spelled_in_digits(told, numbers, note)
    return _by_value(told, numbers, note)


def _by_value(told: list[NumberAtom], numbers: Numbers, note: Note) -> Dfa | None:
    """The same where it does not matter how a number is written."""
    spelling = spelled(told, numbers)
    listed = [atom for atom in told if atom.keyword == "enum" and atom.positive]
    if listed:
        return _listed(told, listed, spelling, note)
    if spelling == "any" and any(is_unlike(atom) for atom in told):
        note("not", "BOUNDED", "numbers with excluded values have no exponent")
        spelling = "plain"
    bounds = Bounds()
    unlike: list[NumberAtom] = []
    for atom in told:
        if not is_unlike(atom):
            bounds.take(atom)
        else:
            unlike.append(atom)
            bounds.unlike |= atom.keyword != "enum"
    if bounds.is_empty:
        return None
    found = bounds.language(spelling, note)
    if numbers == "usual" and spelling == "plain":
        found = _with_exponent(found, told, note)
    elif spelling == "any" and not told:
        found = build.union(found, pattern(_SCIENTIFIC))
    elif spelling == "any":
        note(_keyword(told[0]), "BOUNDED", "exponents have at most two digits")
    for atom in unlike:
        found = _without(found, atom, spelling, note)
    return None if found.is_empty else found


def _spelled_in_digits(atoms: list[NumberAtom], numbers: Numbers, note: Note) -> Dfa | None:
    """The numbers of which it matters whether they have a point or an exponent."""
    signs = {atom.positive for atom in atoms if atom.keyword == "digits"}
    others = [atom for atom in atoms if atom.keyword != "digits"]
    if len(signs) > 1:
        return None
    if True not in signs:
        found = _by_value(others, numbers, note)
        return _kept(None if found is None else build.difference(found, pattern(_IN_DIGITS)))
    others += [] if NumberAtom("integer") in others else [NumberAtom("integer")]
    found = _by_value(others, "canonical" if numbers == "canonical" else "plain", note)
    return _kept(None if found is None else build.intersection(found, pattern(_IN_DIGITS)))


def _kept(found: Dfa | None) -> Dfa | None:
    return None if found is None or found.is_empty else found


def _keyword(atom: NumberAtom) -> str:
    """The keyword of JSON Schema that an atom is of."""
    if is_unlike(atom):
        return "not"
    return "type" if atom.keyword == "integer" else atom.keyword


def is_unlike(atom: NumberAtom) -> bool:
    """Whether an atom says what a number is not, and that is not a bound."""
    return not atom.positive and atom.keyword not in _OPPOSITE


@lru_cache(maxsize=8)
def all_numbers(numbers: Numbers, *, integer: bool) -> Dfa:
    """All numbers, or all integers."""
    atoms = (NumberAtom("integer"),) if integer else ()
    found = number_language(atoms, numbers, lambda *_: None)
    assert found is not None
    return found


def spelled(atoms: Iterable[NumberAtom], numbers: Numbers) -> Spelling:
    """How the numbers of a conjunct are spelled: integers and multiples rarely have exponents."""
    if numbers != "usual":
        return numbers
    whole = any(atom.keyword in ("integer", "multipleOf", "enum") for atom in atoms)
    return "plain" if whole else "any"


def _listed(
    atoms: list[NumberAtom], listed: list[NumberAtom], spelling: Spelling, note: Note
) -> Dfa | None:
    values = cast("frozenset[Fraction]", listed[0].value)
    kept = sorted(value for value in values if all(satisfies(value, atom) for atom in atoms))
    if not kept:
        return None
    try:
        return spelled_out(kept, spelling, note)
    except LimitError as error:
        note("enum", "POST_HOC", error.problems[0].message)
    bounds = Bounds()
    bounds.integer = all(value.denominator == 1 for value in kept)
    bounds.ends = {"minimum": kept[0], "maximum": kept[-1]}
    return bounds.language("canonical", note)


def satisfies(value: Fraction, atom: NumberAtom) -> bool:
    """Whether a number satisfies an atom, in one spelling at least."""
    if atom.keyword == "digits":  # 5 may be written as 5.0
        return not atom.positive or value.denominator == 1
    return _TESTS[atom.keyword](value, atom.value) == atom.positive


_TESTS: dict[str, Callable[[Fraction, Any], bool]] = {
    "integer": lambda value, _: value.denominator == 1,
    "minimum": lambda value, bound: value >= bound,
    "maximum": lambda value, bound: value <= bound,
    "exclusiveMinimum": lambda value, bound: value > bound,
    "exclusiveMaximum": lambda value, bound: value < bound,
    "multipleOf": lambda value, step: (value / step).denominator == 1,
    "enum": lambda value, values: value in values,
}


class Bounds:
    """All bounds and divisors of one conjunct; `ends` are the bounds by their keywords."""

    def __init__(self) -> None:
        self.integer = False
        self.ends: dict[str, Fraction] = {}
        self.steps: list[Fraction] = []
        self.unlike = False

    def take(self, atom: NumberAtom) -> None:
        """One more atom; the opposites of bounds are bounds."""
        keyword = atom.keyword if atom.positive else _OPPOSITE[atom.keyword]
        if keyword == "integer":
            self.integer = True
            return
        value = cast("Fraction", atom.value)
        if keyword == "multipleOf":
            self.steps += [] if value in self.steps else [value]
        else:
            tighter = max if keyword in _LOWER else min
            self.ends[keyword] = tighter(value, self.ends.get(keyword, value))

    def _of(self, keywords: tuple[str, str]) -> list[Fraction]:
        return [self.ends[keyword] for keyword in keywords if keyword in self.ends]

    @property
    def least(self) -> Fraction | None:
        """The tightest lower bound, be it exclusive or not."""
        return max(self._of(_LOWER), default=None)

    @property
    def most(self) -> Fraction | None:
        """The tightest upper bound, likewise."""
        return min(self._of(_UPPER), default=None)

    @property
    def is_empty(self) -> bool:
        """Whether the bounds leave nothing, before one looks for multiples."""
        if not self.is_closed:
            return False
        low, high = max(self._of(_LOWER)), min(self._of(_UPPER))
        open_ends = self.ends.get("exclusiveMinimum"), self.ends.get("exclusiveMaximum")
        return low > high or (low == high and low in open_ends)

    @property
    def is_closed(self) -> bool:
        """Whether there are a lower and an upper bound."""
        return bool(self._of(_LOWER) and self._of(_UPPER))

    @property
    def rough(self) -> str:
        """The keyword of a bound that is not a float; empty if there is no such bound."""
        told = (word for word in (*_LOWER, *_UPPER) if word in self.ends)
        return next((word for word in told if not is_float(self.ends[word])), "")

    def language(self, spelling: Spelling, note: Note) -> Dfa:
        """The spellings of the numbers; without `multipleOf` if they take too many states."""
        if spelling != "canonical" and self.rough:
            note(
                self.rough,
                "BOUNDED",
                "next to a bound that is not a float, numbers have few digits",
            )
            spelling = "canonical" if self.integer else spelling
        within = partial(
            numbers_of,
            integer=self.integer,
            least=self.ends.get("minimum"),
            above=self.ends.get("exclusiveMinimum"),
            most=self.ends.get("maximum"),
            below=self.ends.get("exclusiveMaximum"),
            spelling=spelling,
            digits=self._digits(spelling, note),
        )
        try:
            if self.steps and (self.integer or _are_whole(self.steps)):
                return self._multiples(within, spelling, note)
            return within(multiple_of=self.steps)
        except LimitError as error:
            note("multipleOf", "POST_HOC", error.problems[0].message)
            return within()

    def _digits(self, spelling: Spelling, note: Note) -> Digits:
        """How many digits there may be."""
        if self.unlike:
            note("not", "BOUNDED", "numbers have at most 14 digits")
            return _SHORT
        if spelling == "canonical":
            if self.integer and self.is_closed:  # of few digits anyway
                return _FINITE
            note("type", "BOUNDED", "numbers have at most 20 digits, with a point at most 16")
            return _SENDABLE
        return _PRECISE if self.steps else _FINITE

    def _multiples(self, within: partial[Dfa], spelling: Spelling, note: Note) -> Dfa:
        """Multiples of integers, which have a point only where a float is exact."""
        plain = within(multiple_of=self.steps, integer=True, spelling="canonical", digits=_FINITE)
        if spelling == "canonical":
            return plain
        if lcm(*(step.numerator for step in self.steps)) > _SMALL:
            note("multipleOf", "BOUNDED", "multiples have no point")
            return plain
        return build.union(plain, within(multiple_of=self.steps, digits=_SHORT))


def _are_whole(steps: Iterable[Fraction]) -> bool:
    return all(step.denominator == 1 for step in steps)


def _with_exponent(found: Dfa, atoms: list[NumberAtom], note: Note) -> Dfa:
    """Integers, as `1e2` as well if there are no bounds for them."""
    if atoms != [NumberAtom("integer")]:
        note(
            _keyword(atoms[-1]),
            "BOUNDED",
            "integers with bounds, and multiples, have no exponent",
        )
        return found
    return build.concat(found, build.optional(pattern(_EXPONENT)))


def _with_zeros(texts: Dfa) -> Dfa:
    """Numbers with a point, and any number of zeros after them, which change no value."""
    every = build.star(build.chars(EVERY))
    pointed = build.intersection(texts, build.concat(every, build.literal("."), every))
    digits = build.chars(CharSet.of("0123456789.-"))
    plain = build.intersection(pointed, build.star(digits))
    return build.concat(plain, build.star(build.literal("0")))


def _without(found: Dfa, atom: NumberAtom, spelling: Spelling, note: Note) -> Dfa:
    """The spellings of a language whose numbers do not satisfy an atom."""
    try:
        if atom.keyword == "integer":
            return build.difference(found, numbers_of(integer=True, spelling="plain"))
        if atom.keyword == "multipleOf":
            step = cast("Fraction", atom.value)
            multiples = numbers_of(multiple_of=(step,), spelling=spelling)
            return build.difference(found, build.union(multiples, _with_zeros(multiples)))
        values = sorted(cast("frozenset[Fraction]", atom.value))
        if len(values) > FEW:
            note("not", "BOUNDED", "numbers have at most 14 digits")
            short = numbers_of(spelling="plain", digits=Digits(whole=14, total=14))
            return build.difference(build.intersection(found, short), without_exponents(values))
        for value in values:
            found = build.intersection(found, _unlike(value, spelling))
    except LimitError as error:
        note("not", "POST_HOC", error.problems[0].message)
    return found


@lru_cache(maxsize=64)
def _unlike(value: Fraction, spelling: Spelling) -> Dfa:
    """The spellings of all numbers except one, and those that are read as that one."""
    below = numbers_of(below=value, spelling=spelling)
    return build.union(below, numbers_of(above=value, spelling=spelling))
