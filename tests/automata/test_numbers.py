"""The languages of numbers against arithmetic, and against the checker."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import lcm
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import sample, spoiled
from shares import share
from snapshots import CASES

import pdl
from pdl.automata.dfa import Budget
from pdl.automata.numbers import Digits, Number, numbers
from pdl.errors import LimitError

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

FILES = sorted((CASES / "numbers").glob("*.json"))
SHORT = ["".join(chars) for length in range(1, 5) for chars in product("-0125.e", repeat=length)]

WRITTEN = {
    "integer": re.compile(r"(?!-0$)-?(?:0|[1-9][0-9]*)"),
    "canonical": re.compile(r"(?!-0$)-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?"),
    "plain": re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?"),
    "any": re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"),
}
POWER = re.compile(r"-?(?:0(?:\.0+)?|[1-9](?:\.(?P<fraction>[0-9]+))?)[eE](?P<power>.+)")
TEN = Fraction(10)
KEYWORDS = {
    "least": "minimum",
    "most": "maximum",
    "above": "exclusiveMinimum",
    "below": "exclusiveMaximum",
}

BOUNDS = st.one_of(
    st.integers(-130, 130),
    st.decimals(-300, 300, places=1) | st.decimals(-3, 3, places=3),
    st.sampled_from([0.5, 1e-3, 0.1, 12.5, -0.25, 2.0, Fraction(1, 8)]),
)
FLOATS = st.one_of(
    st.integers(-130, 130),
    st.floats(-1e5, 1e5),
    st.sampled_from([2**53 + 1, 2**63 - 1, 2**64, 10**23, 10**23 - 1]),
    st.sampled_from([1e23, 3.6893488147419103e19, -(10**17) - 1]),
)
DIVISORS = st.sampled_from([0.01, 0.03, 0.5, 2.5, 7, 1e-6, 0.25, 1, 3, 100, 1e3, 0.3, 12.5, 600])
SPELLINGS = st.sampled_from(["canonical", "plain", "any"])

READABLE = Digits(total=16, exponent=290)
"""All of these numbers have a value in double precision that does not mislead."""


def asked(bounds: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Keywords of `numbers`."""
    return st.fixed_dictionaries(
        {"integer": st.booleans(), "spelling": SPELLINGS},
        optional={
            **dict.fromkeys(KEYWORDS, bounds),
            "multiple_of": st.lists(DIVISORS, min_size=1, max_size=1) | st.just([2.5, 0.75, 2]),
        },
    )


def fits(text: str, ask: dict[str, Any]) -> bool:
    """Whether a text of few digits is in the language, by arithmetic."""
    way = ask["spelling"]
    if not WRITTEN["integer" if ask["integer"] and way == "canonical" else way].fullmatch(text):
        return False
    value, low = Fraction(Decimal(text)), _lowest(ask)
    if not _in_range(value, ask) or not _is_multiple(value, ask):
        return False
    if way == "canonical" and text.startswith("-") and not value and low is not None and low >= 0:
        return False
    return "e" not in text.lower() or _is_free(ask) or _weighs(text, ask)


def _exact(number: Number) -> Fraction:
    return Fraction(Decimal(repr(number)) if isinstance(number, float) else number)


def _lowest(ask: dict[str, Any]) -> Fraction | None:
    return max((_exact(ask[key]) for key in ("least", "above") if key in ask), default=None)


def _in_range(value: Fraction, ask: dict[str, Any]) -> bool:
    return (
        ("least" not in ask or value >= _exact(ask["least"]))
        and ("most" not in ask or value <= _exact(ask["most"]))
        and ("above" not in ask or value > _exact(ask["above"]))
        and ("below" not in ask or value < _exact(ask["below"]))
    )


def _divisors(ask: dict[str, Any]) -> list[Fraction]:
    return [Fraction(1)] * ask["integer"] + [_exact(one) for one in ask.get("multiple_of", ())]


def _is_multiple(value: Fraction, ask: dict[str, Any]) -> bool:
    return all((value / divisor).denominator == 1 for divisor in _divisors(ask))


def _is_free(ask: dict[str, Any]) -> bool:
    return not _divisors(ask) and not KEYWORDS.keys() & ask.keys()


def _weighs(text: str, ask: dict[str, Any]) -> bool:
    """Whether one digit stands in front, and the exponent makes up for those behind the point."""
    found = POWER.fullmatch(text)
    if not found:
        return False
    if not _divisors(ask) or not Decimal(text):
        return True
    return int(found["power"]) - len(found["fraction"] or "") + _places(ask) >= 0


def _places(ask: dict[str, Any]) -> int:
    """The digits behind the point of the least common multiple of the divisors; below 0 zeros."""
    unit = 10**9
    common = Fraction(lcm(*(int(divisor * unit) for divisor in _divisors(ask))), unit)
    return next(places for places in range(-12, 12) if (common * TEN**places).denominator == 1)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    ask = case["ask"]
    if "digits" in ask:
        ask["digits"] = Digits(**ask["digits"])
    found = numbers(**ask)
    assert [text for text in case["in"] if not found.matches(text)] == []
    assert [text for text in case["out"] if found.matches(text)] == []
    assert bool(case["in"]) != found.is_empty


@settings(max_examples=share(60))
@given(asked(BOUNDS))
def test_law_all_short_texts(ask: dict[str, Any]) -> None:
    found = numbers(**ask)
    assert [text for text in SHORT if found.matches(text) != fits(text, ask)] == []


@given(asked(BOUNDS), st.integers(1, 12), st.randoms(use_true_random=False))
def test_law_long_texts(ask: dict[str, Any], length: int, rng: Random) -> None:
    """No digits lead out of the range, and no text is left out that arithmetic lets in."""
    found = numbers(**ask)
    if not found.is_empty:
        text = sample(found, rng, length)
        assert fits(text, ask), text
        near = spoiled(text, rng, "0123456789-.e")
        if _is_read_as_written(near):
            assert found.matches(near) == fits(near, ask), near


def _is_read_as_written(text: str) -> bool:
    """Whether it has so few digits that no float stands for another such text."""
    return len(re.findall(r"[0-9]", text.partition("e")[0])) <= 12


@given(asked(FLOATS), st.sampled_from([1, 4, 9, 20, 40]), st.randoms(use_true_random=False))
def test_law_what_is_generated_is_valid(ask: dict[str, Any], length: int, rng: Random) -> None:
    """Read as Python reads it, by floats, and with all that a float cannot hold refused."""
    found = numbers(**ask, digits=READABLE)
    if found.is_empty:
        return
    rules: dict[str, Any] = {
        "type": "integer" if ask["integer"] else "number",
        **{KEYWORDS[key]: bound for key, bound in ask.items() if key in KEYWORDS},
        "allOf": [True, *({"multipleOf": one} for one in ask.get("multiple_of", ()))],
    }
    schema = pdl.Schema.from_json_schema({"type": "array", "items": rules})
    text = sample(found, rng, length)
    assert pdl.check(schema, f"[{text}]").ok, text


def test_languages_are_small() -> None:
    assert numbers(integer=True).states == 4
    assert numbers(integer=True, least=0, most=2**64 - 1).states == 39
    assert numbers().states == 7
    assert numbers(multiple_of=[0.01]).states < 12
    assert numbers(digits=READABLE).states < 60
    assert numbers(integer=True, spelling="any").states < 100


def test_what_is_no_bound_is_refused() -> None:
    for bad in ({"most": float("inf")}, {"least": Decimal("NaN")}, {"least": Fraction(1, 3)}):
        with pytest.raises(ValueError, match=r"finite|decimal"):
            numbers(**bad)
    for divisor in (0, -1):
        with pytest.raises(ValueError, match="above 0"):
            numbers(multiple_of=[divisor])


def test_divisors_that_are_no_decimals() -> None:
    """Of the multiples of 3/7, decimals are those of 3."""
    assert numbers(multiple_of=[Fraction(3, 7)]) == numbers(multiple_of=[3])


@pytest.mark.parametrize(
    "ask",
    [
        {"most": Decimal("1e30000")},
        {"least": Decimal("1e-30000")},
        {"most": 10**25000},
        {"integer": True, "multiple_of": [65537]},
        {"multiple_of": [0.1363, 0.7]},
    ],
)
def test_what_is_too_large_is_an_error(ask: dict[str, Any]) -> None:
    with pytest.raises(LimitError, match="more than 20,000 states"):
        numbers(**ask)


def test_a_budget_holds_for_numbers() -> None:
    with pytest.raises(LimitError, match="more than 30 states"):
        numbers(integer=True, most=2**64, budget=Budget(30))


def test_ends_beyond_floats() -> None:
    """An end that no float is near bounds the digits all the same."""
    most = 10**309
    found = numbers(most=most, least=-most)
    assert found.matches(f"-{most}")
    assert not found.matches(str(most + 1))
    assert found.matches("1.5")
