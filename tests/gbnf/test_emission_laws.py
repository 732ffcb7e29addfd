"""Laws of emission: what the grammar of random languages matches is what these say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from emitted import Drawn, Judge, Values, goal, grammar, read, written
from hypothesis import given, settings
from hypothesis import strategies as st
from llama import llama, needs_llama
from shares import share

from pdl.gbnf.compiling.options import Options
from pdl.gbnf.grammar import parse

if TYPE_CHECKING:
    from random import Random

    from pdl.gbnf.grammar import Grammar

OPTIONS = (
    Options(),
    Options.generate(),
    Options(whitespace="compact", escapes="canonical"),
    Options(whitespace="spaced", numbers="plain"),
    Options.accept(),
)
RANDOM = st.randoms(use_true_random=True)  # of seeds: these draw too much to be shrunk


def _told(drawn: Drawn, options: Options, rng: Random, count: int) -> list[str]:
    """Texts of random values, as far as some are found."""
    values = Values(drawn.languages, rng)
    told = []
    for _ in range(count):
        try:
            told.append(written(values.value(goal("root")), options, rng))
        except ValueError:
            continue
    return told


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options.whitespace)
@given(rng=RANDOM)
@settings(max_examples=share(60))
def test_the_texts_are_the_values(options: Options, rng: Random) -> None:
    drawn = Drawn(rng, rng.randint(1, 4))
    made = grammar(drawn.languages, options)
    told = _told(drawn, options, rng, 20)
    if not made.rules:
        assert not told
        return
    judge = Judge(drawn.languages, options)
    for text in told:
        assert made.match(text), text
    for _ in range(10):
        text = made.generate(rng, size=60)
        assert judge.holds(goal("root"), read(text)), text
    for text in made.near_misses(rng, 15, size=60):
        _refused(judge, text)


def _refused(judge: Judge, text: str) -> None:
    """A text that a grammar refuses is no value, or not spelled as the grammar has it."""
    try:
        value = read(text)
    except ValueError:
        return
    if judge.holds(goal("root"), value):
        assert text != json.dumps(json.loads(text), ensure_ascii=False)


@needs_llama
@pytest.mark.parametrize("options", OPTIONS[:2], ids=["usual", "generate"])
@given(rng=RANDOM)
@settings(max_examples=share(40))
def test_llama_takes_the_same(options: Options, rng: Random) -> None:
    drawn = Drawn(rng, rng.randint(1, 3))
    made = grammar(drawn.languages, options)
    if made.rules:
        assert parse(str(made)) == made
        _same(made, _told(drawn, options, rng, 10), rng)


def _same(made: Grammar, told: list[str], rng: Random) -> None:
    with llama(str(made)) as judge:
        assert judge is not None
        for text in told:
            assert judge.match(text)[0], text
        for text in made.near_misses(rng, 5, size=60):
            assert not judge.match(text)[0], text


@given(rng=RANDOM)
@settings(max_examples=share(30))
def test_the_same_pieces_give_the_same_text(rng: Random) -> None:
    drawn = Drawn(rng, rng.randint(1, 4))
    assert str(grammar(drawn.languages)) == str(grammar(drawn.languages))
