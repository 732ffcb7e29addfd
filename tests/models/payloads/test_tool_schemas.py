"""Laws of the schemas of tools, where a provider takes less than JSON Schema has."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from instances import Instances
from jsonschema import Draft202012Validator
from models.payloads import drawn_schemas as drawn
from models.payloads.requests import requests

import pdl
from pdl.models.payloads import FAMILIES
from pdl.models.payloads.tool_schemas import plain_object, renaming
from pdl.models.request import Request
from pdl.prompt.messages import Message, Text
from pdl.reply import violations
from pdl.schema.keywords import lookup, schemas
from pdl.tools import ToolCall, ToolSet

if TYPE_CHECKING:
    from pdl.models.exchange import Delta

RNGS = st.integers(0, 2**32).map(Random)
ASKED = (Message("user", (Text("?"),)),)
JOINS = {"$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "const"}
ODD_NAMES = ["größe", "größe ", "$ref", "a b", "a/b~c", "x" * 65, "名", "", "a_b", "properties"]


def wild(rng: Random) -> pdl.Schema:
    """A schema of arguments: objects joined at the top, some behind references."""
    key = f"k{rng.randint(0, 1)}"  # one in all: what one branch lists is any value in another
    parts = [drawn.schema(rng).to_json_schema() for _ in range(rng.randint(1, 3))]
    more: list[dict[str, Any]] = [{}, {"required": ["p"]}, {"additionalProperties": False}]
    branches = [
        {"type": "object", "properties": {key: {"type": "integer"}, "p": part}, **rng.choice(more)}
        for part in map(alone, parts)
    ]
    document = {"type": "object", rng.choice(["anyOf", "oneOf", "allOf"]): branches}
    own: dict[str, Any] = rng.choice(
        [
            {},
            {"properties": {"k0": {"type": "integer", "minimum": 1}}, "required": ["k0"]},
            {"properties": {"again": {"$ref": "#"}, "part": {"$ref": f"#/{min(document)}/0"}}},
            {"$ref": "#/$defs/T", "$defs": {"T": branches[0]}},
        ]
    )
    return pdl.Schema.from_json_schema({**document, **own})


def alone(part: dict[str, Any]) -> Any:
    """A schema that refers to nothing outside."""
    return {"type": "string"} if "$defs" in part or "$ref" in str(part) else part


@given(rng=RNGS)
def test_the_plain_form_of_arguments_is_an_object_that_takes_all_of_them(rng: Random) -> None:
    schema = wild(rng)
    projected = plain_object(schema.document)
    assert projected["type"] == "object"
    assert not JOINS & projected.keys()
    for _, node in schemas(projected):  # all references lead somewhere
        assert "$ref" not in node or lookup(projected, node["$ref"]) is not None
    Draft202012Validator.check_schema(projected)
    if "part" in schema.document.get("properties", ()):
        return  # `Instances` follows no such reference
    instances = Instances(schema.document, rng)
    for value in (instances.value() for _ in range(6)):
        if isinstance(value, dict) and not violations(schema, value):
            assert not violations(pdl.Schema.from_json_schema(projected), value), value


def odd_keys(rng: Random, depth: int = 2) -> dict[str, Any]:
    """A schema whose keys no provider would choose, at every depth."""
    names = rng.sample(ODD_NAMES, rng.randint(1, 4))
    leaf: list[Any] = [{"type": "integer"}, {"type": "array", "items": {"$ref": "#"}}]
    leaf += [{"type": "object", "additionalProperties": {"$ref": "#"}}]
    if depth:
        leaf += [odd_keys(rng, depth - 1), {"anyOf": [odd_keys(rng, depth - 1), {"type": "null"}]}]
    projected = {"type": "object", "properties": {name: rng.choice(leaf) for name in names}}
    more: list[dict[str, Any]] = [{}, {"required": names[:1]}, {"additionalProperties": False}]
    return {**projected, **rng.choice(more)}


@given(rng=RNGS)
def test_renamed_keys_are_taken_and_come_back(rng: Random) -> None:
    schema = pdl.Schema.from_json_schema(odd_keys(rng))
    found = renaming(schema.document)
    if found is None:
        assert all(
            re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name)
            for _, node in schemas(schema.document)
            for name in node.get("properties", ())
        )
        return
    sent = pdl.Schema.from_json_schema(found.sent)
    for _, node in schemas(sent.document):
        assert all(
            re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name) for name in node.get("properties", ())
        )
    instances = Instances(schema.document, rng)
    for value in (instances.value() for _ in range(6)):
        if isinstance(value, dict) and not violations(schema, value):
            assert not violations(sent, found.to_provider(value))
            assert found.from_provider(found.to_provider(value)) == value


def test_only_keys_that_the_schema_lists_are_renamed_back() -> None:
    """Those of free objects are data, whatever they are."""
    free = {"type": "object", "properties": {"a b": {"type": "object"}}}
    found = renaming(free)
    assert found is not None
    assert found.from_provider({"a_b": {"a_b": 1}, "c": [{"a_b": 2}]}) == {
        "a b": {"a_b": 1},
        "c": [{"a_b": 2}],
    }
    assert found.from_provider({"a_b": 1, "a b": 2}) == {"a_b": 1, "a b": 2}


TOOLS = requests()["tools_with_odd_keys"].tools
SENT = {"Groe_cm": 5, "filter_2": {"groe": 1}, "filter": "x"}
CALL = ToolCall("measure", {"Größe (cm)": 5, "$filter": {"größe": 1}, "filter": "x"}, "t1")


def test_calls_have_the_keys_of_the_tool() -> None:
    payload = FAMILIES["anthropic"].payload(Request(ASKED, tools=TOOLS), "m")
    block = {"type": "tool_use", "id": "t1", "name": "measure", "input": SENT}
    body: dict[str, Any] = {"content": [block], "stop_reason": "tool_use"}
    [call] = FAMILIES["anthropic"].reply(payload, body).calls
    assert call == CALL
    assert TOOLS is not None
    assert TOOLS.check_calls([call]).ok


def test_streamed_calls_do_too() -> None:
    payload = FAMILIES["anthropic"].payload(Request(ASKED, tools=TOOLS), "m")
    reader = FAMILIES["anthropic"].stream(payload)
    text = '{"Groe_cm": 5, "filter_2": {"groe": 1}, "filter": "x"}'
    pieces = [text[at : at + 5] for at in range(0, len(text), 5)]
    start = {"type": "tool_use", "id": "t1", "name": "measure", "input": {}}
    events: list[Any] = [
        {"type": "content_block_start", "index": 0, "content_block": start},
        *(
            {
                "type": "content_block_delta",
                "delta": {"type": "input_json_delta", "partial_json": one},
            }
            for one in pieces
        ),
        {"type": "content_block_stop", "index": 0},
    ]
    found: list[Delta] = [delta for event in events for delta in reader.feed("", event)]
    assert [call for delta in found for call in delta.calls] == [CALL]


UNIONS = ToolSet.from_mcp(
    [
        {"name": "a", "inputSchema": {"anyOf": [{"type": "object", "properties": {"x": {}}}]}},
        {"name": "b", "inputSchema": {"oneOf": [{"required": ["x"]}, {"required": ["y"]}]}},
        {"name": "c", "inputSchema": {"$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}}},
    ]
)


@pytest.mark.parametrize("name", ["openai", "openai-responses", "litellm", "anthropic", "gemini"])
def test_no_tool_is_declared_with_a_union_at_its_top(name: str) -> None:
    body: dict[str, Any] = FAMILIES[name].payload(Request(ASKED, tools=UNIONS), "m").body
    tools = body["tools"][0].get("functionDeclarations", body["tools"])
    assert len(tools) == 3
    for tool in tools:
        inner = tool.get("function", tool)
        keys = ("parameters", "input_schema", "parametersJsonSchema")
        [projected] = [inner[key] for key in keys if key in inner]
        assert projected["type"] == "object"
        assert not JOINS & projected.keys()
        assert not inner.get("strict")
