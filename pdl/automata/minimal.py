"""Minimisation: from the table of an automaton to the one minimal automaton of its language.

States that lead nowhere are dropped, equal ones merged (Hopcroft, "An n log n algorithm for
minimizing states in a finite automaton", 1971; without cycles, by comparing rows from the end, as
Revuz did in 1992), and the rest numbered breadth first in the order of code points.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from pdl.automata.charset import joined
from pdl.automata.dfa import Dfa, Table, bottom_up

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from pdl.automata.charset import Ranges
    from pdl.automata.dfa import Edge


def minimal(
    classes: tuple[Ranges, ...], rows: Sequence[dict[int, int]], accepting: AbstractSet[int]
) -> Dfa:
    """The minimal automaton. State 0 is the start; the classes are as in `Table`."""
    rows, accepting = _trimmed(rows, accepting)
    order = bottom_up(rows)
    if len(order) == len(rows):
        blocks = _merged_upwards(rows, accepting, order)
    else:
        blocks = _refined(rows, accepting)
    return _numbered(classes, rows, accepting, blocks)


def _trimmed(
    rows: Sequence[dict[int, int]], accepting: AbstractSet[int]
) -> tuple[Sequence[dict[int, int]], AbstractSet[int]]:
    """Without what cannot be reached or leads nowhere, but always with the start."""
    reached = _reached(rows)
    sources: defaultdict[int, list[int]] = defaultdict(list)
    for state in reached:
        for target in set(rows[state].values()):
            sources[target].append(state)
    live = {state for state in reached if state in accepting}
    stack = list(live)
    while stack:
        fresh = [source for source in sources[stack.pop()] if source not in live]
        live.update(fresh)
        stack.extend(fresh)
    if len(live) == len(rows):
        return rows, accepting
    if 0 not in live:
        return [{}], frozenset()
    number = {state: index for index, state in enumerate(sorted(live))}
    kept = [
        {label: number[target] for label, target in rows[state].items() if target in number}
        for state in number
    ]
    return kept, {number[state] for state in accepting if state in number}


def _reached(rows: Sequence[dict[int, int]]) -> set[int]:
    reached = {0}
    stack = [0]
    while stack:
        fresh = set(rows[stack.pop()].values()) - reached
        reached |= fresh
        stack.extend(fresh)
    return reached


def _merged_upwards(
    rows: Sequence[dict[int, int]], accepting: AbstractSet[int], order: list[int]
) -> list[int]:
    """The block of each state of an automaton without cycles."""
    known: dict[tuple[bool, frozenset[tuple[int, int]]], int] = {}
    blocks = [0] * len(rows)
    for state in order:
        targets = frozenset((label, blocks[target]) for label, target in rows[state].items())
        blocks[state] = known.setdefault((state in accepting, targets), len(known))
    return blocks


def _refined(rows: Sequence[dict[int, int]], accepting: AbstractSet[int]) -> list[int]:
    """The block of each state, by Hopcroft's refinement."""
    sources: list[list[tuple[int, int]]] = [[] for _ in rows]
    alike: defaultdict[tuple[bool, frozenset[int]], set[int]] = defaultdict(set)
    for state, row in enumerate(rows):
        alike[state in accepting, frozenset(row)].add(state)
        for label, target in row.items():
            sources[target].append((label, state))
    blocks = list(alike.values())
    block_of = [0] * len(rows)
    for number, block in enumerate(blocks):
        for state in block:
            block_of[state] = number
    # The states that refuse have no block here: it is the one that need not split the others.
    waiting = set(range(len(blocks)))
    while waiting:
        splitter = blocks[waiting.pop()]
        before: defaultdict[int, list[int]] = defaultdict(list)
        for target in splitter:
            for label, source in sources[target]:
                before[label].append(source)
        for states in before.values():
            _split(states, blocks, block_of, waiting)
    return block_of


def _split(
    states: list[int], blocks: list[set[int]], block_of: list[int], waiting: set[int]
) -> None:
    """Part each block into those of its states that are among the given ones, and the others."""
    touched: defaultdict[int, set[int]] = defaultdict(set)
    for state in states:
        touched[block_of[state]].add(state)
    for number, inside in touched.items():
        block = blocks[number]
        if len(inside) == len(block):
            continue
        outside_is_less = len(block) < 2 * len(inside)
        part = block - inside if outside_is_less else inside
        block -= part
        for state in part:
            block_of[state] = len(blocks)
        waiting.add(len(blocks))  # the smaller part does, if the whole one did not wait
        blocks.append(part)


def _numbered(
    classes: tuple[Ranges, ...],
    rows: Sequence[dict[int, int]],
    accepting: AbstractSet[int],
    blocks: list[int],
) -> Dfa:
    """One state a block, numbered breadth first."""
    number = {blocks[0]: 0}
    heads = [0]
    out: list[dict[int, int]] = []
    for head in heads:
        row: dict[int, int] = {}
        for label, target in sorted(rows[head].items()):
            block = blocks[target]
            if block not in number:
                number[block] = len(heads)
                heads.append(target)
            row[label] = number[block]
        out.append(row)
    final = frozenset(number[blocks[state]] for state in accepting)
    return _written(_coarsened(classes, out, final))


def _coarsened(
    classes: tuple[Ranges, ...], rows: list[dict[int, int]], accepting: frozenset[int]
) -> Table:
    """With one class for those that no state tells apart, and none for those without edges."""
    columns: list[list[tuple[int, int]]] = [[] for _ in classes]
    for state, row in enumerate(rows):
        for label, target in row.items():
            columns[label].append((state, target))
    alike: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for label, column in enumerate(columns):
        if column:
            alike.setdefault(tuple(column), []).append(label)
    groups = list(alike.values())
    if len(groups) == len(classes):
        return Table(classes, tuple(rows), accepting)
    leaders = {group[0]: index for index, group in enumerate(groups)}
    merged = tuple(joined(classes, group) for group in groups)
    kept = tuple(
        {leaders[label]: target for label, target in row.items() if label in leaders}
        for row in rows
    )
    return Table(merged, kept, accepting)


def _written(table: Table) -> Dfa:
    """The automaton with its edges written out, which keeps the table that it came from."""
    edges = tuple(_edges(table.classes, row) for row in table.rows)
    dfa = Dfa(edges, table.accepting)
    dfa.__dict__["table"] = table  # where the cached property would put it
    return dfa


def _edges(classes: tuple[Ranges, ...], row: dict[int, int]) -> tuple[Edge, ...]:
    pairs = [(low, high, target) for label, target in row.items() for low, high in classes[label]]
    pairs.sort()
    out: list[Edge] = []
    for low, high, target in pairs:
        if out and out[-1][2] == target and out[-1][1] + 1 == low:
            out[-1] = (out[-1][0], high, target)
        else:
            out.append((low, high, target))
    return tuple(out)
