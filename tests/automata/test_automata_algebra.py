"""Automata against the `regex` library, the laws of sets, and the definition of minimality."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from languages import LANGUAGES, TEXTS, Pair, text_of

from pdl.automata.build import (
    ANYTHING,
    EMPTY,
    EPSILON,
    chars,
    complement,
    concat,
    difference,
    from_edges,
    intersection,
    lengths,
    literal,
    optional,
    plus,
    repeat,
    star,
    union,
    words,
)
from pdl.automata.charset import EVERY, CharSet
from pdl.automata.dfa import Budget, Dfa
from pdl.automata.minimize import minimize
from pdl.errors import LimitError

_CHOICES = st.lists(st.integers(0, 10**6), max_size=8)


@given(LANGUAGES, _CHOICES, TEXTS)
def test_an_automaton_matches_what_the_pattern_matches(
    pair: Pair, choices: list[int], text: str
) -> None:
    dfa, pattern = pair
    for one in (text, text_of(dfa, choices), text_of(dfa, choices) + text):
        assert dfa.matches(one) == bool(regex.fullmatch(pattern, one, regex.DOTALL))


@given(LANGUAGES, LANGUAGES, _CHOICES, TEXTS)
def test_operations_are_those_of_sets_of_texts(
    ours: Pair, theirs: Pair, choices: list[int], text: str
) -> None:
    one, other = ours[0], theirs[0]
    for said in (text, text_of(one, choices), text_of(other, choices)):
        first, second = one.matches(said), other.matches(said)
        assert union(one, other).matches(said) == (first or second)
        assert intersection(one, other).matches(said) == (first and second)
        assert difference(one, other).matches(said) == (first and not second)
        assert complement(one).matches(said) != first


@given(LANGUAGES, LANGUAGES)
def test_equal_languages_are_equal_values(ours: Pair, theirs: Pair) -> None:
    one, other = ours[0], theirs[0]
    assert complement(complement(one)) == one
    assert complement(union(one, other)) == intersection(complement(one), complement(other))
    assert difference(one, other) == intersection(one, complement(other))
    assert union(difference(one, other), intersection(one, other)) == one
    assert union(one, other) == union(other, one)
    assert star(star(one)) == star(one)
    assert concat(one, star(one)) == plus(one)
    assert repeat(one, 1, 3) == concat(one, optional(one), optional(one))
    assert difference(one, one) == EMPTY
    assert union(one, complement(one)) == ANYTHING


@given(LANGUAGES)
def test_automata_are_minimal(pair: Pair) -> None:
    """No two states accept the same, by the plainest refinement; and each leads to a text."""
    dfa = pair[0]
    blocks = [int(state in dfa.accepting) for state in range(dfa.states)]
    for _ in range(dfa.states):
        rows = [(block, _told(dfa.edges[state], blocks)) for state, block in enumerate(blocks)]
        numbers = {row: number for number, row in enumerate(dict.fromkeys(rows))}
        blocks = [numbers[row] for row in rows]
    assert len(set(blocks)) == dfa.states
    assert from_edges(dfa.edges, dfa.accepting) == dfa


def _told(edges: tuple[tuple[int, int, int], ...], blocks: list[int]) -> tuple[object, ...]:
    """What an edge list says of blocks, however its ranges are cut."""
    found: list[list[int]] = []
    for low, high, target in edges:
        if found and found[-1][1] + 1 == low and found[-1][2] == blocks[target]:
            found[-1][1] = high
        else:
            found.append([low, high, blocks[target]])
    return tuple(map(tuple, found))


@given(st.lists(st.text(alphabet="abé", max_size=5), max_size=12))
def test_words_are_their_texts(texts: list[str]) -> None:
    dfa = words(texts)
    assert dfa.texts(100) == sorted(set(texts))
    assert dfa == union(*map(literal, texts))
    assert dfa.is_finite
    assert dfa.texts(2) == sorted(set(texts))[:2]


@given(LANGUAGES)
def test_a_shortest_text_is_in_the_language_and_none_is_shorter(pair: Pair) -> None:
    text = pair[0].shortest()
    if text is None:
        assert pair[0] == EMPTY
    else:
        assert pair[0].matches(text)
        assert not text or intersection(pair[0], lengths(0, len(text) - 1)).is_empty


def test_edges_of_the_theory() -> None:
    assert EMPTY.is_empty
    assert EMPTY.shortest() is None
    assert EMPTY.texts(3) == []
    assert EPSILON.texts(3) == [""]
    assert EPSILON.accepts_empty
    assert star(EMPTY) == EPSILON == optional(EMPTY) == repeat(EMPTY, 0, 3) == concat()
    assert repeat(EMPTY, 1, 3) == EMPTY == union() == concat(literal("a"), EMPTY)
    assert repeat(literal("a"), 3, 2) == EMPTY == lengths(3, 2) == chars(CharSet())
    assert repeat(literal("a"), 0, 0) == EPSILON == lengths(0, 0)
    assert intersection() == ANYTHING == star(chars(EVERY)) == lengths(0)
    assert complement(ANYTHING) == EMPTY
    assert complement(EMPTY) == ANYTHING
    assert literal("a\ud800") == EMPTY
    assert words(["a", "\udfff"]) == literal("a")
    assert not ANYTHING.matches("\ud800")
    assert not star(literal("ab")).is_finite
    with pytest.raises(ValueError, match="infinite"):
        star(literal("ab")).texts(1)


def test_lengths_count_code_points() -> None:
    dfa = lengths(2, 3)
    assert [dfa.matches("\U0001f600" * count) for count in range(5)] == [
        False,
        False,
        True,
        True,
        False,
    ]
    assert lengths(2).matches("abcdef")


def test_a_readable_text_is_the_shortest() -> None:
    assert lengths(3, 3).shortest() == "aaa"
    assert chars(CharSet.range(0x00, 0x5A)).shortest() == "0"
    assert chars(CharSet.range(0x00, 0x2F)).shortest() == " "
    assert chars(CharSet.range(0x00, 0x05)).shortest() == "\x00"


def test_what_a_range_of_another_leads_to_may_be_cut() -> None:
    """The edges of one automaton may lie across those of the other."""
    whole = chars(CharSet.range(0x61, 0x7A))
    parts = union(
        concat(chars(CharSet.range(0x61, 0x66)), optional(literal("x"))),
        chars(CharSet.range(0x67, 0x7A)),
    )
    assert difference(whole, parts) == EMPTY
    assert difference(parts, whole).shortest() == "ax"
    assert difference(chars(CharSet.range(0x60, 0x7B)), parts) == chars(CharSet.of("`{"))


_SMALL = Budget(20)
_AB = chars(CharSet.of("ab"))


@pytest.mark.parametrize(
    "build",
    [
        lambda: literal("x" * 30, budget=_SMALL),
        lambda: lengths(30, budget=_SMALL),
        lambda: lengths(0, 10**12),
        lambda: repeat(_AB, 0, 10**12),
        lambda: repeat(_AB, 30, budget=_SMALL),
        lambda: intersection(repeat(_AB, 0, 4), repeat(literal("a"), 0, 50), budget=Budget(3)),
        lambda: difference(ANYTHING, lengths(30), budget=_SMALL),
        lambda: complement(lengths(30), budget=_SMALL),
        lambda: union(lengths(30, 30), literal("a"), budget=_SMALL),
        lambda: concat(lengths(15, 15), lengths(15, 15), budget=_SMALL),
        lambda: star(lengths(30, 30), budget=_SMALL),
        lambda: concat(star(_AB), literal("a"), repeat(_AB, 30, 30)),
        lambda: from_edges(lengths(30).edges, {0}, budget=_SMALL),
    ],
)
def test_a_budget_ends_in_a_typed_error(build: object) -> None:
    assert callable(build)
    with pytest.raises(LimitError) as caught:
        build()
    assert caught.value.problem.code == "limit/automaton-states"


def test_raw_edges_become_the_minimal_automaton() -> None:
    """States that cannot be reached, lead nowhere or say the same as others are left out."""
    edges = [
        ((0x61, 0x61, 1), (0x62, 0x62, 2), (0x63, 0x63, 3)),
        ((0x64, 0x64, 1),),
        ((0x64, 0x64, 2),),
        ((0x65, 0x65, 3),),
        ((0x61, 0x61, 1),),
    ]
    dfa = from_edges(edges, {1, 2, 4})
    assert dfa == concat(chars(CharSet.of("ab")), star(literal("d")))
    assert dfa == Dfa((((0x61, 0x62, 1),), ((0x64, 0x64, 1),)), frozenset([1]))


def test_any_sortable_labels_can_be_minimized() -> None:
    """States that are not reached or lead nowhere go, and equivalent ones are merged."""
    rows = [
        {"b": 1, "a": 2, "c": 5},
        {"x": 1, "y": 3},
        {"x": 2, "y": 4},
        {},
        {},
        {"z": 5},
        {"a": 3},
    ]
    assert minimize(rows, {3, 4, 6}) == ([{"a": 1, "b": 1}, {"x": 1, "y": 2}, {}], frozenset([2]))
    assert minimize(rows, set()) == ([{}], frozenset())
