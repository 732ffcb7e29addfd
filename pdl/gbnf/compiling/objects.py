"""The objects of a goal: one deterministic machine over members for the union of its conjuncts.

An alphabet says what the symbols of a goal's objects stand for, with those as one that nothing
tells apart; `complement_of_names` are the keys that a schema does not name. All constraints on
objects are kept, unless that takes too many states: `relaxations` are how much is kept then.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata import build
from pdl.automata.charset import EVERY
from pdl.automata.dfa import Budget, Dfa
from pdl.errors import LimitError
from pdl.gbnf.compiling.context import Goals
from pdl.gbnf.compiling.demands import Demanding, key_partition
from pdl.gbnf.compiling.machine import STATES, Machine, Subsets, TooManyStatesError, minimal
from pdl.gbnf.compiling.walks import (
    Labels,
    ObjectState,
    ObjectTransitions,
    Relaxation,
    counts_twice,
    drop_subsumed,
    hull,
    plans,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pdl.automata.dfa import Edge
    from pdl.gbnf.compiling.constraints import ObjectConjunct
    from pdl.gbnf.compiling.context import Context
    from pdl.gbnf.compiling.demands import KeyPartition, Loss, ObjectConstraints
    from pdl.gbnf.compiling.machine import Member, Objects
    from pdl.gbnf.compiling.options import Options
    from pdl.gbnf.compiling.walks import Label, MemberOrder


_FREE = 1


def complement_of_names(names: Iterable[str], budget: Budget) -> Dfa:
    """All texts but the names: the value that `build.complement` has for their automaton.

    Each state of the automaton of the names gets edges to one more state, from which on all is
    free. No state becomes equal to another by that, so that there is nothing to minimise. Raises
    LimitError.
    """
    listed = build.words(names, budget=budget)
    budget.check(listed.states + 1)
    if not listed.edges[0] or listed.edges[0][0][0] == 0:
        return build.complement(listed, budget=budget)
    # The free state is the first that a walk in the order of the code points meets.
    edges = [tuple(_with_gaps(row)) for row in listed.edges]
    edges.insert(_FREE, tuple((low, high, _FREE) for low, high in EVERY.ranges))
    refused = {_moved(state) for state in listed.accepting}
    return Dfa(tuple(edges), frozenset(range(len(edges))) - refused)


def _with_gaps(row: Iterable[Edge]) -> Iterator[Edge]:
    """The edges of a state, and edges to the free state for all other characters."""
    at = 0
    for low, high, target in row:
        yield from _free(at, low - 1)
        yield low, high, _moved(target)
        at = high + 1
    yield from _free(at, EVERY.ranges[-1][1])


def _free(low: int, high: int) -> Iterator[Edge]:
    """An edge for some code points, as far as they are characters."""
    for first, last in EVERY.ranges:
        if max(low, first) <= min(high, last):
            yield max(low, first), min(high, last), _FREE


def _moved(state: int) -> int:
    return state + 1 if state else 0


_BUDGET = Budget(200_000)

_Column: TypeAlias = tuple[object, ...]


@dataclass(frozen=True)
class Alphabet:
    """The keys that symbols stand for, of which the first `names` are single names.

    `demands` are over these symbols; `imprecise`: classes have names that are symbols as well.
    """

    names: int
    keys: Mapping[int, str | Dfa]
    demands: tuple[ObjectConstraints, ...]
    imprecise: bool = False


def alphabet(
    classes: KeyPartition, demands: Sequence[ObjectConstraints], *, declared: bool
) -> Alphabet:
    """Merge the symbols that all demands treat alike, and say what keys there are."""
    count = len(classes.names)
    keys: dict[int, str | Dfa] = {
        index: symbol.name for index, symbol in enumerate(classes.names) if symbol.name is not None
    }
    heads = _heads(count, len(classes.classes), demands, declared=declared)
    members: dict[int, list[int]] = {}
    for symbol, head in heads.items():
        members.setdefault(head, []).append(symbol)
    named = [symbol.name for symbol in classes.names if symbol.name is not None]
    gone = {symbol for symbol, head in heads.items() if symbol != head}
    imprecise = False
    for head, merged in members.items():
        symbols = (classes.classes[one - count] for one in merged if one >= count)
        parts = [symbol.language for symbol in symbols if symbol.language is not None]
        found = _keys(parts, {named[one] for one in merged if one < count}, named)
        imprecise = imprecise or found is None
        keys[head] = build.ANYTHING if found is None else found
        if keys[head] == build.EMPTY:
            gone.add(head)
    kept = tuple(_forgetting(demand, gone) for demand in demands) if gone else tuple(demands)
    return Alphabet(count, keys, tuple(dict.fromkeys(kept)), imprecise)


def _heads(
    names: int, classes: int, demands: Sequence[ObjectConstraints], *, declared: bool
) -> dict[int, int]:
    """For each class that there may be keys of, and each name that is like it, the first class."""
    served = [dict(witness) for demand in demands for witness in demand.witnesses]

    def column(symbol: int) -> _Column:
        goals = (demand.goals[symbol] for demand in demands)
        return (*goals, *(one.get(symbol) for one in served))

    first: dict[_Column, int] = {}
    heads: dict[int, int] = {}
    for symbol in range(names, names + classes):
        if any(demand.goals[symbol] is not None for demand in demands):
            heads[symbol] = first.setdefault(column(symbol), symbol)
    if first:
        special: set[int] = set()
        for demand in demands:
            special |= demand.involved
            special.update(demand.order if declared else ())
        for symbol in set(range(names)) - special:
            head = first.get(column(symbol))
            if head is not None:
                heads[symbol] = head
    return heads


def _keys(parts: list[Dfa], own: set[str], named: list[str]) -> Dfa | None:
    """The keys of some languages but the names, and the own ones; None if that is too much."""
    try:
        language = build.union(*parts, budget=_BUDGET)
        others = [name for name in named if name not in own]
        if others and language == build.ANYTHING:
            language = complement_of_names(others, _BUDGET)
        elif others:
            listed = build.words(others, budget=_BUDGET)
            language = build.difference(language, listed, budget=_BUDGET)
        missing = [name for name in own if not language.matches(name)]
        return build.union(language, build.words(missing), budget=_BUDGET) if missing else language
    except LimitError:
        return None


def _forgetting(demand: ObjectConstraints, gone: set[int]) -> ObjectConstraints:
    """A demand without some symbols."""
    goals = tuple(None if key in gone else goal for key, goal in enumerate(demand.goals))
    order = _kept(demand.order, gone)
    witnesses = tuple(
        tuple((key, goal) for key, goal in one if key not in gone) for one in demand.witnesses
    )
    return replace(demand, goals=goals, order=order, witnesses=witnesses)


def _kept(keys: Iterable[int], gone: set[int]) -> tuple[int, ...]:
    return tuple(key for key in keys if key not in gone)


def relaxations(
    demands: Sequence[ObjectConstraints], keys: int
) -> Iterator[tuple[Relaxation, Sequence[ObjectConstraints]]]:
    """Ever smaller relaxations, and what they are to be spent on; the last one always suffices."""
    for most in (keys, keys // 2):
        yield Relaxation(most), demands
    for most in (keys // 2, keys // 4):
        yield Relaxation(most, together=True), demands
    for longest in (None, 2, 0):
        yield Relaxation(0, together=True, longest=longest), demands
    yield Relaxation(0, together=True, longest=0, witnesses=0), demands
    yield Relaxation(0, together=True, longest=0, witnesses=0, counted=0), demands
    yield Relaxation(0, together=True), (hull(demands),)


def dropped(demands: Sequence[ObjectConstraints], planned: Sequence[MemberOrder]) -> Iterable[Loss]:
    """What plans do not hold of the demands that they were made for."""
    found: dict[Loss, None] = {}
    if len(planned) < len(demands):
        found["anyOf", "too many combinations of keys tell its objects apart"] = None
    for demand, plan in zip(demands, planned, strict=False):
        kept = plan.demand
        for clause in sorted(demand.clauses - kept.clauses, key=sorted):
            keyword = "required" if all(there for _, there in clause) else "dependentRequired"
            found[keyword, "it asks for too many combinations of keys"] = None
        if len(kept.witnesses) < len(demand.witnesses):
            found["not", "it asks for too many members that some key or value sets apart"] = None
        if kept.least < demand.least:
            found["minProperties", "it takes too many states to count so many keys"] = None
        elif counts_twice(plan):
            found["minProperties", "a name that comes twice counts twice"] = None
        if kept.most is None and demand.most is not None:
            found["maxProperties", "it takes too many states to count so many keys"] = None
    return found


def bounds(planned: Sequence[MemberOrder]) -> Iterable[Loss]:
    """Where plans ask for one order of keys that could come in any."""
    found: dict[Loss, None] = {}
    for plan in planned:
        chain = plan.sequence[plan.loose :]
        if len(chain) > 1:
            total = len(chain) + len(plan.tracked)
            why = (
                f"{len(chain)} of the {total} keys whose presence matters"
                " are taken in the order of the schema only"
            )
            found["required", why] = None
    return found


_MOST_BITS = 14


def object_machine(conjuncts: Sequence[ObjectConjunct], context: Context) -> Objects | None:
    """The objects that satisfy one of some conjuncts; None if there are none.

    The machine takes each of them whose keys are distinct and come in an order that the options
    take. What is not held exactly is told to the context: with `weaken` if the machine takes other
    objects as well, with `bound` if there are objects that it takes in some orders only.
    """
    conjuncts = list(dict.fromkeys(conjuncts))
    classes = key_partition(conjuncts, context)
    goals = Goals(context)
    demanding = Demanding(classes, goals)
    demands = [one for one in map(demanding.demand, conjuncts) if one is not None]
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
    before: list[MemberOrder] = []
    for relaxation, demands in relaxations(symbols.demands, options.max_required):
        planned = plans(demands, relaxation, names=symbols.names, declared=declared)
        if planned == before:
            continue
        try:
            machine = _attempt(
                planned, symbols, labels, goals, STATES if relaxation.is_one_order else most
            )
        except TooManyStatesError:
            before = planned
            continue
        for keyword, why in dropped(symbols.demands, planned):
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
    planned: Sequence[MemberOrder], symbols: Alphabet, labels: Labels, goals: Goals, most: int
) -> Objects | None:
    """The machine of some plans. Raises TooManyStatesError."""
    if len(planned) == 1 and planned[0].is_plain:
        return _plain(planned[0], labels)
    walks = [
        ObjectTransitions(number, plan, labels, goals, symbols.names)
        for number, plan in enumerate(planned)
    ]
    numbers: dict[object, int] = {}
    families = [numbers.setdefault(walk.family, len(numbers)) for walk in walks]
    subsets: Subsets[ObjectState, Label] = Subsets(
        lambda state: walks[state.plan].follow(state),
        lambda state: walks[state.plan].ends(state),
        lambda states: drop_subsumed(states, walks, families),
        most,
    )
    rows, accepting = subsets.rows(walk.start for walk in walks)
    return minimal(rows, accepting, labels.member)


def _plain(plan: MemberOrder, labels: Labels) -> Objects:
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
