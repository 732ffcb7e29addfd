"""Members of objects that lead to the same states wherever they may come.

Where keys come in any order, most of them change nothing: they lead back to the state they came
in. What each state needs is then one rule for all of these, not a copy of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pdl.gbnf.compiling.claims import Goal
    from pdl.gbnf.compiling.machine import Machine, Member

_STATES = 3
"""In how many states members must come to be worth a rule."""


Name: TypeAlias = "tuple[str | int, Goal]"
"""A member, by its key, or by the id of the automaton of its keys, and its goal."""


def name(member: Member) -> Name:
    """What tells a member from others; automata are equal only if they are the same object."""
    return member.key if isinstance(member.key, str) else id(member.key), member.goal


def groups(machine: Machine[Member]) -> dict[Name, tuple[Member, ...]]:
    """All members of its group for each member that has one."""
    if len(machine.edges) < _STATES or not any(map(_has_loops, range(_STATES), machine.edges)):
        return {}
    places: defaultdict[Name, list[tuple[int, int]]] = defaultdict(list)
    members: dict[Name, Member] = {}
    for state, row in enumerate(machine.edges):
        for member, target in row:
            one = name(member)
            places[one].append((state, target))
            members.setdefault(one, member)
    goals = Counter(key for key, _ in members)
    together: defaultdict[tuple[tuple[int, int], ...], list[Member]] = defaultdict(list)
    for one, where in places.items():
        if goals[one[0]] == 1 and len(where) >= _STATES:  # values of others are told from its own
            together[tuple(where)].append(members[one])
    found = [tuple(group) for group in together.values() if len(group) > 1]
    return {name(member): group for group in found for member in group}


def _has_loops(state: int, row: tuple[tuple[Member, int], ...]) -> bool:
    """Whether several members lead back to a state."""
    return [target for _, target in row].count(state) > 1
