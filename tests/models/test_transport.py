"""Every fault of a transport is told as what it is, in time, and without the key."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import time
from email.utils import formatdate
from typing import TYPE_CHECKING

import pytest
from models import hostile
from models.conftest import KEY, Serve, remote
from models.hostile import GOOD, Hostile, Script, chunk, respond, stream, streamed
from snapshots import CASES

from pdl.models import Fault, Request, connect
from pdl.models.faults import retry_after

if TYPE_CHECKING:
    from collections.abc import Callable

    import pdl

SECONDS = 0.3
"""The timeout of calls that are to run into it; others have time, for machines may be busy."""

HTML = "<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>"


def error(kind: str, message: str = "so it is") -> str:
    return json.dumps({"error": {"message": message, "type": kind, "code": None}})


WHOLE: dict[str, tuple[Script, str]] = {
    "reset": (hostile.reset, "cut"),
    "reset within the body": (hostile.reset_within, "cut"),
    "closed without a word": (hostile.hang_up, "cut"),
    "shorter than it says": (hostile.short, "cut"),
    "silence": (hostile.silence, "timeout"),
    "dripping head": (hostile.drip(b"HTTP/1.1 200 OK\r\nX-Filler: " + b"x" * 999), "timeout"),
    "dripping body": (
        hostile.drip(hostile.head("200 OK", "application/json")[:20] + b"\r\n" * 2 + b" " * 999),
        "timeout",
    ),
    "no HTTP": (hostile.no_http, "cut"),
    "huge header": (hostile.huge_header, "cut"),
    "100 MB": (hostile.huge, "too_large"),
    "gzip bomb": (hostile.bomb, "too_large"),
    "gzip that is none": (
        respond("200 OK", "not packed", content_encoding="gzip"),
        "cut",
    ),
    "packed otherwise": (respond("200 OK", "x", content_encoding="br"), "content_type"),
    "empty body": (respond("200 OK", ""), "not_json"),
    "no content": (respond("204 No Content", ""), "not_json"),
    "malformed JSON": (respond("200 OK", '{"choices": [}'), "not_json"),
    "deep JSON": (respond("200 OK", "[" * 200_000), "not_json"),
    "long number": (respond("200 OK", "9" * 100_000), "not_json"),
    "not UTF-8": (respond("200 OK", hostile.chat("\xe9").encode() + b"\xff"), "not_utf8"),
    "HTML page": (respond("200 OK", HTML, "text/html"), "content_type"),
    "picture": (respond("200 OK", b"\x89PNG", "image/png"), "content_type"),
    "other JSON": (respond("200 OK", '{"hello": "world"}'), "bad_payload"),
    "JSON list": (respond("200 OK", "[]"), "bad_payload"),
    "no choices": (respond("200 OK", '{"choices": []}'), "bad_payload"),
    "error with success": (respond("200 OK", error("overloaded_error")), "server"),
    "400": (respond("400 Bad Request", error("invalid_request_error")), "bad_request"),
    "401": (respond("401 Unauthorized", error("invalid_api_key")), "auth"),
    "403": (respond("403 Forbidden", ""), "auth"),
    "404": (respond("404 Not Found", error("model_not_found")), "not_found"),
    "413": (respond("413 Content Too Large", ""), "bad_request"),
    "429": (respond("429 Too Many Requests", error("rate_limit_exceeded")), "rate_limited"),
    "no credit": (respond("429 Too Many Requests", error("insufficient_quota")), "quota"),
    "500": (respond("500 Internal Server Error", error("server_error")), "server"),
    "502 in HTML": (respond("502 Bad Gateway", HTML, "text/html"), "server"),
    "529": (respond("529 Overloaded", error("overloaded_error")), "server"),
    "redirect": (
        respond("307 Temporary Redirect", "", location="http://127.0.0.1:9/elsewhere?x=1"),
        "redirect",
    ),
}
STREAMS: dict[str, tuple[Script, str]] = {
    "cut within an event": (stream(*streamed("a")[:1], 'data: {"choi'), "cut"),
    "no end": (stream(chunk("a"), chunk("b")), "cut"),
    "nothing": (stream(), "cut"),
    "malformed JSON": (stream(chunk("a"), "data: {]}\n\n", "data: [DONE]\n\n"), "not_json"),
    "no events": (stream("hello, this is text\n" * 9), "cut"),
    "other JSON": (stream('data: {"choices": 7}\n\n'), "bad_payload"),
    "an error": (stream(chunk("a"), f"data: {error('server_error')}\n\n"), "server"),
    "not UTF-8": (stream(chunk("a"), b"data: \xff\xff\n\n"), "not_utf8"),
    "HTML page": (stream(HTML, kind="text/html"), "content_type"),
    "endless": (hostile.endless, "too_large"),
    "an endless call": (hostile.endless_call, "too_large"),
    "much beside a whole reply": (
        respond("200 OK", json.dumps({"filler": "x" * 1_000_000, "choices": []})),
        "too_large",
    ),
    "only comments": (hostile.comments, "timeout"),
    "one long line": (hostile.one_long_line, "too_large"),
    "dripping events": (stream(*[chunk("a")] * 99, every=0.05), "timeout"),
    "429": (respond("429 Too Many Requests", ""), "rate_limited"),
    "reset": (hostile.reset, "cut"),
}


def seconds_for(kind: str) -> float:
    return SECONDS if kind == "timeout" else 20.0


def call(server: Hostile, request: Request, seconds: float = 20.0) -> None:
    remote(server, reply_chars=100_000).reply(request, timeout=seconds)


def call_async(server: Hostile, request: Request, seconds: float) -> None:
    model = remote(server, reply_chars=100_000)
    asyncio.run(model.reply_async(request, timeout=seconds))


@pytest.fixture
def request_of(rendered: pdl.Rendered) -> Request:
    return Request(rendered.messages, rendered.schema)


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("how", [call, call_async])
def test_fault(
    name: str, how: Callable[[Hostile, Request, float], None], serve: Serve, request_of: Request
) -> None:
    """A call that goes wrong raises its fault within its time, in both worlds alike."""
    script, kind = WHOLE[name]
    began = time.monotonic()
    with pytest.raises(Fault) as caught:
        how(serve(script), request_of, seconds_for(kind))
    assert caught.value.kind == kind, caught.value
    assert time.monotonic() - began < SECONDS + 5
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("name", STREAMS)
def test_stream_fault(name: str, serve: Serve, request_of: Request) -> None:
    """So does a stream."""
    script, kind = STREAMS[name]
    model = remote(serve(script), reply_chars=100_000)
    began = time.monotonic()
    with pytest.raises(Fault) as caught:
        list(model.stream(request_of, timeout=seconds_for(kind)))
    assert caught.value.kind == kind, caught.value
    assert time.monotonic() - began < SECONDS + 5


def test_refused(request_of: Request) -> None:
    """Where nobody listens there is no connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    model = connect("openai:tiny", base_url=f"http://127.0.0.1:{port}/v1", key=KEY)
    with pytest.raises(Fault) as caught:
        model.reply(request_of, timeout=5)
    assert caught.value.kind == "connection"
    assert f"no connection to 127.0.0.1:{port}" in str(caught.value)
    assert caught.value.is_transient


def test_unknown_host(request_of: Request) -> None:
    """Nor where no such host is."""
    model = connect("openai:tiny", base_url="http://no-such-host.invalid/v1", key=KEY)
    with pytest.raises(Fault) as caught:
        model.reply(request_of, timeout=5)
    assert caught.value.kind in {"connection", "timeout"}


def test_good(serve: Serve, request_of: Request) -> None:
    """The key goes into its header, and nowhere else."""
    server = serve(hostile.good())
    reply = remote(server).reply(request_of, timeout=5)
    assert (reply.text, reply.model, reply.usage.output_tokens) == (GOOD, "tiny-1", 5)
    [received] = server.received
    assert received.path == "/v1/chat/completions"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in json.dumps(received.body)


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "text/plain", "text/json"])
def test_content_types(kind: str, serve: Serve, request_of: Request) -> None:
    """Some servers do not say what they send; that it is JSON is then seen."""
    server = serve(respond("200 OK", hostile.chat(GOOD), kind))
    assert remote(server).reply(request_of, timeout=5).text == GOOD


def test_gzip(serve: Serve, request_of: Request) -> None:
    """A proxy that packs replies whatever it is asked for does no harm."""
    data = gzip.compress(hostile.chat(GOOD).encode())
    server = serve(respond("200 OK", data, content_encoding="gzip"))
    assert remote(server).reply(request_of, timeout=5).text == GOOD


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_stream(size: int, serve: Serve, request_of: Request) -> None:
    """However a stream is cut into packets, the text is the same."""
    whole = "".join(streamed('{"name": "Zoë", ', '"age": 30}')).encode()
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
    deltas = list(remote(serve(stream(*pieces))).stream(request_of, timeout=10))
    assert "".join(delta.text for delta in deltas) == '{"name": "Zoë", "age": 30}'
    assert [delta.usage.output_tokens for delta in deltas if delta.usage] == [5]


def test_stream_that_stays_open(serve: Serve, request_of: Request) -> None:
    """What says that the stream is done ends it, though the connection goes on."""

    def script(wire: hostile.Wire) -> None:
        stream(*streamed(GOOD))(wire)
        hostile.silence(wire)

    deltas = list(remote(serve(script)).stream(request_of, timeout=5))
    assert "".join(delta.text for delta in deltas) == GOOD


@pytest.mark.parametrize("name", ["openai-responses", "anthropic"])
def test_stream_that_stays_open_behind_its_last_event(
    name: str, serve: Serve, request_of: Request
) -> None:
    """So does an interface's own last event, where it has one."""
    events = (CASES / "payloads" / name / "streams" / "text.jsonl").read_text().splitlines()

    def script(wire: hostile.Wire) -> None:
        stream(*(f"data: {event}\n\n" for event in events))(wire)
        hostile.silence(wire)

    model = connect(f"{name}:tiny", base_url=serve(script).url, key=KEY)
    deltas = list(model.stream(request_of, timeout=5))
    assert "".join(delta.text for delta in deltas) == "Lima."
    assert deltas[-1].finish == "stop"


def test_signs_of_life(serve: Serve, request_of: Request) -> None:
    """Comments and empty events between the others say nothing."""
    events = [text for event in streamed(GOOD) for text in (": wait\n\n", "data:\n\n", event)]
    deltas = list(remote(serve(stream(*events))).stream(request_of, timeout=5))
    assert "".join(delta.text for delta in deltas) == GOOD


def test_stream_that_is_none(serve: Serve, request_of: Request) -> None:
    """A server that cannot stream gives the whole reply."""
    [delta] = remote(serve(hostile.good())).stream(request_of, timeout=5)
    assert (delta.text, delta.finish) == (GOOD, "stop")


def test_closing_a_stream_stops_the_call(serve: Serve, request_of: Request) -> None:
    """The connection is closed when nobody wants more."""
    over: list[bool] = []

    def script(wire: hostile.Wire) -> None:
        wire.send(hostile.head("200 OK", "text/event-stream"))
        try:
            for _ in range(1000):
                wire.send(chunk("word "))
                wire.wait(0.01)
        except OSError:
            over.append(True)

    server = serve(script)
    deltas = remote(server).stream(request_of, timeout=20)
    next(deltas)
    began = time.monotonic()
    deltas.close()  # type: ignore[attr-defined]  # it is a generator
    while not over and time.monotonic() - began < 5:
        time.sleep(0.01)
    assert over


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"retry_after": "2"}, 2, 2),
        ({"retry_after": "0.5"}, 0.5, 0.5),
        ({"retry_after_ms": "250", "retry_after": "9"}, 0.25, 0.25),
        ({"retry_after": formatdate(time.time() + 3600, usegmt=True)}, 1800, 3601),
        ({"retry_after": formatdate(time.time() - 90, usegmt=True)}, 0, 0),
        ({"retry_after": "soon"}, None, None),
        ({"retry_after": "-5"}, None, None),
        ({"retry_after": "inf"}, None, None),
    ],
)
def test_retry_after(
    headers: dict[str, str],
    least: float | None,
    most: float | None,
    serve: Serve,
    request_of: Request,
) -> None:
    """How long a server wants to be left alone is read in each of its spellings."""
    server = serve(respond("429 Too Many Requests", "", **headers))
    with pytest.raises(Fault) as caught:
        call(server, request_of)
    if least is None or most is None:
        assert caught.value.retry_after is None
    else:
        assert caught.value.retry_after is not None
        assert least <= caught.value.retry_after <= most


def test_retry_after_by_the_clock_of_the_server() -> None:
    """A date is held against the server's own time, for ours may be wrong."""
    told = {"retry-after": "Sat, 01 Jan 2000 00:01:30 GMT", "date": "Sat, 01 Jan 2000 00:00:00 GMT"}
    assert retry_after(told) == 90.0


def test_redirects_are_not_followed(serve: Serve, request_of: Request) -> None:
    """No other server is given the key."""
    other = serve(hostile.good())
    server = serve(respond("302 Found", "", location=f"{other.url}/chat/completions?key=1"))
    with pytest.raises(Fault, match="redirects are not followed") as caught:
        call(server, request_of)
    assert other.received == []
    assert "key=1" not in str(caught.value)


def test_a_key_that_comes_back(serve: Serve, request_of: Request) -> None:
    """A server that repeats the key in its error does not get it into ours."""
    server = serve(respond("401 Unauthorized", error("auth", f"wrong key: {KEY}")))
    with pytest.raises(Fault, match=r"wrong key: \*\*\*") as caught:
        call(server, request_of)
    assert KEY not in repr(caught.value)


def test_nothing_shows_the_key(serve: Serve) -> None:
    """Neither the model nor its parts."""
    model = remote(serve(hostile.good()))
    assert KEY not in repr(model)
    assert KEY not in str(vars(model))
