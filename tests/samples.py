"""Texts of a regular language, at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from pdl.automata.dfa import Dfa, Edge


def sample(dfa: Dfa, rng: Random, length: int) -> str:
    """A text that goes on for about `length` characters and then ends as soon as it can."""
    ways = distances(dfa)
    state, said = 0, ""
    while not (state in dfa.accepting and (len(said) >= length or rng.random() < 0.05)):
        edges = dfa.edges[state]
        if len(said) >= length:
            edges = tuple(edge for edge in edges if ways[edge[2]] < ways[state])
        if not edges:
            break
        char, state = _step(rng.choice(edges), rng)
        said += char
    return said


def distances(dfa: Dfa) -> dict[int, int]:
    """How far each state is from the nearest one that accepts."""
    before: dict[int, set[int]] = {}
    for state, edges in enumerate(dfa.edges):
        for _, _, target in edges:
            before.setdefault(target, set()).add(state)
    found = dict.fromkeys(dfa.accepting, 0)
    queue = list(found)
    for state in queue:
        fresh = before.get(state, set()) - found.keys()
        found.update(dict.fromkeys(fresh, found[state] + 1))
        queue.extend(fresh)
    return found


def _step(edge: Edge, rng: Random) -> tuple[str, int]:
    low, high, target = edge
    return chr(rng.choice([low, high, rng.randint(low, high)])), target


def spoiled(text: str, rng: Random, others: str) -> str:
    """The text with a character or two left out, put in or replaced, at random."""
    chars = list(text)
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randint(0, len(chars))
        chars[at : at + rng.randint(0, 1)] = rng.choice(["", rng.choice(text + others)])
    return "".join(chars)
