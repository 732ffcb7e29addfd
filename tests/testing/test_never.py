"""Expectations that no answer of a prompt can be."""

from __future__ import annotations

import pytest
import schema_pairs
from hypothesis import given
from hypothesis import strategies as st

from pdl.decoding import JsonError, strict_json
from pdl.reply import violations
from pdl.schema import Schema
from pdl.source import Source
from pdl.testing.cases import Expectation
from pdl.testing.never import never

ANSWER = """
{ stars: int<1,5>, mood: "good" | "bad", item: Item, note?: str }

Item = { name: str, tags?: [str] }
"""
NEVER = {
    "{ stars: 6, [str]: any }": "`$.stars` must be at most 5, not 6",
    '{ mood: "odd", [str]: any }': '`$.mood` must be "good" or "bad", not "odd"',
    "{ stars: str, [str]: any }": "`$.stars` is a number, not a string",
    "{ item: { name: int }, [str]: any }": "`$.item.name` is a string, not a number",
    "{ rank: int, [str]: any }": "there is no `$.rank`",
    "{ stars: int }": "each answer has `$.mood` (`[str]: any` allows further fields)",
    "[int]": "`$` is an object, not an array",
    '{"stars": 1}': "`$` is missing the required fields `mood` and `item`",
}
MAYBE = [
    "{ stars: 1 | 9, [str]: any }",
    "{ stars: float, [str]: any }",
    '{ mood: "odd" | "bad", [str]: any }',
    "{ note: str, [str]: any }",
    "{ rank?: int, [str]: any }",
    "{ item: { [str]: any }, [str]: any }",
    "{ item: { name: str, [str]: any } | null, [str]: any }",
    "any",
    '{"stars": 1, "mood": "good", "item": {"name": "a"}}',
]


def why(text: str, answer: str = ANSWER) -> str:
    try:
        value = strict_json(text)
    except JsonError:
        expectation = Expectation(Source(text), Schema.parse(text))
    else:
        expectation = Expectation(Source(text), Schema.from_json_schema({"const": value}), (value,))
    return never(expectation, Schema.parse(answer))


@pytest.mark.parametrize(("text", "words"), NEVER.items(), ids=NEVER)
def test_never(text: str, words: str) -> None:
    assert why(text) == words


@pytest.mark.parametrize("text", MAYBE)
def test_perhaps(text: str) -> None:
    assert why(text) == ""


def test_an_answer_that_is_not_json_may_be_anything() -> None:
    assert why("7", "str") == ""


def test_a_type_in_itself_ends() -> None:
    tree = "Tree\n\nTree = { value: int, next: Tree | null }"
    assert why(tree, tree) == ""


def test_references_to_any_part_are_followed_or_left() -> None:
    answer = Schema.from_json_schema(
        {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"allOf": [{"$ref": "#/properties/a"}]}},
        }
    )
    expected = Schema.parse("{ b: 6, [str]: any }")
    assert never(Expectation(Source(""), expected), answer) == ""


@given(st.integers(0, 1_000_000))
def test_what_both_schemas_match_is_possible(seed: int) -> None:
    rng = schema_pairs.chance(seed)
    answer, expected = schema_pairs.pair(rng)
    values = schema_pairs.values(answer, rng, 5) + schema_pairs.values(expected, rng, 5)
    both = [one for one in values if not violations(answer, one) and not violations(expected, one)]
    why = never(Expectation(Source(""), expected), answer)
    assert not (why and both), (answer.document, expected.document, both, why)
