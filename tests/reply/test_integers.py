"""Numbers that are whole, wherever the schema wants them: exact, whatever way they are written."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdl
from pdl.reply import Coercions
from pdl.reply.parsing.parsed import may_hold_whole_float
from pdl.reply.validation.json_types import as_integer

SCHEMA = pdl.Schema.parse("{ n: int, x: float, l: [int], any: any }")


def read(schema: pdl.Schema, reply: str) -> Any:
    check = pdl.check(schema, reply)
    assert check.ok, check.summary
    return check.value


@pytest.mark.parametrize("written", ["1e23", "1E+23", "100e21", "1.0e23", "1" + "0" * 23 + ".0"])
@pytest.mark.parametrize("around", ["%s", "It is %s.", '{"n": %s}', "{n: %s}", "[[1, %s]]"])
def test_an_integer_is_the_one_that_is_written(written: str, around: str) -> None:
    schema = {"{": "{ n: int }", "[": "[[int]]"}.get(around[0], "int")
    value = read(pdl.Schema.parse(schema), around % written)
    value = value["n"] if schema[0] == "{" else value[0][1] if schema[0] == "[" else value
    assert value == 10**23
    assert type(value) is int


@given(st.integers(-(10**15), 10**15), st.integers(0, 40))
def test_exponents_change_no_digit(digits: int, power: int) -> None:
    written = f"{digits}e{power}"
    exact = int(Decimal(written))
    assert read(pdl.Schema.parse("int"), written) == exact
    assert read(pdl.Schema.parse("[int]"), f"[{written}]") == [exact]
    allowed = Coercions(numbers_in_strings=True)
    check = pdl.check(pdl.Schema.parse("[int]"), f'["{written}"]', coercions=allowed)
    assert check.value == [exact]


@given(st.floats(allow_nan=False, allow_infinity=False).map(float.__trunc__).map(float))
def test_a_float_is_the_integer_that_it_is_written_as(value: float) -> None:
    assert as_integer(value) == int(Decimal(repr(value)))


def test_only_places_of_integers_have_them() -> None:
    reply = '{"n": 2.0, "x": 2.0, "l": [3.0, 4], "any": [5.0, 1e23]}'
    value = read(SCHEMA, reply)
    assert json.dumps(value) == '{"n": 2, "x": 2.0, "l": [3, 4], "any": [5.0, 1e+23]}'
    assert json.dumps(read(SCHEMA, f"So it is {reply}")) == json.dumps(value)


def test_a_bound_is_held_against_the_number_that_is_written() -> None:
    """The nearest float of 1e23 is less than it."""
    schema = pdl.Schema.from_json_schema(
        {"type": "array", "items": {"type": "integer", "maximum": 10**23 - 1}}
    )
    for reply in ("[1e23]", "So: [1e23]"):
        assert pdl.check(schema, reply).reason == "wrong-schema"


@pytest.mark.parametrize(
    ("dsl", "written"),
    [
        ("{ [str]: int }", '{"a": 7.0}'),
        ("[int, str]", '[7.0, "x"]'),
        ("{ a: A } A = int | str", '{"a": 7.0}'),
        ("[[int] | { a: int }]", '[[7.0], {"a": 7.0}]'),
    ],
)
def test_places_are_found_through_names_unions_and_maps(dsl: str, written: str) -> None:
    assert json.dumps(read(pdl.Schema.parse(dsl), written)) == written.replace("7.0", "7")


@pytest.mark.parametrize("dsl", ["{ a: int | float }", "{ a: 7 | 8 }", "{ a: any }"])
def test_a_place_of_other_numbers_keeps_its_floats(dsl: str) -> None:
    assert json.dumps(read(pdl.Schema.parse(dsl), '{"a": 7.0}')) == '{"a": 7.0}'


@given(st.lists(st.from_regex(r"-?[1-9][0-9]?(\.[05]{1,4})?([eE][+-]?[0-9])?", fullmatch=True)))
def test_no_whole_float_is_overlooked(written: list[str]) -> None:
    body = f"[{', '.join(written)}]"
    whole = any(isinstance(one, float) and one.is_integer() for one in json.loads(body))
    assert may_hold_whole_float(body) or not whole
