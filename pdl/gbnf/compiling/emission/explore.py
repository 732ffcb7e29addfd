"""All goals behind a root with their pieces, without what no value can satisfy."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from pdl.automata.build import ANYTHING
from pdl.gbnf.compiling.claims import Claim
from pdl.gbnf.compiling.context import Lengths, Pieces
from pdl.gbnf.compiling.figures import all_numbers
from pdl.gbnf.compiling.machine import Machine, Member, Run
from pdl.gbnf.compiling.texts import half

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from pdl.gbnf.compiling.claims import Goal
    from pdl.gbnf.compiling.machine import Arrays
    from pdl.gbnf.compiling.options import Numbers

_Label = TypeVar("_Label")


_NEVER: Goal = (Claim("", holds=False),)
"""Stands for what no value satisfies, under a key that no text has."""


@lru_cache(maxsize=4)
def every(spelling: Numbers) -> Pieces:
    """The pieces of `()`, the goal that each value satisfies."""
    return Pieces(
        null=True,
        booleans=frozenset([True, False]),
        numbers=all_numbers(spelling, integer=False),
        strings=Lengths(),
        arrays=Run((), (), 0, None),
        objects=Machine((((Member(ANYTHING, ()), 0),),), frozenset([0])),
    )


def explored(root: Goal, pieces: Callable[[Goal], Pieces], anything: Pieces) -> dict[Goal, Pieces]:
    """The goals that have values, with their pieces trimmed to those.

    They are in the order in which they are met, the root first, if it has values.
    """
    found: dict[Goal, Pieces] = {}
    inner: dict[Goal, list[Goal]] = {}
    waiting = [root]
    while waiting:
        goal = waiting.pop()
        if goal in found or goal is _NEVER:
            continue
        found[goal] = pieces(goal) if goal else anything
        inner[goal] = _inner(found[goal])
        waiting.extend(inner[goal][::-1])
    filled = _filled(found, inner)
    if len(filled) == len(found) and not any(_NEVER in goals for goals in inner.values()):
        return found
    return {goal: _trimmed(found[goal], inner[goal], filled) for goal in found if goal in filled}


def _inner(pieces: Pieces) -> list[Goal]:
    """The goals of the values in arrays and objects, each once."""
    goals: list[Goal] = []
    if pieces.objects is not None:
        members = {id(member): member for row in pieces.objects.edges for member, _ in row}
        goals += [member.goal if _is_written(member) else _NEVER for member in members.values()]
    if isinstance(pieces.arrays, Machine):
        goals += [goal for edges in pieces.arrays.edges for goal, _ in edges]
    elif pieces.arrays is not None:
        goals += pieces.arrays.prefix
        if pieces.arrays.item is not None:
            goals.append(pieces.arrays.item)
    return list(dict.fromkeys(goals))


def _is_written(member: Member) -> bool:
    """Whether UTF-8 has all characters of a key."""
    return not isinstance(member.key, str) or not half(member.key)


def _filled(found: dict[Goal, Pieces], inner: dict[Goal, list[Goal]]) -> set[Goal]:
    """The goals that have values."""
    filled: set[Goal] = set()
    open_ = []
    for goal in reversed(found):
        if _has_value(found[goal], inner[goal], filled):
            filled.add(goal)
        else:
            open_.append(goal)
    users: defaultdict[Goal, list[Goal]] = defaultdict(list)
    for goal in open_:
        for one in inner[goal]:
            users[one].append(goal)
    waiting = [goal for goal in open_ if _has_value(found[goal], inner[goal], filled)]
    while waiting:
        goal = waiting.pop()
        if goal not in filled:
            filled.add(goal)
            waiting.extend(
                user for user in users[goal] if _has_value(found[user], inner[user], filled)
            )
    return filled


def _has_value(pieces: Pieces, inner: list[Goal], filled: set[Goal]) -> bool:
    """Whether there is a value, if the goals that are not filled have none."""
    if (
        pieces.null
        or pieces.booleans
        or pieces.written
        or pieces.numbers is not None
        or pieces.strings is not None
    ):
        return True
    if pieces.arrays is None and pieces.objects is None:
        return False
    if filled.issuperset(inner):
        return True  # what leads to no value is in no machine
    if pieces.arrays is not None and _array(pieces.arrays, filled) is not None:
        return True
    return pieces.objects is not None and _object(pieces.objects, filled) is not None


def _trimmed(pieces: Pieces, inner: list[Goal], filled: set[Goal]) -> Pieces:
    if filled.issuperset(inner):
        return pieces
    arrays = None if pieces.arrays is None else _array(pieces.arrays, filled)
    objects = None if pieces.objects is None else _object(pieces.objects, filled)
    return replace(pieces, arrays=arrays, objects=objects)


def _object(machine: Machine[Member], filled: set[Goal]) -> Machine[Member] | None:
    return _live(
        [
            [edge for edge in row if edge[0].goal in filled and _is_written(edge[0])]
            for row in machine.edges
        ],
        machine.accepting,
    )


def _array(arrays: Arrays, filled: set[Goal]) -> Arrays | None:
    if isinstance(arrays, Machine):
        rows = [[edge for edge in row if edge[0] in filled] for row in arrays.edges]
        return _live(rows, arrays.accepting)
    return _run(arrays, filled)


def _run(run: Run, filled: set[Goal]) -> Run | None:
    size = next((at for at, goal in enumerate(run.prefix) if goal not in filled), len(run.prefix))
    if size == len(run.prefix) and (run.item is None or run.item in filled):
        return run
    if run.least > size:
        return None
    most = size if run.most is None else min(run.most, size)
    return Run(run.prefix[:size], None, run.least, most)


def _live(
    rows: list[list[tuple[_Label, int]]], accepting: AbstractSet[int]
) -> Machine[_Label] | None:
    """The machine without states that are not reached or lead to no end."""
    sources: defaultdict[int, list[int]] = defaultdict(list)
    reached = {0}
    waiting = [0]
    while waiting:
        state = waiting.pop()
        for _, target in rows[state]:
            sources[target].append(state)
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    live = reached & accepting
    waiting = list(live)
    while waiting:
        fresh = set(sources[waiting.pop()]) - live
        live |= fresh
        waiting.extend(fresh)
    if 0 not in live:
        return None
    number = {state: at for at, state in enumerate(sorted(live))}
    edges = tuple(
        tuple((label, number[target]) for label, target in rows[state] if target in number)
        for state in number
    )
    return Machine(edges, frozenset(number[state] for state in live & accepting))
