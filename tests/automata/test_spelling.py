"""The spellings of strings against what Python's parser reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.automata.build import ANYTHING, chars, complement, lengths, literal, words
from pdl.automata.charset import CharSet
from pdl.automata.dfa import Budget
from pdl.automata.spelling import spelled
from pdl.errors import LimitError

if TYPE_CHECKING:
    from random import Random

    from pdl.automata.dfa import Dfa

CHARS = 'a"\\/\n\x00\x01\x1f\x7fé日\ud7ff\ue000\uffff𐀀😀\U0010ffff'
STRINGS = st.text(CHARS, max_size=3)
LANGUAGES = st.one_of(
    st.lists(STRINGS, min_size=1, max_size=3).map(words),
    st.lists(STRINGS, min_size=1, max_size=3).map(words).map(complement),
    st.tuples(st.integers(0, 0x10FFFF), st.integers(0, 0x10FFFF)).map(
        lambda ends: chars(CharSet.range(min(ends), max(ends)))
    ),
    st.just(lengths(1, 2)),
)


def written(string: str, rng: Random) -> str:
    """Any of the spellings of a string, or nearly."""
    return "".join(rng.choice(_ways(char, rng)) for char in string)


def _ways(char: str, rng: Random) -> list[str]:
    units = char.encode("utf-16-be")
    pairs = [units[at : at + 2].hex() for at in range(0, len(units), 2)]
    coded = "".join(
        "\\u" + "".join(rng.choice([digit, digit.upper()]) for digit in unit) for unit in pairs
    )
    return [char, coded, json.dumps(char, ensure_ascii=False)[1:-1], f"\\{char}", coded[:-1]]


def read(text: str) -> str | None:
    """The string between quotes; None if that is no JSON, or has half of a character."""
    try:
        value = json.loads(f'"{text}"')
    except ValueError:
        return None
    return None if any("\ud800" <= char <= "\udfff" for char in value) else str(value)


@given(LANGUAGES, STRINGS, st.randoms(use_true_random=False))
def test_law_any_spelling_is_in_if_its_string_is(dfa: Dfa, string: str, rng: Random) -> None:
    text = written(string, rng)
    value = read(text)
    assert spelled(dfa, "any").matches(text) == (value is not None and dfa.matches(value))


@given(LANGUAGES, STRINGS)
def test_law_each_string_has_its_canonical_spelling(dfa: Dfa, string: str) -> None:
    text = json.dumps(string, ensure_ascii=False)[1:-1]
    assert spelled(dfa).matches(text) == dfa.matches(string)


@given(LANGUAGES)
def test_law_each_policy_includes_the_stricter_one(dfa: Dfa) -> None:
    strict, short, loose = (spelled(dfa, way) for way in ("canonical", "short", "any"))
    assert short.includes(strict)
    assert loose.includes(short)


@given(st.lists(STRINGS, max_size=4, unique=True))
def test_law_canonical_spellings_are_as_many_as_strings(strings: list[str]) -> None:
    assert len(spelled(words(strings)).texts(9)) == len(strings)


def test_spellings() -> None:
    """Hexadecimal digits in their cases, slashes, and pairs of surrogates."""
    found = {way: spelled(literal("/\x1f"), way).texts(99) for way in ("canonical", "short")}
    assert found["canonical"] == ["/\\u001f"]
    assert found["short"] == ["/\\u001F", "/\\u001f", "\\/\\u001F", "\\/\\u001f"]
    assert spelled(literal("😀"), "short").texts(9) == ["😀"]
    assert "\\uD83d\\uDe00" in spelled(literal("😀"), "any").texts(99)


def test_the_spellings_of_anything_are_small() -> None:
    assert spelled(ANYTHING).states == 7
    assert spelled(ANYTHING, "any").states == 13


def test_no_half_of_a_character_is_spelled() -> None:
    loose = spelled(ANYTHING, "any")
    for text in ("\\ud800", "\\udc00", "\\ud800x", "\\ud800\\n", "\\udc00\\ud800"):
        assert not loose.matches(text)


def test_a_budget_holds_for_spellings() -> None:
    with pytest.raises(LimitError, match="more than 300 states"):
        spelled(lengths(0, 200), "any", budget=Budget(300))
