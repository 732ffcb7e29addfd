"""Replies as instances of Python types: conversions, validators, rules."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import functools
import ipaddress
import json
import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import KW_ONLY, InitVar, dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Self,
    TypedDict,
    TypeVar,
)
from uuid import UUID

import annotated_types
import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdl
from pdl.reply.instances import convert, duration

T = TypeVar("T")
UserId = NewType("UserId", int)


class Colour(enum.Enum):
    RED = "red"
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Planet(enum.Enum):
    """Members whose constructor takes something other than the value."""

    EARTH = 1

    def __new__(cls, number: int) -> Self:
        made = object.__new__(cls)
        made._value_ = number * 100
        return made


class Row(TypedDict):
    day: dt.date
    note: NotRequired[str]


class Pair(NamedTuple):
    a: int
    when: dt.date = dt.date(2024, 1, 1)


@dataclass
class Chain:
    next: Annotated[Chain | None, pdl.Rule(lambda _: True)] = None


@dataclass
class Node:
    day: dt.date
    kids: list[Node] = field(default_factory=list)
    colour: Colour | None = None
    _: KW_ONLY
    seen: bool = False


@dataclass(frozen=True, slots=True)
class Box(Generic[T]):
    inside: T
    more: dict[str, T] = field(default_factory=dict)


@dataclass
class Doubled:
    number: int
    factor: InitVar[int] = 2
    product: int = field(init=False)

    def __post_init__(self, factor: int) -> None:
        self.product = self.number * factor


@attrs.define
class Attrs:
    day: dt.date
    _hidden: int = attrs.field(default=3, validator=attrs.validators.le(10))


@attrs.define
class Listed:
    one: int = attrs.field(validator=attrs.validators.in_([1, 2]))


class Struct(msgspec.Struct, rename="camel", tag="struct", kw_only=True):
    first_day: dt.date
    inner_pair: Pair | None = None


class Other(msgspec.Struct, tag="other"):
    day: str


class Line(pydantic.BaseModel):
    text: str
    quantity: int = pydantic.Field(default=2, alias="qty")

    @pydantic.field_validator("quantity")
    @classmethod
    def _is_even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("quantity must be even")
        return value


class Large(pydantic.BaseModel):
    whole: int


@dataclass
class First:
    a: int
    b: str = ""


@dataclass
class Second:
    a: int
    c: str = ""


class Strict(pydantic.BaseModel, strict=True):
    number: int
    day: dt.date


class Invoice(pydantic.BaseModel):
    issued: dt.date
    lines: list[Line] = []
    node: Node | None = None

    @pydantic.model_validator(mode="after")
    def _is_recent(self) -> Invoice:
        assert self.issued.year > 2000, "the invoice is too old"
        return self


DAY = dt.date(2024, 2, 29)
CASES: list[tuple[Any, str, Any]] = [
    (int, "3", 3),
    (float, "3", 3.0),
    (bool, "true", True),
    (type(None), "null", None),
    (int | None, "null", None),
    (UserId, "7", 7),
    (dt.date, '"2024-02-29"', DAY),
    (dt.datetime, '"2024-02-29T10:00:00Z"', dt.datetime(2024, 2, 29, 10, tzinfo=dt.UTC)),
    (dt.datetime, '"2024-02-29T10:00:00"', dt.datetime(2024, 2, 29, 10)),  # noqa: DTZ001 - a local one
    (dt.time, '"10:30:00"', dt.time(10, 30)),
    (dt.timedelta, '"P1DT2H"', dt.timedelta(days=1, hours=2)),
    (Decimal, "19.90", Decimal("19.90")),
    (list[float | int], "[5, 5.0, 5.5]", [5.0, 5.0, 5.5]),
    (list[int | float], "[5, 5.0, 5.5]", [5, 5, 5.5]),
    (list[Annotated[str, "a note"] | dt.date], '["2024-02-29", "a"]', [DAY, "a"]),
    (list[Path | Colour], '["red", "a"]', [Colour.RED, Path("a")]),
    (list[First | Second], '[{"a": 1}]', [First(1)]),
    (list[Second | First], '[{"a": 1}]', [Second(1)]),
    (Decimal, "7", Decimal(7)),
    (UUID, '"12345678-1234-5678-1234-567812345678"', UUID("12345678123456781234567812345678")),
    (list[Path], '["a/b"]', [Path("a/b")]),
    (ipaddress.IPv4Address, '"127.0.0.1"', ipaddress.IPv4Address("127.0.0.1")),
    (Colour, '"red"', Colour.RED),
    (Colour, "2", Colour.BLUE),
    (Level, "2", Level.HIGH),
    (Planet, "100", Planet.EARTH),
    (Literal["a", 1], "1", 1),
    (Literal[Colour.RED], '"red"', Colour.RED),
    (list[dt.date], '["2024-02-29"]', [DAY]),
    (Sequence[int], "[1]", [1]),
    (tuple[int, dt.date], '[1, "2024-02-29"]', (1, DAY)),
    (tuple[dt.date, ...], '["2024-02-29"]', (DAY,)),
    (set[dt.date], '["2024-02-29"]', {DAY}),
    (AbstractSet[int], "[1]", frozenset({1})),
    (collections.deque[int], "[1]", collections.deque([1])),
    (dict[str, dt.date], '{"a": "2024-02-29"}', {"a": DAY}),
    (Mapping[dt.date, int], '{"2024-02-29": 1}', {DAY: 1}),
    (dict[str, Any], '{"a": {"b": 1.5}}', {"a": {"b": 1.5}}),
    (dt.date | str, '"2024-02-29"', DAY),
    (str | dt.date, '"2024-02-29"', DAY),
    (str | dt.date, '"today"', "today"),
    (list[int] | int, "[1]", [1]),
    (Row, '{"day": "2024-02-29"}', {"day": DAY}),
    (Pair, '{"a": 1}', Pair(1)),
    (Pair, '{"a": 1, "when": "2024-02-29"}', Pair(1, DAY)),
    (Node, '{"day": "2024-02-29", "kids": [{"day": "2024-02-29", "colour": 2}], "seen": true}',
     Node(DAY, [Node(DAY, colour=Colour.BLUE)], seen=True)),
    (Box[dt.date], '{"inside": "2024-02-29", "more": {"a": "2024-02-29"}}', Box(DAY, {"a": DAY})),
    (Box[Box[int]], '{"inside": {"inside": 1}}', Box(Box(1))),
    (Attrs, '{"day": "2024-02-29", "hidden": 4}', Attrs(DAY, 4)),
    (Struct, '{"type": "struct", "firstDay": "2024-02-29", "innerPair": {"a": 1}}',
     Struct(first_day=DAY, inner_pair=Pair(1))),
    (Struct | Other, '{"type": "other", "day": "x"}', Other("x")),
    (Line, '{"text": "a", "qty": 4}', Line(text="a", qty=4)),
    (Invoice, '{"issued": "2024-02-29", "lines": [{"text": "a"}], "node": {"day": "2024-02-29"}}',
     Invoice(issued=DAY, lines=[Line(text="a")], node=Node(DAY))),
    (list[Line], '[{"text": "a"}]', [Line(text="a")]),
    (Box[Line], '{"inside": {"text": "a"}}', Box(Line(text="a"))),
    (Strict, '{"number": 3.0, "day": "2024-02-29"}', Strict(number=3, day=DAY)),
    (Annotated[int, pydantic.AfterValidator(lambda one: one + 1)], "3", 4),
    (pydantic.AnyUrl, '"https://example.org"',
     pydantic.AnyUrl("https://example.org")),
]  # fmt: skip


@pytest.mark.parametrize(("form", "reply", "value"), CASES)
def test_instances(form: Any, reply: str, value: Any) -> None:
    check = pdl.check(form, reply)
    assert check.ok, check.feedback
    assert (check.value, type(check.value)) == (value, type(value))
    assert check.data == json.loads(reply)
    assert pdl.extract(pdl.Schema.from_type(form), reply) == value
    if reply[0] in "[{":
        assert pdl.extract(form, f"Here it is:\n```json\n{reply}\n```") == value
        assert pdl.extract(form, reply.replace('"', "'")) == value


def test_free_text_is_the_reply() -> None:
    assert pdl.extract(str, " a ") == "a"
    assert pdl.extract(Path, "a/b") == Path("a/b")


REFUSED: list[tuple[Any, str, str]] = [
    (dt.timedelta, '"P1Y"', "$: is not a valid duration: 'P1Y' has years or months"),
    (list[dt.date], '["0000-01-01"]', "$[0]: is not a valid date: "),
    (Line, '{"text": "a", "qty": 3}', "$.qty: is not accepted: quantity must be even"),
    (Invoice, '{"issued": "1999-01-01"}', "$: is not accepted: the invoice is too old"),
    (
        Invoice,
        '{"issued": "2024-01-01", "lines": [{"text": "a"}, {"text": "a", "qty": 1}]}',
        "$.lines[1].qty: is not accepted: quantity must be even",
    ),
    (Box[Line], '{"inside": {"text": "a", "qty": 3}}', "$.inside.qty: is not accepted: quantity"),
    (Attrs, '{"day": "2024-02-29", "hidden": 11}', "$: is not accepted: '_hidden' must be <= 10"),
    (Listed, '{"one": 3}', "$: is not accepted: 'one' must be in [1, 2] (got 3)"),
    (
        dict[str, Annotated[Decimal, pydantic.Field(max_digits=4)]],
        '{"a": 12345}',
        "$.a: must have at most 4 digits",
    ),
    (
        list[Annotated[int, annotated_types.Predicate(lambda one: one % 2 == 0)]],
        "[2, 3]",
        "$[1]: ",
    ),
    (
        list[Annotated[dt.date, annotated_types.Ge(DAY)]],
        '["2024-02-28"]',
        "$[0]: must be at least 2024-02-29",
    ),
    (list[float], "[9007199254740993]", "$[0]: is not a valid float: a number with a fraction"),
    (
        set[dt.datetime],
        '["2024-01-01T10:00:00Z", "2024-01-01T11:00:00+01:00"]',
        "$[1]: equals `$[0]`, but all items must be different",
    ),
    (
        dict[dt.datetime, int],
        '{"2024-01-01T10:00:00Z": 1, "2024-01-01T11:00:00+01:00": 2}',
        "$: is not accepted: two of its keys mean the same",
    ),
]


@pytest.mark.parametrize(("form", "reply", "told"), REFUSED)
def test_what_a_type_refuses(form: Any, reply: str, told: str) -> None:
    check = pdl.check(form, reply)
    assert (check.ok, check.reason, check.value, check.data) == (False, "wrong-schema", None, None)
    assert [str(one)[: len(told)] for one in check.errors] == [told]
    assert check.feedback
    assert check.span in {(0, len(reply)), (1, len(reply) - 1)}
    assert {one.span for one in check.errors} == {check.span} or check.errors[0].path


def test_errors_have_the_spans_of_their_parts() -> None:
    reply = 'Here: [{"text": "a", "qty": 2}, {"text": "b", "qty": 3}]'
    [error] = pdl.check(list[Line], reply).errors
    assert error.span is not None
    assert (reply[slice(*error.span)], error.path) == ("3", (1, "qty"))
    wrong = pdl.check(list[Line], reply[:-3] + "4}]", validate=lambda _: pdl.Violation(1, "is odd"))
    assert [reply[slice(*one.span or ())] for one in wrong.errors] == ['{"text": "b", "qty": 3}']


def test_all_that_is_wrong_is_told_at_once() -> None:
    lines = [{"text": "a", "qty": 1}, {"text": "a", "qty": 3}]
    check = pdl.check(list[Line], json.dumps(lines))
    assert check.feedback == (
        "`$[0].qty` is not accepted: quantity must be even.\n"
        "`$[1].qty` is not accepted: quantity must be even.\n"
        "Correct the errors and return your whole output again."
    )
    assert [one.path for one in check.errors] == [(0, "qty"), (1, "qty")]


# Rules


def is_even(number: int) -> bool:
    return number % 2 == 0


def is_short(text: str) -> None:
    if len(text) > 3:
        raise ValueError(f"{text} has {len(text)} characters, which are too many")


def has_sum(one: Sale) -> Iterator[pdl.Violation]:
    if one.total != sum(one.items):
        yield pdl.Violation("total", "must be the sum of the items")
    for number, item in enumerate(one.items):
        if item < 0:
            yield pdl.Violation(("items", number), "is negative")


Even = Annotated[int, pdl.Rule(is_even, "must be even")]
Short = Annotated[str, pdl.Rule(is_short)]


@dataclass
class Sale:
    items: list[int]
    total: Even
    name: Short = ""


class Model(pydantic.BaseModel):
    number: Even
    names: list[Short] = []
    sale: Annotated[Sale, pdl.Rule(has_sum)] | None = None


RULED: list[tuple[Any, str, list[str]]] = [
    (Sale, '{"items": [1], "total": 2}', []),
    (Sale, '{"items": [1], "total": 3}', ["$.total: must be even"]),
    (
        Sale,
        '{"items": [], "total": 3, "name": "abcd"}',
        [
            "$.total: must be even",
            "$.name: is not accepted: abcd has 4 characters, which are too many",
        ],
    ),
    (
        Annotated[Sale, pdl.Rule(has_sum)],
        '{"items": [-1], "total": 2}',
        ["$.total: must be the sum of the items", "$.items[0]: is negative"],
    ),
    (Model, '{"number": 3}', ["$.number: must be even"]),
    (
        Model,
        '{"number": 2, "names": ["a", "abcd"], "sale": {"items": [-1], "total": 2}}',
        [
            "$.names[1]: is not accepted: abcd has 4 characters, which are too many",
            "$.sale.total: must be the sum of the items",
            "$.sale.items[0]: is negative",
        ],
    ),
    (dict[str, Even], '{"a": 1, "b": 2}', ["$.a: must be even"]),
    (Even | None, "null", []),
    (Even | str, "3", ["$: must be even"]),
    (Annotated[int, pdl.Rule(is_even)], "3", ["$: must pass `is_even`"]),
]


@pytest.mark.parametrize(("form", "reply", "told"), RULED)
def test_rules(form: Any, reply: str, told: list[str]) -> None:
    assert list(map(str, pdl.check(form, reply).errors)) == told


def test_a_model_knows_the_words_of_a_rule_beforehand() -> None:
    for form in (Sale, Model):
        assert "must be even" in pdl.Schema.from_type(form).describe()


def test_a_rule_that_fails_otherwise_is_an_error_of_the_program() -> None:
    def broken(value: int) -> None:
        raise KeyError(value)

    def endless(value: int) -> None:
        endless(value)

    for rule, error in ((broken, KeyError), (endless, RecursionError)):
        for form in (Annotated[int, pdl.Rule(rule)], int):
            with pytest.raises(error):
                pdl.check(form, "3", validate=rule)


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (None, []),
        (True, []),
        ([], []),
        (False, ["$: is not accepted: it breaks a rule"]),
        (pdl.Violation((), "must be less"), ["$: must be less"]),
        ([pdl.Violation("a", "is odd")], ["$.a: is odd"]),
        ([pdl.Violation(["a", 1], "Odd.")], ["$.a[1]: is not accepted: Odd"]),
    ],
)
def test_validate(result: Any, told: list[str]) -> None:
    schema = pdl.Schema.parse("{ a: [int] }")
    reply = '{"a": [1, 2]}'
    check = pdl.check(schema, reply, validate=lambda _: result)
    assert list(map(str, check.errors)) == told
    assert check.ok == (not told)
    rendered = pdl.Rendered((pdl.Message("user", "x"),), schema)
    assert rendered.check(reply, validate=lambda _: result) == check
    both = rendered.check(reply, validate=lambda _, one: result if one is rendered else None)
    assert both == check
    if told:
        with pytest.raises(pdl.OutputError):
            pdl.extract(schema, reply, validate=lambda _: result)


def test_errors_of_pydantic_have_paths_wherever_they_are_raised() -> None:
    def as_lines(value: Any) -> None:
        pydantic.TypeAdapter(list[Line]).validate_python(value["a"])

    check = pdl.check(dict[str, Any], '{"a": [{"text": "a", "qty": 1}]}', validate=as_lines)
    assert list(map(str, check.errors)) == ["$[0].qty: is not accepted: quantity must be even"]


def test_validate_gets_the_instance_and_runs_only_for_one() -> None:
    seen: list[Any] = []
    assert pdl.check(Sale, '{"items": [], "total": 2}', validate=seen.append)
    assert seen == [Sale([], 2)]
    assert not pdl.check(Sale, '{"items": [], "total": 3}', validate=seen.append)
    assert len(seen) == 1


async def later(value: Any) -> None:
    """An async rule."""


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (3, "must be a function or None, not int"),
        (lambda: None, "must take the value, and may take the rendered prompt"),
        (lambda _one, _two: None, "must take one argument"),
        (later, "must not be async"),
    ],
)
def test_what_is_no_rule(rule: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        pdl.check(int, "3", validate=rule)


@pytest.mark.parametrize("result", ["no", 3, ["no"]])
def test_what_a_rule_may_not_return(result: Any) -> None:
    with pytest.raises(TypeError, match="a rule must"):
        pdl.check(int, "3", validate=lambda _: result)


def test_what_is_no_rule_of_a_type() -> None:
    wrong: list[tuple[Any, Any]] = [(3, ""), (later, ""), (is_even, 3)]
    for rule, words in wrong:
        with pytest.raises(TypeError, match="a rule must"):
            pdl.Rule(rule, words)
    assert pickle.loads(pickle.dumps(pdl.Rule(is_even, "x"))) == pdl.Rule(is_even, "x")  # noqa: S301
    assert repr(pdl.Rule(is_even, "x")) == "Rule(is_even, 'x')"
    assert pdl.Rule(is_even) != pdl.Rule(is_even, "x")


def test_long_words_of_a_rule_are_shortened_not_dropped() -> None:
    def lengthy(value: int) -> None:
        raise ValueError(f"{value} is " + "very " * 1000 + "\ud800\nwrong")

    check = pdl.check(int, "3", validate=lengthy)
    assert 400 < len(check.errors[0].message) < 600
    assert check.errors[0].message.startswith("is not accepted: 3 is very very")
    check.feedback.encode()


def test_violations_take_a_lone_key() -> None:
    assert pdl.Violation("a", "is odd") == pdl.Violation(("a",), "is odd")
    wrong: list[tuple[Any, Any]] = [(("a", None), "x"), ("a", None)]
    for path, message in wrong:
        with pytest.raises(TypeError):
            pdl.Violation(path, message)


# Digits


@given(st.integers(1, 10**30), st.integers(1, 30))
def test_a_decimal_has_all_its_digits(number: int, places: int) -> None:
    text = str(Decimal(number).scaleb(-places, decimal.Context(100)))
    reply = f'{{"a": {text}}}' if "E" not in text else '{"a": 1}'
    check = pdl.check(dict[str, Decimal], reply)
    if check.ok:  # a number of too many digits is refused
        assert check.value == {"a": Decimal(reply[6:-1])}
        repaired = pdl.check(dict[str, Decimal], f"{reply[:-1]},}}")
        assert repaired.value == check.value


@pytest.mark.parametrize(
    ("reply", "digits"),
    [
        ('{"note": "0.10000000000000000555", "price": .1}', "0.1"),
        ('{"note": "about 0.10000000000000000001", "price": 0.1}', "0.1"),
        ('{"note": "a \\" 0.10000000000000000001", "price": 1.10}', "1.10"),
        ('{"note": "", "price": 100.00}', "100.00"),
        ("{'note': 'an \"', 'price': 0.10000000000000000001}", "0.10000000000000000001"),
    ],
)
def test_a_decimal_has_its_own_digits(reply: str, digits: str) -> None:
    class Priced(NamedTuple):
        note: str
        price: Decimal

    assert str(pdl.extract(Priced, reply).price) == digits


@pytest.mark.parametrize(("number", "whole"), [("9007199254740993.0", 2**53 + 1), ("1e40", 10**40)])
def test_integers_that_look_like_floats_are_exact(number: str, whole: int) -> None:
    check = pdl.check(Large, f'{{"whole": {number}}}')
    assert (check.value, check.data) == (Large(whole=whole), {"whole": whole})


def test_equal_unions_have_their_own_order() -> None:
    for form, value in ((First | Second, First(1)), (Second | First, Second(1))):
        assert pdl.extract(form, '{"a": 1}') == value


def test_maps_with_defaults_have_a_factory() -> None:
    found = pdl.extract(collections.defaultdict[str, list[int]], '{"a": [1]}')
    assert (found["a"], found["b"]) == ([1], [])


def test_what_a_generator_yields_before_it_raises_is_told() -> None:
    def both(value: int) -> Iterator[pdl.Violation]:
        yield pdl.Violation((), "must be even")
        raise ValueError(f"{value} is wrong")

    told = [str(one) for one in pdl.check(int, "3", validate=both).errors]
    assert told == ["$: must be even", "$: is not accepted: 3 is wrong"]


def test_two_numbers_with_one_float_are_not_confused() -> None:
    one, two = "0.10000000000000000001", "0.10000000000000000002"
    check = pdl.check(list[Decimal], f"[{one}, {two}]")
    assert not check.ok
    assert "another number is too similar" in check.feedback


# Laws

SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(-(10**9), 10**9),
    bool: st.booleans(),
    dt.date: st.dates(),
    dt.time: st.times().map(lambda one: one.replace(microsecond=0)),
    UUID: st.uuids(),
    Colour: st.sampled_from(Colour),
    type(None): st.none(),
    Pair: st.builds(Pair, st.integers(-9, 9), st.dates()),
    Attrs: st.builds(Attrs, st.dates(), st.integers(0, 10)),
    Line: st.builds(Line, text=st.text("abc"), qty=st.integers(0, 9).map(lambda one: 2 * one)),
}
"""Types, and their values."""
Typed = tuple[Any, st.SearchStrategy[Any]]


KINDS: list[Any] = [list, dict, tuple, Box]
LIST, DICT, TUPLE, BOX = KINDS  # as values, not as annotations


def _within(parts: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    keys = st.text("abc")
    lists = parts.map(lambda one: (LIST[one[0]], st.lists(one[1], max_size=3)))
    maps = parts.map(lambda one: (DICT[str, one[0]], st.dictionaries(keys, one[1], max_size=3)))
    boxes = parts.map(lambda one: (BOX[one[0]], st.builds(Box, one[1])))
    tuples = st.tuples(parts, parts).map(
        lambda two: (TUPLE[two[0][0], two[1][0]], st.tuples(two[0][1], two[1][1]))
    )
    return lists | maps | boxes | tuples


TYPES: st.SearchStrategy[Typed] = st.recursive(
    st.sampled_from(list(SCALARS.items())), _within, max_leaves=4
)


def encoded(value: Any) -> Any:
    """The JSON of a value of these types."""
    if isinstance(value, list | tuple) and not isinstance(value, Pair):
        return [encoded(one) for one in value]
    if isinstance(value, dict):
        return {key: encoded(one) for key, one in value.items()}
    write = next((write for kind, write in WRITTEN.items() if isinstance(value, kind)), None)
    return value if write is None else write(value)


WRITTEN: dict[Any, Any] = {
    Pair: lambda one: {"a": one.a, "when": one.when.isoformat()},
    Attrs: lambda one: {"day": one.day.isoformat(), "hidden": one._hidden},  # noqa: SLF001 - of its own file
    Line: lambda one: one.model_dump(by_alias=True),
    Box: lambda one: {"inside": encoded(one.inside), "more": {}},
    enum.Enum: lambda one: one.value,
    (dt.date, dt.time): lambda one: one.isoformat(),
    UUID: str,
}


@given(st.data())
def test_what_was_written_comes_back(data: st.DataObject) -> None:
    form, values = data.draw(TYPES)
    value = data.draw(values)
    written = encoded(value)
    assert convert(form, written) == value
    check = pdl.check(form, json.dumps(written))
    assert check.ok, check.feedback
    assert (check.value, check.data) == (value, written)


@given(
    st.timedeltas(dt.timedelta(0), dt.timedelta(days=9999)).map(
        lambda one: one - one % dt.timedelta(seconds=1)
    )
)
def test_durations(one: dt.timedelta) -> None:
    assert duration(f"P{one.days}DT{one.seconds}S") == one


def test_the_same_without_pydantic() -> None:
    """Types that are not pydantic's need none of it."""
    code = (
        "import sys; sys.modules['pydantic'] = None; import datetime as dt, pdl, decimal, typing\n"
        "class Row(typing.TypedDict):\n    day: dt.date\n    sum: decimal.Decimal\n"
        "rule = pdl.Rule(lambda one: one > 1, 'must be more than 1')\n"
        "form = list[typing.Annotated[Row, pdl.Rule(lambda one: True)] | "
        "typing.Annotated[int, rule]]\n"
        'print(pdl.extract(form, \'[{"day": "2024-02-29", "sum": 1.50}, 2]\'))\n'
        "print(pdl.check(form, '[1]').feedback)"
    )
    run = functools.partial(subprocess.run, capture_output=True, text=True, check=True)
    told = run([sys.executable, "-c", code]).stdout
    assert told == (
        "[{'day': datetime.date(2024, 2, 29), 'sum': Decimal('1.50')}, 2]\n"
        "`$[0]` must be more than 1.\n"
        "Correct the error and return your whole output again.\n"
    )


def test_depth_is_bounded() -> None:
    deep: Any = {"day": "2024-02-29"}
    for _ in range(90):
        deep = {"day": "2024-02-29", "kids": [deep]}
    check = pdl.check(Node, json.dumps(deep))
    assert check.ok or check.reason in {"limit", "wrong-schema"}
    check = pdl.check(Chain, '{"next": ' * 190 + "null" + "}" * 190)
    assert list(map(str, check.errors)) == ["$: is nested too deeply"]
