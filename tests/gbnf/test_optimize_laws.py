"""Laws of optimized grammars: the same language, never more stacks, and a fixed point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grammars import GRAMMARS, SMALL, WITH_TOKENS, Style, grammars
from hypothesis import given
from hypothesis import strategies as st
from llama import llama, needs_llama
from walks import walk

from pdl import gbnf

if TYPE_CHECKING:
    from random import Random

    from pdl.gbnf import Grammar, State

TEXTS = 5
MANY = 150  # stacks: llama.cpp gets slow, and the most of a text is not looked for
SEEDS = st.randoms(use_true_random=False)
EQUAL = Style(
    literals=("a", "b", "ab", "ba", "aa", "abc", "", "x"),
    classes=("[ab]", "[^a]", "[b-a]", "[a]", "[^ab]"),
    suffixes=("*", "+", "?", "{2}", "{0,2}", "{1,3}", "{2,}", "{0,9}"),
    names=("root", "a", "b", "c"),
)
"""Grammars whose alternatives often begin or end in common."""
LIKELY = GRAMMARS | grammars(EQUAL) | grammars(SMALL)


@given(LIKELY, SEEDS)
def test_the_same_texts_match(grammar: Grammar, rng: Random) -> None:
    """Texts that walk through either one fare alike in both."""
    made = grammar.optimize()
    for one in (grammar, made):
        for _ in range(TEXTS):
            text = walk(one, rng)
            assert bool(grammar.match(text)) == bool(made.match(text)), text


@given(grammars(SMALL))
def test_all_short_texts_match_in_both_or_in_none(grammar: Grammar) -> None:
    made = grammar.optimize()
    texts = [""]
    for _ in range(5):
        texts = [text + char for text in texts for char in "ab"] + [""]
        for text in texts:
            assert bool(grammar.match(text)) == bool(made.match(text)), text


@given(LIKELY | grammars(WITH_TOKENS))
def test_a_fixed_point_that_reads_back(grammar: Grammar) -> None:
    made = grammar.optimize()
    assert made.optimize() == made
    assert gbnf.parse(str(made)) == made


@given(grammars(WITH_TOKENS), SEEDS)
def test_the_same_tokens_are_taken(grammar: Grammar, rng: Random) -> None:
    made = grammar.optimize()
    states = (grammar.start(), made.start())
    for _ in range(6):
        token = rng.choice([(1, b"x"), (2, b"a"), (3, b"<think>"), (4, b"ab"), (5, "é".encode())])
        following = tuple(state.accept_token(*token) for state in states)
        assert following[0].is_complete == following[1].is_complete
        states = _alive(*following) or states


def _alive(one: State, other: State) -> tuple[State, State] | None:
    return None if one.is_dead or other.is_dead else (one, other)


@needs_llama
@given(LIKELY, SEEDS)
def test_llama_never_has_more_stacks(grammar: Grammar, rng: Random) -> None:
    made = grammar.optimize()
    with llama(str(grammar)) as before, llama(str(made)) as after:
        assert before is not None
        assert after is not None, "llama.cpp refuses what was made"
        for _ in range(TEXTS):
            text = walk(grammar, rng, 6)
            for end in range(len(text) + 1):
                ok, _, most = before.match(text[:end])
                found, _, fewer = after.match(text[:end])
                assert found == ok
                assert fewer <= most
                if most > MANY:
                    break
