"""Laws of emission: what the grammar of random pieces matches is what these say."""

from __future__ import annotations

import json
from random import Random

import pytest
from emitted import Drawn, Judge, Values, goal, grammar, read, written
from hypothesis import given, settings
from hypothesis import strategies as st
from llama import llama, needs_llama

from pdl.errors import GrammarError
from pdl.gbnf.compile.options import Options
from pdl.gbnf.grammar import parse

OPTIONS = (
    Options(),
    Options(whitespace="compact"),
    Options(whitespace="spaced"),
    Options(whitespace="any", escapes="any"),
    Options(escapes="any"),
)
SEEDS = st.integers(0, 1_000_000)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_the_texts_are_the_values(options: Options, seed: int) -> None:
    rng = Random(seed)
    drawn = Drawn(rng, rng.randint(1, 4))
    made = grammar(drawn.pieces, options)
    judge = Judge(drawn.pieces)
    values = Values(drawn.pieces, rng)
    told = []
    for _ in range(20):
        try:
            value = values.value(goal("root"))
        except ValueError:
            continue
        told.append(written(value, options, rng))
    if not made.rules:
        assert not told
        return
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
