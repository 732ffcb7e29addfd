"""What annotations demand beyond JSON Schema: known constraints are checked, or refused."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Annotated, Any

import annotated_types as at
import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.errors import SchemaError
from pdl.schema import Constraints, Schema
from pdl.schema.checks import checks_of

UTC = dt.UTC
NEW_YEAR = dt.date(2020, 1, 1)
LOCAL = dt.datetime.fromisoformat("2020-01-01")
BERLIN = dt.timezone(dt.timedelta(hours=1))
MONEY = pydantic.Field(max_digits=4, decimal_places=2)


def is_even(number: int) -> bool:
    return number % 2 == 0


def is_known(word: str) -> bool:
    if word == "no":
        raise ValueError("must be known")
    return True


class Group(at.GroupedMetadata):
    def __iter__(self) -> Any:
        return iter([at.Ge(1), pydantic.Field(description="odd"), at.Predicate(at.Not(is_even))])


CASES: list[tuple[Any, str, list[Any], dict[Any, str]]] = [
    (
        Annotated[Decimal, MONEY],
        "// must have at most 4 digits; must have at most 2 digits after the decimal point\nfloat",
        [Decimal(one) for one in ("12.34", "-0.50", "1.000", "0.00", "0", "99")],
        {
            Decimal("1234.5"): "must have at most 4 digits",
            Decimal("0.123"): "must have at most 2 digits after the decimal point",
            Decimal("1E+2"): "must have at most 2 digits before the decimal point",
        },
    ),
    (
        Annotated[float, pydantic.Field(max_digits=1)],
        "// must have at most 1 digit\nfloat",
        [1.0, 0.1],
        {0.25: "must have at most 1 digit"},
    ),
    (
        Annotated[Decimal, at.Le(1), at.Gt(Decimal("0.1")), at.MultipleOf(0.1)],
        "float<,1> { gt: 0.1, multiple: 0.1 }",
        [Decimal("0.3"), Decimal(1)],
        {
            Decimal("1." + "0" * 30 + "1"): "must be at most 1",
            Decimal("0.10"): "must be more than 0.1",
            Decimal("0.3" + "0" * 30 + "1"): "must be a multiple of 0.1",
        },
    ),
    (
        Annotated[int, at.Predicate(is_even)],
        "// must pass `is_even`\nint",
        [2],
        {1: "must pass `is_even`"},
    ),
    (
        Annotated[int, at.Predicate(lambda one: one > 1)],
        "int",
        [2],
        {1: "must pass a rule of its type"},
    ),
    (Annotated[int, at.Not(is_even)], "// must not pass `is_even`\nint", [1], {2: "must not pass"}),
    (Annotated[int, Group()], "// odd; must not pass `is_even`\nint<1,>", [1], {2: "must not"}),
    (
        Annotated[str, at.Predicate(is_known)],
        "// must pass `is_known`\nstr",
        [""],
        {"no": "must be known"},
    ),
    (at.LowerCase[str], "// must be lowercase\nstr", ["a"], {"A": "must be lowercase"}),
    (at.IsAscii[str], "// must consist of ASCII characters\nstr", ["a"], {"é": "must consist"}),
    (at.IsNotNan[float], "float", [1.0], {}),
    (
        Annotated[dt.date, pydantic.Field(ge=NEW_YEAR)],
        "// must be at least 2020-01-01\ndate",
        [NEW_YEAR],
        {dt.date(2019, 12, 31): "must be at least 2020-01-01"},
    ),
    (
        Annotated[dt.date | None, "When", at.Lt(NEW_YEAR)],
        "// When; must be before 2020-01-01\ndate?",
        [None, dt.date(2019, 12, 31)],
        {NEW_YEAR: "must be before 2020-01-01"},
    ),
    (
        Annotated[dt.timedelta, at.Interval(gt=dt.timedelta(), le=dt.timedelta(days=1))],
        "// must be more than PT0S; must be at most PT86400S\nduration",
        [dt.timedelta(days=1)],
        {dt.timedelta(): "must be more than PT0S", dt.timedelta(2): "must be at most PT86400S"},
    ),
    (
        Annotated[dt.time, at.Gt(dt.time(9))],
        "// must be after 09:00:00 (with no UTC offset)\ntime",
        [dt.time(10)],
        {dt.time(9): "must be after", dt.time(10, tzinfo=UTC): "must be after"},
    ),
    (
        Annotated[dt.datetime, at.Ge(dt.datetime(2020, 1, 1, tzinfo=UTC))],
        """\
// must be at least 2020-01-01T00:00:00+00:00 (with a UTC offset)
datetime { zone: true }""",
        [dt.datetime(2020, 1, 1, 1, tzinfo=BERLIN)],
        {dt.datetime(2020, 1, 1, tzinfo=BERLIN): "must be at least"},
    ),
    (
        Annotated[dt.datetime, msgspec.Meta(tz=True)],
        "datetime { zone: true }",
        [dt.datetime(2020, 1, 1, tzinfo=UTC)],
        {LOCAL: "must have a UTC offset"},
    ),
    (
        Annotated[dt.time, at.Timezone(None)],
        "// must have no UTC offset\ntime",
        [dt.time(1)],
        {dt.time(1, tzinfo=UTC): "must have no UTC offset"},
    ),
    (
        Annotated[dt.datetime, at.Timezone("Europe/Berlin")],
        "// must be in the time zone Europe/Berlin\ndatetime { zone: true }",
        [dt.datetime(2020, 1, 1, tzinfo=BERLIN)],
        {
            LOCAL: "must be in the time zone",
            dt.datetime(2020, 7, 1, tzinfo=BERLIN): "must be in the time zone",
        },
    ),
    (
        Annotated[dt.time, at.Timezone(BERLIN)],
        "// must be in the time zone UTC+01:00\ntime { zone: true }",
        [dt.time(1, tzinfo=BERLIN)],
        {dt.time(1, tzinfo=UTC): "must be in the time zone UTC+01:00"},
    ),
    (Annotated[int, Constraints(ge=1), "a count"], "// a count\nint<1,>", [1, 0], {}),
]


def refusals(form: Any, value: Any) -> list[str]:
    return [words for check in checks_of(form.__metadata__) if (words := check(value))]


@pytest.mark.parametrize(("form", "dsl", "good", "bad"), CASES, ids=[one[1] for one in CASES])
def test_a_constraint_is_described_and_checked(
    form: Any, dsl: str, good: list[Any], bad: dict[Any, str]
) -> None:
    assert Schema.from_type(form).to_dsl() == dsl
    assert [refusals(form, value) for value in good] == [[] for _ in good]
    for value, words in bad.items():
        assert any(said.startswith(words) for said in refusals(form, value)), value


BAD: list[tuple[Any, str]] = [
    (Annotated[str, at.Ge(1)], "the type `str` cannot be a schema: the bound 1 has no meaning"),
    (Annotated[list[int], at.Ge(1)], "the bound 1 has no meaning for it"),
    (Annotated[int, at.Ge(NEW_YEAR)], "the bound datetime.date(2020, 1, 1) has no meaning"),
    (Annotated[dt.date, at.Ge(LOCAL)], "the type `date` cannot be a schema"),
    (Annotated[dt.date, at.MultipleOf(dt.timedelta(1))], "is not a JSON number"),
    (Annotated[Decimal, at.Le(Decimal("Infinity"))], "the bound Decimal('Infinity') is not a JSON"),
    (Annotated[int, pydantic.Field(pattern="a")], "the pattern 'a' has no meaning for it"),
    (Annotated[str, MONEY], "`max_digits` has no meaning for it"),
    (Annotated[dt.date, msgspec.Meta(tz=True)], "a time zone has no meaning for it"),
    (Annotated[dt.datetime, at.Timezone("No/Where")], "the time zone 'No/Where' is unknown"),
]


@pytest.mark.parametrize(("form", "message"), BAD, ids=[message for _, message in BAD])
def test_a_constraint_without_meaning_is_refused(form: Any, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Schema.from_type(form)
    assert message in str(caught.value)


def test_a_predicate_that_fails_is_an_error_of_the_program() -> None:
    with pytest.raises(ZeroDivisionError):
        refusals(Annotated[int, at.Predicate(lambda one: 1 / one)], 0)


@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-999, max_value=999),
    st.integers(1, 5),
    st.integers(0, 5),
)
def test_the_digits_are_those_that_pydantic_counts(value: Decimal, most: int, places: int) -> None:
    places = min(most, places)
    form = Annotated[Decimal, pydantic.Field(max_digits=most, decimal_places=places)]
    try:
        pydantic.TypeAdapter(form).validate_python(value)
    except pydantic.ValidationError:
        assert refusals(form, value)
    else:
        assert not refusals(form, value)
