"""The parse tables do what Lark does, and are those of today's grammars."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lark.exceptions import LarkError
from snapshots import CASES

from pdl.schema.notation.language import Build
from pdl.syntax.runner import StuckError, Token, runner
from pdl.syntax.tables import HERE, build, fingerprint, tables
from pdl.syntax.turns import parse_turns

GRAMMAR = HERE.joinpath("schema.lark").read_text("utf-8")
LARK = build(GRAMMAR)
SCHEMAS = sorted((CASES / "schema").glob("*/*.dsl"))
WORDS = st.sampled_from(
    ["{", "}", "[", "]", "(", ")", "<", ">", ",", ":", "|", "?", "=", "a", "str", "int", "A-b",
     "1", "-2.5", '"x"', "'y'", "// words\n", "\n", " ", "#", "é", '"open']
)  # fmt: skip


def by_tables(text: str) -> bool:
    try:
        runner("schema").parse(text, Build())
    except StuckError:
        return False
    return True


def by_lark(text: str) -> bool:
    try:
        LARK.parse(text)
    except LarkError:
        return False
    return True


@pytest.mark.parametrize("path", sorted(HERE.glob("*.lark")), ids=lambda path: path.stem)
def test_the_tables_are_up_to_date(path: Any) -> None:
    """`python -m pdl.syntax.tables` writes them."""
    stored = json.loads(path.with_suffix(".tables.json").read_text("utf-8"))
    grammar = path.read_text("utf-8")
    assert stored["grammar"] == fingerprint(grammar)
    assert stored["terminals"] == tables(grammar)["terminals"]
    assert sorted(stored["rules"]) == sorted(tables(grammar)["rules"])


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_both_take_the_same_schemas(path: Any) -> None:
    text = path.read_text("utf-8")
    assert by_tables(text) == by_lark(text)


@given(st.lists(WORDS, max_size=12).map(" ".join))
@example("{ a : int = 1 }")
@example("str { pattern : 'y' } ?")
def test_both_take_the_same_texts(text: str) -> None:
    assert by_tables(text) == by_lark(text)


@given(st.lists(st.sampled_from(["SEPARATOR", "TEXT", "BLOCK"]), max_size=9))
def test_turns_begin_at_their_separators(kinds: list[str]) -> None:
    tokens = [Token(kind, "", index, index) for index, kind in enumerate(kinds)]
    ranges = parse_turns(tuple(kinds))
    assert [start for start, _ in ranges] == [t.start for t in tokens if t.type == "SEPARATOR"]
    assert all(end > start for start, end in ranges)
