"""Regular languages from smaller ones. All automata that come out are minimal.

Each function raises LimitError (`limit/automaton-states`) if what it builds goes beyond the
budget, while it builds it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.automata.charset import EVERY, CharSet
from pdl.automata.dfa import DEFAULT_BUDGET, Budget, Dfa
from pdl.automata.minimal import minimal
from pdl.automata.nfa import Nfa
from pdl.automata.products import meet, minus
from pdl.automata.table import table_of
from pdl.automata.tries import trie

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from pdl.automata.dfa import Edge

EMPTY = Dfa(((),), frozenset())
"""No text at all."""
EPSILON = Dfa(((),), frozenset([0]))
"""The empty text alone."""
ANYTHING = Dfa((tuple((low, high, 0) for low, high in EVERY.ranges),), frozenset([0]))
"""All texts."""


def from_edges(
    edges: Sequence[Sequence[Edge]], accepting: AbstractSet[int], *, budget: Budget = DEFAULT_BUDGET
) -> Dfa:
    """The minimal automaton for one with sorted, disjoint edges; its state 0 is the start."""
    budget.check(len(edges))
    table = table_of(edges, frozenset(accepting))
    return minimal(table.classes, table.rows, table.accepting)


def literal(text: str, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """One text; nothing if it has a lone surrogate."""
    return words([text], budget=budget)


def chars(allowed: CharSet, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """The texts of one character of a set."""
    budget.check(2)
    return minimal((allowed.ranges,), [{0: 1}, {}], {1}) if allowed else EMPTY


def words(texts: Iterable[str], *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """The given texts, but those with lone surrogates."""
    return trie(texts, budget)


def concat(*parts: Dfa, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """A text of each part, one after the other."""
    if any(part.is_empty for part in parts):
        return EMPTY
    told = [part for part in parts if part != EPSILON]
    if len(told) < 2:  # noqa: PLR2004 - nothing to join
        return told[0] if told else EPSILON
    nfa = Nfa()
    start = at = nfa.state()
    for part in told:
        at = _append(nfa, at, part)
    return nfa.determined(start, at, budget)


def union(*parts: Dfa, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """The texts of any of the parts."""
    told = list(dict.fromkeys(part for part in parts if not part.is_empty))
    if len(told) < 2:  # noqa: PLR2004 - nothing to join
        return told[0] if told else EMPTY
    nfa = Nfa()
    start, end = nfa.state(), nfa.state()
    for part in told:
        nfa.skip(_append(nfa, start, part), end)
    return nfa.determined(start, end, budget)


def intersect(*parts: Dfa, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """The texts that are in all of the parts; all texts for no part."""
    ours = ANYTHING
    for part in sorted(parts, key=lambda part: part.states):
        ours = part if ours == ANYTHING else meet(ours, part, budget)
    return ours


def difference(ours: Dfa, theirs: Dfa, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """The texts of the first that are not in the second."""
    return minus(ours, theirs, budget)


def complement(dfa: Dfa, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """All texts that are not in the language, lone surrogates aside."""
    table = dfa.table.complete
    budget.check(len(table.rows))
    return minimal(table.classes, table.rows, set(range(len(table.rows))) - table.accepting)


def star(dfa: Dfa, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Any number of texts of the language, one after the other."""
    return repeat(dfa, 0, None, budget=budget)


def plus(dfa: Dfa, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """One text of the language or more."""
    return repeat(dfa, 1, None, budget=budget)


def optional(dfa: Dfa, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """A text of the language or the empty one."""
    return union(dfa, EPSILON, budget=budget)


def repeat(
    dfa: Dfa, least: int, most: int | None = None, *, budget: Budget = DEFAULT_BUDGET
) -> Dfa:
    """From `least` to `most` texts of the language, one after the other; None for no end."""
    if most is not None and most < least:
        return EMPTY
    if dfa in (EMPTY, EPSILON) or most == 0:
        return dfa if least else EPSILON
    copies = least if most is None else most
    budget.check((copies - 1) * max(dfa.states - 1, 1))
    nfa = Nfa()
    start = at = nfa.state()
    end = nfa.state()
    for count in range(copies):
        if count >= least:
            nfa.skip(at, end)
        at = _append(nfa, at, dfa)
    if most is None:
        loop = nfa.state()
        nfa.skip(at, loop)
        nfa.skip(_append(nfa, loop, dfa), loop)
        at = loop
    nfa.skip(at, end)
    return nfa.determined(start, end, budget)


def lengths(least: int, most: int | None = None, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """All texts of `least` to `most` code points; None for no end."""
    if most is not None and most < least:
        return EMPTY
    last = least if most is None else most
    budget.check(last + 1)
    rows = [{0: state + 1} for state in range(last)] + [{} if most is not None else {0: last}]
    return minimal((EVERY.ranges,), rows, set(range(least, last + 1)))


def _append(nfa: Nfa, at: int, dfa: Dfa) -> int:
    """Go on from a state with a text of the language; the state where it has ended."""
    start, accepting = nfa.embed(dfa)
    nfa.skip(at, start)
    end = nfa.state()
    for state in accepting:
        nfa.skip(state, end)
    return end
