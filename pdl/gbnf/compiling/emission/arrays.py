"""The rules of arrays: items of one goal, or a state of their machine behind each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.compiling.emission.names import short
from pdl.gbnf.compiling.emission.parts import Again, Choice, Draft, joined
from pdl.gbnf.compiling.machine import Run

if TYPE_CHECKING:
    from pdl.gbnf.compiling.claims import Goal
    from pdl.gbnf.compiling.emission.goals import Goals
    from pdl.gbnf.compiling.emission.parts import Row, Rows
    from pdl.gbnf.compiling.machine import Arrays, Machine


def array(arrays: Arrays, wish: str, goals: Goals) -> Rows:
    """The alternatives of an array."""
    if isinstance(arrays, Run):
        return _run(arrays, wish, goals)
    return _Items(arrays, wish, goals).rows()


def _run(run: Run, wish: str, goals: Goals) -> Rows:
    prefix = run.prefix[: run.most]
    row = _behind_prefix(run, len(prefix), goals)
    for at in range(len(prefix) - 1, -1, -1):
        one = joined(goals.goal(prefix[at]), goals.spacing.behind, row)
        row = joined(goals.spacing.comma, one) if at else one
        if at and at >= run.least:
            row = (Draft(f"{short(wish)}-rest", (row, ())),)
    return (_bracketed(goals, wish, row, optional=run.least == 0),)


def _behind_prefix(run: Run, size: int, goals: Goals) -> Row:
    """The items that have no goals of their own."""
    if run.item is None or (run.most is not None and run.most <= size):
        return ()
    least = max(run.least - size, 0)
    most = None if run.most is None else run.most - size
    if size:
        return _more(goals, run.item, least, most)
    return _from_first(goals, run.item, least, most)


def _more(goals: Goals, item: Goal, least: int, most: int | None) -> Row:
    """Items, each behind a comma."""
    one = joined(goals.spacing.comma, goals.goal(item), goals.spacing.behind)
    return (Again(Choice((one,)), least, most),)


def _from_first(goals: Goals, item: Goal, least: int, most: int | None) -> Row:
    """One item or more, the first without a comma."""
    first = joined(goals.goal(item), goals.spacing.behind)
    if most == 1:
        return first
    fewer = None if most is None else most - 1
    return joined(first, _more(goals, item, max(least - 1, 0), fewer))


def _bracketed(goals: Goals, wish: str, row: Row, *, optional: bool) -> Row:
    inner = joined(row, goals.spacing.closing) if row else ()
    if optional and inner:
        inner = (Draft(wish, (inner, ())),)
    return joined("[", goals.spacing.opened, inner, "]")


class _Items:
    """Makes the rules of one machine: one for each of its states."""

    def __init__(self, machine: Machine[Goal], wish: str, goals: Goals) -> None:
        self._machine = machine
        self._wish = short(wish)
        self._goals = goals
        self._drafts: dict[int, Draft] = {}
        self._rest: dict[int, Draft] = {}
        self._waiting: list[int] = []

    def rows(self) -> Rows:
        """The alternatives of the array."""
        row: Row = (self._item(0),) if self._machine.edges[0] else ()
        while self._waiting:
            state = self._waiting.pop()
            pairs = [(goal, self._behind(target)) for goal, target in self._machine.edges[state]]
            self._drafts[state].rows = (self._goals.values(pairs, self._wish),)
        return (_bracketed(self._goals, self._wish, row, optional=0 in self._machine.accepting),)

    def _item(self, state: int) -> Draft:
        """An item that may come in a state, and all that follow."""
        found = self._drafts.get(state)
        if found is None:
            found = self._drafts[state] = Draft(f"{self._wish}-items")
            self._waiting.append(state)
        return found

    def _behind(self, state: int) -> Row:
        """What follows an item that leads to a state."""
        behind = self._goals.spacing.behind
        if not self._machine.edges[state]:
            return behind
        more = joined(self._goals.spacing.comma, self._item(state))
        if state not in self._machine.accepting:
            return joined(behind, more)
        if state not in self._rest:
            self._rest[state] = Draft(f"{self._wish}-rest", (more, ()))
        return joined(behind, self._rest[state])
