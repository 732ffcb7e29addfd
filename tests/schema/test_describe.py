"""What a model is told to answer with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pdl.schema import Schema

if TYPE_CHECKING:
    from conftest import Snapshot

CASES = Path(__file__).parent.parent / "cases" / "schema" / "described"


@pytest.mark.parametrize("path", sorted(CASES.glob("*.dsl")), ids=lambda path: path.stem)
def test_description(path: Path, snapshot: Snapshot) -> None:
    schema = Schema.parse(path.read_text(encoding="utf-8"))
    snapshot.check(path.with_suffix(".txt"), schema.describe())


def test_what_a_skeleton_cannot_show_is_given_as_json_schema() -> None:
    description = Schema.from_json_schema({"not": {"type": "string"}}).describe()
    assert description == (
        "Answer with one JSON value that fits this JSON Schema, and nothing else:\n"
        '{\n  "not": {\n    "type": "string"\n  }\n}'
    )


def test_titles_and_examples_do_not_stand_in_the_way_of_a_skeleton() -> None:
    schema = {"title": "T", "type": "array", "items": {"title": "I", "type": "integer"}}
    assert Schema.from_json_schema(schema).describe().endswith("integer[]")


def test_rules_of_grammars_are_not_shown_to_a_model() -> None:
    rule = {"type": "string", "x-gbnf": r'"\"" [A-Z] "\""'}
    plain = Schema.from_json_schema({"properties": {"x-gbnf": rule}, "type": "object"})
    assert "[A-Z]" not in plain.describe()
    odd = Schema.from_json_schema({"not": rule, "properties": {"x-gbnf": {"const": {"x-gbnf": 1}}}})
    shown = json.loads(odd.describe().partition("\n")[2])
    assert shown == {
        "not": {"type": "string"},
        "properties": {"x-gbnf": {"const": {"x-gbnf": 1}}},
    }
