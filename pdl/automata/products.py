"""Two automata that read the same text side by side."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.automata.classes import classify
from pdl.automata.minimal import minimal

if TYPE_CHECKING:
    from pdl.automata.charset import Ranges
    from pdl.automata.dfa import Budget, Dfa
    from pdl.automata.table import Table

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
    classes, ours_to, theirs_of = _shared(ours, theirs)
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


def _shared(
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
