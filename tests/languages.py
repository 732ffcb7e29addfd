"""Regular languages that laws are held against, each beside a pattern that says the same."""

from __future__ import annotations

from hypothesis import strategies as st

from pdl.automata.build import (
    ANYTHING,
    EPSILON,
    chars,
    concat,
    literal,
    optional,
    plus,
    repeat,
    star,
    union,
)
from pdl.automata.charset import EVERY, CharSet
from pdl.automata.dfa import Dfa

LETTERS = "abc-_ 1.é\n\U0001f600"
TEXTS = st.text(alphabet=LETTERS, max_size=7)
Pair = tuple[Dfa, str]

_LEAVES: list[Pair] = [
    (EPSILON, ""),
    (ANYTHING, ".*"),
    (chars(EVERY), "."),
    (literal("a"), "a"),
    (literal("ab"), "ab"),
    (chars(CharSet.of("ab")), "[ab]"),
    (chars(~CharSet.of("b")), "[^b]"),
    (chars(CharSet.range(0x62, 0x1F700)), "[b-\U0001f700]"),
]


def _more(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    counts = st.sampled_from([(0, 0), (0, 2), (1, 3), (2, 2), (2, None)])
    return st.one_of(
        st.tuples(inner, inner).map(
            lambda two: (concat(two[0][0], two[1][0]), two[0][1] + two[1][1])
        ),
        st.tuples(inner, inner).map(
            lambda two: (union(two[0][0], two[1][0]), f"(?:{two[0][1]}|{two[1][1]})")
        ),
        inner.map(lambda one: (star(one[0]), f"(?:{one[1]})*")),
        inner.map(lambda one: (plus(one[0]), f"(?:{one[1]})+")),
        inner.map(lambda one: (optional(one[0]), f"(?:{one[1]})?")),
        st.tuples(inner, counts).map(
            lambda two: (
                repeat(two[0][0], *two[1]),
                f"(?:{two[0][1]}){{{two[1][0]},{'' if two[1][1] is None else two[1][1]}}}",
            )
        ),
    )


LANGUAGES = st.recursive(st.sampled_from(_LEAVES), _more, max_leaves=5)

_ATOMS = st.sampled_from(
    ["a", "b", "-", "1", " ", "_", "[ab]", "[^a]", ".", "[a-c]", "[^]", r"\d", r"\w", r"\s", r"\W",
     r"\D", r"\S", r"[\W_]", r"[\d-]", "[_-]", r"[^\wa]", r"\b", r"\B", "^", "$", r"\.", r"\n", "é",
     r"\u00e9", r"\u{1F600}", r"\ud83d\ude00", r"\x61", r"\cJ", r"\0", r"\p{L}", r"\P{Lu}",
     r"[^\p{L}a]", "a{", "{", "(?=$)", "(?!$)", "(?<!^)", "a*+", "1?+"]
)  # fmt: skip
_COUNTS = st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*?", "+?", "??"])
_LOOKS = st.sampled_from(["?=", "?!", "?<=", "?<!"])


def _patterns(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(inner, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda some: f"(?:{'|'.join(some)})"),
        st.tuples(inner, _COUNTS).map(lambda two: f"(?:{two[0]}){two[1]}"),
        st.tuples(_LOOKS, inner).map(lambda two: f"({two[0]}{two[1]})"),
        inner.map(lambda one: f"({one})"),
        inner.map(lambda one: f"(?<name>{one})"),
    )


PATTERNS = st.recursive(_ATOMS, _patterns, max_leaves=8)
"""Patterns of ECMA-262 with all that they can have, but back-references."""


def text_of(dfa: Dfa, choices: list[int]) -> str:
    """A text that is led through an automaton by some choices, and then to its end if it can."""
    state, codes = 0, []
    for choice in choices:
        edges = dfa.edges[state]
        if not edges:
            break
        low, high, state = edges[choice % len(edges)]
        codes.append(low + choice % (high - low + 1))
    rest = Dfa(_from(dfa, state), frozenset(_swapped(one, state) for one in dfa.accepting))
    return "".join(map(chr, codes)) + (rest.shortest() or "")


def _from(dfa: Dfa, state: int) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    """The edges of the automaton that starts in another state: both change their numbers."""
    rows = list(dfa.edges)
    rows[0], rows[state] = rows[state], rows[0]
    return tuple(
        tuple((low, high, _swapped(target, state)) for low, high, target in row) for row in rows
    )


def _swapped(number: int, state: int) -> int:
    return {0: state, state: 0}.get(number, number)
