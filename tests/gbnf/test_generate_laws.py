"""What is true of the texts of every grammar."""

# ruff: noqa: S311 - what is drawn must be the same in every run

from __future__ import annotations

from itertools import product, takewhile
from random import Random
from typing import TYPE_CHECKING

import pytest
from grammars import GRAMMARS, SMALL, WITH_TOKENS, grammars, parsed, written
from hypothesis import given, settings
from hypothesis import strategies as st
from shares import share

from pdl.errors import GrammarError
from pdl.gbnf.analysis import NEVER

if TYPE_CHECKING:
    from pdl.gbnf import Grammar

SEEDS = st.integers(0, 2**32)
LONGEST = 5  # characters of the texts that are all tried
SHORT = ["".join(word) for size in range(LONGEST + 1) for word in product("ab", repeat=size)]


@given(GRAMMARS | grammars(WITH_TOKENS), SEEDS, st.integers(0, 300))
def test_a_random_text_matches_and_keeps_to_its_size(
    grammar: Grammar, seed: int, size: int
) -> None:
    if not _has_text(grammar):
        return
    text = grammar.generate(Random(seed), size=size)
    assert grammar.match(text)
    assert len(text) <= max(size, len(grammar.shortest()))


@given(GRAMMARS | grammars(WITH_TOKENS))
def test_the_shortest_text_matches_and_is_as_long_as_the_first(grammar: Grammar) -> None:
    first = next(grammar.texts(), None)
    if not _has_text(grammar):
        assert first is None
        return
    assert first is not None
    assert grammar.match(grammar.shortest())
    assert len(first) == len(grammar.shortest())


@given(GRAMMARS)
def test_texts_match_and_come_in_order(grammar: Grammar) -> None:
    texts = list(grammar.texts(20))
    assert all(grammar.match(text) for text in texts)
    assert texts == sorted(set(texts), key=lambda text: (len(text), text))


@given(grammars(SMALL))
def test_texts_are_all_that_match(grammar: Grammar) -> None:
    """Short texts of a small alphabet, tried one after the other, are those that are given."""
    found = takewhile(lambda text: len(text) <= LONGEST, grammar.texts())
    assert list(found) == [text for text in SHORT if grammar.match(text)]


@given(GRAMMARS, SEEDS)
@settings(max_examples=share(50))
def test_near_misses_miss_by_one_edit(grammar: Grammar, seed: int) -> None:
    if not _has_text(grammar):
        return
    found = list(grammar.near_misses(Random(seed), 5, size=20))
    assert len(set(found)) == len(found)
    assert not any(grammar.match(text) for text in found)


@pytest.mark.parametrize("start", range(0, 1000, 250))
def test_random_texts_of_many_grammars_end(start: int) -> None:
    """1,000 grammars that nobody looked at, each written out in a fraction of a second."""
    for seed in range(start, start + 250):
        grammar = parsed(written(Random(seed)))
        if grammar and _has_text(grammar):
            text = grammar.generate(Random(seed))
            assert len(text) <= max(200, len(grammar.shortest()))


def _has_text(grammar: Grammar) -> bool:
    if grammar.sampler.shortest.rule(grammar.root) < NEVER:
        return True
    with pytest.raises(GrammarError) as error:
        grammar.shortest()
    assert error.value.problem.code == "gbnf/no-text"
    assert error.value.problem.span is not None
    return False
