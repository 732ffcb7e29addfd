"""Functions of the program that a run calls: what they raise, and how long they may take."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest
from models.conftest import QUICK
from models.hostile import GOOD
from models.scripted import BAD, VALUE, says

import pdl
from pdl.models import AskError, Budget, Fault, Request, ask, ask_async
from pdl.models.callables import FunctionModel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

LATE = "did not end within the"


async def sleeps(*_: object) -> None:
    await asyncio.sleep(30)


async def yields_late(_: object) -> AsyncIterator[pdl.Violation]:
    await asyncio.sleep(30)
    yield pdl.Violation(("name",), "is never said")


class Sleeps:
    """A hook, one of whose methods takes too long."""

    def __init__(self, name: str) -> None:
        self._name = name

    async def before(self, *_: object) -> None:
        await (sleeps() if self._name == "before" else asyncio.sleep(0))

    async def after(self, *_: object) -> None:
        await (sleeps() if self._name == "after" else asyncio.sleep(0))


SLOW: dict[str, tuple[dict[str, Any], str | None]] = {
    "validate": ({"validate": sleeps}, "`validate` did not end within the"),
    "a rule that yields": ({"validate": yields_late}, "`validate` did not end within the"),
    "on_delta": ({"on_delta": sleeps}, "`on_delta` did not end within the"),
    "on_partial": ({"on_partial": sleeps}, "`on_partial` did not end within the"),
    "before": ({"hooks": [Sleeps("before")]}, None),
    "after": ({"hooks": [Sleeps("after")]}, ""),
}
"""Options, and words of the reason of the last attempt; None if there is no attempt."""


def run(rendered: pdl.Rendered, model: Any, **options: Any) -> Any:
    return asyncio.run(ask_async(rendered, model, **{"backoff": QUICK, **options}))


@pytest.mark.parametrize("bound", ["timeout", "budget"])
@pytest.mark.parametrize("retries", [0, 3])
@pytest.mark.parametrize("name", SLOW)
def test_what_is_awaited_is_bounded(
    name: str, retries: int, bound: str, rendered: pdl.Rendered
) -> None:
    """By the time that is left; the reply whose judge was too slow is an attempt, too."""
    options, reason = SLOW[name]
    bounds = {"timeout": 0.2} if bound == "timeout" else {"budget": Budget(seconds=0.2)}
    began = time.monotonic()
    with pytest.raises(AskError) as caught:
        run(rendered, says(GOOD), retries=retries, **options, **bounds)
    assert time.monotonic() - began < 5
    assert caught.value.ending == "time"
    attempts = caught.value.attempts
    assert len(attempts) == (reason is not None)
    assert all((reason or "") in one.reason for one in attempts)
    assert [one.reply is not None and one.reply.text for one in attempts] == [GOOD] * len(attempts)


def test_all_attempts_are_there(rendered: pdl.Rendered) -> None:
    with pytest.raises(AskError, match=LATE) as caught:
        run(rendered, says(BAD, GOOD), validate=sleeps, timeout=0.5)
    first, second = caught.value.attempts
    assert first.check is not None
    assert not first.check.ok
    assert (second.fault and second.fault.kind, second.check) == ("timeout", None)
    assert "hint: raise `timeout`" in str(caught.value)


def test_a_reply_that_nobody_judged_is_one(rendered: pdl.Rendered) -> None:
    with pytest.raises(AskError) as caught:
        run(rendered, says(GOOD), validate=sleeps, timeout=0.2)
    line = "function:model gave no valid answer in 1 attempt; there is no time left for another"
    assert str(caught.value).splitlines()[0] == line


def test_no_other_model_is_asked(rendered: pdl.Rendered) -> None:
    with pytest.raises(AskError) as caught:
        run(rendered, [says(GOOD), pytest.fail], validate=sleeps, timeout=0.2)
    assert len(caught.value.attempts) == 1


@pytest.mark.parametrize("name", SLOW)
def test_the_default_of_a_slow_function(name: str, rendered: pdl.Rendered) -> None:
    answer = run(rendered, says(GOOD), timeout=0.2, default=None, **SLOW[name][0])
    assert (answer.value, answer.is_default) == (None, True)


def test_the_last_partial_is_bounded(rendered: pdl.Rendered) -> None:
    """The answer is there, but the program has not taken it in time."""

    async def take(partial: pdl.AskPartial[Any]) -> None:
        await (sleeps() if partial.final else asyncio.sleep(0))

    with pytest.raises(AskError) as caught:
        run(rendered, says(GOOD), on_partial=take, timeout=0.2)
    assert caught.value.ending == "time"
    assert [attempt.ok for attempt in caught.value.attempts] == [True]


def test_a_slow_judge_of_a_stored_reply(rendered: pdl.Rendered, tmp_path: Path) -> None:
    class Known(FunctionModel):
        def identity(self, request: Request) -> str:  # noqa: ARG002
            return "known"

    cache = tmp_path / "kept.db"
    run(rendered, Known(says(GOOD)), cache=cache)
    with pytest.raises(AskError) as caught:
        run(rendered, Known(says()), cache=cache, validate=sleeps, timeout=0.2)
    assert caught.value.ending == "time"
    assert [one.is_cached for one in caught.value.attempts] == [True]


def test_a_stream_is_bounded(rendered: pdl.Rendered) -> None:
    async def inside() -> None:
        async for _ in pdl.stream(rendered, says(GOOD), validate=sleeps, timeout=0.2):
            pass

    with pytest.raises(AskError) as caught:
        asyncio.run(inside())
    assert caught.value.ending == "time"


@pytest.mark.parametrize("option", ["validate", "on_delta", "on_partial"])
def test_a_function_that_is_quick_enough(option: str, rendered: pdl.Rendered) -> None:
    async def soon(_: object) -> None:
        await asyncio.sleep(0.01)

    given: dict[str, Any] = {option: soon}
    assert run(rendered, says(GOOD), timeout=20, **given).value == VALUE
    assert run(rendered, says(GOOD), timeout=None, **given).value == VALUE


ERRORS = [Fault("server", "not of the model"), TimeoutError("not of the run"), KeyError("a")]
OPTIONS = ["validate", "on_delta", "on_partial", "before", "after"]


class Raises:
    """A hook, one of whose methods raises an error."""

    def __init__(self, name: str, error: Exception) -> None:
        self._name, self._error = name, error

    def before(self, *_: object) -> None:
        self._raise("before")

    def after(self, *_: object) -> None:
        self._raise("after")

    def _raise(self, name: str) -> None:
        if name == self._name:
            raise self._error


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("option", OPTIONS)
def test_what_a_function_raises_is_not_of_the_model(
    option: str, error: Exception, rendered: pdl.Rendered
) -> None:
    """A `Fault`, too: it goes to the program, and nothing is sent again."""

    def fails(_: object) -> None:
        raise error

    async def fails_late(_: object) -> None:
        await asyncio.sleep(0)
        raise error

    is_hook = option in {"before", "after"}
    for function in (fails, fails_late):
        given: dict[str, Any] = {"hooks": [Raises(option, error)]}
        given = given if is_hook else {option: function}
        asked: list[Request] = []

        def model(messages: Any, asked: list[Any] = asked) -> str:
            asked.append(messages)
            return GOOD

        with pytest.raises(type(error)) as caught:
            run(rendered, model, **given)
        assert caught.value is error
        assert len(asked) == (option != "before")
    given = given if is_hook else {option: fails}
    with pytest.raises(type(error)) as caught:
        ask(rendered, says(GOOD), backoff=QUICK, **given)
    assert caught.value is error


def test_a_fault_of_the_model_is_still_retried(rendered: pdl.Rendered) -> None:
    for run_it in (run, lambda *a, **given: ask(*a, backoff=QUICK, **given)):
        answer = run_it(rendered, says(Fault("server", "down"), GOOD), stream=True)
        assert [one.fault is None for one in answer.attempts] == [False, True]
