"""Answers that are instances of a Python type, and rules for them."""

from __future__ import annotations

import asyncio
import datetime as dt
import enum
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypedDict

import pydantic
import pytest
from models.scripted import asked, says

import pdl
from pdl.models import AskError, Request
from pdl.models.callables import FunctionModel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path


@dataclass
class Stay:
    guest: str
    arrival: dt.date
    nights: Annotated[int, pdl.Rule(lambda nights: nights < 30, "must be less than a month")]


class Room(pydantic.BaseModel):
    number: int

    @pydantic.field_validator("number")
    @classmethod
    def exists(cls, number: int) -> int:
        if number == 13:
            raise ValueError("there is no room 13")
        return number


class Size(enum.Enum):
    SMALL = "s"
    LARGE = "l"


class Place(NamedTuple):
    x: int


class Row(TypedDict):
    day: dt.date


STAY = '{"guest": "Ann", "arrival": "2026-11-23", "nights": 3}'
BOB = STAY.replace("Ann", "Bob")
ANN = Stay("Ann", dt.date(2026, 11, 23), 3)


def told(attempt: pdl.models.Attempt) -> list[str]:
    assert attempt.check is not None
    return [str(error) for error in attempt.check.errors]


def test_an_instance(bare: pdl.Rendered) -> None:
    answer = asked(bare, says(STAY), schema=Stay)
    assert answer.value == ANN
    assert answer.data == {"guest": "Ann", "arrival": "2026-11-23", "nights": 3}
    assert pdl.ask(bare, says(STAY), Stay).value == ANN
    assert pdl.ask(bare, says(STAY), pdl.Schema.from_type(Stay)).value == ANN
    assert asyncio.run(pdl.ask_async(bare, says(STAY), Stay)).value == ANN


def test_a_rendered_type() -> None:
    rendered = pdl.loads("<|user|>\n{{ schema }}\n").render(schema=Stay)
    assert asked(rendered, says(STAY)).value == ANN


def test_a_type_replaces_the_schema_of_the_prompt(rendered: pdl.Rendered) -> None:
    """The model is constrained to it, too."""
    answer = pdl.ask(rendered, says(STAY), Stay)
    assert answer.value == ANN
    assert answer.attempts[0].request.schema == pdl.Schema.from_type(Stay)


def test_no_type(bare: pdl.Rendered) -> None:
    with pytest.raises(TypeError, match=r"schema must be a pdl\.Schema, a Python type or None"):
        pdl.ask(bare, says(), "{ a: int }")


def test_a_rule_of_the_type_reaches_the_model(bare: pdl.Rendered) -> None:
    answer = asked(bare, says(STAY.replace("3}", "300}"), STAY), schema=Stay)
    assert answer.value == ANN
    assert told(answer.attempts[0]) == ["$.nights: must be less than a month"]
    feedback = answer.attempts[1].request.messages[-1].text
    assert feedback.startswith("Field `nights` of your output must be less than a month.")


def test_a_validator_of_pydantic_reaches_the_model(bare: pdl.Rendered) -> None:
    with pytest.raises(pdl.OutputError) as caught:
        asked(bare, says('{"number": 13}'), schema=Room, retries=0)
    [error] = caught.value.check.errors
    assert (error.path, "there is no room 13" in error.message) == (("number",), True)
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own
    assert again.check == caught.value.check


def refuses(stay: Stay) -> None:
    if stay.guest == "Bob":
        raise ValueError("Bob is not welcome")


def yields(stay: Stay) -> Iterator[pdl.Violation]:
    if stay.guest == "Bob":
        yield pdl.Violation("guest", "must not be Bob")
        yield pdl.Violation(("nights",), "must be none")


def returns(stay: Stay) -> list[pdl.Violation]:
    return list(yields(stay))


def compares(stay: Stay, rendered: pdl.Rendered) -> None:
    assert rendered.messages[0].text == "Who is coming?"
    assert rendered.schema is not None
    refuses(stay)


async def refuses_later(stay: Stay) -> None:
    await asyncio.sleep(0)
    refuses(stay)


async def yields_later(stay: Stay) -> AsyncIterator[pdl.Violation]:
    await asyncio.sleep(0)
    for one in yields(stay):
        yield one


async def compares_later(stay: Stay, rendered: pdl.Rendered) -> None:
    await asyncio.sleep(0)
    compares(stay, rendered)


SAID = ["$: is not accepted: Bob is not welcome"]
YIELDED = ["$.guest: must not be Bob", "$.nights: must be none"]
RULES: list[tuple[Any, list[str]]] = [
    (refuses, SAID), (yields, YIELDED), (returns, YIELDED), (compares, SAID),
]  # fmt: skip
LATE: list[tuple[Any, list[str]]] = [
    (refuses_later, SAID), (yields_later, YIELDED), (compares_later, SAID),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "words"), RULES, ids=lambda one: getattr(one, "__name__", ""))
@pytest.mark.parametrize("stream", [False, True])
def test_a_rule_of_the_program(
    rule: Any,
    words: list[str],
    stream: bool,  # noqa: FBT001 - a parameter of the test
    bare: pdl.Rendered,
) -> None:
    model = says(BOB, STAY)
    answer = asked(bare, model, schema=Stay, validate=rule, stream=stream)
    assert answer.value == ANN
    assert told(answer.attempts[0]) == words


@pytest.mark.parametrize(
    ("rule", "words"), RULES + LATE, ids=lambda one: getattr(one, "__name__", "")
)
def test_a_rule_is_awaited(rule: Any, words: list[str], bare: pdl.Rendered) -> None:
    model = says(BOB, STAY)
    answer = asyncio.run(pdl.ask_async(bare, model, Stay, validate=rule))
    assert answer.value == ANN
    assert told(answer.attempts[0]) == words


@pytest.mark.parametrize("rule", [rule for rule, _ in LATE])
def test_a_rule_that_nobody_awaits(rule: Any, bare: pdl.Rendered) -> None:
    """Nothing is sent."""
    with pytest.raises(TypeError, match="validate must not be async in ask: only ask_async"):
        asked(bare, pytest.fail, schema=Stay, validate=rule)


@pytest.mark.parametrize("rule", [refuses_later, yields_later])
def test_a_rule_that_only_seems_not_to_be_awaited(rule: Any, bare: pdl.Rendered) -> None:
    with pytest.raises(TypeError, match="validate must not be async in ask: only ask_async"):
        asked(bare, says(STAY), schema=Stay, validate=lambda *stay: rule(*stay[:1]))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (3, "validate must be a function or None, not int"),
        (lambda: None, "validate must take the value, and may take the rendered prompt after it"),
    ],
)
def test_what_is_no_rule(rule: Any, message: str, bare: pdl.Rendered) -> None:
    with pytest.raises(TypeError, match=message):
        asked(bare, pytest.fail, schema=Stay, validate=rule)


def test_an_error_of_the_program(bare: pdl.Rendered) -> None:
    """It is not the model's: the run ends with it."""

    def broken(stay: Stay) -> None:
        raise ZeroDivisionError(stay.guest)

    def lists(stay: Stay) -> Iterator[pdl.Violation]:
        yield pdl.Violation("guest", "must not be so")
        raise LookupError(stay.guest)

    for rule, error in ((broken, ZeroDivisionError), (lists, LookupError)):
        with pytest.raises(error, match="Ann"):
            asked(bare, says(STAY), schema=Stay, validate=rule)
        with pytest.raises(error, match="Ann"):
            asyncio.run(pdl.ask_async(bare, says(STAY), Stay, validate=rule))
    with pytest.raises(TypeError, match=r"a rule must yield pdl\.Violations, not str"):
        asked(bare, says(STAY), schema=Stay, validate=lambda _: ["no"])


def test_a_rule_for_json_and_for_text(rendered: pdl.Rendered) -> None:
    """A rule needs no type."""

    def adult(value: Any) -> None:
        if value["age"] < 18:
            raise ValueError("must be of age")

    model = says('{"name": "Al", "age": 3}', '{"name": "Ann", "age": 30}')
    answer = asked(rendered, model, validate=adult)
    assert [one.reason[:20] for one in answer.attempts] == ["wrong-schema: the re", ""]
    short = pdl.Rendered((pdl.Message("user", "Hi"),))
    found = asked(short, says("Hello there", "Hi"), validate=lambda text: len(text) < 4)
    assert (found.value, len(found.attempts)) == ("Hi", 2)


def test_a_rule_does_not_see_calls_nor_invalid_replies() -> None:
    prompt = pdl.loads("<|tools|>\nping() // Ping.\n<|user|>\nHi\n<|schema|>\n{ a: int }")
    calls = says('{"a": "x"}', pdl.models.Reply("", calls=(pdl.tools.ToolCall("ping", {}),)))
    answer = asked(prompt.render(), calls, validate=lambda _: pytest.fail("it is asked"))
    assert [call.name for call in answer.calls] == ["ping"]


def test_a_stored_reply_is_judged_again(bare: pdl.Rendered, tmp_path: Path) -> None:
    """By the rules of today, which may not be those of the day on which it was stored."""

    class Known(FunctionModel):
        def identity(self, request: Request) -> str:  # noqa: ARG002
            return "known"

    cache = tmp_path / "kept.db"
    asked(bare, Known(says(STAY)), schema=Stay, cache=cache)
    stored = asked(bare, Known(says()), schema=Stay, cache=cache, validate=refuses)
    assert (stored.value, stored.attempts[0].is_cached) == (ANN, True)
    other = STAY.replace("Ann", "Cleo")
    answer = asked(
        bare, Known(says(other)), schema=Stay, cache=cache, validate=lambda stay: stay != ANN
    )
    assert (answer.value.guest, answer.attempts[0].is_cached) == ("Cleo", False)


def test_all_that_was_refused(bare: pdl.Rendered) -> None:
    """The error has the check of the last reply, with what the rules say of it."""
    with pytest.raises(AskError) as caught:
        asked(bare, says(*[BOB] * 2), schema=Stay, validate=yields, retries=1)
    assert [told(attempt) for attempt in caught.value.attempts] == [YIELDED, YIELDED]
    assert "must not be Bob" in str(caught.value)
