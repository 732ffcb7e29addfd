"""What holds for every request and every body, however odd."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models.payloads import drawn_schemas
from models.payloads.requests import requests
from models.payloads.test_replies import BODIES, STREAMS
from shares import share

import pdl
from pdl.errors import ConfigError, PdlError, Problem
from pdl.models.exchange import Delta, Reply
from pdl.models.payloads import DONE, FAMILIES, BadPayload
from pdl.models.request import Request
from pdl.prompt.messages import Media, Message, Text
from pdl.tools import ToolCall, ToolResult

NAMES = st.sampled_from(
    [
        *("temperature", "max_tokens", "max_completion_tokens", "stop", "seed", "top_p", "top_k"),
        *("tool_choice", "response_format", "reasoning_effort", "thinking", "options", "n"),
        *("logprobs", "user", "generationConfig", "output_config", "text", "stream", "new"),
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(-9, 9) | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=5,
)
CALLS = st.builds(ToolCall, st.just("now"), st.dictionaries(st.text(), VALUES, max_size=2))
PARTS = st.one_of(
    st.text().map(Text),
    st.builds(
        Media, st.sampled_from(["png", "wav", "pdf", "svg", ""]), st.just(b"\x89"), st.text()
    ),
    CALLS,
    st.builds(ToolResult, CALLS, st.text(), st.booleans()),
)
MESSAGES = st.lists(
    st.builds(
        Message,
        st.sampled_from(["system", "user", "assistant"]),
        st.lists(PARTS, max_size=3).map(tuple),
    ),
    max_size=4,
).map(tuple)
FORMS = st.sampled_from(["str", "yesno", "code", "tasklist", "int", "{ a?: any }", "[str]<2>"])
SCHEMAS: st.SearchStrategy[pdl.Schema | None] = st.none() | FORMS.map(pdl.Schema.parse)
TOOLS = requests()["tools"].tools


@pytest.mark.parametrize("provider", FAMILIES)
@given(
    messages=MESSAGES,
    schema=SCHEMAS,
    config=st.dictionaries(NAMES, VALUES, max_size=4),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
@settings(max_examples=share(60))
def test_every_request_is_json_or_a_clear_error(
    provider: str,
    messages: tuple[Message, ...],
    schema: pdl.Schema | None,
    config: dict[str, Any],
    flags: tuple[bool, bool, bool],
) -> None:
    tools = TOOLS if flags[2] else None
    request = Request(messages, schema, tools, config, constrain=flags[0], stream=flags[1])
    before = copy.deepcopy(config)
    problems: tuple[Problem, ...] = ()
    try:
        json.dumps(FAMILIES[provider].payload(request, "m").body, allow_nan=False)
    except PdlError as error:
        problems = error.problems
    assert all(problem.message and "/" in problem.code for problem in problems)
    assert config == before


@pytest.mark.parametrize("provider", FAMILIES)
@given(config=st.dictionaries(NAMES | st.text(min_size=1, max_size=4), SCALARS, max_size=5))
@settings(max_examples=share(60))
def test_no_setting_is_lost_in_silence(provider: str, config: dict[str, Any]) -> None:
    """Its value stands in the body, or its name in the list of those without a place."""
    request = Request((Message("user", (Text("?"),)),), config=config)
    try:
        payload = FAMILIES[provider].payload(request, "m")
    except ConfigError:
        return
    ignored = {one.key for one in payload.ignored}
    assert ignored <= config.keys()
    written = json.dumps(payload.body)
    for key, value in config.items():
        if key not in ignored and (key, value) not in (("n", 1), ("model", value)):
            assert json.dumps(value) in written


@pytest.mark.parametrize("provider", FAMILIES)
def test_a_setting_that_is_no_json_is_an_error(provider: str) -> None:
    request = Request((Message("user", (Text("?"),)),), config={"odd": float("nan")})
    with pytest.raises(ConfigError, match="`odd` is not JSON"):
        FAMILIES[provider].payload(request, "m")


@pytest.mark.parametrize("provider", FAMILIES)
@given(rng=st.integers(0, 2**32).map(Random))
@settings(max_examples=share(30))
def test_every_schema_has_a_payload(provider: str, rng: Random) -> None:
    """Unless nothing satisfies it, which only those who compile it find out."""
    schema = drawn_schemas.schema(rng)
    try:
        payload = FAMILIES[provider].payload(Request((Message("user", (Text("?"),)),), schema), "m")
    except pdl.SchemaError:
        return
    assert all(one.why for one in payload.dropped)


@given(rng=st.integers(0, 2**32).map(Random), has_tools=st.booleans(), thinks=st.booleans())
@settings(max_examples=share(60))
def test_no_model_of_anthropic_is_made_to_call_a_tool(
    rng: Random,
    has_tools: bool,  # noqa: FBT001
    thinks: bool,  # noqa: FBT001
) -> None:
    """Its newest ones refuse that: a schema without a form of theirs is described instead."""
    schema = drawn_schemas.schema(rng)
    config: dict[str, Any] = {"thinking": {"type": "adaptive"}} if thinks else {}
    messages = (Message("system", (Text("Count."),)), Message("user", (Text("?"),)))
    request = Request(messages, schema, TOOLS if has_tools else None, config)
    body: dict[str, Any] = FAMILIES["anthropic"].payload(request, "m").body
    assert "tool_choice" not in body
    assert ("tools" in body) == has_tools
    is_held = "format" in body.get("output_config", {})
    assert is_held != body["system"].endswith(schema.describe())


WRONG: tuple[Any, ...] = (
    None,
    0,
    -1,
    2.5,
    True,
    "",
    "x",
    "{",
    [],
    [None],
    ["x"],
    {},
    {"a": 1},
    [[]],
)


@given(number=st.integers(0, len(BODIES) - 1), rng=st.integers(0, 2**32).map(Random))
@settings(max_examples=share(500))
def test_a_spoiled_body_is_a_reply_or_a_bad_payload(number: int, rng: Random) -> None:
    path = BODIES[number]
    body = spoiled(json.loads(path.read_text(encoding="utf-8")), rng)
    try:
        reply = FAMILIES[path.parent.parent.name].read(body)
    except BadPayload as bad:
        reply = Reply(str(bad))
    assert {type(reply.text), type(reply.reasoning), type(reply.model)} == {str}
    assert all(isinstance(call.arguments, dict) for call in reply.calls)


@given(number=st.integers(0, len(STREAMS) - 1), rng=st.integers(0, 2**32).map(Random))
@settings(max_examples=share(500))
def test_a_spoiled_stream_is_deltas_or_a_bad_payload(number: int, rng: Random) -> None:
    path = STREAMS[number]
    lines = path.read_text(encoding="utf-8").splitlines()
    events = [DONE if line == DONE else json.loads(line) for line in lines]
    deltas = FAMILIES[path.parent.parent.name].deltas()
    found: list[Delta] = []
    with suppress(BadPayload):
        for event in spoiled(events, rng):
            found += deltas.feed("", event)
        found += deltas.close()
    assert all({type(one.text), type(one.reasoning)} == {str} for one in found)


def spoiled(body: Any, rng: Random) -> Any:
    """A body in which one to three parts were taken out or are of another type."""
    holder = [body]
    for _ in range(rng.randint(1, 3)):
        places = [(holder, 0), *_places(holder[0])]
        where, key = rng.choice(places)
        if isinstance(where, dict) and rng.random() < 0.3:
            del where[key]
        else:
            where[key] = copy.deepcopy(rng.choice(WRONG))
    return holder[0] if not isinstance(body, list) or isinstance(holder[0], list) else [holder[0]]


def _places(body: Any) -> list[tuple[Any, Any]]:
    if not isinstance(body, dict | list):
        return []
    entries = body.items() if isinstance(body, dict) else enumerate(body)
    found: list[tuple[Any, Any]] = []
    for key, inner in entries:
        found += [(body, key), *_places(inner)]
    return found
