"""`Options(objects="closed")`: no other keys but where a schema says what they hold."""

from __future__ import annotations

from typing import Any

import pytest

from pdl import Schema, gbnf

A = {"a": {"type": "integer"}}
CLOSED = gbnf.Options(objects="closed")
CASES: list[tuple[dict[str, Any], str, str]] = [
    ({"properties": A}, '{"a":1}', '{"a":1,"z":2}'),
    ({"properties": A, "required": ["c"]}, '{"a":1,"c":2}', '{"c":1,"z":2}'),
    ({"properties": A, "allOf": [{"properties": {"b": {}}}]}, '{"a":1,"b":0}', '{"b":1,"z":2}'),
    ({"properties": A, "patternProperties": {"^x": {}}}, '{"a":1,"x":0}', '{"a":1,"z":2}'),
    ({"properties": A, "anyOf": [{"required": ["b"]}, {"required": ["c"]}]}, '{"c":1}', '{"z":1}'),
]
OPEN = [
    {},
    {"properties": A, "additionalProperties": True},
    {"properties": A, "unevaluatedProperties": {"type": "integer"}},
    {"additionalProperties": {"type": "integer"}},
]


@pytest.mark.parametrize(("schema", "taken", "refused"), CASES)
def test_closed(schema: dict[str, Any], taken: str, refused: str) -> None:
    schema = {"type": "object", **schema}
    grammar = gbnf.compile(Schema.from_json_schema(schema), CLOSED).grammar
    assert grammar.match(taken)
    assert not grammar.match(refused)
    assert (
        gbnf.compile(Schema.from_json_schema(schema)).grammar.match(refused) or taken == '{"c":1}'
    )


@pytest.mark.parametrize("schema", OPEN, ids=str)
def test_open_where_the_schema_says_so(schema: dict[str, Any]) -> None:
    schema = {"type": "object", **schema}
    assert gbnf.compile(Schema.from_json_schema(schema), CLOSED).grammar.match('{"z":1}')
