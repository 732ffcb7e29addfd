"""Asking over HTTP, whole and as a stream, a server that is good or hostile."""

from __future__ import annotations

import asyncio
import tracemalloc
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from models import hostile
from models.conftest import KEY, QUICK, Serve, remote
from models.hostile import GOOD, chunk, respond, streamed
from models.scripted import BAD, VALUE, asked

from pdl.models import AskError, AskOptions, Delta, Dropped, Reply, Request, Usage, ask_async
from pdl.models.accumulator import StreamAccumulator

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    import pdl
    from pdl._types import Json


def test_stream(serve: Serve, rendered: pdl.Rendered) -> None:
    pieces: list[Delta] = []
    server = serve(hostile.stream(*streamed('{"name": "Ann",', ' "age": 30}')))
    answer = asked(rendered, remote(server), on_delta=pieces.append)
    assert answer.value == VALUE
    assert "".join(piece.text for piece in pieces) == GOOD
    assert answer.usage == Usage(7, 5)


def test_early_stop(serve: Serve, rendered: pdl.Rendered) -> None:
    """A stream is left at the first thing that is certainly wrong, which goes back at once."""
    texts = ['{"name": ', '"Ann", "age": ', "300", ', "x": ', *["1"] * 2000]
    slow = hostile.stream(*map(chunk, texts), every=0.01)
    server = serve(slow, hostile.stream(*streamed(GOOD)))
    answer = asked(rendered, remote(server), stream=True, timeout=10)
    assert answer.value == VALUE
    first = answer.attempts[0]
    assert first.is_stopped
    assert first.reply is not None
    assert len(first.reply.text) < 60
    said = answer.attempts[1].request.messages[-1].text
    assert said.startswith("Field `age` of your output must be at most")
    assert said.endswith("Correct the error and return your whole output again.")
    assert answer.seconds < 5


def test_no_early_stop_behind_words(serve: Serve, rendered: pdl.Rendered) -> None:
    """Behind other words it may have been an example."""
    text = f"Not like this: {BAD}.\n\nFinal answer: {GOOD}"
    server = serve(hostile.stream(*streamed(*(f"{word} " for word in text.split(" ")))))
    answer = asked(rendered, remote(server), stream=True)
    assert answer.value == VALUE


def test_a_cut_stream(serve: Serve, rendered: pdl.Rendered) -> None:
    """What had come is kept with the fault, and the call is made again."""
    cut = hostile.stream(chunk('{"name": "An'))
    server = serve(cut, hostile.stream(*streamed(GOOD)))
    answer = asked(rendered, remote(server), stream=True)
    first = answer.attempts[0]
    assert first.fault is not None
    assert first.fault.kind == "cut"
    assert first.reply is not None
    assert first.reply.text == '{"name": "An'
    assert answer.value == VALUE


def test_streams_in_both_worlds(serve: Serve, rendered: pdl.Rendered) -> None:
    scripts = (
        hostile.reset,
        hostile.stream(*streamed(BAD)),
        hostile.stream(*streamed(GOOD)),
    )
    here = asked(rendered, remote(serve(*scripts)), stream=True)
    there = asyncio.run(ask_async(rendered, remote(serve(*scripts)), stream=True, backoff=QUICK))
    for answer in (here, there):
        assert answer.value == VALUE
        kinds = [one.fault and one.fault.kind for one in answer.attempts]
        assert kinds == ["cut", None, None]


def test_everything_goes_wrong(serve: Serve, rendered: pdl.Rendered) -> None:
    """Every attempt is in the error, told apart, and the key is in none."""
    limited = respond("429 Too Many Requests", f"slow down, {KEY}", retry_after_ms="1")
    server = serve(
        hostile.reset,
        limited,
        respond("503 Service Unavailable", ""),
        respond("200 OK", "<html>", "text/html"),
        respond("200 OK", "{"),
        hostile.good("no idea"),
        hostile.silence,
    )
    with pytest.raises(AskError) as caught:
        asked(rendered, remote(server), retries=6, call_timeout=3.0)
    kinds = [one.fault.kind if one.fault else "answered" for one in caught.value.attempts]
    assert kinds == [
        "cut", "rate_limited", "server", "content_type", "not_json", "answered", "timeout",
    ]  # fmt: skip
    assert server.requests(7)
    assert KEY not in str(caught.value)
    assert KEY not in repr(caught.value.attempts)


def test_it_ends_in_time(serve: Serve, rendered: pdl.Rendered) -> None:
    """However often it is tried, the whole ends when the time is up."""
    server = serve(hostile.silence)
    with pytest.raises(AskError) as caught:
        asked(rendered, remote(server), retries=50, call_timeout=0.5, timeout=1.75)
    assert caught.value.ending in {"time", "attempts"}
    assert caught.value.seconds < 5
    assert 2 <= len(caught.value.attempts) <= 5


@dataclass
class Pieces:
    """A model of somebody else's, which gives a text in pieces by plain iterators."""

    pieces: list[str]
    name: str = "mine:pieces"

    def reply(self, request: Request, *, timeout: float) -> Reply:  # noqa: ARG002
        return Reply("".join(self.pieces))

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:  # noqa: ARG002
        return iter([Delta(text=piece) for piece in self.pieces])

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109
        return self.reply(request, timeout=timeout)

    async def stream_async(self, request: Request, *, timeout: float) -> AsyncIterator[Delta]:  # noqa: ASYNC109
        for delta in self.stream(request, timeout=timeout):
            yield delta

    def dropped(self, request: Request) -> tuple[Dropped, ...]:  # noqa: ARG002
        return ()

    def identity(self, request: Request) -> Json:  # noqa: ARG002
        return None


PARTS = ("Here:\n", "```json\n", "\n```\n", "Final answer: ", "<think>", "</think>", " ")
ANSWERS = (GOOD, BAD, '{"name": ', '"Ann"', ', "age": 3', "0}", "0", "}")
WORDS = st.lists(st.sampled_from(PARTS + ANSWERS), max_size=8)


@given(WORDS, st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_streaming_makes_no_difference(
    rendered: pdl.Rendered, words: list[str], data: st.DataObject
) -> None:
    """However a reply comes, its check is that of the whole; one that is stopped was wrong."""
    text = "".join(words)
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]
    model = Pieces(pieces)
    whole = asked(rendered, model, retries=0, default=None).attempts[0]
    piecewise = asked(rendered, model, retries=0, default=None, stream=True).attempts[0]
    assert whole.check == rendered.check(text)
    if piecewise.is_stopped:
        assert not piecewise.ok
        assert piecewise.reply is not None
        assert text.startswith(piecewise.reply.text)
    else:
        assert piecewise.check == whole.check


def test_a_text_in_many_pieces_takes_little_more_than_its_characters() -> None:
    """A piece by itself takes fifty bytes more: a stream that never ended took gigabytes."""
    accumulator = StreamAccumulator(Request(()), AskOptions())
    tracemalloc.start()
    try:
        for number in range(500_000):
            accumulator.feed(Delta(text=f"{number % 10_000:04}"))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(accumulator.reply.text) == 2_000_000
    assert kept < 2 * 2_000_000


def test_pieces_are_awaited(serve: Serve, rendered: pdl.Rendered) -> None:
    """An `async` function is, where somebody can await it."""
    pieces: list[str] = []

    async def take(delta: Delta) -> None:
        await asyncio.sleep(0)
        pieces.append(delta.text)

    server = serve(hostile.stream(*streamed(GOOD)))
    asyncio.run(ask_async(rendered, remote(server), on_delta=take))
    assert "".join(pieces) == GOOD


def test_pieces_of_a_stored_reply_are_awaited(rendered: pdl.Rendered, tmp_path: Path) -> None:
    pieces: list[str] = []

    async def take(delta: Delta) -> None:
        pieces.append(delta.text)

    class Known(Pieces):
        def identity(self, request: Request) -> Json:  # noqa: ARG002
            return "known"

    for _ in range(2):
        asyncio.run(ask_async(rendered, Known([GOOD]), on_delta=take, cache=tmp_path / "kept.db"))
    assert pieces == [GOOD, GOOD]


@pytest.mark.parametrize("wrapped", [False, True])
def test_pieces_that_nobody_awaits(
    wrapped: bool,  # noqa: FBT001 - a parameter of the test
    rendered: pdl.Rendered,
) -> None:
    async def take(delta: Delta) -> None:
        """Never run."""

    def given(delta: Delta) -> object:
        return take(delta)

    on_delta = given if wrapped else take
    with pytest.raises(TypeError, match="only ask_async awaits it"):
        asked(rendered, lambda _: GOOD, on_delta=on_delta)
