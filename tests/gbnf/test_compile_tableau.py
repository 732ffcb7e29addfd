"""What a goal's conjuncts say of values, beside the checker's verdict."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import schemata
from hypothesis import given
from hypothesis import strategies as st
from satisfied import satisfied

import pdl
from pdl.gbnf.compiling.compiler import Compiler
from pdl.gbnf.compiling.constraints import SchemaLiteral
from pdl.gbnf.compiling.options import Options
from pdl.reply.validation.compiled import validator_of

if TYPE_CHECKING:
    from pdl.gbnf.compiling.constraints import Conjunct, Conjunction


class Conjuncts:
    """The conjuncts of one document."""

    def __init__(self, document: Any) -> None:
        self.schema = pdl.Schema.from_json_schema(document)
        self.compiler = Compiler(self.schema.document, Options())

    def __call__(self, goal: Conjunction) -> tuple[Conjunct, ...]:
        joined = self.compiler.document.joined(goal)
        return () if joined is None else self.compiler.conjuncts(joined)

    def has(self, value: Any) -> bool:
        return satisfied(value, (SchemaLiteral("#"),), self)


def compare(rng: Random) -> tuple[int, int]:
    """How many values were compared, and how many of them satisfy a random schema."""
    document = schemata.document(rng)
    try:
        conjuncts = Conjuncts(document)
    except pdl.SchemaError:
        return 0, 0
    verdict = validator_of(conjuncts.schema.document).is_valid
    valid = 0
    values = [schemata.value(rng) for _ in range(12)]
    for value in values:
        expected = verdict(value)
        valid += expected
        found = conjuncts.has(value)
        assert found == expected or (found and conjuncts.compiler.notes), (document, value)
    return len(values), valid


@given(st.randoms(use_true_random=True))
def test_conjuncts_have_the_values_of_the_schema(rng: Random) -> None:
    compare(rng)


def test_a_thousand_schemas() -> None:
    """With fixed seeds, so that each run has compared as many."""
    counts = [compare(Random(seed)) for seed in range(1000)]  # noqa: S311 - no secret
    assert sum(count for count, _ in counts) > 10_000
    assert sum(valid for _, valid in counts) > 2_000


FORMULAS = [
    ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, 1),
    ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}, {"required": ["c"]}]}, 1),
    ({"not": {"required": ["a", "b"]}}, 1),
    ({"not": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}}, 1),
    ({"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}, 1),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, 1),
    ({"anyOf": [{"required": ["a"]}, {"properties": {"b": {"type": "null"}}}]}, 2),
]


@pytest.mark.parametrize(("schema", "count"), FORMULAS, ids=str)
def test_questions_of_presence_are_one_conjunct(schema: dict[str, Any], count: int) -> None:
    conjuncts = Conjuncts({"type": "object", **schema})
    assert len(conjuncts((SchemaLiteral("#"),))) == count


def test_alternatives_without_end_are_loosened_and_told() -> None:
    """Ten branches of ten would be 10^10 conjuncts."""
    branch = {"anyOf": [{"properties": {f"p{at}": {"const": at}}} for at in range(10)]}
    conjuncts = Conjuncts({"allOf": [branch] * 10, "type": "object"})
    assert conjuncts.has({"p1": 1})
    assert not conjuncts.has("text")
    assert any(level == "POST_HOC" for _, _, level, _ in conjuncts.compiler.notes)


def test_schemas_that_lead_to_themselves() -> None:
    conjuncts = Conjuncts({"type": "object", "additionalProperties": {"$ref": "#"}})
    assert conjuncts.has({"a": {"b": {}}})
    assert not conjuncts.has({"a": {"b": 1}})
