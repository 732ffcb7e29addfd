"""The texts of numbers that a schema lists one by one."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from pdl.automata import build
from pdl.automata.dfa import DEFAULT_BUDGET
from pdl.automata.numbers import numbers as number_language
from pdl.automata.numbers.exact import written
from pdl.automata.numbers.few import Few

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.automata.dfa import Dfa
    from pdl.automata.numbers import Spelling
    from pdl.gbnf.compiling.report import Note

FEW = 32
"""Numbers of which each has an automaton of its own."""

_EXACT = 2**53
"""Up to here each whole number is a float."""


def spelled_out(values: list[Fraction], spelling: Spelling, note: Note) -> Dfa:
    """The texts of some numbers. Raises LimitError for too many."""
    if spelling == "canonical":
        return build.words(map(text_of, values))
    if spelling == "any" and len(values) <= FEW:
        exact = [value for value in values if is_float(value)]
        others = build.words(text_of(value) for value in values if not is_float(value))
        each = (number_language(least=one, most=one, spelling=spelling) for one in exact)
        return build.union(others, *each)
    if spelling == "any":
        note("enum", "BOUNDED", f"more than {FEW} numbers have no exponent")
    return without_exponents(values)


def without_exponents(values: Iterable[Fraction]) -> Dfa:
    """Numbers with and without a point; those that are read as others with a point have none."""
    told = list(values)
    pointed = Few([one for one in told if is_float(one)], True, None, ("-0", "-0.0"))  # noqa: FBT003
    others = build.words(text_of(one) for one in told if not is_float(one))
    return build.union(others, pointed.texts(DEFAULT_BUDGET))


def is_float(value: Fraction) -> bool:
    """Whether a number is read as it is with a point or an exponent behind it."""
    if value.denominator > 1 or abs(value) <= _EXACT:
        return True
    try:
        return Fraction(float(value)) == value
    except OverflowError:
        return False


def text_of(value: Fraction) -> str:
    """The one text that a number is written with where it has one."""
    digits = written(abs(value))
    whole = "".join(map(str, digits.whole))
    fraction = "".join(map(str, digits.fraction))
    return f"{'-' if value < 0 else ''}{whole}{f'.{fraction}' if fraction else ''}"
