"""What `Family.reply` and `Family.stream` take back of what a payload asked for."""

from __future__ import annotations

import pytest

import pdl
from pdl.models.payloads import DONE, FAMILIES, BadPayload, reported_error
from pdl.models.payloads.openai_schema import strict_schema
from pdl.models.payloads.provider_api import Payload
from pdl.models.payloads.response_decoder import ResponseDecoder
from pdl.models.request import Request
from pdl.prompt.messages import Message, Text


def chat(text: str) -> dict[str, object]:
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}


def streamed(name: str, payload: Payload, *pieces: str) -> str:
    reader = FAMILIES[name].stream(payload)
    events = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    found = [delta for event in events for delta in reader.feed("", event)]
    found += reader.feed("", DONE)
    found += reader.close()
    return "".join(delta.text for delta in found)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_key_stands_in_a_header_and_nowhere_else(name: str) -> None:
    api = FAMILIES[name]
    assert "k-17" in str(api.headers("k-17"))
    assert not any("key" in name or name == "authorization" for name in api.headers(""))
    assert "k-17" not in repr(api)
    assert "?" not in api.path("m?key=1", False) or name == "gemini"  # noqa: FBT003 - not streamed


def test_the_model_stays_in_its_part_of_the_path() -> None:
    path = FAMILIES["gemini"].path("../../x?y#z", True)  # noqa: FBT003 - streamed
    assert path == "/models/..%2F..%2Fx%3Fy%23z:streamGenerateContent?alt=sse"


@pytest.mark.parametrize("name", ["anthropic", "ollama", "llama-server", "vllm"])
def test_a_reply_that_goes_on_is_the_whole_answer(name: str) -> None:
    messages = (Message("user", (Text("?"),)), Message("assistant", (Text('{"a":'),)))
    payload = FAMILIES[name].payload(Request(messages, pdl.Schema.parse("{ a: int }")), "m")
    assert payload.prefill == '{"a":'
    assert len(payload.dropped) == 1
    bodies = {
        "anthropic": {"content": [{"type": "text", "text": " 1}"}]},
        "ollama": {"message": {"content": " 1}"}},
    }
    assert FAMILIES[name].reply(payload, bodies.get(name, chat(" 1}"))).text == '{"a": 1}'


def test_a_whole_reply_of_llama_server_has_the_beginning_already() -> None:
    payload = Payload({}, prefill='{"a":')
    assert FAMILIES["llama-server"].reply(payload, chat('{"a": 1}')).text == '{"a": 1}'
    assert streamed("llama-server", payload, " 1", "}") == '{"a": 1}'


@pytest.mark.parametrize("pieces", [(), ("",)])
def test_a_beginning_is_given_though_nothing_comes(pieces: tuple[str, ...]) -> None:
    assert streamed("vllm", Payload({}, prefill="Once"), *pieces) == "Once"


def test_streams_are_undone_as_whole_replies_are() -> None:
    projected, is_strict = strict_schema(pdl.Schema.parse("[{ a?: int, b: str }]"))
    assert is_strict
    payload = Payload({}, decoder=projected.decoder)
    text = '{"answer": [{"a": null, "b": "x"}, {"a": 2, "b": "null"}]}'
    whole = '[{ "b": "x"}, {"a": 2, "b": "null"}]'
    assert FAMILIES["openai"].reply(payload, chat(text)).text == whole
    assert streamed("openai", payload, *text) == whole


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ('{"a": null}', "{}"),
        ('{"a":null,"b":1}', '{"b":1}'),
        ('{"b":1,"a":null}', '{"b":1}'),
        ('{"b":{"a":null},"a":{"a":null}}', '{"b":{"a":null},"a":{"a":null}}'),
        ('{"a": null, "a": 1}', '{ "a": null,"a": 1}'),
        ('{"a": 1, "a": null}', '{"a": 1, "a": null}'),
        ('{"a": nul}', '{"a": nul}'),
        ('{"a": nullable}', '{"a": nullable}'),
        ('{"a": null', '{"a": null'),
        ('{"a": null,', "{,"),
        ('{"\\u0061": null, "b": 2}', '{ "b": 2}'),
        ('```json\n{"a": null}\n```', '```json\n{"a": null}\n```'),
        ('{"a": null} and more', "{} and more"),
        ('["a", null]', '["a", null]'),
        ("{'a': null}", "{'a': null}"),
        ("", ""),
    ],
)
def test_only_nulls_that_stand_for_absent_keys_are_taken_out(text: str, back: str) -> None:
    projected, is_strict = strict_schema(pdl.Schema.parse("{ a?: int, b?: { c: int } | int }"))
    assert is_strict
    assert projected.decoder is not None
    assert projected.decoder.text(text) == back


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ('{"answer": 5}', "5"),
        (' { "answer" : "x" } ', '"x" '),
        ('{"answer": [1, {"b": 2}]}', '[1, {"b": 2}]'),
        ('{"answer": 5', "5"),
        ('{"answer": 5}}', "5}"),
        ('{"answer": 5, "more": 1}', '5, "more": 1}'),
        ('{"answers": 5}', '{"answers": 5}'),
        ('{"ans', '{"ans'),
        ("5", "5"),
        ('[{"answer": 5}]', '[{"answer": 5}]'),
    ],
)
def test_only_the_wrapper_itself_is_taken_away(text: str, back: str) -> None:
    assert ResponseDecoder((), "answer").text(text) == back


def test_an_error_is_told_by_its_words_and_may_pass() -> None:
    bad = reported_error({"error": {"message": "wait " * 300, "type": "rate_limit_error"}})
    assert isinstance(bad, BadPayload)
    assert bad.is_transient
    assert len(str(bad)) < 600
    assert reported_error({"error": None, "choices": []}) is None
