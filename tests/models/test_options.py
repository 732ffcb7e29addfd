"""Options that are none are refused, and each refusal names the option."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from models.hostile import GOOD

from pdl.models import AskOptions, Attempt, Cache, Hook, Reply, Request, ask, ask_async
from pdl.models.callables import FunctionModel
from pdl.models.faults import in_words

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from pathlib import Path

    import pdl


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("constrain", "no", "constrain must be a bool, not str"),
        ("stream", 1, "stream must be a bool, not int"),
        ("seed", "7", "seed must be an int or None, not str"),
        ("seed", True, "seed must be an int or None, not bool"),
        ("config", [1], "config must be a mapping, not list"),
        ("config", {1: 2}, "config must have str keys, not int"),
        ("config", {"stop": {"a"}}, "config must contain JSON values; `stop` is set"),
        ("config", {"top_p": float("nan")}, "config must contain JSON values; `top_p` is float"),
        ("backoff", 3, "backoff must be a Backoff, not int"),
        ("cache", 7, "cache must be a pdl.models.Cache, a path or None, not int"),
        ("hooks", Hook(), "hooks must be a sequence of Hook objects, not Hook"),
        ("hooks", [Hook], "hooks must be Hook objects, not the class Hook"),
        ("on_delta", "print", "on_delta must be a function or None, not str"),
        ("tools", [print], "tools must be a pdl.tools.ToolSet or None, not list"),
        ("coercions", ["x"], "coercions must be Coercions or None, not list"),
        ("limits", 3, "limits must be Limits, not int"),
        ("timeout", "1", "timeout must be a number of seconds, not str"),
    ],
)
def test_kinds(option: str, value: object, message: str) -> None:
    given: dict[str, Any] = {option: value}
    with pytest.raises(TypeError) as caught:
        AskOptions.of(given)  # type: ignore[arg-type]
    assert str(caught.value) == message


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan"), 10**400, 1e300])
@pytest.mark.parametrize("option", ["timeout", "call_timeout"])
def test_times(option: str, seconds: float) -> None:
    given: dict[str, Any] = {option: seconds}
    with pytest.raises(
        ValueError, match=f"^{option} must be a number of seconds above 0"
    ) as caught:
        AskOptions(**given)
    assert len(str(caught.value)) < 100


def test_a_path_is_a_cache(tmp_path: Path) -> None:
    assert AskOptions(cache=tmp_path / "a.db").cache == Cache(tmp_path / "a.db")  # type: ignore[arg-type]


@pytest.mark.parametrize("default", [None, {"name": "", "age": 0}])
def test_a_default_fits_or_is_none(default: object, rendered: pdl.Rendered) -> None:
    answer = ask(rendered, lambda _: "no", retries=0, default=default)
    assert (answer.value, answer.is_default) == (default, True)


def test_a_default_that_does_not_fit(rendered: pdl.Rendered) -> None:
    """No call is made: the program that uses it would stumble over it."""
    with pytest.raises(
        ValueError, match=r"must match the schema, or be None: `\$\.name` has the wrong type"
    ):
        ask(rendered, pytest.fail, default={"name": 5, "age": 0})  # type: ignore[arg-type]


def test_a_default_that_is_not_json(rendered: pdl.Rendered) -> None:
    with pytest.raises(TypeError, match="default must be a JSON value, not set"):
        ask(rendered, lambda _: GOOD, default={1, 2})


def test_no_bound_of_time(rendered: pdl.Rendered) -> None:
    assert ask(rendered, lambda _: GOOD, timeout=None).value == json.loads(GOOD)


def test_a_hook_that_nobody_would_await(rendered: pdl.Rendered) -> None:
    class Late(Hook):
        async def after(self, *_: object) -> None:
            """Never."""

    with pytest.raises(TypeError, match="must not be async"):
        ask(rendered, lambda _: GOOD, hooks=[Late()])


class Slow(Hook):
    """Both of whose methods are awaited."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def before(self, number: int, request: Request) -> None:  # noqa: ARG002
        await asyncio.sleep(0)
        self.told.append(f"before {number}")

    async def after(self, number: int, attempt: Attempt, pause: float | None) -> None:  # noqa: ARG002
        await asyncio.sleep(0)
        self.told.append(f"after {number}")


def test_hooks_are_awaited(rendered: pdl.Rendered, tmp_path: Path) -> None:
    """Those of a cached reply, too; beside others that are not asynchronous."""

    class Known(FunctionModel):
        def identity(self, request: Request) -> str:  # noqa: ARG002
            return "known"

    slow, quick = Slow(), Hook()
    for _ in range(2):
        model = Known(lambda _: GOOD)
        asyncio.run(ask_async(rendered, model, hooks=[slow, quick], cache=tmp_path / "a.db"))
    assert slow.told == ["before 1", "after 1", "after 1"]


def test_a_hook_that_only_seems_not_to_be_awaited(rendered: pdl.Rendered) -> None:
    class Sly(Hook):
        def before(self, number: int, request: Request) -> Awaitable[None]:
            return Slow().before(number, request)

    with pytest.raises(TypeError, match="hooks must not be async in ask"):
        ask(rendered, lambda _: GOOD, hooks=[Sly()])


def test_an_exception_in_a_hook_ends_the_run(rendered: pdl.Rendered) -> None:
    class Strict(Hook):
        def after(self, number: int, attempt: Attempt, pause: float | None) -> None:  # noqa: ARG002
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        ask(rendered, lambda _: GOOD, hooks=[Strict()])
    with pytest.raises(LookupError, match="enough"):
        asyncio.run(ask_async(rendered, lambda _: GOOD, hooks=[Strict()]))


def test_a_function_that_is_late(rendered: pdl.Rendered) -> None:
    """It cannot be stopped, but what it says then is no answer."""
    import time  # noqa: PLC0415

    def late(_: object) -> Reply:
        time.sleep(0.05)
        return Reply(GOOD)

    answer = ask(rendered, late, call_timeout=0.02, retries=0, default=None)
    [attempt] = answer.attempts
    assert answer.is_default
    assert attempt.fault is not None
    assert attempt.reason == "timeout: the function took more than 0.02 s"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0123456, "0.0123 s"), (5, "5 s"), (90.04, "90 s"), (119.96, "120 s"),
        (150, "2.5 minutes"), (3600, "60 minutes"), (86_400, "24 hours"), (1e9, "278,000 hours"),
        (0.0000001, "0 s"),
    ],
)  # fmt: skip
def test_times_in_words(seconds: float, words: str) -> None:
    assert in_words(seconds) == words
