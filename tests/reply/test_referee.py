"""What is said about values that do not fit: complete, in order, and soon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from drawn import VALUES, documents
from effort import effort
from hypothesis import given

import pdl
from pdl.limits import Limits
from pdl.reply import violations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath


def said(document: Any, value: Json) -> list[tuple[JsonPath, str]]:
    """The path and the keyword of each violation."""
    schema = pdl.Schema.from_json_schema(document)
    return [(one.path, one.keyword) for one in violations(schema, value)]


def leaves(errors: Any) -> Iterator[JsonPath]:
    """The places at which jsonschema finds something wrong, in all branches of unions."""
    for error in errors:
        yield tuple(error.absolute_path)
        yield from leaves(error.context)


@given(documents(), VALUES)
def test_each_place_is_one_at_which_jsonschema_finds_something(
    schema: pdl.Schema, value: Json
) -> None:
    theirs = set(leaves(jsonschema.Draft202012Validator(schema.document).iter_errors(value)))
    assert {one.path for one in violations(schema, value)} <= theirs


@given(documents(), VALUES)
def test_violations_are_in_the_order_of_the_parts(schema: pdl.Schema, value: Json) -> None:
    def place(path: JsonPath) -> list[int]:
        positions, part = [], value
        for step in path:
            positions.append(list(part).index(step) if isinstance(part, dict) else int(step))
            part = part[step]
        return positions

    found = [place(one.path) for one in violations(schema, value)]
    assert found == sorted(found)


@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
def test_of_unions_in_unions_only_the_nearest_branches_are_told(word: str) -> None:
    """60 deep, where each branch holds the next union: plain jsonschema would never end."""
    levels: dict[str, Any] = {
        f"d{n}": {
            word: [
                {"type": "object", "required": ["a"], "properties": {"a": inner}},
                {"type": "object", "required": ["a", "b", "c"], "properties": {"a": inner}},
            ]
        }
        for n in range(60)
        for inner in [{"$ref": f"#/$defs/d{n + 1}"}]
    }
    document = {"$ref": "#/$defs/d0", "$defs": {**levels, "d60": {"type": "integer"}}}
    value: Json = "x"
    for _ in range(60):
        value = {"a": value}
    schema = pdl.Schema.from_json_schema(document)
    violations(schema, value)
    assert effort(violations, schema, value) < 1_000_000
    found = violations(schema, value)
    assert (found[-1].path, found[-1].keyword) == (("a",) * 60, "type")
    assert len(found) <= 61


def test_no_more_than_a_thousand_are_told() -> None:
    found = said({"type": "array", "items": {"type": "integer"}}, ["x"] * 5_000)
    assert found == [((index,), "type") for index in range(1_000)]


def test_a_large_value_is_looked_at_once() -> None:
    """What fits is known by the compiled check; jsonschema sees the part that does not."""
    item = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}
    schema = pdl.Schema.from_json_schema(
        {"type": "array", "items": {"$ref": "#/$defs/T"}, "$defs": {"T": item}}
    )
    value: list[Json] = [{"a": 1, "b": "x"} for _ in range(20_000)]
    value[-1] = {"a": 1, "b": 2}
    assert [one.path for one in violations(schema, value)] == [(19_999, "b")]
    assert effort(violations, schema, value) < 1_000_000


def test_a_large_enum_is_looked_up() -> None:
    choices = [number * 3 for number in range(20_000)]
    schema = pdl.Schema.from_json_schema({"type": "array", "items": {"enum": choices}})
    value = [number * 3 + 1 for number in range(1_000)]
    assert effort(violations, schema, value) < 1_000_000


TREE: Any = {
    "anyOf": [
        {"type": "array", "items": {"$ref": "#"}},
        {"type": "object", "additionalProperties": {"$ref": "#"}},
        {"type": "integer"},
    ]
}


def test_as_deep_as_a_reply_may_be() -> None:
    value: Json = "x"
    for _ in range(99):
        value = [{"a": value}]
    [(path, keyword)] = said(TREE, value)
    assert (len(path), keyword) == (198, "type")


def test_beyond_python_s_stack_is_a_limit() -> None:
    schema = pdl.Schema.from_json_schema(TREE)
    depth = 30_000
    check = pdl.check(schema, "[" * depth + '"x"' + "]" * depth, limits=Limits(reply_depth=depth))
    assert check.reason == "limit"
    value: Json = "x"
    for _ in range(depth):
        value = [value]
    with pytest.raises(RecursionError):
        violations(schema, value)


@pytest.mark.parametrize(
    ("document", "value", "expected"),
    [
        ({"propertyNames": {"maxLength": 2}}, {"a": 1, "abc": 1}, [((), "propertyNames")]),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, 5, [((), "type")]),
        ({"oneOf": [{"type": "integer"}, {"minimum": 3}]}, 5, [((), "oneOf")]),
        ({"items": {"multipleOf": 0.1}}, [0.3, 0.35], [((1,), "multipleOf")]),
        ({"items": {"type": "integer"}}, [5.0, 5.5, True], [((1,), "type"), ((2,), "type")]),
        ({"type": "number"}, float("nan"), [((), "type")]),
        ({"items": {"const": 1}}, [1.0, True], [((1,), "const")]),
        ({"pattern": r"^\d+$"}, "٣", [((), "pattern")]),
        ({"patternProperties": {r"^\d$": False}}, {"٣": 1, "3": 1}, [((), "additionalProperties")]),
        ({"uniqueItems": True}, [1, [2], 1.0, [2]], [((2,), "uniqueItems"), ((3,), "uniqueItems")]),
        (
            {"dependentRequired": {"a": ["b"], "c": ["d"]}, "minProperties": 3},
            {"a": 1, "c": 2},
            [((), "dependentRequired"), ((), "dependentRequired"), ((), "minProperties")],
        ),
    ],
)  # fmt: skip
def test_what_is_said(document: Any, value: Json, expected: list[tuple[JsonPath, str]]) -> None:
    assert said(document, value) == expected
