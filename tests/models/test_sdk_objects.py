"""Responses of providers, as JSON and as objects of SDKs, read back."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pydantic
import pytest

import pdl
from pdl.models import Delta, Fault, Reply, Usage, deltas_from
from pdl.models.payloads import DONE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

WHOLE = '{"name": "Ann", "age": null}'
MESSAGE = {"message": {"role": "assistant", "content": WHOLE}, "finish_reason": "stop"}
BODY = {"choices": [MESSAGE], "model": "m", "usage": {"prompt_tokens": 3, "completion_tokens": 9}}
RAW = Reply(WHOLE, usage=Usage(3, 9), model="m")
ANY: Any = 3
RENDERED = pdl.loads("<|user|>\nWho?\n<|schema|>\n{ name: str, age?: int }").render()


class Object(pydantic.BaseModel):
    """Like an SDK's: with an alias, and members that no provider sends."""

    found: list[dict[str, Any]] = pydantic.Field(alias="choices")
    model: str
    usage: dict[str, int]
    extra: None = None


@pytest.mark.parametrize(
    "body",
    [BODY, json.dumps(BODY), json.dumps(BODY).encode(), Object.model_validate(BODY)],
    ids=["dict", "text", "bytes", "object"],
)
def test_a_body(body: object) -> None:
    """Without the question it is read as it is written; with it, in the question's form."""
    assert pdl.reply_from(body, "openai") == RAW
    request = pdl.Request.of(RENDERED)
    for asked in (RENDERED, request):
        reply = pdl.reply_from(body, "openai", asked)
        assert reply.text == '{"name": "Ann"}'
        assert RENDERED.check(reply.text).value == {"name": "Ann"}
    assert not RENDERED.check(RAW.text).ok


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ({"error": {"message": "Slow", "type": "rate_limit_error"}}, "rate_limited", "Slow"),
        ({"choices": []}, "bad_payload", r"\$.choices: expected an array with an element"),
        ("<html>", "not_json", "the body is not JSON"),
        (b"\xff\xff", "not_json", "the body is not JSON"),
    ],
)
def test_a_body_that_is_no_reply(body: object, kind: str, words: str) -> None:
    with pytest.raises(Fault, match=words) as caught:
        pdl.reply_from(body, "openai")
    assert caught.value.kind == kind


def test_what_a_model_said_that_its_provider_rejects() -> None:
    error = {"message": "Bad call", "code": "tool_use_failed", "failed_generation": "<f>"}
    reply = pdl.reply_from({"error": error}, "openai")
    assert (reply.text, reply.flaw is not None) == ("<f>", True)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pdl.reply_from(3, "openai"), "the object of an SDK, not int"),
        (lambda: pdl.reply_from(Object, "openai"), "not ModelMetaclass"),
        (lambda: pdl.reply_from(iter([]), "openai"), "read a stream with pdl.models.deltas_from"),
        (lambda: pdl.reply_from(BODY, "openai", ANY), "must be a pdl.Request or a pdl.Rendered"),
        (lambda: deltas_from("data", "openai"), "events must be an iterable of events, not str"),
        (lambda: deltas_from(BODY, "openai"), "events must be an iterable of events, not dict"),
        (lambda: deltas_from(ANY, "openai"), "events must be an iterable of events, not int"),
    ],
)
def test_what_cannot_be_read(call: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        call()


def test_an_unknown_family() -> None:
    for read in (pdl.reply_from, deltas_from):
        with pytest.raises(ValueError, match="unknown family 'azure': expected one of openai, "):
            read([], "azure")


def event(text: str = "", finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}


class Events:
    """A stream of an SDK, which is closed when nobody reads on."""

    def __init__(self, *events: object) -> None:
        self._events = iter(events)
        self.is_closed = False

    def __iter__(self) -> Iterator[object]:
        return self._events

    def close(self) -> None:
        self.is_closed = True


class AsyncEvents(Events):
    __iter__ = None  # type: ignore[assignment]

    async def __aiter__(self) -> AsyncIterator[object]:
        for one in self._events:
            yield one

    async def close(self) -> None:  # type: ignore[override]
        self.is_closed = True


async def collected(deltas: AsyncIterator[Delta]) -> list[Delta]:
    return [delta async for delta in deltas]


def read_all(kind: type[Events], *found: object, asked: Any = None) -> str:
    """The text of a stream, which is closed at the end."""
    events: Any = kind(*found)
    deltas: Any = deltas_from(events, "openai", asked)
    try:
        read = asyncio.run(collected(deltas)) if kind is AsyncEvents else list(deltas)
    finally:
        assert events.is_closed
    return "".join(delta.text for delta in read)


PIECES = [event('{"name": "Ann", "a'), json.dumps(event('ge": nu')), event("ll}", "stop"), DONE]


@pytest.mark.parametrize("kind", [Events, AsyncEvents])
def test_a_stream(kind: type[Events]) -> None:
    assert read_all(kind, *PIECES) == WHOLE
    assert read_all(kind, *PIECES, asked=RENDERED) == '{"name": "Ann"}'
    assert read_all(kind, *PIECES, event("more")) == WHOLE
    assert read_all(kind, event("\ud83d"), event("\ude00", "stop")) == "😀"
    assert read_all(kind, event("\ud83d", "stop")) == "\ud83d"


@pytest.mark.parametrize("kind", [Events, AsyncEvents])
def test_a_stream_that_fails(kind: type[Events]) -> None:
    with pytest.raises(Fault, match="the stream was cut") as caught:
        read_all(kind, event("{"))
    assert caught.value.kind == "cut"
    with pytest.raises(Fault, match="Overloaded") as caught:
        read_all(kind, event("{"), {"error": {"message": "Overloaded", "code": 503}})
    assert caught.value.kind == "server"
    with pytest.raises(TypeError, match="the object of an SDK, not int"):
        read_all(kind, 3)


def test_a_stream_that_is_left() -> None:
    events: Any = Events(*PIECES)
    deltas: Any = deltas_from(events, "openai")
    assert next(deltas).text == '{"name": "Ann", "a'
    deltas.close()
    assert events.is_closed
