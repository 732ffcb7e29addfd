"""All goals that a root reaches with their languages, without what no value can satisfy."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from pdl.automata.build import ANYTHING
from pdl.gbnf.compiling.constraints import SchemaLiteral
from pdl.gbnf.compiling.document import lone_surrogate
from pdl.gbnf.compiling.machine import Lengths, Machine, Member, Run, ValueLanguages
from pdl.gbnf.compiling.number_language import all_numbers

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from pdl.gbnf.compiling.constraints import Conjunction
    from pdl.gbnf.compiling.machine import Arrays
    from pdl.gbnf.compiling.options import Numbers

_Label = TypeVar("_Label")


_NEVER: Conjunction = (SchemaLiteral("", positive=False),)
"""Stands for what no value satisfies, under a key that no text has."""


@lru_cache(maxsize=4)
def every(spelling: Numbers) -> ValueLanguages:
    """The languages of `()`, the goal that each value satisfies."""
    return ValueLanguages(
        null=True,
        booleans=frozenset([True, False]),
        numbers=all_numbers(spelling, integer=False),
        strings=Lengths(),
        arrays=Run((), (), 0, None),
        objects=Machine((((Member(ANYTHING, ()), 0),),), frozenset([0])),
    )


def trim(
    root: Conjunction, languages: Callable[[Conjunction], ValueLanguages], anything: ValueLanguages
) -> dict[Conjunction, ValueLanguages]:
    """The goals that have values, with their languages trimmed to those.

    They are in the order in which they are met, the root first, if it has values.
    """
    found: dict[Conjunction, ValueLanguages] = {}
    inner: dict[Conjunction, list[Conjunction]] = {}
    waiting = [root]
    while waiting:
        goal = waiting.pop()
        if goal in found or goal is _NEVER:
            continue
        found[goal] = languages(goal) if goal else anything
        inner[goal] = _inner(found[goal])
        waiting.extend(inner[goal][::-1])
    filled = _filled(found, inner)
    if len(filled) == len(found) and not any(_NEVER in goals for goals in inner.values()):
        return found
    return {goal: _trimmed(found[goal], inner[goal], filled) for goal in found if goal in filled}


def _inner(languages: ValueLanguages) -> list[Conjunction]:
    """The goals of the values in arrays and objects, each once."""
    goals: list[Conjunction] = []
    if languages.objects is not None:
        members = {id(member): member for row in languages.objects.edges for member, _ in row}
        goals += [member.goal if _is_written(member) else _NEVER for member in members.values()]
    if isinstance(languages.arrays, Machine):
        goals += [goal for edges in languages.arrays.edges for goal, _ in edges]
    elif languages.arrays is not None:
        goals += languages.arrays.prefix
        if languages.arrays.item is not None:
            goals.append(languages.arrays.item)
    return list(dict.fromkeys(goals))


def _is_written(member: Member) -> bool:
    """Whether UTF-8 has all characters of a key."""
    key = member.key
    return not isinstance(key, str) or key.isascii() or not lone_surrogate(key)


def _filled(
    found: dict[Conjunction, ValueLanguages], inner: dict[Conjunction, list[Conjunction]]
) -> set[Conjunction]:
    """The goals that have values: the least fixed point, as of productive symbols of a grammar."""
    users: defaultdict[Conjunction, list[Conjunction]] = defaultdict(list)
    for goal, goals in inner.items():
        for one in goals:
            users[one].append(goal)
    filled: set[Conjunction] = set()
    waiting = list(found)
    while waiting:
        goal = waiting.pop()
        if goal not in filled and _has_value(found[goal], inner[goal], filled):
            filled.add(goal)
            waiting += users[goal]
    return filled


def _has_value(
    languages: ValueLanguages, inner: list[Conjunction], filled: set[Conjunction]
) -> bool:
    """Whether there is a value, if the goals that are not filled have none."""
    if (
        languages.null
        or languages.booleans
        or languages.custom
        or languages.numbers is not None
        or languages.strings is not None
    ):
        return True
    arrays, objects = languages.arrays, languages.objects
    if arrays is None and objects is None:
        return False
    if filled.issuperset(inner):
        return True  # what leads to no value is in no machine
    if objects is not None and 0 in objects.accepting:
        return True
    if arrays is not None and _array(arrays, filled) is not None:
        return True
    return objects is not None and _object(objects, filled) is not None


def _trimmed(
    languages: ValueLanguages, inner: list[Conjunction], filled: set[Conjunction]
) -> ValueLanguages:
    if filled.issuperset(inner):
        return languages
    arrays = None if languages.arrays is None else _array(languages.arrays, filled)
    objects = None if languages.objects is None else _object(languages.objects, filled)
    return replace(languages, arrays=arrays, objects=objects)


def _object(machine: Machine[Member], filled: set[Conjunction]) -> Machine[Member] | None:
    return _live(
        [
            [edge for edge in row if edge[0].goal in filled and _is_written(edge[0])]
            for row in machine.edges
        ],
        machine.accepting,
    )


def _array(arrays: Arrays, filled: set[Conjunction]) -> Arrays | None:
    if isinstance(arrays, Machine):
        rows = [[edge for edge in row if edge[0] in filled] for row in arrays.edges]
        return _live(rows, arrays.accepting)
    return _run(arrays, filled)


def _run(run: Run, filled: set[Conjunction]) -> Run | None:
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
    """The machine without useless states, which aren't reached or reach no end."""
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
