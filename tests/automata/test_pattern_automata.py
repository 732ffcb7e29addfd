"""Patterns as automata: they match what the checker matches, or say that they cannot."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from languages import PATTERNS, TEXTS, text_of
from snapshots import CASES, Snapshot

from pdl.automata.build import complement, intersection, lengths
from pdl.automata.dfa import Budget
from pdl.automata.pattern import Irregular, pattern
from pdl.errors import LimitError, PdlError, SchemaError
from pdl.schema.patterns import matches, pattern_error

if TYPE_CHECKING:
    from pathlib import Path

VALID = sorted((CASES / "patterns" / "valid").glob("*.json"))
INVALID = sorted((CASES / "patterns" / "invalid").glob("*.txt"))


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_a_pattern_matches_these_texts_and_not_those(path: Path) -> None:
    for case in json.loads(path.read_text(encoding="utf-8")):
        dfa = pattern(case["pattern"])
        assert [text for text in case["yes"] if not dfa.matches(text)] == []
        assert [text for text in case["no"] if dfa.matches(text)] == []


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_what_is_refused_says_why(path: Path, snapshot: Snapshot) -> None:
    text = path.with_suffix(".re").read_text(encoding="utf-8").rstrip("\n")
    with pytest.raises(PdlError) as caught:
        pattern(text)
    snapshot.check(path, f"{caught.value.problem.code}\n{caught.value}")


@given(PATTERNS, st.lists(st.lists(st.integers(0, 10**6), max_size=8), max_size=4), TEXTS)
@example("(?=a$)*", [], "ab")
@example("^(?:(?!ab).)*$", [[1, 2]], "ab")
@example("(?<=^|-)a", [], "-a")
def test_an_automaton_agrees_with_the_checker(
    source: str, walks: list[list[int]], text: str
) -> None:
    assume(not pattern_error(source))
    try:
        dfa = pattern(source, budget=Budget(2_000))
    except (Irregular, LimitError):
        return
    texts = [text, *(text_of(dfa, walk) for walk in walks)]
    texts += [one[:-1] + text[:2] for one in texts]
    for one in texts:
        assert dfa.matches(one) == matches(source, one), one


@given(PATTERNS)
def test_a_bad_pattern_is_bad_for_both(source: str) -> None:
    wrong = pattern_error(source + "(")
    with pytest.raises(SchemaError, match="invalid regular expression") as caught:
        pattern(source + "(")
    assert wrong in str(caught.value)


@pytest.mark.parametrize(
    "source",
    [
        "^[a-z]{1,100000}$",
        "(a|b)*a(a|b){30}",
        "((a{1,100}){1,100}){1,100}",
        "^(a?){2000}$",
        "(" * 90 + "a" + "){2}" * 90,
        "((((a){50}){50}){50}){50}",
        "(){0,4000000000}",
        "(?!(.*a.{25}))b",
        "(?<!a.{30})b(?=cd)",
        "(?=.{500}a)(?=.{400}b)c",
    ],
)
def test_explosions_end_in_a_typed_error(source: str) -> None:
    with pytest.raises(LimitError) as caught:
        pattern(source)
    assert caught.value.problem.code == "limit/automaton-states"


@pytest.mark.parametrize(
    ("source", "states"),
    [
        ("a", 2),
        ("^a", 2),
        ("^[a-z0-9-]{1,63}(\\.[a-z0-9-]{1,63})*$", 64),
        ("[a-z]{0,5000}", 1),
        ("^[a-z]{1,300}[a-z0-9]{1,300}$", 601),
        ("^(a{1,50}){1,50}$", 2501),
        ("$", 1),
        ("(" * 90 + "^a" + "){1}" * 90, 2),
        ("^[{9}({9}{9}(]\\({9}$", 11),
        ("^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d).{8,64}$", 496),
    ],
)
def test_sizes(source: str, states: int) -> None:
    assert pattern(source).states == states


def test_a_pattern_and_a_length_together() -> None:
    both = intersection(pattern("^[a-z]+$"), lengths(2, 3))
    assert (both.shortest(), both.is_finite) == ("aa", True)
    assert complement(pattern("x")).shortest() == ""


def test_patterns_are_kept() -> None:
    assert pattern("^kept$") is pattern("^kept$")
