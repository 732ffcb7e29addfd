"""`run_tools`: calls, results, and the next question, until there is an answer or a bound."""

from __future__ import annotations

import asyncio
import contextvars
import pickle
import sqlite3
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.conftest import QUICK

import pdl
from pdl.models import Fault, Reply, Usage
from pdl.prompt import Message
from pdl.tools import ToolCall, ToolResult, ToolSet

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.models.tool_loop import ToolRun

PROMPT = pdl.loads("<|user|>\nAdd up.\n<|schema|>\n{ sum: int }\n")
RENDERED = PROMPT.render()
ANSWER = '{"sum": 3}'


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def later(text: str) -> str:
    """Say it, a moment later."""
    await asyncio.sleep(0)
    return text


def fail() -> None:
    """Fail."""
    raise ValueError("as always")


KIT = ToolSet.from_functions(add, later, fail)


def calls(*names: str, **arguments: Any) -> Reply:
    """A reply that calls tools, each with the same arguments."""
    return Reply(
        "", calls=tuple(ToolCall(name, arguments, f"c{i}") for i, name in enumerate(names))
    )


ADDS = calls("add", a=1, b=2)


@dataclass
class Recorded:
    """A model that says one thing after another, the last one again and again."""

    replies: list[str | Reply | Fault]
    seen: list[tuple[Message, ...]] = field(default_factory=list)

    def __call__(self, messages: tuple[Message, ...]) -> str | Reply:
        said = self.replies[min(len(self.seen), len(self.replies) - 1)]
        self.seen.append(messages)
        if isinstance(said, Fault):
            raise said
        return said


def run(model: Any, kit: Any = KIT, **options: Any) -> ToolRun[Any]:
    return pdl.run_tools(RENDERED, model, kit, **{"backoff": QUICK, **options})


def run_later(model: Any, kit: Any = KIT, **options: Any) -> ToolRun[Any]:
    given = {"backoff": QUICK, **options}
    return asyncio.run(pdl.run_tools_async(RENDERED, model, kit, **given))


both = pytest.mark.parametrize("ran", [run, run_later])


# Laws

NUMBERS = st.integers(-9, 9)
CALL: st.SearchStrategy[tuple[str, dict[str, Any], str]] = st.one_of(
    st.builds(lambda a, b: ("add", {"a": a, "b": b}, str(a + b)), NUMBERS, NUMBERS),
    st.builds(lambda text: ("later", {"text": text}, text), st.text("ab", max_size=3)),
    st.just(("fail", {}, "ValueError: as always")),
)
STEPS = st.lists(st.tuples(st.lists(CALL, min_size=1, max_size=4), st.integers(0, 50)), max_size=4)


def replies_of(steps: list[tuple[list[Any], int]]) -> list[Reply]:
    """A reply for each step, and the answer, each with the tokens that it took."""
    made = [
        Reply(
            "",
            calls=tuple(ToolCall(call[0], call[1], f"{n}.{i}") for i, call in enumerate(step)),
            usage=Usage(tokens, 1),
        )
        for n, (step, tokens) in enumerate(steps)
    ]
    return [*made, Reply(ANSWER, usage=Usage(7, 2))]


@given(STEPS, st.sampled_from([run, run_later]))
def test_the_conversation_grows_by_calls_and_results(
    steps: list[Any], ran: Callable[..., ToolRun[Any]]
) -> None:
    replies = replies_of(steps)
    model = Recorded([*replies])
    done = ran(model)
    sent = RENDERED.messages
    for seen, reply, (wanted, _), step in zip(model.seen, replies, steps, done.steps, strict=False):
        assert seen == sent
        assert step.calls == reply.calls
        assert [result.text for result in step.results] == [text for *_, text in wanted]
        assert [result.failed for result in step.results] == [c[0] == "fail" for c in wanted]
        sent = (*sent, Message("assistant", reply.calls), Message("user", step.results))
    assert model.seen[len(steps) :] == [sent]
    assert done.messages == (*sent, Message("assistant", ANSWER))
    assert (done.value, done.calls, len(done.steps)) == ({"sum": 3}, (), len(steps))


@given(STEPS)
def test_attempts_and_usage_are_those_of_all_steps(steps: list[Any]) -> None:
    done = run(Recorded([*replies_of(steps)]))
    assert len(done.attempts) == len(steps) + 1
    assert done.usage == Usage(sum(tokens for _, tokens in steps) + 7, len(steps) + 2)
    assert [attempt.calls for attempt in done.attempts] == [*(s.calls for s in done.steps), ()]


@given(STEPS, st.data())
def test_a_fault_on_the_way_loses_nothing(steps: list[Any], data: st.DataObject) -> None:
    """One that passes is an attempt more; one that stays ends the run, which has all before."""
    replies: list[Any] = [*replies_of(steps)]
    where = data.draw(st.integers(0, len(steps)))
    passing = [*replies[:where], Fault("cut", "gone"), *replies[where:]]
    done = run(Recorded(passing))
    assert (len(done.attempts), len(done.steps)) == (len(steps) + 2, len(steps))
    with pytest.raises(pdl.AskError) as caught:
        run(Recorded([*replies[:where], Fault("auth", "no")]))
    error = caught.value
    assert (error.ending, error.is_fault) == ("fault", True)
    assert (len(error.attempts), len(error.steps)) == (where + 1, where)
    assert [step.results for step in error.steps] == [s.results for s in done.steps[:where]]


# Bounds


@both
@pytest.mark.parametrize("steps", [1, 3])
def test_calls_of_the_last_step_are_not_run(ran: Callable[..., Any], steps: int) -> None:
    ran_calls: list[int] = []

    def count() -> int:
        """Count."""
        ran_calls.append(1)
        return len(ran_calls)

    with pytest.raises(pdl.AskError) as caught:
        ran(Recorded([calls("count")]), [count], steps=steps)
    error = caught.value
    assert error.ending == "steps"
    assert (len(error.attempts), len(error.steps), len(ran_calls)) == (steps, steps - 1, steps - 1)
    assert "it still called tools in the last step" in str(error)
    assert f"attempt {steps} (0.0 s): it called `count`\n  hint: raise `steps`" in str(error)


def test_the_error_can_be_pickled() -> None:
    with pytest.raises(pdl.AskError) as caught:
        run(Recorded([calls("fail")]), steps=2)
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own
    assert (again.steps, again.ending) == (caught.value.steps, "steps")
    assert str(again) == str(caught.value)


@both
def test_a_default_ends_a_run(ran: Callable[..., ToolRun[Any]]) -> None:
    done = ran(Recorded([ADDS]), steps=2, default=None)
    assert (done.value, done.is_default, done.check) == (None, True, None)
    assert (len(done.attempts), len(done.steps)) == (2, 1)
    done = ran(Recorded([ADDS, Fault("auth", "no")]), default={"sum": 0})
    assert (done.value, done.is_default, len(done.attempts)) == ({"sum": 0}, True, 2)


def test_a_reply_that_stays_bad_is_an_output_error() -> None:
    with pytest.raises(pdl.OutputError) as caught:
        run(Recorded([ADDS, "no idea"]), retries=1)
    error: Any = caught.value
    assert (error.ending, error.check.reason) == ("attempts", "absent")
    assert (len(error.attempts), len(error.steps)) == (3, 1)


@both
def test_tokens_are_those_of_the_whole_run(ran: Callable[..., ToolRun[Any]]) -> None:
    spent = [Reply("", calls=ADDS.calls, usage=Usage(1, 40))] * 2
    last = Reply(ANSWER, usage=Usage(1, 20))
    done = ran(Recorded([*spent, last]), max_output_tokens=100)
    assert [one.request.config["max_tokens"] for one in done.attempts] == [100, 60, 20]
    with pytest.raises(pdl.AskError) as caught:
        ran(Recorded([*spent, last]), max_output_tokens=80)
    assert (caught.value.ending, len(caught.value.attempts)) == ("tokens", 2)
    assert len(caught.value.steps) == 1


@both
def test_a_budget_bounds_the_whole_run(ran: Callable[..., ToolRun[Any]]) -> None:
    """Its tokens are those of all steps, and its seconds end tools, too."""
    spent = Reply("", calls=ADDS.calls, usage=Usage(50, 40))
    with pytest.raises(pdl.AskError) as caught:
        ran(Recorded([spent]), budget=pdl.Budget(tokens=150))
    error = caught.value
    assert (error.ending, len(error.attempts), len(error.steps)) == ("tokens", 2, 2)
    with pytest.raises(pdl.AskError) as caught:
        ran(Recorded([calls("nap")]), [nap], budget=pdl.Budget(seconds=0.2))
    assert (caught.value.ending, caught.value.steps[0].results[0].failed) == ("time", True)


async def nap() -> None:
    """Sleep."""
    await asyncio.sleep(60)


@both
def test_each_step_falls_back_on_faults(ran: Callable[..., ToolRun[Any]]) -> None:
    first, second = Recorded([ADDS, Fault("auth", "no")]), Recorded([ANSWER])
    done = ran([first, second])
    assert (done.value, len(done.attempts), len(done.steps)) == ({"sum": 3}, 3, 1)
    assert second.seen[0] == first.seen[1]


@both
def test_an_async_tool_that_hangs_is_cancelled(ran: Callable[..., ToolRun[Any]]) -> None:
    ended: list[str] = []

    async def hang() -> None:
        """Hang."""
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("cancelled")

    began = time.monotonic()
    with pytest.raises(pdl.AskError, match="`hang` did not finish") as caught:
        ran(Recorded([calls("hang", "now")]), [hang, now], timeout=0.3)
    assert time.monotonic() - began < 10
    assert (caught.value.ending, ended) == ("time", ["cancelled"])
    hung, quick = caught.value.steps[0].results
    assert (hung.failed, quick.text, quick.failed) == (True, "now", False)


def now() -> str:
    """Say now."""
    return "now"


@both
def test_a_tool_that_cannot_be_stopped_is_left_behind(ran: Callable[..., ToolRun[Any]]) -> None:
    go_on, ended = threading.Event(), threading.Event()
    after: list[str] = []

    def hang() -> None:
        """Hang."""
        go_on.wait(60)
        ended.set()

    def not_run() -> None:
        """Wait for the thread."""
        after.append("run")

    with pytest.raises(pdl.AskError) as caught:
        ran(Recorded([calls("hang", "not_run")]), [hang, not_run], timeout=0.3)
    assert caught.value.ending == "time"
    assert [result.failed for result in caught.value.steps[0].results] == [True, True]
    assert not ended.is_set()
    go_on.set()
    assert ended.wait(10)
    assert after == []


@both
def test_the_time_is_that_of_the_whole_run(ran: Callable[..., ToolRun[Any]]) -> None:
    def rest() -> None:
        """Rest."""
        time.sleep(0.4)

    with pytest.raises(pdl.AskError) as caught:
        ran(Recorded([calls("rest")]), [rest], timeout=1.5, steps=100)
    assert caught.value.ending == "time"
    assert 2 <= len(caught.value.attempts) <= 5


# How functions run


@both
def test_async_functions_of_one_reply_run_concurrently(ran: Callable[..., ToolRun[Any]]) -> None:
    """Each waits for the others, so one at a time they would never end."""
    here: list[asyncio.Event] = []

    async def meet() -> int:
        """Meet."""
        mine = asyncio.Event()
        here.append(mine)
        if len(here) == 3:
            for one in here:
                one.set()
        await mine.wait()
        return here.index(mine)

    done = ran(Recorded([calls("meet", "meet", "meet"), ANSWER]), [meet], timeout=30)
    assert [result.text for result in done.steps[0].results] == ["0", "1", "2"]


@both
def test_results_have_the_order_of_the_calls(ran: Callable[..., ToolRun[Any]]) -> None:
    async def pause(seconds: float) -> float:
        """Pause."""
        await asyncio.sleep(seconds)
        return seconds

    asked = [ToolCall("pause", {"seconds": one}, str(one)) for one in (0.05, 0.0, 0.02)]
    done = ran(Recorded([Reply("", calls=tuple(asked)), ANSWER]), [pause])
    assert done.steps[0].calls == tuple(asked)
    assert [result.text for result in done.steps[0].results] == ["0.05", "0.0", "0.02"]


def thread() -> int:
    """Which thread this is."""
    return threading.get_ident()


def threads(done: ToolRun[Any]) -> set[str]:
    return {result.text for step in done.steps for result in step.results}


@both
def test_other_functions_share_one_thread(ran: Callable[..., ToolRun[Any]]) -> None:
    done = ran(Recorded([calls("thread", "thread"), calls("thread"), ANSWER]), [thread])
    assert len(threads(done)) == 1
    assert threads(done) != {str(threading.get_ident())}


def test_without_a_bound_they_run_in_the_thread_of_the_caller() -> None:
    """Objects of SQLite are for one thread."""
    connection = sqlite3.connect(":memory:")

    def query(sql: str) -> list[Any]:
        """Query."""
        return connection.execute(sql).fetchall()

    asked = (*calls("thread", "thread").calls, ToolCall("query", {"sql": "select 7"}, "c9"))
    done = run(Recorded([Reply("", calls=asked), ADDS, ANSWER]), [thread, query, add], timeout=None)
    assert [result.text for result in done.steps[0].results] == [
        *[str(threading.get_ident())] * 2,
        "[[7]]",
    ]
    bounded = run(Recorded([Reply("", calls=asked), ANSWER]), [thread, query])
    assert "can only be used in that same thread" in bounded.steps[0].results[2].text
    connection.close()


def test_the_event_loop_is_not_blocked() -> None:
    """The function waits for something that only the event loop does."""
    ticked = threading.Event()

    def wait() -> bool:
        """Wait."""
        return ticked.wait(30)

    async def main() -> ToolRun[Any]:
        running = asyncio.create_task(
            pdl.run_tools_async(RENDERED, Recorded([calls("wait"), ANSWER]), [wait])
        )
        while not running.done():
            await asyncio.sleep(0.01)
            ticked.set()
        return running.result()

    assert asyncio.run(main()).steps[0].results[0].text == "true"


@both
def test_functions_see_the_context_of_the_caller(ran: Callable[..., ToolRun[Any]]) -> None:
    user = contextvars.ContextVar("user", default="nobody")

    def who() -> str:
        """Who it is."""
        return user.get()

    async def who_later() -> str:
        """Who it is."""
        return user.get()

    token = user.set("Ann")
    try:
        done = ran(Recorded([calls("who", "who_later"), ANSWER]), [who, who_later])
    finally:
        user.reset(token)
    assert [result.text for result in done.steps[0].results] == ["Ann", "Ann"]


def test_cancelling_the_run_cancels_its_tools() -> None:
    ended: list[str] = []

    async def hang() -> None:
        """Hang."""
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("cancelled")

    async def main() -> None:
        async with asyncio.timeout(0.2):
            await pdl.run_tools_async(RENDERED, Recorded([calls("hang")]), [hang])

    with pytest.raises(TimeoutError):
        asyncio.run(main())
    assert ended == ["cancelled"]


def test_a_run_within_an_event_loop() -> None:
    """As in a notebook, whose thread has one."""

    async def main() -> ToolRun[Any]:
        return run(Recorded([calls("later", text="x"), ANSWER]))

    assert asyncio.run(main()).steps[0].results[0].text == "x"


# What functions raise


class OwnError(Exception):
    """Of the program."""


def raising(error: BaseException) -> list[Callable[[], object]]:
    def at_once() -> None:
        """Raise."""
        raise error

    async def in_a_moment() -> None:
        """Raise."""
        await asyncio.sleep(0)
        raise error

    return [at_once, in_a_moment]


@both
def test_the_model_sees_what_a_function_raises(ran: Callable[..., ToolRun[Any]]) -> None:
    done = ran(Recorded([calls("at_once", "in_a_moment"), ANSWER]), raising(OwnError("gone")))
    assert [(one.text, one.failed) for one in done.steps[0].results] == [
        ("OwnError: gone", True)
    ] * 2


@both
@pytest.mark.parametrize("name", ["at_once", "in_a_moment"])
@pytest.mark.parametrize(
    "error", [OwnError("gone"), pdl.ToolError(pdl.Problem("tool/no-function", "gone"))]
)
def test_errors_of_the_program_are_raised(
    ran: Callable[..., ToolRun[Any]], name: str, error: Exception
) -> None:
    """If that is asked for, and always for tools that can't work."""
    with pytest.raises(type(error), match="gone"):
        ran(
            Recorded([calls(name), ANSWER]),
            raising(error),
            raise_errors=isinstance(error, OwnError),
        )


@both
@pytest.mark.parametrize("name", ["at_once", "in_a_moment"])
@pytest.mark.parametrize("other", [("hang",), ()])
def test_a_raised_error_does_not_wait_for_others(
    ran: Callable[..., ToolRun[Any]], name: str, other: tuple[str, ...]
) -> None:
    async def hang() -> None:
        """Hang."""
        await asyncio.sleep(60)

    began = time.monotonic()
    names = (*other, name) if other else (name, "hang")
    with pytest.raises(OwnError):
        ran(Recorded([calls(*names)]), [*raising(OwnError("gone")), hang], raise_errors=True)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("timeout", [600, None])
@pytest.mark.parametrize("name", ["at_once", "in_a_moment"])
def test_what_ends_the_program_ends_it(name: str, timeout: float | None) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(Recorded([calls(name)]), raising(KeyboardInterrupt()), timeout=timeout)


@both
def test_the_end_of_an_iterator_is_a_failure(ran: Callable[..., ToolRun[Any]]) -> None:
    done = ran(Recorded([calls("at_once"), ANSWER]), raising(StopIteration("over")), timeout=20)
    assert done.steps[0].results[0].text == "StopIteration: over"


@both
def test_an_invalid_call_goes_back_to_the_model(ran: Callable[..., ToolRun[Any]]) -> None:
    """As a retry of the same step, since the whole reply is invalid."""
    done = ran(Recorded([calls("add", a=1), ADDS, ANSWER]))
    assert (len(done.attempts), len(done.steps)) == (3, 1)
    assert "missing the required field `b`" in done.attempts[0].complaint


def test_a_repeated_call_is_run_again() -> None:
    done = run(Recorded([ADDS, ADDS, ADDS, ANSWER]))
    assert [step.results[0].text for step in done.steps] == ["3", "3", "3"]


def test_a_function_can_make_its_result() -> None:
    def half() -> ToolResult:
        """Make half of it."""
        return ToolResult(ToolCall("other"), "only half", failed=True)

    done = run(Recorded([calls("half"), ANSWER]), [half])
    assert done.steps[0].results == (
        ToolResult(ToolCall("half", {}, "c0"), "only half", failed=True),
    )


# Arguments


def written(name: str, arguments: str) -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


def test_tools_of_the_prompt_with_functions() -> None:
    prompt = pdl.loads("<|user|>\nHi\n<|tools|>\nplus(a: int, b: int)\n<|schema|>\n{ sum: int }\n")
    model = Recorded([written("plus", '{"a": 1, "b": 2}'), ANSWER])
    done = pdl.run_tools(prompt.render(), model, functions={"plus": lambda a, b: a + b})
    assert done.steps[0].results[0].text == "3"
    done = pdl.run_tools(prompt.render(), Recorded([ADDS, ANSWER]), [add])
    assert done.steps[0].calls == ADDS.calls
    with pytest.raises(pdl.ToolError, match="`plus` has no function") as caught:
        pdl.run_tools(prompt.render(), Recorded([ANSWER]))
    assert "functions={'plus': …}" in str(caught.value)


@pytest.mark.parametrize(
    ("functions", "told"),
    [
        ({"zzz": add}, "there is no tool `zzz` .*\n  hint: the tools are add, later, fail"),
        ({"ad": add, "add": add}, "there is no tool `ad` .*\n  hint: did you mean `add`?"),
        ([now], "there is no tool `now`"),
    ],
)
def test_functions_of_no_tool(functions: Any, told: str) -> None:
    """Nothing is sent: a name with a typo would never be called."""
    model = Recorded([ANSWER])
    with pytest.raises(pdl.ToolError, match=told) as caught:
        pdl.run_tools(RENDERED, model, KIT, functions=functions)
    assert [one.code for one in caught.value.problems] == ["tool/unknown"]
    assert model.seen == []


def test_a_kit_of_functions_and_tools() -> None:
    done = run(Recorded([calls("now", "fail"), ANSWER]), [now, *KIT])
    assert [result.failed for result in done.steps[0].results] == [False, True]
    assert done.attempts[0].request.tools is not None
    assert done.attempts[0].request.tools.names == ("now", "add", "later", "fail")


def test_an_empty_kit_is_no_tools() -> None:
    done = run(Recorded([ANSWER]), [])
    assert (done.value, done.attempts[0].request.tools) == ({"sum": 3}, None)


@pytest.mark.parametrize(
    ("arguments", "kind", "told"),
    [
        ({"kit": add}, TypeError, "not function: write \\[function\\]"),
        ({"kit": "add"}, TypeError, "kit must be a pdl.tools.ToolSet or a list of functions"),
        ({"kit": {"add": add}}, TypeError, "not dict"),
        ({"kit": None}, TypeError, "needs a kit of tools: the prompt has no tools turn"),
        ({"kit": [add, 3]}, pdl.ToolError, "3 is not a function"),
        ({"kit": [add, add]}, pdl.ToolError, "duplicate tool name `add`"),
        ({"kit": ToolSet.parse("x()\ny()")}, pdl.ToolError, "`x` has no function(.|\n)*`y`"),
        ({"steps": 0}, ValueError, "steps must be 1 or more"),
        ({"steps": 2.0}, TypeError, "steps must be an int"),
        ({"tools": KIT}, TypeError, "run_tools has no option `tools`: pass them as `kit`"),
        ({"retires": 3}, TypeError, "did you mean `retries`"),
        ({"timeout": 0}, ValueError, "timeout must be a number of seconds above 0"),
        ({"schema": 3}, TypeError, "a Python type"),
    ],
)
@both
def test_bad_arguments(
    ran: Callable[..., Any], arguments: dict[str, Any], kind: type[Exception], told: str
) -> None:
    """All before the model is asked."""
    model = Recorded([ANSWER])
    with pytest.raises(kind, match=told):
        ran(model, **{"kit": KIT, **arguments})
    assert model.seen == []


def test_what_is_no_rendered_prompt() -> None:
    with pytest.raises(TypeError, match=r"rendered must be a pdl.Rendered"):
        pdl.run_tools("Hi", Recorded([ANSWER]), KIT)  # type: ignore[call-overload]


# Types


@dataclass
class Sum:
    sum: int


@both
def test_the_answer_is_an_instance(ran: Callable[..., ToolRun[Any]]) -> None:
    done = ran(Recorded([ADDS, ANSWER]), schema=Sum)
    assert (done.value, done.data) == (Sum(3), {"sum": 3})
    assert ran(Recorded(['{"total": 3}', "[3]"]), schema=list[int]).value == [3]
