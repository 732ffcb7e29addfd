"""All names but some: the keys that objects may have beside those that a schema speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.automata import build
from pdl.automata.charset import EVERY
from pdl.automata.dfa import Dfa

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.automata.dfa import Budget, Edge

_FREE = 1


def other_names(names: Iterable[str], budget: Budget) -> Dfa:
    """All texts but the names: the value that `build.complement` has for their automaton.

    Each state of the automaton of the names gets edges to one more state, from which on all is
    free. No state becomes equal to another by that, so that there is nothing to minimise. Raises
    LimitError.
    """
    listed = build.words(names, budget=budget)
    budget.check(listed.states + 1)
    if not listed.edges[0] or listed.edges[0][0][0] == 0:
        return build.complement(listed, budget=budget)
    # The free state is the first that a walk in the order of the code points meets.
    edges = [tuple(_with_gaps(row)) for row in listed.edges]
    edges.insert(_FREE, tuple((low, high, _FREE) for low, high in EVERY.ranges))
    refused = {_moved(state) for state in listed.accepting}
    return Dfa(tuple(edges), frozenset(range(len(edges))) - refused)


def _with_gaps(row: Iterable[Edge]) -> Iterator[Edge]:
    """The edges of a state, and edges to the free state for all other characters."""
    at = 0
    for low, high, target in row:
        yield from _free(at, low - 1)
        yield low, high, _moved(target)
        at = high + 1
    yield from _free(at, EVERY.ranges[-1][1])


def _free(low: int, high: int) -> Iterator[Edge]:
    """An edge for some code points, as far as they are characters."""
    for first, last in EVERY.ranges:
        if max(low, first) <= min(high, last):
            yield max(low, first), min(high, last), _FREE


def _moved(state: int) -> int:
    return state + 1 if state else 0
