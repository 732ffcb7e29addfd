"""Regular operations on automata: union, concatenation, product, complement, and sets of words.

All automata that come out are minimal. Each function raises LimitError (`limit/automaton-states`)
if what it builds exceeds the budget, while it builds it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.charset import EVERY, LAST, CharSet, classify
from pdl.automata.dfa import DEFAULT_BUDGET, Budget, Dfa, table_of
from pdl.automata.minimize import minimal_dfa, numbered_dfa
from pdl.automata.nfa import Nfa

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from pdl.automata.charset import Ranges
    from pdl.automata.dfa import Edge, Table


EMPTY = Dfa(((),), frozenset())
"""No string at all."""
EPSILON = Dfa(((),), frozenset([0]))
"""The empty string alone."""
ANYTHING = Dfa((tuple((low, high, 0) for low, high in EVERY.ranges),), frozenset([0]))
"""All strings."""


def from_edges(
    edges: Sequence[Sequence[Edge]], accepting: AbstractSet[int], *, budget: Budget = DEFAULT_BUDGET
) -> Dfa:
    """Return the minimal automaton of one with sorted, disjoint edges that starts in state 0."""
    budget.check(len(edges))
    table = table_of(edges, frozenset(accepting))
    return minimal_dfa(table.classes, table.rows, table.accepting)


def literal(text: str, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return the language of one string; of none if it has a lone surrogate."""
    return words([text], budget=budget)


def chars(allowed: CharSet, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return the strings of one character of a set."""
    budget.check(2)
    return minimal_dfa((allowed.ranges,), [{0: 1}, {}], {1}) if allowed else EMPTY


_Key: TypeAlias = tuple[bool, tuple[tuple[str, int], ...]]


class _Node:
    """A state of the word that was added last, up to where it differs from those before."""

    __slots__ = ("final", "row")

    def __init__(self) -> None:
        self.final = False
        self.row: list[tuple[str, int]] = []


def words(texts: Iterable[str], *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return the minimal acyclic automaton of some strings, but those with lone surrogates.

    Words are added in their order, and what no later word can change is merged with states that
    are known. Source: Daciuk, Mihov, Watson and Watson, "Incremental construction of minimal
    acyclic finite-state automata", 2000.
    """
    register: dict[_Key, int] = {}
    path = [_Node()]
    last = ""
    for text in sorted({text for text in texts if _is_scalar(text)}):
        shared = _common_prefix(last, text)
        _replace_or_register(path, last, shared, register)
        path[-1].final |= len(text) == shared
        last = text
        budget.check(len(register) + len(text) + 1)
    _replace_or_register(path, last, 0, register)
    keys = [(path[0].final, tuple(path[0].row)), *register]
    letters = sorted({char for _, row in keys for char, _ in row})
    label = {char: index for index, char in enumerate(letters)}
    classes = tuple(((ord(char), ord(char)),) for char in letters)
    rows = [{label[char]: target + 1 for char, target in row} for _, row in keys]
    return numbered_dfa(classes, rows, {state for state, (final, _) in enumerate(keys) if final})


def _is_scalar(text: str) -> bool:
    return text.isascii() or all(char in EVERY for char in text)


def _common_prefix(one: str, other: str) -> int:
    """The length of the prefix that two strings have in common."""
    least = min(len(one), len(other))
    return next((at for at in range(least) if one[at] != other[at]), least)


def _replace_or_register(
    path: list[_Node], last: str, depth: int, register: dict[_Key, int]
) -> None:
    """Merge the states below a depth, which no later word passes, with equal ones.

    Those for the end of the last word, which it alone has, are not in the path yet.
    """
    end = len(path) - 1
    if end < len(last):
        path.extend(_Node() for _ in range(depth - end))
        end = len(path) - 1
        if end == len(last):
            path[-1].final = True
        else:
            path[-1].row.append((last[end], _registered_end(last, end + 1, register)))
    while len(path) > depth + 1:
        node = path.pop()
        number = register.setdefault((node.final, tuple(node.row)), len(register))
        path[-1].row.append((last[len(path) - 1], number))


def _registered_end(text: str, start: int, register: dict[_Key, int]) -> int:
    """The state that accepts the end of a text, from an index on, and nothing else."""
    number = register.setdefault((True, ()), len(register))
    for char in text[: start - 1 : -1]:
        number = register.setdefault((False, ((char, number),)), len(register))
    return number


def concat(*parts: Dfa, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return the concatenation: a string of each part, in order."""
    if any(part.is_empty for part in parts):
        return EMPTY
    distinct = [part for part in parts if part != EPSILON]
    if len(distinct) < 2:  # noqa: PLR2004 - nothing to join
        return distinct[0] if distinct else EPSILON
    nfa = Nfa()
    start = at = nfa.add_state()
    for part in distinct:
        at = nfa.append(at, part)
    return nfa.to_dfa(start, at, budget)


def union(*parts: Dfa, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return the strings of any of the parts."""
    distinct = list(dict.fromkeys(part for part in parts if not part.is_empty))
    if len(distinct) < 2:  # noqa: PLR2004 - nothing to join
        return distinct[0] if distinct else EMPTY
    nfa = Nfa()
    start, end = nfa.add_state(), nfa.add_state()
    for part in distinct:
        nfa.add_epsilon(nfa.append(start, part), end)
    return nfa.to_dfa(start, end, budget)


def intersection(*parts: Dfa, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return the strings that are in all of the parts; all strings for no part."""
    ours = ANYTHING
    for part in sorted(parts, key=lambda part: part.states):
        if ours == ANYTHING:
            ours = part
            continue
        product = _product(ours.table, part.table, budget, partial=False)
        accepting = {
            state
            for (one, other), state in product.number.items()
            if one in ours.accepting and other in part.accepting
        }
        ours = minimal_dfa(product.classes, product.rows, accepting)
    return ours


def difference(ours: Dfa, theirs: Dfa, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return the strings of the first that are not in the second."""
    if ours == ANYTHING:
        return complement(theirs, budget=budget)
    product = _product(ours.table, theirs.table, budget, partial=True)
    accepting = {
        state
        for (one, other), state in product.number.items()
        if one in ours.accepting and other not in theirs.accepting
    }
    return minimal_dfa(product.classes, product.rows, accepting)


_DEAD = -1


@dataclass(frozen=True)
class _Product:
    """Pairs of states, with the rows between them."""

    classes: tuple[Ranges, ...]
    number: dict[tuple[int, int], int]
    rows: list[dict[int, int]]


def _product(ours: Table, theirs: Table, budget: Budget, *, partial: bool) -> _Product:
    """The product of two automata, which read the same string: the pairs that can be reached.

    With `partial` it continues where the second has no edge.
    """
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
                to = second.get(theirs_of[shared], _DEAD)
                if to == _DEAD and not partial:
                    continue
                pair = (target, to)
                at = number.get(pair)
                if at is None:
                    at = number[pair] = len(order)
                    order.append(pair)
                row[shared] = at
        rows.append(row)
        steps += len(row)
        budget.check(len(order), steps)
    return _Product(classes, number, rows)


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


def complement(dfa: Dfa, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return all strings that are not in the language, lone surrogates aside.

    Each state gets edges to one more, from which on all is free, for the characters that it
    refuses; and where all was free, nothing may follow. No states become equivalent by that, so
    there is nothing to minimize.
    """
    if dfa.is_empty or dfa == ANYTHING:
        return EMPTY if dfa == ANYTHING else ANYTHING
    free = dfa.states
    budget.check(free + 1)
    rows = [*dfa.edges, _loop(free)]
    over = next((state for state in dfa.accepting if rows[state] == _loop(state)), _DEAD)
    number = {over: _DEAD, 0: 0}
    order = [0]
    edges: list[tuple[Edge, ...]] = []
    for state in order:  # which grows
        row: list[Edge] = []
        for low, high, target in _without_gaps(rows[state], free):
            if target not in number:
                number[target] = len(order)
                order.append(target)
            if target != over:
                row.append((low, high, number[target]))
        edges.append(tuple(row))
    accepting = (at for at, state in enumerate(order) if state not in dfa.accepting)
    return Dfa(tuple(edges), frozenset(accepting))


def _loop(state: int) -> tuple[Edge, ...]:
    """The edges of a state that leads to itself with every character."""
    return tuple((low, high, state) for low, high in EVERY.ranges)


def _without_gaps(row: Iterable[Edge], free: int) -> Iterator[Edge]:
    """The edges of a state, and edges to the free state for all other characters."""
    at = 0
    for edge in (*row, (LAST + 1, LAST + 1, free)):
        if at < edge[0]:
            for first, last in EVERY.ranges:
                if at <= last and first < edge[0]:
                    yield max(at, first), min(edge[0] - 1, last), free
        if edge[0] <= LAST:
            yield edge
        at = edge[1] + 1


def star(dfa: Dfa, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return the concatenations of any number of strings of the language."""
    return repeat(dfa, 0, None, budget=budget)


def plus(dfa: Dfa, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return the concatenations of one string of the language or more."""
    return repeat(dfa, 1, None, budget=budget)


def optional(dfa: Dfa, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return the language and the empty string."""
    return union(dfa, EPSILON, budget=budget)


def repeat(
    dfa: Dfa, least: int, most: int | None = None, *, budget: Budget = DEFAULT_BUDGET
) -> Dfa:
    """Return the concatenations of `least` to `most` strings; None for an unbounded number."""
    if most is not None and most < least:
        return EMPTY
    if dfa in (EMPTY, EPSILON) or most == 0:
        return dfa if least else EPSILON
    copies = least if most is None else most
    budget.check((copies - 1) * max(dfa.states - 1, 1))
    nfa = Nfa()
    start = at = nfa.add_state()
    end = nfa.add_state()
    for count in range(copies):
        if count >= least:
            nfa.add_epsilon(at, end)
        at = nfa.append(at, dfa)
    if most is None:
        loop = nfa.add_state()
        nfa.add_epsilon(at, loop)
        nfa.add_epsilon(nfa.append(loop, dfa), loop)
        at = loop
    nfa.add_epsilon(at, end)
    return nfa.to_dfa(start, end, budget)


def lengths(least: int, most: int | None = None, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return all strings of `least` to `most` code points; None for unbounded ones."""
    if most is not None and most < least:
        return EMPTY
    last = least if most is None else most
    budget.check(last + 1)
    rows = [{0: state + 1} for state in range(last)] + [{} if most is not None else {0: last}]
    return minimal_dfa((EVERY.ranges,), rows, set(range(least, last + 1)))
