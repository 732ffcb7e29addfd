"""Rules written by hand: read, held against JSON, and given names of their own."""

# ruff: noqa: S311 - what is drawn must be the same in every run

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from snapshots import CASES

import pdl
from pdl.gbnf import Grammar
from pdl.gbnf.compiling.custom_rules import custom_rules
from pdl.gbnf.compiling.document import rule_kind
from pdl.gbnf.nodes import write

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Snapshot

PLACE = "#/$defs/Person/properties/code"
VALID = sorted((CASES / "custom_rules" / "valid").glob("*.gbnf"))
INVALID = sorted((CASES / "custom_rules" / "invalid").glob("*.gbnf"))


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8").removesuffix("\n")


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_valid(path: Path, snapshot: Snapshot) -> None:
    """The rules that the root leads to, under names after the place in the schema, root first."""
    rules = custom_rules(PLACE, text_of(path), "string")
    snapshot.check(path.with_suffix(".txt"), write(rules))
    grammar = Grammar(rules, "Person-code-gbnf")
    for seed in range(30):
        assert isinstance(json.loads(grammar.generate(Random(seed))), str)


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_invalid(path: Path, snapshot: Snapshot) -> None:
    """Each problem has the JSON pointer, and the place in the rule's own text."""
    with pytest.raises(pdl.GrammarError) as raised:
        custom_rules(PLACE, text_of(path), "string")
    codes = "\n".join(f"[{problem.code}]" for problem in raised.value.problems)
    snapshot.check(path.with_suffix(".txt"), f"{raised.value}\n{codes}")


@pytest.mark.parametrize(
    "text",
    [
        '"5" | "true" | "null"',
        'root ::= "[" (root ("," root)*)? "]"',
        'root ::= "{" ws "\\"a\\":" ws "-"? [1-9] [0-9]* ("." [0-9]+)? "}"\nws ::= [ \\n]*',
    ],
)
def test_a_value_may_be_any_json(text: str) -> None:
    rules = custom_rules("#", text, "value")
    grammar = Grammar(rules, rules[0].name)
    for seed in range(30):
        json.loads(grammar.generate(Random(seed)))


def test_each_place_has_names_of_its_own() -> None:
    names = {custom_rules(f"#/properties/{key}", '"1"', "value")[0].name for key in ("a", "b c")}
    assert names == {"a-gbnf", "b-c-gbnf"}


def test_the_checker_passes_rules_over() -> None:
    """Replies that were made without the grammar are not held to it."""
    schema = pdl.Schema.parse(r"""{ code: str { gbnf: '"\"" [A-Z]{3} "\""' } }""")
    assert pdl.check(schema, '{"code": "other"}').ok


def test_a_text_with_a_rule_is_a_json_string() -> None:
    """The rule has quotes, so the reply has them; the value does not."""
    schema = pdl.Schema.parse(r"""str { gbnf: '"\"" [A-Z]{3} "\""' }""")
    assert schema.form == "json"
    assert pdl.check(schema, '"ABC"').value == "ABC"


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "string"),
        ({"type": "integer"}, "value"),
        ({}, "value"),
    ],
)
def test_a_rule_is_for_the_strings_of_its_schema(schema: dict[str, Any], kind: str) -> None:
    assert rule_kind(schema) == kind
