"""What holds for every change of every value."""

from __future__ import annotations

import copy
import json
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest
from drawn import VALUES, documents
from effort import effort
from hypothesis import given
from hypothesis import strategies as st

import pdl
from pdl.limits import DEFAULT_LIMITS
from pdl.reply import Coercions, violations
from pdl.reply.coercing import coerce
from pdl.reply.coercions import NO_COERCIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl._types import Json, JsonPath

NAMES = [field.name for field in fields(Coercions)]
ALLOWED = st.sets(st.sampled_from(NAMES)).map(lambda names: Coercions(**dict.fromkeys(names, True)))
ALL = Coercions(**dict.fromkeys(NAMES, True))


@given(documents(), VALUES, ALLOWED)
def test_what_comes_out_fits_or_is_as_it_came(
    schema: pdl.Schema, value: Json, allowed: Coercions
) -> None:
    before = copy.deepcopy(value)
    made, repairs = coerce(schema.document, value, allowed, DEFAULT_LIMITS)
    assert value == before
    assert all(getattr(allowed, repair.kind) for repair in repairs)
    if repairs:
        assert violations(schema, value)
        assert not violations(schema, made)
    else:
        assert made is value


@given(documents(), VALUES)
def test_what_fits_is_never_changed(schema: pdl.Schema, value: Json) -> None:
    made, repairs = coerce(schema.document, value, ALL, DEFAULT_LIMITS)
    if not violations(schema, value):
        assert made is value
        assert not repairs
    assert coerce(schema.document, made, ALL, DEFAULT_LIMITS) == (made, ())


@given(documents(), VALUES)
def test_nothing_changes_unless_it_is_allowed(schema: pdl.Schema, value: Json) -> None:
    assert coerce(schema.document, value, NO_COERCIONS, DEFAULT_LIMITS) == (value, ())


@given(documents(), VALUES, ALLOWED)
def test_each_repair_names_a_part_of_what_came(
    schema: pdl.Schema, value: Json, allowed: Coercions
) -> None:
    _, repairs = coerce(schema.document, value, allowed, DEFAULT_LIMITS)
    for repair in repairs:
        reach(value, repair.path)
        assert max(len(repair.before), len(repair.after)) <= 40
        assert repair.span == (0, 0)


def reach(value: Json, path: JsonPath) -> Json:
    """The part at a path, which may lead into JSON inside a string."""
    for step in path:
        inside = json.loads(value) if isinstance(value, str) else value
        value = inside[step]
    return value


@given(documents(), VALUES, ALLOWED, ALLOWED)
def test_more_permission_never_gives_another_answer(
    schema: pdl.Schema, value: Json, some: Coercions, others: Coercions
) -> None:
    """It may make a value fit, or show that there are two ways; it does not change the value."""
    names = [name for name in NAMES if getattr(some, name) or getattr(others, name)]
    both = Coercions(**dict.fromkeys(names, True))
    first, repairs = coerce(schema.document, value, some, DEFAULT_LIMITS)
    second, more = coerce(schema.document, value, both, DEFAULT_LIMITS)
    if repairs and more:
        assert first == second


TREE = {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#"}}]}
WIDE = {"items": {"enum": [f"Name{number}" for number in range(300)]}}


def nested(depth: int, leaf: Json) -> Json:
    for _ in range(depth):
        leaf = {"next": leaf}
    return leaf


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ("[int]", lambda n: ["5"] * n),
        ("[int]", lambda n: ["x"] * n),
        ("[int]", lambda n: json.dumps(["5"] * n)),
        ("[[int]]", lambda n: ["[5]"] * n),
        ("[str]", lambda n: "x " * n),
        ("{ a: int }", lambda n: {"a": "1" + ",000" * n}),
        ("[{ user_name: str, age?: int }]", lambda n: [{"userName": "x", "age": None}] * n),
        ("{ v: T } T = { next?: T, v?: [int] }", lambda n: {"v": nested(90, {"v": ["5"] * n})}),
        ("{ [str]: int }", lambda n: {f"k{number}": "5" for number in range(n)}),
        (TREE, lambda n: ["5", ["6"] * n]),
        (WIDE, lambda n: [f"NAME{number % 300}" for number in range(n)]),
    ],
)
def test_time_grows_with_the_value(
    schema: str | dict[str, Json], value: Callable[[int], Json]
) -> None:
    made = pdl.Schema.parse(schema) if isinstance(schema, str) else None
    document = made.document if made else pdl.Schema.from_json_schema(schema).document
    coerce(document, value(2), ALL, DEFAULT_LIMITS)
    small, large = (effort(coerce, document, value(n), ALL, DEFAULT_LIMITS) for n in (600, 1_200))
    assert large <= 2.2 * small
