"""Machines for arrays take the items that the conjuncts say, and no others."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shares import share
from toy_goals import TOYS, Toy, literal, meaning

from pdl.gbnf.compiling.arrays import array_machine
from pdl.gbnf.compiling.constraints import ArrayConjunct, Contains, ItemRule
from pdl.gbnf.compiling.machine import Machine, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.gbnf.compiling.constraints import Conjunction, SchemaLiteral
    from pdl.gbnf.compiling.machine import Arrays

LONGEST = 5


def satisfies(conjunct: ArrayConjunct, items: Sequence[int]) -> bool:
    """What the conjunct says, of an array."""
    for rule in conjunct.rules:
        for item in items[rule.start : rule.stop]:
            if rule.literal is None or item not in meaning((rule.literal,)):
                return False
    for one in conjunct.contains:
        count = sum(item in meaning((one.literal,)) for item in items[one.start :])
        if count < one.least or (one.most is not None and count > one.most):
            return False
    if conjunct.unique and len(set(items)) < len(items):
        return False
    return conjunct.least <= len(items) and (conjunct.most is None or len(items) <= conjunct.most)


def takes(machine: Arrays | None, items: Sequence[int]) -> bool:
    """Whether a machine or a run takes some items."""
    if machine is None:
        return False
    if isinstance(machine, Run):
        return runs(machine, items)
    states = {0}
    for item in items:
        states = {
            target
            for state in states
            for goal, target in machine.edges[state]
            if item in meaning(goal)
        }
    return bool(states & machine.accepting)


def runs(run: Run, items: Sequence[int]) -> bool:
    if len(items) < run.least or (run.most is not None and len(items) > run.most):
        return False
    goals: list[Conjunction | None] = [*run.prefix]
    goals += [run.item] * len(items)
    return all(
        goal is not None and item in meaning(goal) for goal, item in zip(goals, items, strict=False)
    )


CLAIMS = st.sets(st.integers(0, 2), max_size=3).map(lambda values: literal(*values))
RULES = st.lists(
    st.builds(
        ItemRule,
        st.integers(0, 3),
        st.none() | st.integers(0, 4),
        st.none() | CLAIMS | CLAIMS | CLAIMS,
    ),
    max_size=3,
).map(tuple)
CONTAINS = st.lists(
    st.builds(
        Contains,
        CLAIMS,
        st.integers(0, 2),
        st.none() | st.none() | st.integers(0, 3),
        st.sampled_from([0, 0, 1, 2]),
    ),
    max_size=3,
).map(tuple)
SHAPES = st.builds(
    ArrayConjunct,
    RULES,
    st.just(()) | CONTAINS,
    st.sampled_from([0, 0, 1, 2, 4]),
    st.sampled_from([None, None, 0, 1, 3, 4]),
    st.sampled_from([False, False, True]),
    repeated=st.just(value=False),
)


@settings(max_examples=share(80))
@given(st.lists(SHAPES, min_size=1, max_size=3), TOYS)
def test_a_machine_takes_what_one_of_its_conjuncts_says(
    conjuncts: list[ArrayConjunct], toy: type[Toy]
) -> None:
    context = toy()
    machine = array_machine(conjuncts, context)
    for size in range(LONGEST + 1):
        for items in product(range(3), repeat=size):
            wanted = any(satisfies(conjunct, items) for conjunct in conjuncts)
            taken = takes(machine, items)
            assert taken or not wanted, items
            assert wanted or not taken or context.weakened, items


def all_items(one: SchemaLiteral, **more: Any) -> ArrayConjunct:
    """A conjunct whose items all satisfy a literal."""
    return ArrayConjunct((ItemRule(0, None, one),), **more)


def test_an_array_of_any_length_is_a_run() -> None:
    conjunct = all_items(literal(0), least=50_000, most=100_000)
    assert array_machine([conjunct], Toy()) == Run((), (literal(0),), 50_000, 100_000)


def test_first_items_have_goals_of_their_own() -> None:
    rules = (ItemRule(0, 1, literal(0)), ItemRule(1, 2, literal(1)), ItemRule(2, None, None))
    assert array_machine([ArrayConjunct(rules)], Toy()) == Run(
        ((literal(0),), (literal(1),)), None, 0, 2
    )


def test_what_no_value_satisfies_ends_an_array() -> None:
    rules = (ItemRule(0, None, literal(0, 1)), ItemRule(2, None, literal(2)))
    assert array_machine([ArrayConjunct(rules)], Toy()) == Run(((literal(0, 1),),) * 2, None, 0, 2)
    assert array_machine([ArrayConjunct(rules, least=3)], Toy()) is None


def test_runs_of_neighbouring_lengths_are_one() -> None:
    bounds = [(4, 6), (0, 1), (2, 3), (6, None)]
    conjuncts = [all_items(literal(0), least=least, most=most) for least, most in bounds]
    assert array_machine(conjuncts, Toy()) == Run((), (literal(0),), 0, None)


def test_one_item_that_is_asked_for_takes_two_states() -> None:
    machine = array_machine([all_items(literal(0, 1), contains=(Contains(literal(1)),))], Toy())
    assert isinstance(machine, Machine)
    meant = [[(set(meaning(goal)), to) for goal, to in row] for row in machine.edges]
    assert meant == [[({1}, 1), ({0, 1}, 0)], [({0, 1}, 1)]]


def test_few_values_are_each_taken_once() -> None:
    context = Toy()
    machine = array_machine([all_items(literal(0, 1), unique=True)], context)
    taken = [items for size in range(4) for items in product(range(3), repeat=size)]
    assert [one for one in taken if takes(machine, one)] == [(), (0,), (1,), (0, 1), (1, 0)]
    assert not context.weakened


@pytest.mark.parametrize(
    ("conjuncts", "told"),
    [
        ([ArrayConjunct(unique=True)], ["uniqueItems"]),
        ([all_items(literal(0), most=9_000), all_items(literal(1))], ["maxItems"]),
        ([all_items(literal(0), least=9_000), all_items(literal(1))], ["minItems"]),
        (
            [
                ArrayConjunct(contains=(Contains(literal(0), 90), Contains(literal(1), 90))),
            ],
            ["contains"],
        ),
        (
            [
                ArrayConjunct(
                    tuple(ItemRule(at, at + 1, literal(at % 2, 2)) for at in range(5_000))
                ),
                all_items(literal(1, 2)),
            ],
            ["anyOf"],
        ),
    ],
)
def test_what_would_take_too_many_states_is_loosened(
    conjuncts: list[ArrayConjunct], told: list[str]
) -> None:
    context = Toy()
    machine = array_machine(conjuncts, context)
    assert [keyword for keyword, _ in context.weakened] == told
    for size in (0, 1, 2, 5):
        for items in product(range(3), repeat=size):
            assert takes(machine, items) or not any(satisfies(one, items) for one in conjuncts)
