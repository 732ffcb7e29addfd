"""Functions as models: what they are given, what they return, and what is told of the rest."""

from __future__ import annotations

import asyncio
import copy
import functools
import json
import pickle
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.conftest import QUICK

import pdl
from pdl.models import (
    AskError,
    Cache,
    Delta,
    Dropped,
    Fault,
    Reply,
    Usage,
    ask,
    ask_async,
    deltas_from,
)
from pdl.models.callables import FunctionModel
from pdl.models.exchange import Ignored
from pdl.models.payloads import FAMILIES
from pdl.models.request import GivenRequest
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

PROMPT = """<|system|>
Be brief.
<|user|>
Who is it?
<|config|>
temperature: 0
model: openai:some-model
<|tools|>
ping(host: str) // Is it there?
<|schema|>
{ name: str, age?: int }
"""
VALUE = {"name": "Ann"}
WHOLE = '{"name": "Ann", "age": null}'
"""As OpenAI's strict form makes a model write it."""
BODY = {"choices": [{"message": {"content": WHOLE}, "finish_reason": "stop"}]}


@pytest.fixture
def rendered() -> pdl.Rendered:
    return pdl.loads(PROMPT).render()


def test_a_function_of_the_messages(rendered: pdl.Rendered) -> None:
    """It gets a tuple as ever; what it saw nothing of is listed."""

    def of_messages(messages: tuple[pdl.Message, ...]) -> str:
        assert isinstance(messages, tuple)
        assert messages == rendered.messages
        assert hash(messages) == hash(rendered.messages)
        assert repr(messages) == repr(rendered.messages)
        system, *_, last = messages
        assert (system.role, last.text, len(messages)) == ("system", "Who is it?", 2)
        return '{"name": "Ann"}'

    answer = ask(rendered, of_messages, seed=7)
    assert answer.value == VALUE
    why = "the function `of_messages` did not read `request."
    assert answer.dropped == (
        Dropped("#", "", f"{why}schema`, so only the check enforces it"),
        Dropped("", "tools", f"{why}tools`, so the model does not know them"),
        Dropped("", "config", f"{why}config`: temperature, seed"),
    )
    assert [one.key for one in answer.ignored] == ["temperature", "seed"]


def test_what_is_read_is_not_listed(rendered: pdl.Rendered) -> None:
    seen: list[Any] = []

    def of_request(request: pdl.Request) -> str:
        seen.extend((request.schema, request.tools, request.seed, request.stream, request.model))
        return '{"name": "Ann"}'

    answer = ask(rendered, of_request, seed=7)
    assert seen == [rendered.schema, rendered.tools, 7, False, "some-model"]
    assert [one.keyword for one in answer.dropped] == ["config"]
    assert answer.ignored == (
        Ignored("temperature", "the function `of_request` did not read `request.config`"),
    )
    nothing = ask(rendered, lambda request: '{"name": "Ann"}' if vars(request) else "")
    assert (nothing.dropped, nothing.ignored) == ((), ())


SETTINGS = {"temperature": 0, "top_k": 5, "seed": 7, "max_tokens": 9}


@pytest.mark.parametrize(
    ("read", "missing"),
    [
        (lambda config: config["temperature"], ["top_k", "seed", "max_tokens"]),
        (lambda config: config.get("top_k"), ["temperature", "seed", "max_tokens"]),
        (lambda config: config.pop("seed"), ["temperature", "top_k", "max_tokens"]),
        (lambda config: "seed" in config and len(config), [*SETTINGS]),
        (lambda config: config.get("other"), [*SETTINGS]),
        (dict, []),
        (list, []),
        (lambda config: {**config}, []),
        (lambda config: {} | config, []),
        (lambda config: config | {}, []),
        (lambda config: [*config.values(), *config.keys()], []),
        (json.dumps, []),
        (copy.copy, []),
        (lambda config: config.copy(), []),
    ],
)
def test_settings_are_noted_one_by_one(read: Callable[[Any], Any], missing: list[str]) -> None:
    rendered = pdl.Rendered((pdl.Message("user", "Hi"),), config=SETTINGS)
    answer = ask(rendered, lambda request: str(read(request.config)))
    assert [one.key for one in answer.ignored] == missing
    why = "the function `<lambda>` did not read `request.config`"
    expected = (Dropped("", "config", f"{why}: {', '.join(missing)}"),) if missing else ()
    assert answer.dropped == expected
    assert rendered.config == SETTINGS


def test_settings_of_a_copy_are_noted(rendered: pdl.Rendered) -> None:
    def of_copy(request: pdl.Request) -> str:
        return str(replace(request, config={"temperature": 1}).config["temperature"])

    answer = ask(replace(rendered, schema=None), of_copy, seed=7)
    assert [one.key for one in answer.ignored] == ["seed"]


def test_without_constraints_none_is_missed(rendered: pdl.Rendered) -> None:
    answer = ask(rendered, lambda _: '{"name": "Ann"}', constrain=False)
    assert [one.keyword for one in answer.dropped] == ["config"]
    bare = pdl.loads("<|user|>\nHi").render()
    assert ask(bare, lambda _: "Hello").dropped == ()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_body_of_each_family(family: str, rendered: pdl.Rendered) -> None:
    """A function gets what pdl sends, which a method with that name returns."""
    bodies = []

    def client(request: pdl.Request) -> str:
        method = getattr(request, family.replace("-", "_"))
        bodies.append(method())
        assert method("other").get("model", "other") == "other"
        bodies.append(method(stream=True))
        return '{"name": "Ann"}'

    answer = ask(rendered, client)
    api, request = FAMILIES[family], replace(answer.attempts[0].request)
    model = "some-model" if family.startswith("openai") else ""
    payload = api.payload(request, model)
    streamed = api.payload(replace(request, stream=True), model)
    for one in (payload, streamed):
        if not one.body.get("model"):
            one.body.pop("model", None)
    assert bodies == [payload.body, streamed.body]
    assert (answer.dropped, answer.ignored) == (payload.dropped, payload.ignored)
    assert rendered.to(family) == payload.body


def test_a_body_of_less(rendered: pdl.Rendered) -> None:
    """What the function removes before it takes a body is listed, too."""

    def client(request: pdl.Request) -> str:
        replace(request, schema=None, tools=None, config={"temperature": 0}).openai()
        return '{"name": "Ann"}'

    answer = ask(rendered, client, seed=7)
    assert [one.keyword for one in answer.dropped] == ["", "tools", "config"]
    why = "the function `client` took a body without `request.config`"
    assert answer.dropped[2].why == f"{why}: seed"
    assert answer.ignored == (Ignored("seed", why),)


def test_results_of_tools_reach_the_client(rendered: pdl.Rendered) -> None:
    """Those of a conversation that the program continues."""
    call = ToolCall("ping", {"host": "a"}, "c1")
    sent = []

    def client(request: pdl.Request) -> Reply:
        sent.append(request.openai()["messages"][2:])
        return Reply(WHOLE) if len(sent) > 1 else Reply("", calls=(call,), finish="tool")

    answer = ask(rendered, client)
    result = pdl.Message("user", ToolResult(answer.calls[0], "up"))
    last = ask(replace(rendered, messages=(*answer.messages, result)), client)
    assert last.value == VALUE
    assert [message["role"] for message in sent[1]] == ["assistant", "tool"]
    assert sent[1][1] == {"role": "tool", "tool_call_id": "c1", "content": "up"}


def test_the_function_that_answered_is_told_of(rendered: pdl.Rendered) -> None:
    """Of several models, the last one that was asked."""

    def broken(request: pdl.Request) -> str:
        raise Fault("quota", str(request.schema)[:5])

    def working(request: pdl.Request) -> str:
        return '{"name": "Ann"}' if request.tools else ""

    answer = ask(rendered, [broken, working])
    assert [one.keyword for one in answer.dropped] == ["", "config"]
    assert "`working`" in answer.dropped[0].why


def test_a_body_without_a_model() -> None:
    request = pdl.Request((pdl.Message("user", "Hi"),))
    assert request.openai() == {"messages": [{"role": "user", "content": "Hi"}]}
    with pytest.raises(ValueError, match=r"unknown family 'opnai': did you mean `openai`\?"):
        request.body("opnai")


@pytest.mark.parametrize("provider", FAMILIES)
def test_a_model_of_another_provider_is_not_named(provider: str) -> None:
    """The model of the config turn is that of one provider; OpenAI has two interfaces."""
    rendered = pdl.loads(f"<|user|>\nHi\n<|config|>\nmodel: {provider}:some-model").render()
    named = {family for family in FAMILIES if rendered.to(family).get("model") == "some-model"}
    same = {"openai", "openai-responses"}
    assert named == (same if provider in same else {provider} - {"gemini"})
    assert pdl.Request.of(rendered).body("litellm", "mine")["model"] == "mine"


def test_a_model_without_a_provider_is_named() -> None:
    rendered = pdl.loads("<|user|>\nHi\n<|config|>\nmodel: some-model").render()
    assert rendered.to("anthropic")["model"] == "some-model"


def test_families_can_be_written_as_methods_are() -> None:
    request = pdl.Request((pdl.Message("user", "Hi"),))
    assert request.body("openai_responses") == request.body("openai-responses")
    assert request.body("llama_server") == request.llama_server()
    assert request.payload("openai_responses")[0].name == "openai-responses"
    body = {"output": [{"type": "message", "content": [{"type": "output_text", "text": "Yes"}]}]}
    for family in ("openai_responses", "openai-responses"):
        assert pdl.reply_from(body, family).text == "Yes"
        event = {"type": "response.output_text.delta", "delta": "Yes"}
        end = {"type": "response.completed", "response": body}
        assert next(iter(deltas_from([event, end], family))).text == "Yes"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("azure", "no 'azure'; use `openai`"),
        ("bedrock", "no 'bedrock'; use `anthropic`"),
        ("opnai", "no 'opnai'; did you mean `openai`?"),
        ("mars", "no 'mars'; the bodies of providers are `openai`, `openai_responses`, "),
        ("_own", "_own"),
    ],
)
def test_an_unknown_method_is_an_error_with_advice(name: str, words: str) -> None:
    request = pdl.Request((pdl.Message("user", "Hi"),))
    for one in (request, GivenRequest.given(request)):
        with pytest.raises(AttributeError, match=re.escape(words)):
            getattr(one, name)
        assert not hasattr(one, name)


@pytest.mark.parametrize("stream", ["yes", 1, None])
def test_stream_is_a_bool(stream: Any) -> None:
    request = pdl.Request((pdl.Message("user", "Hi"),))
    with pytest.raises(TypeError, match="stream must be a bool, not "):
        request.openai(stream=stream)


def test_the_first_of_several_choices() -> None:
    choices = [{"message": {"content": text}} for text in ("first", "second")]
    assert pdl.reply_from({"choices": choices}, "openai").text == "first"


def pieces(of: str) -> list[str]:
    return [of[start : start + 5] for start in range(0, len(of), 5)]


def whole(request: pdl.Request) -> str:
    request.openai()
    return WHOLE


def read(request: pdl.Request) -> Reply:
    request.openai()
    return pdl.reply_from(BODY, "openai")


def read_here(request: pdl.Request) -> Reply:
    body = request.openai()
    assert "response_format" in body
    reply = pdl.reply_from(BODY, "openai", request)
    assert reply.text == '{"name": "Ann"}'
    return reply


def changed(request: pdl.Request) -> str:
    replace(request, messages=request.messages[1:]).openai()
    return WHOLE


async def awaited(request: pdl.Request) -> Reply:
    await asyncio.sleep(0)
    return read(request)


def generated(request: pdl.Request) -> Iterator[str | Delta]:
    request.openai(stream=request.stream)
    *first, last = pieces(WHOLE)
    yield from first
    yield Delta(last, finish="stop", usage=Usage(output_tokens=9))


async def generated_async(request: pdl.Request) -> AsyncIterator[str | Delta]:
    for piece in generated(request):
        await asyncio.sleep(0)
        yield piece


async def awaited_pieces(request: pdl.Request) -> AsyncIterator[str | Delta]:
    await asyncio.sleep(0)
    return generated_async(request)


def events(_: object = None) -> Iterator[dict[str, Any]]:
    for piece in pieces(WHOLE):
        yield {"choices": [{"index": 0, "delta": {"content": piece}}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 9}}


async def events_async() -> AsyncIterator[dict[str, Any]]:
    for event in events():
        await asyncio.sleep(0)
        yield event


def of_events(request: pdl.Request) -> Iterator[Delta]:
    request.openai(stream=True)
    return deltas_from(events(), "openai")


def of_events_here(request: pdl.Request) -> Iterator[Delta]:
    request.openai(stream=True)
    return deltas_from(events(), "openai", request)


def of_events_async(request: pdl.Request) -> AsyncIterator[Delta]:
    request.openai(stream=True)
    return deltas_from(events_async(), "openai")


class EitherWay:
    """A stream that is iterable in both ways, as LiteLLM's is, but of one kind only."""

    def __init__(self, *, is_async: bool) -> None:
        self._is_async = is_async

    def __iter__(self) -> Iterator[dict[str, Any]]:
        assert not self._is_async
        return events()

    def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        assert self._is_async
        return events_async()


def either_way(request: pdl.Request) -> Iterator[Delta]:
    request.openai(stream=True)
    return deltas_from(EitherWay(is_async=False), "openai")


async def either_way_async(request: pdl.Request) -> AsyncIterator[Delta]:
    request.openai(stream=True)
    found: Any = deltas_from(EitherWay(is_async=True), "openai")
    async for delta in found:
        yield delta


FUNCTIONS: list[Callable[[Any], Any]] = [
    *(whole, read, read_here, changed, awaited, generated, generated_async, awaited_pieces),
    *(of_events, of_events_here, of_events_async, either_way, either_way_async),
    functools.partial(read),
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: getattr(one, "__name__", "partial"))
def test_every_kind_of_function(
    function: Callable[[Any], Any],
    stream: bool,  # noqa: FBT001
    rendered: pdl.Rendered,
) -> None:
    """Whatever it returns, in whichever form the provider wrote it, the answer is the same."""
    answers = [
        ask(rendered, function, stream=stream, retries=0),
        asyncio.run(ask_async(rendered, function, stream=stream, retries=0)),
    ]
    assert [answer.value for answer in answers] == [VALUE, VALUE]
    assert [answer.dropped for answer in answers] == [(), ()]
    if "generated" in getattr(function, "__name__", "") or "events" in str(function):
        assert {answer.usage.output_tokens for answer in answers} == {9}


def test_pieces_arrive_one_at_a_time(rendered: pdl.Rendered) -> None:
    told: list[Delta] = []
    ask(rendered, generated, on_delta=told.append)
    assert len(told) >= 4


def test_a_stream_that_is_wrong_is_closed(rendered: pdl.Rendered) -> None:
    closed = []
    bare = replace(rendered, tools=None)

    def wrong(_: object) -> Iterator[str]:
        try:
            yield '{"name": 1'
            yield ', "age": 2}'
        finally:
            closed.append(True)

    with pytest.raises(AskError):
        ask(bare, wrong, stream=True, retries=1)
    assert closed == [True, True]


def test_two_forms(rendered: pdl.Rendered) -> None:
    """Which of them the reply has must be told."""

    def both(request: pdl.Request) -> str:
        request.openai()
        request.anthropic()
        return WHOLE

    def told(request: pdl.Request) -> Reply:
        both(request)
        return pdl.reply_from(BODY, "openai", request)

    hint = r"took the bodies of openai and anthropic[^$]*hint: return pdl.reply_from"
    with pytest.raises(AskError, match=hint):
        ask(rendered, both)
    assert ask(rendered, told).value == VALUE


def test_a_beginning_that_the_provider_continues() -> None:
    begun = pdl.loads('<|user|>\nWho?\n<|assistant|>\n{"name":\n<|schema|>\n{ name: str }').render(
        prefill=True
    )

    def client(request: pdl.Request) -> Reply:
        assert request.anthropic()["messages"][-1]["content"] == '{"name":'
        body = {"content": [{"type": "text", "text": ' "Ann"}'}]}
        return pdl.reply_from(body, "anthropic")

    assert ask(begun, client).value == VALUE


def test_keys_that_the_provider_refuses() -> None:
    tools = '<|user|>\nHi\n<|tools|>\nf("größe": int)\n<|schema|>\n{ a: int }'
    rendered = pdl.loads(tools.replace('f("größe": int)', "f(größe: int)")).render()

    def client(request: pdl.Request) -> Reply:
        declared = request.anthropic()["tools"][0]["input_schema"]["properties"]
        call = {"type": "tool_use", "id": "1", "name": "f", "input": dict.fromkeys(declared, 4)}
        return pdl.reply_from({"content": [call]}, "anthropic")

    assert ask(rendered, client).calls == (ToolCall("f", {"größe": 4}, "1"),)


def test_what_a_provider_cannot_be_sent(rendered: pdl.Rendered) -> None:
    """It is an error of the program, as for a model that pdl asks itself."""
    ends = replace(rendered, messages=(*rendered.messages, pdl.Message("assistant", "{")))
    with pytest.raises(pdl.TurnError, match="OpenAI does not continue"):
        ask(ends, lambda request: str(request.openai()))


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (None, "must return a str, a pdl Reply, or an iterator of pieces, not NoneType"),
        (BODY, "not dict\n  hint: return pdl.reply_from"),
        (iter([1]), "must yield str or pdl Deltas, not int\n  hint: yield from pdl.models.deltas"),
        (["a"], "not list"),
    ],
)
def test_results_that_are_none(result: object, words: str, rendered: pdl.Rendered) -> None:
    with pytest.raises(AskError) as caught:
        ask(rendered, lambda _: result)  # type: ignore[arg-type, return-value]
    assert words in str(caught.value)


class SdkError(Exception):
    """What SDKs raise: a status, and perhaps the response or the error in a stream."""

    def __init__(self, **told: Any) -> None:
        super().__init__(told.pop("message", "Slow down!"))
        self.__dict__.update(told)


class ResponseOf:
    def __init__(self, content: bytes, status: int = 0, **headers: str) -> None:
        self.content, self.status_code, self.headers = content, status, headers


BOTO = {
    "Error": {"Code": "ThrottlingException", "Message": "Too many requests"},
    "ResponseMetadata": {"HTTPStatusCode": 429, "HTTPHeaders": {"retry-after": "2"}},
}


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (SdkError(status_code=429), "rate_limited", "status 429: Slow down!"),
        (SdkError(code=503), "server", "status 503"),
        (SdkError(response=ResponseOf(b"", 401)), "auth", "status 401"),
        (SdkError(response=BOTO), "rate_limited", "Too many requests; it asks to wait 2 s"),
        (
            SdkError(
                status_code=400,
                response=ResponseOf(b'{"error": {"message": "Bad", "param": "temperature"}}'),
            ),
            "bad_request",
            "Bad",
        ),
        (SdkError(body={"message": "Overloaded", "type": "overloaded_error"}), "server", "Over"),
        (type("ReadTimeout", (Exception,), {})(), "timeout", "took too long"),
        (type("APIConnectionError", (Exception,), {})("gone"), "cut", "gone"),
        (SdkError(code="x"), "failed", "SdkError: Slow down!"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_errors_of_sdks(error: Exception, kind: str, words: str, rendered: pdl.Rendered) -> None:
    """What they report decides whether another try may help, as it does for pdl's own calls."""

    def client(_: object) -> str:
        raise error

    with pytest.raises(AskError) as caught:
        ask(rendered, client, retries=0)
    [attempt] = caught.value.attempts
    assert attempt.fault is not None
    assert attempt.fault.kind == kind
    assert words in attempt.reason


def test_a_setting_that_a_provider_rejects(rendered: pdl.Rendered) -> None:
    """It is left out at once, also where a function asks."""
    told = b'{"error": {"message": "Unsupported", "param": "temperature"}}'

    def client(request: pdl.Request) -> str:
        if "temperature" in request.openai():
            raise SdkError(status_code=400, response=ResponseOf(told))
        return WHOLE

    answer = ask(rendered, client, retries=0)
    assert (answer.value, [one.key for one in answer.ignored]) == (VALUE, ["temperature"])


def test_a_function_whose_replies_are_kept(rendered: pdl.Rendered, tmp_path: Any) -> None:
    """Nothing is known of what it read when the reply was made."""

    class Known(FunctionModel):
        def identity(self, request: pdl.Request) -> Any:
            return [message.text for message in request.messages]

    model = Known(lambda _: '{"name": "Ann"}')
    first, second = (ask(rendered, model, cache=Cache(tmp_path / "c.db")) for _ in range(2))
    assert (len(first.dropped), second.dropped, second.attempts[0].is_cached) == (3, (), True)


def test_a_request_is_passed_on(rendered: pdl.Rendered) -> None:
    """To another process; it then counts as read, since nobody can see what is read there."""
    request = GivenRequest.given(pdl.Request.of(rendered))
    again = pickle.loads(pickle.dumps(request))  # noqa: S301
    assert again == request
    assert again.openai() == request.openai()
    assert {"schema", "tools", "config"} <= request.taken.names
    assert request.taken.settings == {"temperature"}


def test_one_question_of_many(rendered: pdl.Rendered) -> None:
    """The calls of a shared model do not see each other."""
    model = FunctionModel(lambda request: request[0].text and read(request))

    async def all_of_them() -> list[Any]:
        asked = (ask_async(rendered, model, seed=one) for one in range(20))
        return list(await asyncio.gather(*asked))

    answers = asyncio.run(all_of_them())
    assert all(answer.value == VALUE and answer.dropped == () for answer in answers)


@given(st.lists(st.sampled_from([*WHOLE]), min_size=1).map("".join), st.integers(1, 7))
def test_pieces_add_up_to_the_whole(text: str, size: int) -> None:
    """However a reply is cut into pieces, it is decoded to the same text."""
    request = pdl.Request.of(pdl.loads(PROMPT).render())

    def at_once(given: pdl.Request) -> str:
        given.openai()
        return text

    def in_pieces(given: pdl.Request) -> Iterator[str]:
        given.openai()
        yield from (text[start : start + size] for start in range(0, len(text), size))

    replies = [FunctionModel(one).reply(request, timeout=9) for one in (at_once, in_pieces)]
    assert replies[0] == replies[1]


def test_tracks_only_the_last_attempt(rendered: pdl.Rendered) -> None:
    left = iter([True, False])

    def client(request: pdl.Request) -> str:
        return '{"name": "Ann"}' if not next(left) else f"no idea {request.schema}"

    answer = ask(rendered, client, backoff=QUICK)
    assert answer.dropped[0].pointer == "#"


def test_pieces_that_are_late(rendered: pdl.Rendered) -> None:
    """A generator that waits for too long is a timeout, and what it said is kept."""
    closed = []

    def late(_: object) -> Iterator[str]:
        yield "{"
        time.sleep(0.7)
        yield "}"

    async def late_async(_: object) -> AsyncIterator[str]:
        try:
            yield "{"
            await asyncio.sleep(9)
        finally:
            closed.append(True)

    for function in (late, late_async):
        sync = ask(rendered, function, call_timeout=0.5, retries=0, stream=True, default=None)
        later = asyncio.run(
            ask_async(rendered, function, call_timeout=0.5, retries=0, stream=True, default=None)
        )
        for answer in (sync, later):
            [attempt] = answer.attempts
            assert attempt.fault is not None
            assert attempt.fault.kind == "timeout"
            assert attempt.reply == Reply("{")
    assert closed == [True, True]
