"""Automata over labels, the items of arrays and the members of objects, and their minimisation.

`Subsets` steps through sets of states one by one (the subset construction); `minimal` makes the
minimal machine over the labels of what was found.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from pdl.automata.dfa import reverse_topological_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.constraints import Conjunction


Label = TypeVar("Label")


@dataclass(frozen=True)
class Machine(Generic[Label]):
    """Deterministic over its labels: what may come in each state, and where it leads.

    State 0 is the first one; a value may end in the accepting states. Each state leads to an
    accepting one. Two labels of a state may have values in common.
    """

    edges: tuple[tuple[tuple[Label, int], ...], ...]
    accepting: frozenset[int]


@dataclass(frozen=True, slots=True)
class Member:
    """A label of objects: a key, or any key of a language, and the goal of its value.

    `order` is where a declared key stands, for rules to come out in the same order.
    """

    key: str | Dfa
    goal: Conjunction


@dataclass(frozen=True, slots=True)
class Run:
    """Arrays that begin with the items of `prefix`, or some of them, and go on with `item`.

    They have from `least` to `most` (None: any number of) items. An array that has more items than
    `prefix` has all of them.
    """

    prefix: tuple[Conjunction, ...]
    item: Conjunction | None
    least: int
    most: int | None


Arrays: TypeAlias = "Machine[Conjunction] | Run"
Objects: TypeAlias = "Machine[Member]"


Item = TypeVar("Item")

Alternatives: TypeAlias = "list[dict[Any, int]]"
"""For each state, where each label leads."""

_Signature: TypeAlias = "tuple[bool, frozenset[tuple[Any, int]]]"
_SELF = -1

STATES = 4_000
STEPS = 100  # for each state that there may be


class TooManyStatesError(Exception):
    """A machine has more states, or steps between them, than are built."""


class Subsets(Generic[Item, Label]):
    """Makes what may be in several states at once deterministic, by its sets of states.

    `follow` gives the steps from a state, of which several may have one label; `ends` says whether
    a value may end there; `drop_subsumed` leaves out states whose values others of a set have;
    `most` is how many sets there may be. Raises TooManyStatesError. Source: Rabin and Scott, Finite
    automata and their decision problems, 1959.
    """

    def __init__(
        self,
        follow: Callable[[Item], list[tuple[Label, Item]]],
        ends: Callable[[Item], bool],
        drop_subsumed: Callable[[frozenset[Item]], frozenset[Item]],
        most: int = STATES,
    ) -> None:
        self._follow = follow
        self._ends = ends
        self._pruned = drop_subsumed
        self._most = most
        self._steps: dict[Item, list[tuple[Label, Item]]] = {}
        self._met: dict[Item, int] = {}
        self._alone: dict[Item, frozenset[Item]] = {}
        self._work = 0

    def rows(self, starts: Iterable[Item]) -> tuple[Alternatives, set[int]]:
        """The rows, and the numbers of the accepting states; the first state is the start."""
        first = self._pruned(frozenset(starts))
        numbers = {first: 0}
        rows: Alternatives = []
        accepting: set[int] = set()
        order = [first]
        for state in order:
            row: dict[Any, int] = {}
            for label, target in self._targets(state):
                if target not in numbers:
                    numbers[target] = len(order)
                    order.append(target)
                row[label] = numbers[target]
            if any(map(self._ends, state)):
                accepting.add(len(rows))
            rows.append(row)
            if len(order) > self._most or self._work > self._most * STEPS:
                raise TooManyStatesError
        return rows, accepting

    def _targets(self, state: frozenset[Item]) -> Iterable[tuple[Label, frozenset[Item]]]:
        if len(state) == 1:
            steps = self._follow(*state)
            self._work += len(steps)
            if len(dict(steps)) == len(steps):
                for label, item in steps:
                    alone = self._alone.get(item)
                    if alone is None:
                        alone = self._alone[item] = frozenset((item,))
                    yield label, alone
                return
        found: defaultdict[Label, set[Item]] = defaultdict(set)
        for item in sorted(state, key=self._when):
            if item not in self._steps:
                self._steps[item] = self._follow(item)
            self._work += len(self._steps[item])
            for label, target in self._steps[item]:
                self._when(target)
                found[label].add(target)
        known: dict[frozenset[Item], frozenset[Item]] = {}
        for label, items in found.items():
            reached = frozenset(items)
            if reached not in known:
                known[reached] = self._pruned(reached)
            yield label, known[reached]

    def _when(self, item: Item) -> int:
        """Numbers states as they come up, for sets of them to have one order."""
        return self._met.setdefault(item, len(self._met))


def minimal(
    rows: Alternatives, accepting: set[int], labels: Callable[[Any], Label]
) -> Machine[Label] | None:
    """The minimal machine, its edges in the order of the rows' labels; None if it has no value.

    `labels` gives what the sortable labels of the rows stand for.
    """
    live = _live(rows, accepting)
    if 0 not in live:
        return None
    rows = [
        {label: target for label, target in row.items() if target in live} if state in live else {}
        for state, row in enumerate(rows)
    ]
    blocks = _merged(rows, accepting, live)
    return _numbered(rows, accepting, blocks, labels)


def _live(rows: Alternatives, accepting: set[int]) -> set[int]:
    """The states that lead to an accepting one."""
    sources: defaultdict[int, list[int]] = defaultdict(list)
    for state, row in enumerate(rows):
        for target in set(row.values()):
            sources[target].append(state)
    live = set(accepting)
    stack = list(live)
    while stack:
        fresh = [one for one in sources[stack.pop()] if one not in live]
        live.update(fresh)
        stack += fresh
    return live


def _merged(rows: Alternatives, accepting: set[int], live: set[int]) -> list[int]:
    """The block of each state: those with the same values have the same one."""
    order = reverse_topological_order(  # a self-loop does not count
        [{label: to for label, to in row.items() if to != at} for at, row in enumerate(rows)]
    )
    if len(order) < len(rows):
        return _refined(rows, accepting)
    blocks = [0] * len(rows)
    known: dict[_Signature, int] = {}
    count = 0
    for state in order:
        if state not in live:
            continue
        ends = state in accepting
        steps = [
            (label, _SELF if target == state else blocks[target])
            for label, target in rows[state].items()
        ]
        block = _known(known, ends, steps)
        if block is None:
            block, count = count, count + 1
            known[ends, frozenset(steps)] = block
            known[_closed(ends, steps, block)] = block
        blocks[state] = block
    return blocks


def _known(known: dict[_Signature, int], ends: bool, steps: list[tuple[Any, int]]) -> int | None:  # noqa: FBT001 - whether the state accepts is part of the key
    """The block that a state with these steps equals, if any.

    One that comes back to itself equals a block if it leads to the same once it stands for itself:
    the block is then one that it leads to, or comes back to itself for the same labels.
    """
    block = known.get((ends, frozenset(steps)))
    targets = {target for _, target in steps}
    if block is None and _SELF in targets:
        for target in sorted(targets - {_SELF}):
            if known.get(_closed(ends, steps, target)) == target:
                return target
    return block


def _closed(ends: bool, steps: list[tuple[Any, int]], block: int) -> _Signature:  # noqa: FBT001 - likewise
    """What a state is told by if it is in a block itself."""
    return ends, frozenset((label, block if to == _SELF else to) for label, to in steps)


def _refined(rows: Alternatives, accepting: set[int]) -> list[int]:
    """Blocks by refinement: states are told apart by what is known of their targets.

    Source: Moore, Gedanken-experiments on sequential machines, 1956.
    """
    blocks = [int(state in accepting) for state in range(len(rows))]
    count = 0
    while len(set(blocks)) > count:
        count = len(set(blocks))
        known: dict[tuple[int, frozenset[tuple[Any, int]]], int] = {}
        blocks = [
            known.setdefault(
                (blocks[state], frozenset((label, blocks[to]) for label, to in row.items())),
                len(known),
            )
            for state, row in enumerate(rows)
        ]
    return blocks


def _numbered(
    rows: Alternatives, accepting: set[int], blocks: list[int], labels: Callable[[Any], Label]
) -> Machine[Label]:
    """One state a block, numbered breadth first."""
    number = {blocks[0]: 0}
    heads = [0]
    edges: list[tuple[tuple[Label, int], ...]] = []
    for head in heads:
        row = rows[head]
        found: list[tuple[Label, int]] = []
        for label in sorted(row):
            block = blocks[row[label]]
            if block not in number:
                number[block] = len(heads)
                heads.append(row[label])
            found.append((labels(label), number[block]))
        edges.append(tuple(found))
    ends = frozenset(number[blocks[head]] for head in heads if head in accepting)
    return Machine(tuple(edges), ends)
