"""Schemas and values that laws are held against. The values often nearly fit the schemas."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import pdl

WORDS = st.sampled_from(
    ["5", "-1.5", "5.0", " 7 ", "1,000", "true", "None", "null", "Red", "red", "GREEN", "x", "",
     "[1]", '["5"]', '{"a": "5"}', '{"A": 5}', '[{"b_c": "red"}]', "[...]", "1e3"]
)  # fmt: skip
KEYS = st.sampled_from(["a", "A", "b_c", "bC", "B-C", "d", "value"])
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from([0.5, 2.0]) | WORDS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)

LEAVES = st.sampled_from(
    [
        {"type": "integer"}, {"type": "number", "minimum": 3}, {"type": "string"},
        {"type": "boolean"}, {"type": "null"}, {"enum": ["red", "green"]}, {"enum": ["Red", 5]},
        {"type": ["integer", "null"]}, {"type": "string", "maxLength": 2}, True, {"const": "x"},
        {"$ref": "#/$defs/T"},
    ]
)  # fmt: skip


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.sampled_from(["a", "b_c", "d"])
    return st.builds(
        lambda known, required, closed: {
            "type": "object",
            "properties": known,
            "required": sorted(required & set(known)),
            **({"additionalProperties": False} if closed else {}),
        },
        st.dictionaries(names, inner, max_size=3),
        st.sets(names),
        st.booleans(),
    )


SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: (
        objects(inner)
        | inner.map(lambda sub: {"type": "array", "items": sub})
        | st.lists(inner, min_size=1, max_size=2).map(
            lambda subs: {"type": "array", "prefixItems": subs, "items": False}
        )
        | st.lists(inner, min_size=1, max_size=3).map(lambda subs: {"anyOf": subs})
        | st.lists(inner, min_size=1, max_size=3).map(lambda subs: {"oneOf": subs})
        | st.lists(inner, min_size=1, max_size=2).map(lambda subs: {"allOf": subs})
        | objects(inner).map(lambda sub: {"type": "array", "items": sub, "minItems": 1})
    ),
    max_leaves=5,
)


@st.composite
def documents(draw: st.DrawFn) -> pdl.Schema:
    """A schema of one root and one named part, to which references anywhere may lead."""
    named = draw(objects(LEAVES) | LEAVES.map(lambda sub: {"type": "array", "items": sub}))
    root = draw(SCHEMAS)
    return pdl.Schema.from_json_schema({"allOf": [root], "$defs": {"T": named}})
