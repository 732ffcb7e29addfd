"""Texts that go through a grammar at random: most of them match far, some to the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from pdl.gbnf import Grammar, State

CHARACTERS = tuple('abxyzéü😀日\nA"0]-c<&\\')
"""Those of the random grammars, and some that they exclude."""


def walk(grammar: Grammar, rng: Random, length: int = 10) -> str:
    """A text: mostly of characters that can stand where they stand, perhaps one that cannot."""
    state, said = grammar.start(), ""
    for _ in range(rng.randrange(length)):
        said += (char := _next(state, rng))
        state = state.accept(char)
        if state.is_dead or (state.is_complete and rng.random() < 0.2):
            break
    return said


def _next(state: State, rng: Random) -> str:
    possible = [char for char in CHARACTERS if not state.accept(char).is_dead]
    return rng.choice(possible if possible and rng.random() < 0.9 else CHARACTERS)
