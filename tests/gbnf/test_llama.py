"""Grammars and texts at random, beside the real llama.cpp: there may be no difference.

What differs on purpose: a minimum over its maximum and hidden left recursion are errors here, and
make llama.cpp hang or run out of memory; groups nest to a limit here. Texts on which llama.cpp has
more than `STACKS` live stacks are left out, for the next character may take it minutes.
"""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest
from grammars import WIDE, Style, written
from hypothesis import given
from hypothesis import strategies as st
from llama import TooManyStacksError, llama, needs_llama
from shares import share
from walks import walk

import pdl
from pdl import gbnf

TEXTS = 8  # for each grammar
STACKS = 400
ODD = Style(
    literals=("a", "b", "", "é"),
    classes=("[ab]", "[]", "[^]", "[b-a]", "."),
    suffixes=("*", "+", "?", "{2}", "{0,2}", "{0}"),
)
"""More of what is refused: counts that multiply, and what may be empty."""


def compare(rng: Random, text: str) -> int:
    """Hold what is read and matched against llama.cpp; the result is the number of texts."""
    texts = 0
    try:
        grammar = gbnf.parse(text)
    except pdl.GrammarError as error:
        why = str(error)
        if "hidden left" not in why:
            with llama(text) as judge:
                assert judge is None, why
        return 0
    with llama(text) as judge:
        assert judge is not None, "llama.cpp refuses it"
        for _ in range(TEXTS):
            said = walk(grammar, rng)
            with suppress(TooManyStacksError):
                ok, taken, _ = judge.match(said, limit=STACKS)
                match = grammar.match(said)
                assert (match.ok, match.character) == (ok, taken), (said, match)
                texts += 1
    with llama(str(grammar)) as judge:
        assert judge is not None, "llama.cpp refuses what is written"
    return texts


@needs_llama
@given(st.randoms(use_true_random=True), st.sampled_from([WIDE, WIDE, ODD]))
def test_llama_reads_and_matches_the_same(rng: Random, style: Style) -> None:
    compare(rng, written(rng, style))


@needs_llama
def test_many_pairs() -> None:
    """The same with fixed seeds, so that each run has compared as many."""
    drawn = ((Random(seed), written(Random(seed))) for seed in range(share(400)))  # noqa: S311
    assert sum(compare(rng, text) for rng, text in drawn) > share(2000)


COUNTED = [
    form.format(one, two)
    for one in ("{3}", "{44}", "{45}", "{50}", "{0,2}", "{0,44}", "{0,45}", "{2,}", "{0,2001}")
    for two in ("{2}", "{44}", "{45}", "{0,44}", "{0,45}", "{1,3000}", "*")
    for form in (
        'root ::= ("a"{0}){1}',
        'root ::= ("a"{0} | b){1}\nb ::= "b"',
        'root ::= "a"{0}{1}',
    )
]


@needs_llama
@pytest.mark.parametrize("text", COUNTED)
def test_counts_multiply_as_in_llama(text: str) -> None:
    """Groups and steps of repetitions are rules, and names count where they come first."""
    try:
        gbnf.parse(text)
        taken = True
    except pdl.GrammarError:
        taken = False
    with llama(text) as judge:
        assert (judge is not None) == taken
