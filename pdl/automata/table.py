"""Automata over numbered classes of code points: what every construction works with."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pdl.automata.charset import EVERY, CharSet
from pdl.automata.classes import classify, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.automata.charset import Ranges


@dataclass(frozen=True)
class Table:
    """`rows[state][class]` is the next state; a missing entry refuses. State 0 is the start.

    The classes are disjoint, and numbered by their lowest code points.
    """

    classes: tuple[Ranges, ...]
    rows: tuple[dict[int, int], ...]
    accepting: frozenset[int]

    @cached_property
    def is_acyclic(self) -> bool:
        """Whether no state comes back to itself."""
        return len(bottom_up(self.rows)) == len(self.rows)

    @cached_property
    def complete(self) -> Table:
        """The same language with an edge for every scalar value in every state."""
        covered = CharSet(joined(self.classes, range(len(self.classes))))
        rest = EVERY - covered
        classes, places = classify([*self.classes, rest.ranges])
        moved = [place[0] for place in places if place]
        size, dead = range(len(classes)), len(self.rows)
        rows = [dict.fromkeys(size, dead) for _ in range(dead + 1)]
        for row, old in zip(rows, self.rows, strict=False):
            row.update((moved[label], target) for label, target in old.items())
        return Table(classes, tuple(rows), self.accepting)


def bottom_up(rows: Sequence[dict[int, int]]) -> list[int]:
    """The states from which no cycle is reached, targets before sources."""
    sources: list[list[int]] = [[] for _ in rows]
    waiting = [0] * len(rows)
    for state, row in enumerate(rows):
        targets = set(row.values())
        waiting[state] = len(targets)
        for target in targets:
            sources[target].append(state)
    order = [state for state, count in enumerate(waiting) if not count]
    for state in order:
        for source in sources[state]:
            waiting[source] -= 1
            if not waiting[source]:
                order.append(source)
    return order


def table_of(edges: Sequence[Sequence[tuple[int, int, int]]], accepting: frozenset[int]) -> Table:
    """The table of an automaton that is given by edges."""
    labels: dict[Ranges, int] = {}
    steps: list[list[tuple[int, int]]] = []
    for row in edges:
        grouped: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for low, high, target in row:
            grouped[target].append((low, high))
        steps.append(
            [
                (labels.setdefault(joined([tuple(ranges)], [0]), len(labels)), target)
                for target, ranges in grouped.items()
            ]
        )
    classes, members = classify(list(labels))
    rows = tuple(
        {member: target for label, target in row for member in members[label]} for row in steps
    )
    return Table(classes, rows, accepting)
