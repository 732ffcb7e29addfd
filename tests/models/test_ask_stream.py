"""Answers as they arrive: `pdl.stream`, and `on_partial` of `ask`."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from models import hostile
from models.conftest import QUICK, Serve, remote
from models.hostile import GOOD, chunk, respond, streamed
from models.scripted import VALUE, asked, says

import pdl
from pdl.models import AskError, Delta, Dropped, Reply, Request, ask_async

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
    from pathlib import Path

    from pdl._types import Json
    from pdl.models import AskPartial, AskStream


@dataclass
class Person:
    name: str
    age: int


@dataclass
class Pieces:
    """A model that says one text after the other, in pieces, and notes which calls have ended."""

    texts: tuple[Sequence[str | Exception], ...]
    calls: int = 0
    ended: int = 0
    name: str = "mine:pieces"

    def reply(self, request: Request, *, timeout: float) -> Reply:
        return Reply("".join(delta.text for delta in self.stream(request, timeout=timeout)))

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:  # noqa: ARG002
        self.calls += 1
        try:
            for piece in self.texts[self.calls - 1]:
                if isinstance(piece, Exception):
                    raise piece
                yield Delta(text=piece)
        finally:
            self.ended += 1

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109
        return self.reply(request, timeout=timeout)

    async def stream_async(self, request: Request, *, timeout: float) -> AsyncIterator[Delta]:  # noqa: ASYNC109
        for delta in self.stream(request, timeout=timeout):
            await asyncio.sleep(0)
            yield delta

    def dropped(self, request: Request) -> tuple[Dropped, ...]:  # noqa: ARG002
        return ()

    def identity(self, request: Request) -> Json:  # noqa: ARG002
        return "pieces"


WHOLE = ['{"name": "A', "nn", '", "age": ', "30", "}", ""]
WRONG = '{"name": "Ann", "age": "old"}'
SHOWN = [
    (1, Person("A", None), False),  # type: ignore[arg-type]  # a partial one
    (1, Person("Ann", None), False),  # type: ignore[arg-type]
    (1, Person("Ann", 30), False),
    (1, Person("Ann", 30), True),
]


def told(partial: AskPartial[Any]) -> tuple[int, Any, bool]:
    return partial.attempt, partial.value, partial.final


async def settled() -> None:
    """Let the event loop close what was left: it makes a task of that, and httpx further ones."""
    await asyncio.sleep(0)
    while others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others, timeout=5)
        await asyncio.sleep(0)


async def gathered(stream: AskStream[Any]) -> list[AskPartial[Any]]:
    return [partial async for partial in stream]


def both(rendered: pdl.Rendered, make: Any, schema: Any = None, **options: Any) -> list[Any]:
    """The partials of a stream, which are the same in every way to get them."""
    options = {"backoff": QUICK, **options}
    found = list(pdl.stream(rendered, make(), schema, **options))
    later = asyncio.run(gathered(pdl.stream(rendered, make(), schema, **options)))
    shown: list[Any] = []
    asked(rendered, make(), schema=schema, on_partial=shown.append, **options)
    awaited: list[Any] = []

    async def take(partial: AskPartial[Any]) -> None:
        await asyncio.sleep(0)
        awaited.append(partial)

    asyncio.run(ask_async(rendered, make(), schema, on_partial=take, **options))
    for others in (later, shown, awaited):
        assert [told(one) for one in others] == [told(one) for one in found]
    return found


def changes(partials: list[Any]) -> list[tuple[int, Any, bool]]:
    """What a program sees, without what looks the same."""
    shown = [told(one) for one in partials]
    return [one for at, one in enumerate(shown) if not at or shown[at - 1] != one]


def test_partials(rendered: pdl.Rendered) -> None:
    found = both(rendered, lambda: Pieces((WHOLE,)), Person)
    assert changes(found) == SHOWN
    *others, last = found
    assert all(one.answer is None for one in others)
    assert others[0].data == {"name": "A"}
    assert last.answer.value == last.value == Person("Ann", 30)
    assert (last.data, last.start, last.complete, last.errors) == (VALUE, 0, True, ())
    assert last.is_complete(("age",))
    assert last.answer.attempts[0].check.ok


def test_the_json_without_a_type(rendered: pdl.Rendered) -> None:
    found = both(rendered, lambda: Pieces((WHOLE,)))
    assert found[0].value == {"name": "A"}
    assert found[-1].value == VALUE


def test_text_without_a_schema() -> None:
    rendered = pdl.loads("<|user|>\nHi.\n").render()
    found = both(rendered, lambda: Pieces((["<think>hm</think>", "Hel", "lo"],)))
    assert [one.value for one in found] == ["Hel", "Hello", "Hello"]


def test_another_attempt_starts_anew(rendered: pdl.Rendered) -> None:
    wrong: list[str | Exception] = ['{"name": "Bob", "age": 300', ', "x": 1', "}"]
    cut: list[str | Exception] = ['{"name": "C', pdl.Fault("cut", "gone")]
    found = both(rendered, lambda: Pieces((wrong, cut, [*WHOLE])), Person)
    seen = changes(found)
    assert [one for one in seen if one[0] == 1][-1][1].name == "Bob"
    assert [one for one in seen if one[0] == 2] == [(2, Person("C", None), False)]  # type: ignore[arg-type]
    assert [(3, *rest) for _, *rest in SHOWN] == [one for one in seen if one[0] == 3]


def test_it_is_called_only_when_something_has_changed(rendered: pdl.Rendered) -> None:
    pieces: list[str | Exception] = ["<think>", "so", "</think>", "", '{"name": "A', "", "", '"}']
    found = both(rendered, lambda: Pieces((pieces,)), retries=0, default=None)
    assert len({id(one) for one in found}) == len(found) <= 3
    assert found[-1].answer.is_default


def test_a_function(rendered: pdl.Rendered) -> None:
    """It can't stream: there is one partial, and the answer."""
    found = both(rendered, lambda: says(GOOD), Person)
    assert [told(one) for one in found] == SHOWN[-2:]


def test_over_http(serve: Serve, rendered: pdl.Rendered) -> None:
    script = hostile.stream(*streamed('{"name": "An', 'n", "age"', ": 30}"))
    found = both(rendered, lambda: remote(serve(script)), Person)
    assert changes(found)[0] == (1, Person("An", None), False)  # type: ignore[arg-type]
    assert told(found[-1]) == SHOWN[-1]


def test_a_stored_reply(rendered: pdl.Rendered, tmp_path: Path) -> None:
    """Nothing arrives in pieces; the answer comes at once."""
    cache = tmp_path / "kept.db"
    list(pdl.stream(rendered, Pieces((WHOLE,)), Person, cache=cache))
    found = both(rendered, lambda: Pieces(()), Person, cache=cache)
    assert [told(one) for one in found] == SHOWN[-1:]


def test_tool_calls(rendered: pdl.Rendered) -> None:
    def add(a: int) -> None:
        """Add."""

    tools = pdl.tools.ToolSet.from_functions(add)
    call = pdl.tools.ToolCall("add", {"a": 1})
    reply = Reply("", calls=(call,), finish="tool")
    (last,) = both(rendered, lambda: says(reply), tools=tools)
    assert (last.final, last.value, last.data, last.started) == (True, None, None, False)
    assert [one.name for one in last.answer.calls] == ["add"]


def test_no_attempt_succeeds(rendered: pdl.Rendered) -> None:
    """The error comes after the partials, and none of these is final."""
    stream = pdl.stream(rendered, Pieces(([WRONG], [WRONG])), Person, retries=1)
    partials = iter(stream)
    assert [next(partials).attempt, next(partials).attempt] == [1, 2]
    with pytest.raises(AskError, match="2 attempts"):
        next(partials)
    with pytest.raises(ValueError, match="there is no answer yet"):
        _ = stream.answer
    later = pdl.stream(rendered, Pieces(([WRONG], [WRONG])), Person, retries=1)
    with pytest.raises(AskError, match="2 attempts"):
        asyncio.run(gathered(later))


def test_a_context(rendered: pdl.Rendered) -> None:
    count = threading.active_count()
    with pdl.stream(rendered, Pieces((WHOLE,)), Person) as stream:
        for _ in stream:
            assert threading.active_count() == count
    assert stream.answer.value == Person("Ann", 30)

    async def go() -> AskStream[Person]:
        async with pdl.stream(rendered, Pieces((WHOLE,)), Person) as stream:
            async for _ in stream:
                pass
        return stream

    assert asyncio.run(go()).answer.value == Person("Ann", 30)


def test_leaving_a_loop_ends_the_call(rendered: pdl.Rendered) -> None:
    model = Pieces((WHOLE,))
    stream = pdl.stream(rendered, model)
    for _ in stream:
        break
    gc.collect()
    assert (model.calls, model.ended) == (1, 1)
    with pytest.raises(ValueError, match="can be iterated once"):
        iter(stream)
    with pytest.raises(ValueError, match="can be iterated once"):
        aiter(stream)


def test_a_context_ends_the_call(rendered: pdl.Rendered) -> None:
    model = Pieces((WHOLE,))
    with pdl.stream(rendered, model) as stream:
        partials = iter(stream)
        next(partials)
        assert model.ended == 0
    assert model.ended == 1
    assert next(partials, None) is None
    stream.close()


def test_errors_of_the_program_end_the_call(rendered: pdl.Rendered) -> None:
    model = Pieces((WHOLE,))

    def go() -> None:
        for _ in pdl.stream(rendered, model):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        go()
    gc.collect()
    assert model.ended == 1

    def fails(partial: AskPartial) -> None:  # noqa: ARG001
        raise KeyError("mine")

    model = Pieces((WHOLE,))
    with pytest.raises(KeyError, match="mine"):
        asked(rendered, model, on_partial=fails)
    assert (model.calls, model.ended) == (1, 1)


def test_leaving_an_asynchronous_loop_ends_the_call(rendered: pdl.Rendered) -> None:
    model, other = Pieces((WHOLE,)), Pieces((WHOLE,))

    async def go() -> None:
        async for _ in pdl.stream(rendered, model):
            break
        async with pdl.stream(rendered, other) as stream:
            async for _ in stream:
                break
        assert other.ended == 1
        await settled()

    asyncio.run(go())
    assert (model.calls, model.ended) == (1, 1)


def endless(sent: list[str]) -> hostile.Script:
    """A reply that goes on until the client is gone."""

    def script(wire: hostile.Wire) -> None:
        wire.send(hostile.head("200 OK", "text/event-stream"))
        wire.send(chunk('{"name": "Ann'))
        try:
            while True:
                wire.send(chunk("n"))
                wire.wait(0.01)
        except OSError:
            sent.append("gone")

    return script


def assert_gone(sent: list[str]) -> None:
    """Assert that the server finds its client gone, and that no thread is left."""
    gc.collect()
    end = time.monotonic() + 5
    while not sent and time.monotonic() < end:
        time.sleep(0.01)
    assert sent == ["gone"]
    assert "pdl" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.parametrize("has_context", [False, True])
def test_leaving_closes_the_connection(
    has_context: bool,  # noqa: FBT001 - a parameter of the test
    serve: Serve,
    rendered: pdl.Rendered,
) -> None:
    sent: list[str] = []
    stream = pdl.stream(rendered, remote(serve(endless(sent))), Person)
    with stream if has_context else nullcontext():
        for _ in stream:
            break
    assert_gone(sent)


async def left(stream: AskStream[Any]) -> None:
    async for _ in stream:
        break


async def left_in_context(stream: AskStream[Any]) -> None:
    async with stream:
        await left(stream)


async def cancelled(stream: AskStream[Any]) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await gathered(stream)


@pytest.mark.parametrize("leave", [left, left_in_context, cancelled])
def test_leaving_closes_the_connection_in_a_task(
    leave: Callable[[AskStream[Any]], Awaitable[None]], serve: Serve, rendered: pdl.Rendered
) -> None:
    sent: list[str] = []

    async def go() -> None:
        await leave(pdl.stream(rendered, remote(serve(endless(sent))), Person))
        if leave is left:
            await settled()

    asyncio.run(go())
    assert_gone(sent)


def test_functions_that_need_an_event_loop(rendered: pdl.Rendered) -> None:
    async def take(given: object) -> None:
        """Never called here."""

    with pytest.raises(TypeError, match="on_partial must not be async in ask"):
        asked(rendered, Pieces((WHOLE,)), on_partial=take)
    with pytest.raises(TypeError, match="on_delta must not be async in ask"):
        list(pdl.stream(rendered, Pieces((WHOLE,)), on_delta=take))
    assert len(asyncio.run(gathered(pdl.stream(rendered, Pieces((WHOLE,)), on_delta=take)))) > 2
    with pytest.raises(TypeError, match="on_partial must be a function or None, not int"):
        asked(rendered, Pieces((WHOLE,)), on_partial=3)


def test_wrong_arguments_are_refused_at_once(rendered: pdl.Rendered) -> None:
    with pytest.raises(TypeError, match="it yields the partials"):
        pdl.stream(rendered, Pieces(()), on_partial=print)
    with pytest.raises(TypeError, match=r"rendered must be a pdl\.Rendered"):
        pdl.stream("Hi", Pieces(()))  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="ask has no option `retry`"):
        pdl.stream(rendered, Pieces(()), retry=3)  # type: ignore[call-overload]


def test_a_rule_is_told_to_the_model(rendered: pdl.Rendered) -> None:
    """It judges whole values only."""
    seen: list[Any] = []

    def is_old(person: Person) -> bool:
        seen.append(person)
        return person.age > 30

    older = GOOD.replace("30", "31")
    found = list(pdl.stream(rendered, Pieces(([GOOD], [older])), Person, validate=is_old))
    assert [one.age for one in seen] == [30, 31]
    assert found[-1].answer is not None
    assert (found[-1].attempt, found[-1].value) == (2, Person("Ann", 31))


def test_a_fault_is_an_attempt(serve: Serve, rendered: pdl.Rendered) -> None:
    server = serve(respond("503 Service Unavailable", ""), hostile.stream(*streamed(GOOD)))
    found = list(pdl.stream(rendered, remote(server), backoff=QUICK))
    assert {one.attempt for one in found} == {2}
