"""Deterministic finite automata over code points, as values, and the bound on building them.

`Table` is an automaton over numbered classes of code points, which every construction works with;
`Dfa` has edges over ranges of code points.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict, deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.automata.charset import EVERY, LAST, CharSet, classify, joined
from pdl.errors import LimitError, Problem
from pdl.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
        """Whether no state is on a cycle."""
        return len(reverse_topological_order(self.rows)) == len(self.rows)

    @cached_property
    def complete(self) -> Table:
        """The same language with an edge for every scalar value in every state."""
        covered = CharSet(joined(self.classes, range(len(self.classes))))
        rest = EVERY - covered
        classes, members = classify([*self.classes, rest.ranges])
        moved = [found[0] for found in members if found]
        size, dead = range(len(classes)), len(self.rows)
        rows = [dict.fromkeys(size, dead) for _ in range(dead + 1)]
        for row, old in zip(rows, self.rows, strict=False):
            row.update((moved[label], target) for label, target in old.items())
        return Table(classes, tuple(rows), self.accepting)


def reverse_topological_order(rows: Sequence[Mapping[Any, int]]) -> list[int]:
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
    """Return the table of an automaton that is given by edges."""
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


Edge: TypeAlias = tuple[int, int, int]
"""The lowest code point, the highest, and the state that they lead to."""

_STEPS = 50
_NICE = (0x61, 0x30, 0x41, 0x20)


@dataclass(frozen=True)
class Budget:
    """How many states an automaton may have, while it is built and when it is done.

    This also bounds the time: `steps` counts what is looked at while states are made.
    """

    states: int = DEFAULT_LIMITS.automaton_states

    @property
    def steps(self) -> int:
        """How many parts of states building may look at."""
        return self.states * _STEPS

    def check(self, states: int, steps: int = 0) -> None:
        """Raise LimitError (`limit/automaton-states`) for more states or steps than allowed."""
        if states > self.states:
            raise _limit(f"its automaton has more than {self.states:,} states")
        if steps > self.steps:
            raise _limit("its automaton takes too long to build")


def _limit(why: str) -> LimitError:
    return LimitError(
        Problem(
            "limit/automaton-states",
            f"what is allowed here is too intricate: {why}",
            hint="use smaller counts, lengths or bounds",
        )
    )


DEFAULT_BUDGET = Budget()


@dataclass(frozen=True)
class Dfa:
    """A regular language of strings. State 0 is the start; a missing edge refuses.

    The functions of `pdl.automata.build` return minimal automata whose states are numbered
    breadth first in the order of the code points, so equal languages are equal values. Strings
    with lone surrogates are in no language.
    """

    edges: tuple[tuple[Edge, ...], ...]
    accepting: frozenset[int]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.edges, self.accepting))

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.edges)

    @property
    def is_empty(self) -> bool:
        """Whether no string is in the language."""
        return not self.accepting

    @property
    def accepts_empty(self) -> bool:
        """Whether the empty string is in the language."""
        return 0 in self.accepting

    @cached_property
    def table(self) -> Table:
        """The same automaton over classes of code points."""
        return table_of(self.edges, self.accepting)

    @cached_property
    def is_finite(self) -> bool:
        """Whether the language has finitely many strings: no state is on a cycle."""
        return self.table.is_acyclic

    def step(self, state: int, code: int) -> int | None:
        """Return the state that a code point leads to, if any."""
        edges = self.edges[state]
        at = bisect_right(edges, (code, LAST + 1, 0)) - 1
        if at < 0 or edges[at][1] < code:
            return None
        return edges[at][2]

    def matches(self, text: str) -> bool:
        """Whether a whole string is in the language."""
        state = 0
        for char in text:
            target = self.step(state, ord(char))
            if target is None:
                return False
            state = target
        return state in self.accepting

    def shortest(self) -> str | None:
        """Return a shortest string, of readable characters if possible; None for no string."""
        if not self.accepting:
            return None
        came: dict[int, tuple[int, int]] = {0: (0, 0)}
        queue = deque([0])
        while (state := queue.popleft()) not in self.accepting:
            for low, high, target in self.edges[state]:
                if target not in came:
                    came[target] = (state, _nice(low, high))
                    queue.append(target)
        codes: list[int] = []
        while state:
            state, code = came[state]
            codes.append(code)
        return "".join(map(chr, reversed(codes)))

    def texts(self, limit: int) -> list[str]:
        """Return the first strings of a finite language, at most `limit`, in code point order.

        Raises ValueError for an infinite language.
        """
        if not self.is_finite:
            raise ValueError("the language is infinite")
        found: list[str] = []
        if limit > 0 and self.accepts_empty:
            found.append("")
        stack = [("", self._characters(0))]
        while stack and len(found) < limit:
            prefix, rest = stack[-1]
            char, target = next(rest, ("", 0))
            if not char:
                stack.pop()
                continue
            if target in self.accepting:
                found.append(prefix + char)
            stack.append((prefix + char, self._characters(target)))
        return found

    def _characters(self, state: int) -> Iterator[tuple[str, int]]:
        for low, high, target in self.edges[state]:
            for code in range(low, high + 1):
                yield chr(code), target


def _nice(low: int, high: int) -> int:
    """A readable code point of a range, if there is one."""
    for code in _NICE:
        if low <= code <= high:
            return code
    return max(low, 0x21) if low <= 0x7E and high >= 0x21 else low  # noqa: PLR2004 - ASCII's graphs
