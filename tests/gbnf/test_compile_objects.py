"""Machines for objects take the members that the conjuncts say, and no others."""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shares import share
from toy_goals import TOYS, Toy, literal, meaning

from pdl.automata.dfa import Dfa
from pdl.gbnf.compiling.constraints import KeyRule, Keys, ObjectConjunct, SchemaLiteral, Some
from pdl.gbnf.compiling.objects import object_machine
from pdl.gbnf.compiling.options import Options
from pdl.schema import patterns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.gbnf.compiling.machine import Objects

NAMES = ["a", "b", "c", "dd"]
OTHERS = ["bb", "x"]
PATTERNS = ["^b", "d", r"^(.)\1$", "a|x"]
UNLIKE = ["b", "^.$", "?"]

Text = tuple[tuple[str, int], ...]


def among(keys: Keys, key: str) -> bool:
    """Whether a key is one of these; what can't be told of names holds of those with `x`."""
    inside = key in keys.names or any(patterns.matches(one, key) for one in keys.patterns)
    if keys.unlike is not None:
        like = keys.unlike[0].pointer
        inside = inside or not ("x" in key if like == "?" else patterns.matches(like, key))
    return inside == keys.among


def satisfies(conjunct: ObjectConjunct, members: dict[str, int]) -> bool:
    """What the conjunct says, of an object."""
    for rule in conjunct.rules:
        for key, value in members.items():
            if among(rule.keys, key) and (
                rule.literal is None or value not in meaning((rule.literal,))
            ):
                return False
    for some in conjunct.some:
        if not any(
            among(some.keys, key) and value in meaning(some.goal) for key, value in members.items()
        ):
            return False
    for clause in conjunct.clauses:
        if not any((key in members) == there for key, there in clause):
            return False
    return (
        conjunct.least <= len(members) <= (len(members) if conjunct.most is None else conjunct.most)
    )


def in_order(conjunct: ObjectConjunct, keys: Sequence[str]) -> bool:
    """Whether the keys that the conjunct puts in order come first, and so."""
    places = [conjunct.order.index(key) if key in conjunct.order else 99 for key in keys]
    return places == sorted(places)


def declared_order(conjuncts: Sequence[ObjectConjunct], keys: Sequence[str]) -> bool:
    """Whether keys come as the conjuncts put them, one after the other, and one other at most."""
    order = list(dict.fromkeys(key for conjunct in conjuncts for key in conjunct.order))
    places = [order.index(key) if key in order else 99 for key in keys]
    return places == sorted(places) and places.count(99) < 2


def takes(machine: Objects | None, text: Text) -> bool:
    """Whether a machine takes members in their order."""
    if machine is None:
        return False
    states = {0}
    for key, value in text:
        states = {
            target
            for state in states
            for member, target in machine.edges[state]
            if value in meaning(member.goal)
            and (member.key.matches(key) if isinstance(member.key, Dfa) else member.key == key)
        }
    return bool(states & machine.accepting)


def texts(keys: Sequence[str], most: int, values: Sequence[int] = (0, 1, 2)) -> Iterator[Text]:
    """All members of different keys in all orders."""
    for size in range(most + 1):
        for order in permutations(keys, size):
            for chosen in product(values, repeat=size):
                yield tuple(zip(order, chosen, strict=True))


CLAIMS = st.sets(st.integers(0, 2), max_size=3).map(lambda values: literal(*values))
KEYS = st.builds(
    Keys,
    st.frozensets(st.sampled_from(NAMES), max_size=2),
    st.lists(st.sampled_from(PATTERNS), max_size=2, unique=True).map(tuple),
    st.none() | st.none() | st.sampled_from(UNLIKE).map(lambda one: (SchemaLiteral(one),)),
    st.booleans(),
)
RULES = st.lists(st.builds(KeyRule, KEYS, st.none() | CLAIMS | CLAIMS), max_size=3).map(tuple)
SOMES = st.lists(
    st.builds(Some, KEYS, st.just(()) | CLAIMS.map(lambda one: (one,))), max_size=2
).map(tuple)
CLAUSES = st.frozensets(
    st.frozensets(st.tuples(st.sampled_from(NAMES), st.booleans()), min_size=1, max_size=3),
    max_size=3,
)
SHAPES = st.builds(
    ObjectConjunct,
    st.lists(st.sampled_from(NAMES), max_size=4, unique=True).map(tuple),
    RULES,
    st.just(()) | SOMES,
    CLAUSES,
    st.sampled_from([0, 0, 0, 1, 2, 3]),
    st.sampled_from([None, None, None, 0, 1, 2, 3]),
)
OPTIONS = st.builds(
    Options,
    key_order=st.sampled_from(["declared", "any"]),
    max_required=st.sampled_from([8, 8, 1, 0]),
)


@settings(max_examples=share(60))
@given(st.lists(SHAPES, min_size=1, max_size=3), OPTIONS, TOYS)
def test_a_machine_takes_what_one_of_its_conjuncts_says(
    conjuncts: list[ObjectConjunct], options: Options, toy: type[Toy]
) -> None:
    context = toy(options)
    machine = object_machine(conjuncts, context)
    for text in texts([*NAMES, *OTHERS], 3, (0, 2)):
        members, keys = dict(text), [key for key, _ in text]
        valid = [conjunct for conjunct in conjuncts if satisfies(conjunct, members)]
        if options.key_order == "declared":
            wanted = any(in_order(conjunct, keys) for conjunct in valid)
        else:
            wanted = bool(valid)
        taken = takes(machine, text)
        assert taken <= bool(valid) or context.weakened, text
        if context.bounded and not declared_order(conjuncts, keys):
            continue
        assert not wanted or taken, text
        assert wanted or not taken or context.weakened, text


@settings(max_examples=share(60))
@given(st.lists(SHAPES, min_size=1, max_size=2), OPTIONS, TOYS)
def test_no_key_that_comes_twice_makes_an_object_valid(
    conjuncts: list[ObjectConjunct], options: Options, toy: type[Toy]
) -> None:
    context = toy(options)
    machine = object_machine(conjuncts, context)
    if context.weakened:
        return
    for keys in product(["a", "b", "bb", "x"], repeat=3):
        for values in product([0, 2], repeat=3):
            text = tuple(zip(keys, values, strict=True))
            if takes(machine, text):
                assert any(satisfies(conjunct, dict(text)) for conjunct in conjuncts), text


def conjunct(
    *order: str, required: Sequence[str] = (), rest: SchemaLiteral | None = None, **more: Any
) -> ObjectConjunct:
    """A conjunct of some properties, and of a literal about all others."""
    rules = [KeyRule(Keys(frozenset({name})), literal(0, 1)) for name in order]
    rules.append(KeyRule(Keys(frozenset(order), among=False), rest))
    clauses = frozenset(frozenset({(name, True)}) for name in required)
    return ObjectConjunct(order, tuple(rules), (), clauses)._replace(**more)


def written(machine: Objects | None) -> list[str]:
    """The states with their edges, one a line; `*` marks those that an object may end in."""
    assert machine is not None
    lines = []
    for state, edges in enumerate(machine.edges):
        steps = (
            f"{'others' if isinstance(member.key, Dfa) else member.key}"
            f"={''.join(map(str, sorted(meaning(member.goal))))} -> {target}"
            for member, target in edges
        )
        mark = "*" if state in machine.accepting else ""
        lines.append(f"{state}{mark}: {', '.join(steps)}")
    return lines


def test_keys_come_as_declared_and_others_behind_them() -> None:
    machine = object_machine([conjunct("b", "a", required=["a"], rest=literal(2))], Toy())
    assert written(machine) == [
        "0: b=01 -> 1, a=01 -> 2",
        "1: a=01 -> 2",
        "2*: others=2 -> 2",
    ]


def test_a_closed_object_without_required_keys_is_a_chain_of_choices() -> None:
    assert written(object_machine([conjunct("a", "b", "c")], Toy())) == [
        "0*: a=01 -> 1, b=01 -> 2, c=01 -> 3",
        "1*: b=01 -> 2, c=01 -> 3",
        "2*: c=01 -> 3",
        "3*: ",
    ]


def test_in_any_order_there_is_a_state_for_each_set_of_required_keys() -> None:
    context = Toy(Options(key_order="any"))
    machine = object_machine([conjunct("a", "b", "c", required=["a", "c"])], context)
    assert written(machine) == [
        "0: a=01 -> 1, b=01 -> 0, c=01 -> 2",
        "1: b=01 -> 1, c=01 -> 3",
        "2: a=01 -> 3, b=01 -> 2",
        "3*: b=01 -> 3",
    ]


def test_required_keys_that_are_too_many_come_in_order_among_those_in_any_order() -> None:
    names = [f"k{number}" for number in range(6)]
    context = Toy(Options(key_order="any", max_required=3))
    machine = object_machine([conjunct(*names, required=names)], context)
    told = "5 of the 6 keys whose presence matters are accepted only in the order of the schema"
    assert context.bounded == [("required", told)]
    assert takes(machine, tuple((name, 0) for name in names))
    assert takes(machine, tuple((name, 0) for name in ["k5", *names[:5]]))
    assert not takes(machine, tuple((name, 0) for name in reversed(names)))


def test_required_keys_without_an_order_come_in_any() -> None:
    open_ = ObjectConjunct(clauses=frozenset({frozenset({("a", True)}), frozenset({("b", True)})}))
    machine = object_machine([open_], Toy())
    assert takes(machine, (("b", 0), ("x", 0), ("a", 0)))
    assert not takes(machine, (("b", 0), ("x", 0)))


def test_alternatives_that_ask_for_one_key_each_are_no_more_than_one_conjunct() -> None:
    names = [f"k{number}" for number in range(12)]
    conjuncts = [conjunct(*names, required=[name]) for name in names]
    machine = object_machine(conjuncts, Toy())
    assert machine is not None
    assert len(machine.edges) == 13
    assert machine.accepting == frozenset(range(1, 13))


def test_values_tell_alternatives_apart_state_by_state() -> None:
    def tool(kind: int, args: int) -> ObjectConjunct:
        rules = (("kind", literal(kind)), ("args", literal(args)))
        return conjunct("kind", "args", required=["kind", "args"])._replace(
            rules=tuple(KeyRule(Keys(frozenset({name})), one) for name, one in rules),
        )

    assert written(object_machine([tool(0, 1), tool(1, 2), tool(2, 1)], Toy())) == [
        "0: kind=0 -> 1, kind=1 -> 2, kind=2 -> 1",
        "1: args=1 -> 3",
        "2: args=2 -> 3",
        "3*: others=012 -> 3",
    ]


def test_names_that_nothing_sets_apart_are_among_all_others() -> None:
    rules = (KeyRule(Keys(frozenset({"a"})), None), KeyRule(Keys(frozenset({"b"})), literal(0, 1)))
    one = ObjectConjunct((), (rules[1],), (), frozenset())
    other = one._replace(rules=(KeyRule(Keys(frozenset({"a"}), among=False), literal(0, 1)),))
    machine = object_machine([one._replace(rules=rules), other], Toy(Options(key_order="any")))
    assert machine is not None
    keys = {member.key for row in machine.edges for member, _ in row}
    assert sorted(key for key in keys if isinstance(key, str)) == ["a", "b"]


def test_a_pattern_that_no_automaton_can_match_is_left_to_the_checker() -> None:
    context = Toy()
    rule = KeyRule(Keys(patterns=(r"^(.)\1$",)), literal(0))
    machine = object_machine([ObjectConjunct(("bb",), (rule,))], context)
    assert takes(machine, (("bb", 0),))
    assert not takes(machine, (("bb", 1),)), "a name that is known is matched all the same"
    assert takes(machine, (("xx", 1),))
    assert context.weakened == [
        (
            "patternProperties",
            "no automaton can match this pattern: it refers back to a group (`^(.)\\1$`)",
        )
    ]


@pytest.mark.parametrize("least", [2, 3])
def test_keys_that_may_come_twice_make_a_least_count_inexact(least: int) -> None:
    context = Toy()
    object_machine([conjunct("a", required=["a"], rest=literal(0), least=least)], context)
    told = [("minProperties", "a duplicate key counts twice")]
    assert context.weakened == ([] if least == 2 else told)


@pytest.mark.parametrize("order", ["declared", "any"])
@pytest.mark.parametrize(
    "kind", ["each its own", "pairs", "long clauses", "many counted", "many witnesses"]
)
def test_what_would_take_too_many_states_is_loosened(
    kind: str, order: Literal["declared", "any"]
) -> None:
    names = [f"k{number}" for number in range(30)]
    whole = conjunct(*names, required=names[:2])
    literals = [frozenset({(names[at], False), (names[29 - at], True)}) for at in range(15)]
    conjuncts = {
        "each its own": [
            whole._replace(rules=(KeyRule(Keys(frozenset({name})), literal(0)),)) for name in names
        ],
        "pairs": [conjunct(*names, required=[names[at], names[at * 7 % 30]]) for at in range(30)],
        "long clauses": [whole._replace(clauses=frozenset(literals))],
        "many counted": [conjunct(rest=literal(0), least=2_000, most=90_000)],
        "many witnesses": [
            whole._replace(
                some=tuple(Some(Keys(frozenset({name})), (literal(0),)) for name in names)
            )
        ],
    }[kind]
    context = Toy(Options(key_order=order))
    machine = object_machine(conjuncts, context)
    assert machine is not None
    assert len(machine.edges) <= 4_000
    assert context.weakened or context.bounded
    if kind != "many counted":
        assert takes(machine, tuple((name, 0) for name in names))


@given(st.lists(SHAPES, min_size=1, max_size=3), OPTIONS)
def test_machines_are_minimal_and_come_out_the_same(
    conjuncts: list[ObjectConjunct], options: Options
) -> None:
    machine = object_machine(conjuncts, Toy(options))
    assert machine == object_machine(conjuncts, Toy(options))
    if machine is None:
        return
    blocks = [int(state in machine.accepting) for state in range(len(machine.edges))]
    for _ in machine.edges:
        rows = [
            (blocks[state], frozenset((member, blocks[target]) for member, target in edges))
            for state, edges in enumerate(machine.edges)
        ]
        numbers = {row: number for number, row in enumerate(dict.fromkeys(rows))}
        blocks = [numbers[row] for row in rows]
    assert len(set(blocks)) == len(machine.edges)
    assert all(len({member for member, _ in row}) == len(row) for row in machine.edges)
