"""What the compiled check says of values is what `jsonschema` says."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.reply.validation.compiled import Validator

NAMES = ("a", "b", "c")
LEAVES: list[Any] = [
    {"type": "string"},
    {"type": "integer", "description": "a count"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "null"},
    {"type": "string", "enum": ["x", "y"]},
    {"enum": ["x", 1, None]},
    {"type": ["string", "null"]},
    {"type": "string", "minLength": 2},
    {"type": "integer", "minimum": 1},
    {},
    True,
    False,
]


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {"type": st.just("object")},
        optional={
            "properties": st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
            "required": st.lists(st.sampled_from(NAMES), unique=True, max_size=2),
            "additionalProperties": st.booleans() | inner,
        },
    )


def arrays(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {"type": st.just("array"), "items": inner},
        optional={"minItems": st.integers(0, 2), "maxItems": st.integers(1, 5)},
    )


SCHEMAS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: (
        objects(inner) | arrays(inner) | st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner)
    ),
    max_leaves=5,
)
SCALARS = st.sampled_from(["x", "y", "long", 0, 1, 2.0, 2.5, -3, True, False, None])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(SCHEMAS, VALUES)
def test_a_value_is_valid_just_if_jsonschema_says_so(schema: Any, value: Any) -> None:
    expected = jsonschema.Draft202012Validator(schema).is_valid(value)
    assert Validator(schema).is_valid(value) == expected
    assert Validator({"items": schema}).is_valid([value] * 5) == expected


class Name(str):
    """A kind of string that JSON has not, but Python programs do."""

    __slots__ = ()


@pytest.mark.parametrize(
    ("item", "values", "fits"),
    [
        ({"type": "string"}, [Name("a")] * 5, True),
        ({"type": "number"}, [1.0, 2.0, 3.0, float("inf")], False),
        ({"type": "number"}, [1, 2.5, True, 3], False),
        ({"type": "integer"}, [1, 2.0, 3, 4], True),
        ({"type": "integer"}, [1, 2.5, 3, 4], False),
        ({"type": "array", "items": {"type": "null"}}, [(None,), [], [None], []], True),
        ({"type": "object", "required": ["a"]}, [{"a": 1}] * 4 + [{}], False),
    ],
)
def test_values_that_json_has_not(item: Any, values: list[Any], fits: bool) -> None:  # noqa: FBT001
    assert Validator({"type": "array", "items": item}).is_valid(values) is fits


def test_a_tree_may_be_as_deep_as_a_reply() -> None:
    """As deep as a reply may be, which is far from Python's limit on frames."""
    schema = {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
                "required": ["kids"],
            }
        },
    }
    is_valid = Validator(schema).is_valid
    tree: Any = {"kids": []}
    for _ in range(100):
        tree = {"kids": [{"kids": []}] * 4 + [tree]}
    assert is_valid(tree)
    assert not is_valid({"kids": [tree, {"kids": [{}]}]})
