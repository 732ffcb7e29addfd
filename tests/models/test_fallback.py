"""Several models: which failures let the next one answer, and what the models share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from models.hostile import GOOD
from models.scripted import BAD, VALUE, asked, says
from models.test_ask import Spy

from pdl.models import AskError, Fault, Reply, Usage

if TYPE_CHECKING:
    import pdl


def named(name: str, *said: str | Reply | Fault) -> Any:
    """A model of that name that says one thing after the other."""
    model = says(*said)
    model.__name__ = name
    return model


def never(_: object) -> str:
    pytest.fail("this model must not be asked")


@pytest.mark.parametrize(
    ("said", "attempts"),
    [
        pytest.param([Fault("auth", "no")], 1, id="what no retry fixes, at once"),
        pytest.param([Fault("not_found", "no")], 1, id="an unknown model, at once"),
        pytest.param([Fault("bad_request", "no")], 1, id="a rejected request, at once"),
        pytest.param([Fault("connection", "no")], 1, id="a failed connection, at once"),
        pytest.param([Fault("rate_limited", "no", retry_after=9)], 1, id="a long pause, at once"),
        pytest.param([Fault("server", "no")] * 3, 3, id="a transient fault, after the retries"),
        pytest.param([BAD, BAD, Fault("cut", "no")], 3, id="a fault after bad answers"),
    ],
)
def test_faults_fall_back(said: list[Any], attempts: int, rendered: pdl.Rendered) -> None:
    answer = asked(rendered, [named("a", *said), named("b", GOOD)], retries=2)
    assert (answer.value, answer.model) == (VALUE, "function:b")
    assert [one.model for one in answer.attempts] == ["function:a"] * attempts + ["function:b"]


def test_the_first_that_answers_is_the_last_that_is_asked(rendered: pdl.Rendered) -> None:
    answer = asked(rendered, (named("a", BAD, GOOD), never))
    assert (answer.model, len(answer.attempts)) == ("function:a", 2)


def test_the_last_model_retries_its_connection(rendered: pdl.Rendered) -> None:
    """There is no better use of the time."""
    refused = Fault("connection", "no")
    answer = asked(rendered, [named("a", refused), named("b", refused, GOOD)], retries=1)
    assert [one.ok for one in answer.attempts] == [False, False, True]


@pytest.mark.parametrize(
    ("said", "fallback"),
    [
        ([BAD, BAD], "answers"),
        ([BAD, BAD], ["answers"]),
        ([Fault("refusal", "no")], "refusals"),
        ([Fault("refusal", "no")], {"refusals", "answers"}),
    ],
)
def test_other_failures_fall_back_only_on_request(
    said: list[Any], fallback: Any, rendered: pdl.Rendered
) -> None:
    with pytest.raises(AskError):
        asked(rendered, [named("a", *said), never], retries=1)
    answer = asked(rendered, [named("a", *said), named("b", GOOD)], retries=1, fallback=fallback)
    assert (answer.model, len(answer.attempts)) == ("function:b", len(said) + 1)


@pytest.mark.parametrize(
    ("said", "fallback"),
    [([BAD, BAD], ["refusals"]), ([Fault("refusal", "no")], ["answers"])],
)
def test_each_failure_needs_its_own_request(
    said: list[Any], fallback: Any, rendered: pdl.Rendered
) -> None:
    with pytest.raises(AskError):
        asked(rendered, [named("a", *said), never], retries=1, fallback=fallback)


def test_the_next_model_starts_from_the_prompt(rendered: pdl.Rendered) -> None:
    """It has not said what the model before it said, so it is not told that that was wrong."""
    models = [named("a", BAD, Fault("auth", "no")), named("b", BAD, GOOD)]
    sent = [one.request.messages for one in asked(rendered, models).attempts]
    assert [len(messages) for messages in sent] == [1, 3, 1, 3]
    assert sent[2] == rendered.messages


def test_all_fail(rendered: pdl.Rendered) -> None:
    """The error has the attempts of all models, each with its name."""
    models = [named("a", Fault("auth", "no")), named("b", BAD, BAD)]
    with pytest.raises(AskError) as caught:
        asked(rendered, models, retries=1)
    error = caught.value
    assert (error.model, error.ending) == ("function:a, function:b", "attempts")
    first, *others = str(error).splitlines()
    assert first == "function:a, function:b gave no valid answer in 3 attempts"
    assert [line.split(" (")[0].strip() for line in others] == [
        "attempt 1, function:a", "attempt 2, function:b", "attempt 3, function:b",
    ]  # fmt: skip


def test_tokens_are_shared(rendered: pdl.Rendered) -> None:
    """What a model used up is not there for the next one."""
    cut: list[Any] = [Reply(BAD, usage=Usage(5, 40)), Fault("auth", "no")]
    models = [named("a", *cut), named("b", GOOD)]
    answer = asked(rendered, models, max_output_tokens=100)
    assert [one.request.config["max_tokens"] for one in answer.attempts] == [100, 60, 60]
    with pytest.raises(AskError) as caught:
        asked(rendered, [named("a", *cut), never], max_output_tokens=40)
    assert caught.value.ending == "tokens"


def test_a_pause_that_is_too_long_falls_back(rendered: pdl.Rendered) -> None:
    """The model wants to be left alone for longer than there is time; another one may have it."""
    busy = Fault("rate_limited", "no", retry_after=60.0)
    assert asked(rendered, [named("a", busy), named("b", GOOD)], timeout=5).value == VALUE


def test_hooks_hear_of_one_run(rendered: pdl.Rendered) -> None:
    """Attempts are counted over all models, and the last of a model is not the last of all."""
    spy = Spy()
    asked(rendered, [named("a", Fault("auth", "no")), named("b", GOOD)], hooks=[spy])
    assert spy.told == [(1, 1), (1, False, 0.0), (2, 1), (2, True, None)]


def test_a_default_after_all(rendered: pdl.Rendered) -> None:
    models = [named("a", Fault("auth", "no")), named("b", BAD)]
    answer = asked(rendered, models, retries=0, default=None)
    assert (answer.is_default, answer.model, len(answer.attempts)) == (True, "", 2)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"model": []}, ValueError, "model must not be an empty list"),
        ({"model": [7]}, TypeError, "model must be a model, its name or a function, not int"),
        ({"fallback": "faults"}, ValueError, "fallback can contain `answers` and `refusals`"),
        ({"fallback": True}, TypeError, "fallback must be a collection of str, not bool"),
    ],
)
def test_what_is_no_choice_of_models(
    options: dict[str, Any], error: type[Exception], message: str, rendered: pdl.Rendered
) -> None:
    with pytest.raises(error, match=message):
        asked(rendered, **{"model": never, **options})
