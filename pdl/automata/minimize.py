"""Minimization: the one minimal automaton of a language, for any kind of labels.

Useless states are dropped, and equivalent states merged: by Hopcroft's partition refinement ("An
n log n algorithm for minimizing states in a finite automaton", 1971), or, if no state can come back
to itself, by comparing rows from the end (Revuz, "Minimisation of acyclic deterministic automata in
linear time", 1992). The rest is numbered breadth first.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeVar

from pdl.automata.charset import joined
from pdl.automata.dfa import Dfa, Table, reverse_topological_order
from pdl.graphs import reachable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from pdl.automata.charset import Ranges
    from pdl.automata.dfa import Edge

Label = TypeVar("Label", bound=Any)
"""Labels are hashable and can be sorted."""


def minimize(
    rows: Sequence[Mapping[Label, int]], accepting: AbstractSet[int]
) -> tuple[list[dict[Label, int]], frozenset[int]]:
    """Return the rows and the accepting states of the minimal automaton.

    `rows[state][label]` is the next state; a missing label refuses. State 0 is the start, in what
    is returned too, where states are numbered breadth first, in the order of the labels. Of an
    automaton that accepts nothing, one state without a row is left.
    """
    rows, accepting = _trimmed(rows, accepting)
    order = reverse_topological_order(rows)
    if len(order) == len(rows):
        blocks = _merged_upwards(rows, accepting, order)
    else:
        blocks = _refined(rows, accepting)
    return _numbered(rows, accepting, blocks)


def minimal_dfa(
    classes: tuple[Ranges, ...], rows: Sequence[dict[int, int]], accepting: AbstractSet[int]
) -> Dfa:
    """Return the minimal automaton over classes of code points, which are as in `Table`."""
    return _written(_coarsened(classes, *minimize(rows, accepting)))


def numbered_dfa(
    classes: tuple[Ranges, ...], rows: Sequence[dict[int, int]], accepting: AbstractSet[int]
) -> Dfa:
    """Return the same automaton, of which no state is useless and no two are equivalent."""
    return _written(_coarsened(classes, *_numbered(rows, accepting, range(len(rows)))))


def _trimmed(
    rows: Sequence[Mapping[Label, int]], accepting: AbstractSet[int]
) -> tuple[Sequence[Mapping[Label, int]], AbstractSet[int]]:
    """Drop the states that cannot be reached or reach no accepting one; the start remains."""
    sources: dict[int, list[int]] = {0: []}
    pending = [0]
    while pending:
        state = pending.pop()
        for target in set(rows[state].values()):
            if target in sources:
                sources[target].append(state)
            else:
                sources[target] = [state]
                pending.append(target)
    live = reachable(sources, sources.keys() & accepting)
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


def _merged_upwards(
    rows: Sequence[Mapping[Any, int]], accepting: AbstractSet[int], order: list[int]
) -> list[int]:
    """The block of each state of an automaton without cycles."""
    known: dict[tuple[bool, frozenset[tuple[Any, int]]], int] = {}
    blocks = [0] * len(rows)
    for state in order:
        targets = frozenset([(label, blocks[target]) for label, target in rows[state].items()])
        blocks[state] = known.setdefault((state in accepting, targets), len(known))
    return blocks


def _refined(rows: Sequence[Mapping[Any, int]], accepting: AbstractSet[int]) -> list[int]:
    """The block of each state, by Hopcroft's refinement."""
    sources: list[list[tuple[Any, int]]] = [[] for _ in rows]
    alike: defaultdict[tuple[bool, frozenset[Any]], set[int]] = defaultdict(set)
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
        before: defaultdict[Any, list[int]] = defaultdict(list)
        for target in splitter:
            for label, source in sources[target]:
                before[label].append(source)
        for states in before.values():
            _split(states, blocks, block_of, waiting)
    return block_of


def _split(
    states: list[int], blocks: list[set[int]], block_of: list[int], waiting: set[int]
) -> None:
    """Split each block into its states that are among the given ones, and the others."""
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
    rows: Sequence[Mapping[Label, int]], accepting: AbstractSet[int], blocks: Sequence[int]
) -> tuple[list[dict[Label, int]], frozenset[int]]:
    """One state a block, numbered breadth first."""
    number = {blocks[0]: 0}
    heads = [0]
    out: list[dict[Label, int]] = []
    for head in heads:
        row: dict[Label, int] = {}
        steps = rows[head].items()
        for label, target in sorted(steps) if len(steps) > 1 else steps:
            block = blocks[target]
            at = number.get(block)
            if at is None:
                at = number[block] = len(heads)
                heads.append(target)
            row[label] = at
        out.append(row)
    return out, frozenset(number[blocks[state]] for state in accepting)


def _coarsened(
    classes: tuple[Ranges, ...], rows: list[dict[int, int]], accepting: frozenset[int]
) -> Table:
    """Join the classes that no state distinguishes, and drop those without edges."""
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
    """The automaton of a table, which it keeps."""
    edges = tuple([_edges(table.classes, row) for row in table.rows])
    dfa = Dfa(edges, table.accepting)
    dfa.__dict__["table"] = table  # where the cached property would put it
    return dfa


def _edges(classes: tuple[Ranges, ...], row: dict[int, int]) -> tuple[Edge, ...]:
    pairs = [(low, high, target) for label, target in row.items() for low, high in classes[label]]
    if len(row) < 2:  # noqa: PLR2004 - the ranges of one class are sorted, and apart
        return tuple(pairs)
    pairs.sort()
    out: list[Edge] = []
    since, until, to = pairs[0]
    for low, high, target in pairs[1:]:
        if target == to and low == until + 1:
            until = high
        else:
            out.append((since, until, to))
            since, until, to = low, high, target
    out.append((since, until, to))
    return tuple(out)
