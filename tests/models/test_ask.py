"""What asking does with good and bad answers, faults and bounds."""

from __future__ import annotations

import asyncio
import copy
import pickle
from typing import TYPE_CHECKING

import pytest
from models.conftest import PROMPT
from models.hostile import GOOD
from models.scripted import BAD, VALUE, asked, says

import pdl
from pdl.models import (
    Answer,
    AskError,
    Attempt,
    Fault,
    Hook,
    Reply,
    Request,
    ask,
    ask_async,
)

if TYPE_CHECKING:
    from pdl.prompt import Message


def test_the_first_answer(rendered: pdl.Rendered) -> None:
    answer = asked(rendered, says(GOOD))
    assert answer.value == VALUE
    assert len(answer.attempts) == 1
    assert answer.check is not None
    assert answer.check.ok
    assert not answer.is_default


def test_feedback_goes_back(rendered: pdl.Rendered) -> None:
    """What is wrong is said to the model, with its reply but without its reasoning."""
    seen: list[tuple[Message, ...]] = []

    def model(messages: tuple[Message, ...]) -> str:
        seen.append(messages)
        return GOOD if len(seen) > 1 else f"<think>Is it Ann?</think>{BAD}"

    answer = asked(rendered, model)
    assert answer.value == VALUE
    first, said, told = seen[1]
    assert first.text == "Who is it?"
    assert (said.role, said.text) == ("assistant", BAD)
    assert told.role == "user"
    assert told.text.splitlines() == [
        "Field `age` of your output must be at most 120, not 300.",
        "Correct the error and return your whole output again.",
    ]
    bad, good = (attempt.reason for attempt in answer.attempts)
    assert bad.startswith("wrong-schema: `$.age` must be at most 120")
    assert good == ""


def test_a_conversation_goes_on(rendered: pdl.Rendered) -> None:
    """The messages of an answer are those asked and the good reply, without failed attempts."""
    answer = asked(rendered, says(BAD, GOOD))
    assert [message.role for message in answer.messages] == ["user", "assistant"]
    assert answer.messages[1].text == GOOD


@pytest.mark.parametrize("text", ["", "  \n", "<think>hm</think>"])
def test_an_empty_reply(text: str, rendered: pdl.Rendered) -> None:
    """Nothing said is not sent back, since providers refuse empty messages."""
    answer = asked(rendered, says(text, GOOD))
    [message] = answer.attempts[1].request.messages
    assert message.role == "user"
    assert message.text.startswith("Who is it?\n\nYour output does not contain a JSON object.")


def test_prefill() -> None:
    """A reply that was begun by the prompt takes the place of its beginning."""
    prompt = pdl.loads(PROMPT + '<|assistant|>\n{"name":\n')
    rendered = prompt.render(prefill=True)
    answer = asked(rendered, says(BAD, GOOD))
    roles = [message.role for message in answer.attempts[1].request.messages]
    assert roles == ["user", "assistant", "user"]
    assert [message.role for message in answer.messages] == ["user", "assistant"]


def test_no_answer(rendered: pdl.Rendered) -> None:
    """The error holds every attempt, and says in a line what was wrong with each."""
    timeout = Fault("timeout", "no complete reply arrived within 5 s")
    with pytest.raises(AskError) as caught:
        asked(rendered, says(BAD, timeout, "no idea", BAD), retries=3)
    error = caught.value
    assert error.ending == "attempts"
    assert not error.is_fault
    lines = str(error).splitlines()
    assert lines[0] == "function:model gave no valid answer in 4 attempts"
    assert [line.split(": ")[1] for line in lines[1:]] == [
        "wrong-schema", "timeout", "absent", "wrong-schema",
    ]  # fmt: skip
    assert [attempt.fault for attempt in error.attempts] == [None, timeout, None, None]


def test_default(rendered: pdl.Rendered) -> None:
    """A default is given where it was asked for, and the answer says that it is one."""
    answer = asked(rendered, says("no", "no"), retries=1, default=None)
    assert answer.value is None
    assert answer.is_default
    assert len(answer.attempts) == 2


def test_a_fault_that_stays(rendered: pdl.Rendered) -> None:
    """What no other try mends is not tried again; the hint comes along."""
    fault = Fault("auth", "the server answered with status 401", hint="is the key right?")
    with pytest.raises(AskError) as caught:
        asked(rendered, says(fault))
    assert caught.value.ending == "fault"
    assert caught.value.is_fault
    assert caught.value.__cause__ is fault
    assert str(caught.value).endswith("hint: is the key right?")


def test_the_same_request_behind_a_fault(rendered: pdl.Rendered) -> None:
    answer = asked(rendered, says(Fault("server", "busy"), GOOD))
    first, second = answer.attempts
    assert first.request == second.request
    assert (first.reply, second.fault) == (None, None)


def test_a_function_of_two_arguments(rendered: pdl.Rendered) -> None:
    def model(messages: object, schema: object) -> str:
        return f"{messages} {schema}"

    with pytest.raises(AskError, match="hint: let the function take one argument: the request"):
        asked(rendered, model)


def test_a_function_with_a_type_error_of_its_own(rendered: pdl.Rendered) -> None:
    with pytest.raises(AskError) as caught:
        asked(rendered, lambda messages: 1 + messages)
    assert "hint" not in str(caught.value)


def test_a_function_that_fails(rendered: pdl.Rendered) -> None:
    with pytest.raises(AskError, match="the function raised ZeroDivisionError") as caught:
        asked(rendered, lambda _: 1 // 0)
    assert len(caught.value.attempts) == 1
    with pytest.raises(AskError, match=r"must return a str, .* not NoneType"):
        asked(rendered, lambda _: None)
    with pytest.raises(AskError, match="timeout: the function took more than"):
        asked(rendered, says_late, call_timeout=0.05, retries=0)


async def says_late(messages: tuple[Message, ...]) -> str:  # noqa: ARG001
    await asyncio.sleep(5)
    return GOOD


async def says_soon(messages: tuple[Message, ...]) -> str:  # noqa: ARG001
    await asyncio.sleep(0)
    return GOOD


def test_functions_of_both_worlds(rendered: pdl.Rendered) -> None:
    """A function may be asynchronous or not, wherever it is asked; also within a running loop."""
    assert asked(rendered, says_soon).value == VALUE
    for model in (says_soon, says(GOOD)):
        assert asyncio.run(ask_async(rendered, model)).value == VALUE

    async def inside() -> Answer:
        return ask(rendered, says_soon)

    assert asyncio.run(inside()).value == VALUE


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("int", "12"), ("str", "Once upon"), ("yesno", "yes"), ("[int]", "[1, 2"),
        ("[{ a: int }]", '{"a": 1}\n{"a": 2}'), ("tasklist", "- [ ] one"),
        ('"a" | "ab"', "a"), ("{ a: int }", '{"a": 1'),
    ],
)  # fmt: skip
def test_cut_by_the_limit(schema: str, text: str) -> None:
    """What the limit of tokens cut off is no answer unless brackets say that it is whole."""
    rendered = pdl.loads(f"<|user|>\nhi\n<|schema|>\n{schema}\n").render()
    with pytest.raises(AskError) as caught:
        asked(rendered, says(Reply(text, finish="length")), retries=0)
    [attempt] = caught.value.attempts
    assert attempt.check is not None
    assert attempt.check.reason == "truncated"
    assert "cut off" in attempt.complaint


def test_whole_at_the_limit(rendered: pdl.Rendered) -> None:
    answer = asked(rendered, says(Reply(GOOD, finish="length")))
    assert answer.value == VALUE


def test_filtered(rendered: pdl.Rendered) -> None:
    with pytest.raises(AskError, match="is cut off by a filter of the provider"):
        asked(rendered, says(Reply("Ann", finish="filter")), retries=0)


def test_no_schema() -> None:
    rendered = pdl.loads("<|user|>\nhi\n").render()
    assert asked(rendered, says("<think>x</think>Hello.")).value == "Hello."


def test_terms(rendered: pdl.Rendered) -> None:
    """Options are checked, and a misspelt one gets advice."""
    with pytest.raises(TypeError, match="no option `retry`: did you mean `retries`"):
        asked(rendered, says(GOOD), retry=3)
    with pytest.raises(ValueError, match="retries must be 0 or more"):
        asked(rendered, says(GOOD), retries=-1)
    with pytest.raises(TypeError, match="retries must be an int"):
        asked(rendered, says(GOOD), retries=1.5)
    for bad in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="timeout must be a number of seconds above 0"):
            asked(rendered, says(GOOD), timeout=bad)
    with pytest.raises(TypeError, match=r"rendered must be a pdl\.Rendered"):
        asked(pdl.loads(PROMPT), says(GOOD))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="model must be a model, its name or a function"):
        asked(rendered, 7)


def test_config() -> None:
    """Settings come from the prompt, then from the call; the model's name is none of them."""
    rendered = pdl.loads(
        "<|user|>\nhi\n<|config|>\nmodel: openai:x\ntemperature: 0.5\nseed: 1\n"
    ).render()
    answer = asked(rendered, says("hi"), seed=7, config={"top_p": 0.9})
    config = answer.attempts[0].request.config
    assert config == {"temperature": 0.5, "seed": 7, "top_p": 0.9}


class Spy(Hook):
    def __init__(self) -> None:
        self.told: list[object] = []

    def before(self, number: int, request: Request) -> None:
        self.told.append((number, len(request.messages)))

    def after(self, number: int, attempt: Attempt, pause: float | None) -> None:
        self.told.append((number, attempt.ok, pause))


def test_hooks(rendered: pdl.Rendered) -> None:
    spy = Spy()
    model = says(BAD, Fault("server", "busy", retry_after=0.0), GOOD)
    asked(rendered, model, hooks=[spy])
    assert spy.told == [
        (1, 1), (1, False, 0.0), (2, 3), (2, False, 0.0), (3, 3), (3, True, None),
    ]  # fmt: skip


def test_errors_survive_copies(rendered: pdl.Rendered) -> None:
    """An error can go from one process to another."""
    fault = Fault("rate_limited", "slow down", status=429, retry_after=2.0, hint="wait")
    again = pickle.loads(pickle.dumps(fault))  # noqa: S301 - it is ours
    assert (again.kind, again.status, again.retry_after) == ("rate_limited", 429, 2.0)
    assert str(again) == str(fault)
    with pytest.raises(AskError) as caught:
        asked(rendered, says("no"), retries=0)
    assert str(copy.copy(caught.value)) == str(caught.value)


def test_a_string_that_was_asked_for_as_json_has_no_quotes() -> None:
    """Unless nobody held the model to it: then the reply is the text, as it stands."""
    schema = pdl.Schema.from_json_schema({"type": "string", "minLength": 2})
    rendered = pdl.Rendered(pdl.loads("<|user|>\nHi").render().messages, schema)
    assert ask(rendered, lambda _: '"he said"').value == "he said"
    assert ask(rendered, lambda _: '"he said"', constrain=False).value == '"he said"'
    assert ask(rendered, lambda _: "he said").value == "he said"
    assert ask(rendered, lambda _: '"x"').value == '"x"'


@pytest.mark.parametrize(
    ("faults", "words"),
    [
        ([Fault("connection", "no")], "in 1 attempt, which did not reach the model"),
        ([Fault("connection", "no")] * 2, "in 2 attempts, none of which reached the model"),
        (
            [Fault("connection", "no"), Fault("timeout", "x")],
            "2 attempts, none of which brought a reply",
        ),
        ([Reply(BAD), Fault("connection", "no")], "in 2 attempts\n"),
    ],
)
def test_whether_the_model_was_reached(
    faults: list[Fault | Reply], words: str, rendered: pdl.Rendered
) -> None:
    with pytest.raises(AskError) as caught:
        asked(rendered, says(*faults), retries=len(faults) - 1)
    assert words in str(caught.value)


def test_an_asking_that_failed_by_its_answer_is_an_output_error(rendered: pdl.Rendered) -> None:
    """So that one `except` takes bad replies, whoever asked for them."""
    with pytest.raises(pdl.OutputError) as caught:
        asked(rendered, says(BAD), retries=0)
    assert isinstance(caught.value, AskError)
    assert caught.value.check is caught.value.attempts[-1].check
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own
    assert type(again) is type(caught.value)
    assert again.check == caught.value.check
    assert isinstance(copy.copy(caught.value), pdl.OutputError)


def test_one_that_failed_on_the_way_is_none(rendered: pdl.Rendered) -> None:
    with pytest.raises(AskError) as caught:
        asked(rendered, says(Fault("auth", "no")), retries=0)
    assert not isinstance(caught.value, pdl.OutputError)
