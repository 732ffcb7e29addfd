"""The objects of a goal: one deterministic machine over members for the union of its shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.compiling.alphabet import alphabet
from pdl.gbnf.compiling.demands import Demanding
from pdl.gbnf.compiling.determined import STATES, Subsets, TooManyStatesError, minimal
from pdl.gbnf.compiling.efforts import bounds, efforts, losses
from pdl.gbnf.compiling.goals import Goals
from pdl.gbnf.compiling.keyclasses import key_classes
from pdl.gbnf.compiling.machine import Machine
from pdl.gbnf.compiling.plans import plans
from pdl.gbnf.compiling.walks import Labels, State, Walk, pruned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.gbnf.compiling.alphabet import Alphabet
    from pdl.gbnf.compiling.claims import ObjectShape
    from pdl.gbnf.compiling.context import Context
    from pdl.gbnf.compiling.machine import Member, Objects
    from pdl.gbnf.compiling.options import Options
    from pdl.gbnf.compiling.plans import Plan
    from pdl.gbnf.compiling.walks import Label

_MOST_BITS = 14


def object_machine(shapes: Sequence[ObjectShape], context: Context) -> Objects | None:
    """The objects that satisfy one of some shapes; None if there are none.

    The machine takes each of them whose keys are distinct and come in an order that the options
    take. What is not held exactly is told to the context: with `weaken` if the machine takes other
    objects as well, with `bound` if there are objects that it takes in some orders only.
    """
    shapes = list(dict.fromkeys(shapes))
    classes = key_classes(shapes, context)
    goals = Goals(context)
    demanding = Demanding(classes, goals)
    demands = [one for one in map(demanding.demand, shapes) if one is not None]
    for keyword, why in demanding.lost:
        context.weaken(keyword, why)
    if not demands:
        return None
    declared = context.options.key_order == "declared"
    symbols = alphabet(classes, demands, declared=declared)
    if symbols.imprecise:
        context.weaken("properties", "there are too many names to tell all others from them")
    return _machine(symbols, goals, context)


def _machine(symbols: Alphabet, goals: Goals, context: Context) -> Objects | None:
    """The machine of the most exact plans whose states are not too many."""
    options = context.options
    declared = options.key_order == "declared"
    labels, most = Labels(symbols.keys), _most_states(symbols, options)
    before: list[Plan] = []
    for effort, demands in efforts(symbols.demands, options.max_required):
        planned = plans(demands, effort, names=symbols.names, declared=declared)
        if planned == before:
            continue
        try:
            machine = _attempt(
                planned, symbols, labels, goals, STATES if effort.is_one_order else most
            )
        except TooManyStatesError:
            before = planned
            continue
        for keyword, why in losses(symbols.demands, planned):
            context.weaken(keyword, why)
        for keyword, why in bounds(planned):
            context.bound(keyword, why)
        return machine
    raise AssertionError("one plan without conditions has few states")


def _most_states(symbols: Alphabet, options: Options) -> int:
    """Twice as many as one object has whose required keys come in any order, and some more."""
    if options.key_order == "declared":
        return STATES
    return (2 << min(options.max_required, _MOST_BITS)) + 2 * len(symbols.keys)


def _attempt(
    planned: Sequence[Plan], symbols: Alphabet, labels: Labels, goals: Goals, most: int
) -> Objects | None:
    """The machine of some plans. Raises TooManyStatesError."""
    if len(planned) == 1 and planned[0].is_plain:
        return _plain(planned[0], labels)
    walks = [
        Walk(number, plan, labels, goals, symbols.names) for number, plan in enumerate(planned)
    ]
    numbers: dict[object, int] = {}
    families = [numbers.setdefault(walk.family, len(numbers)) for walk in walks]
    subsets: Subsets[State, Label] = Subsets(
        lambda state: walks[state.plan].follow(state),
        lambda state: walks[state.plan].ends(state),
        lambda states: pruned(states, walks, families),
        most,
    )
    rows, accepting = subsets.rows(walk.start for walk in walks)
    return minimal(rows, accepting, labels.member)


def _plain(plan: Plan, labels: Labels) -> Objects:
    """The machine of a plan for which it only matters how far the sequence is.

    No two of its states are equal, and none is a dead end.
    """
    goals, needed, sequence = plan.demand.goals, plan.demand.needed, plan.sequence
    member = {
        key: labels.member(labels.label(key, goal))
        for key, goal in enumerate(goals)
        if goal is not None
    }
    last = due = len(sequence)
    edges: list[tuple[tuple[Member, int], ...]] = []
    accepting: set[int] = set()
    for at in range(last, -1, -1):
        if at < last and sequence[at] in needed:
            due = at
        steps = [(sequence[to], to + 1) for to in range(at, min(due + 1, last))]
        if due >= plan.loose:
            steps += [(key, max(at, plan.loose)) for key in plan.free]
            if plan.loose < last:
                steps.sort()
        if due == last:
            accepting.add(at)
        edges.append(tuple([(member[key], to) for key, to in steps]))
    return Machine(tuple(reversed(edges)), frozenset(accepting))
