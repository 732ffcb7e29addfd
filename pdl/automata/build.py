"""Regular operations on automata: union, concatenation, product, complement, and tries of words.

All automata that come out are minimal. Each function raises LimitError (`limit/automaton-states`)
if what it builds goes beyond the budget, while it builds it.

Intersection and difference are product constructions: two automata that read the same text side by
side. The minimal automaton of a list of words is built from sorted words, added one by one, and
what cannot change any more is merged with what is known (Daciuk, Mihov, Watson and Watson,
"Incremental construction of minimal acyclic finite-state automata", 2000).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.charset import EVERY, CharSet, classify
from pdl.automata.dfa import DEFAULT_BUDGET, Budget, Dfa, table_of
from pdl.automata.minimize import minimal
from pdl.automata.nfa import Nfa

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from pdl.automata.charset import Ranges
    from pdl.automata.dfa import Budget, Edge, Table


_DEAD = -1


def meet(ours: Dfa, theirs: Dfa, budget: Budget) -> Dfa:
    """The texts of both languages."""
    walk = _walk(ours.table, theirs.table, budget, partial=False)
    accepting = {
        state
        for (one, other), state in walk.number.items()
        if one in ours.accepting and other in theirs.accepting
    }
    return minimal(walk.classes, walk.rows, accepting)


def minus(ours: Dfa, theirs: Dfa, budget: Budget) -> Dfa:
    """The texts of the first language that the second does not have."""
    walk = _walk(ours.table, theirs.table, budget, partial=True)
    accepting = {
        state
        for (one, other), state in walk.number.items()
        if one in ours.accepting and other not in theirs.accepting
    }
    return minimal(walk.classes, walk.rows, accepting)


@dataclass(frozen=True)
class _Walk:
    """Pairs of states, with the rows between them."""

    classes: tuple[Ranges, ...]
    number: dict[tuple[int, int], int]
    rows: list[dict[int, int]]


def _walk(ours: Table, theirs: Table, budget: Budget, *, partial: bool) -> _Walk:
    """The pairs that some text leads to; `partial` goes on where the second has no edge."""
    classes, ours_to, theirs_of = _common_classes(ours, theirs)
    number = {(0, 0): 0}
    order = [(0, 0)]
    rows: list[dict[int, int]] = []
    nothing: dict[int, int] = {}
    steps = 0
    for one, other in order:
        row: dict[int, int] = {}
        second = theirs.rows[other] if other != _DEAD else nothing
        for label, target in ours.rows[one].items():
            for shared in ours_to[label]:
                pair = (target, second.get(theirs_of[shared], _DEAD))
                if pair[1] == _DEAD and not partial:
                    continue
                if pair not in number:
                    number[pair] = len(order)
                    order.append(pair)
                row[shared] = number[pair]
        rows.append(row)
        steps += len(row)
        budget.check(len(order), steps)
    return _Walk(classes, number, rows)


def _common_classes(
    ours: Table, theirs: Table
) -> tuple[tuple[Ranges, ...], dict[int, list[int]], dict[int, int]]:
    """Common classes, those of each class of the first, and the second's class for each."""
    classes, members = classify([*ours.classes, *theirs.classes])
    count = len(ours.classes)
    ours_to: defaultdict[int, list[int]] = defaultdict(list)
    for label, found in enumerate(members[:count]):
        ours_to[label].extend(found)
    theirs_of = dict.fromkeys(range(len(classes)), _DEAD)
    for label, found in enumerate(members[count:]):
        theirs_of.update(dict.fromkeys(found, label))
    return classes, ours_to, theirs_of


_Key: TypeAlias = tuple[bool, tuple[tuple[str, int], ...]]


class _Node:
    """A state of the word that was added last."""

    __slots__ = ("final", "row")

    def __init__(self) -> None:
        self.final = False
        self.row: list[tuple[str, int]] = []


def trie(texts: Iterable[str], budget: Budget) -> Dfa:
    """The automaton of the texts, but those with lone surrogates. Raises LimitError."""
    register: dict[_Key, int] = {}
    path = [_Node()]
    last = ""
    for text in sorted({text for text in texts if _is_scalar(text)}):
        shared = _common_prefix(last, text)
        _settle(path, last, shared, register)
        path.extend(_Node() for _ in range(len(text) - shared))
        path[-1].final = True
        last = text
        budget.check(len(register) + len(path))
    _settle(path, last, 0, register)
    return _written(register, path[0])


def _is_scalar(text: str) -> bool:
    return text.isascii() or all(char in EVERY for char in text)


def _common_prefix(one: str, other: str) -> int:
    """How many characters two texts have in common at their starts."""
    least = min(len(one), len(other))
    return next((at for at in range(least) if one[at] != other[at]), least)


def _settle(path: list[_Node], last: str, depth: int, register: dict[_Key, int]) -> None:
    """Merge the states below a depth, which no later word passes, with equal ones."""
    while len(path) > depth + 1:
        node = path.pop()
        number = register.setdefault((node.final, tuple(node.row)), len(register))
        path[-1].row.append((last[len(path) - 1], number))


def _written(register: dict[_Key, int], root: _Node) -> Dfa:
    keys = [(root.final, tuple(root.row)), *register]
    letters = sorted({char for _, row in keys for char, _ in row})
    label = {char: index for index, char in enumerate(letters)}
    classes = tuple(((ord(char), ord(char)),) for char in letters)
    rows = [{label[char]: target + 1 for char, target in row} for _, row in keys]
    return minimal(classes, rows, {state for state, (final, _) in enumerate(keys) if final})


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
        at = nfa.append(at, part)
    return nfa.determined(start, at, budget)


def union(*parts: Dfa, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """The texts of any of the parts."""
    told = list(dict.fromkeys(part for part in parts if not part.is_empty))
    if len(told) < 2:  # noqa: PLR2004 - nothing to join
        return told[0] if told else EMPTY
    nfa = Nfa()
    start, end = nfa.state(), nfa.state()
    for part in told:
        nfa.skip(nfa.append(start, part), end)
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
        at = nfa.append(at, dfa)
    if most is None:
        loop = nfa.state()
        nfa.skip(at, loop)
        nfa.skip(nfa.append(loop, dfa), loop)
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
