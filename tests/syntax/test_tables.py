"""The parse tables do what Lark does, errors included, and are those of today's grammars."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from snapshots import CASES

from pdl.prompt.turns import _outline
from pdl.schema.dsl.tree import Build
from pdl.source import Source
from pdl.syntax import runner as module
from pdl.syntax.runner import END, GRAMMARS, StuckError, fingerprint, runner
from pdl.syntax.tables import build, tables

if TYPE_CHECKING:
    from pathlib import Path

    from pdl.syntax.runner import Token

GRAMMAR = GRAMMARS.joinpath("schema.lark").read_text("utf-8")
LARK = build(GRAMMAR)
SCHEMAS = sorted((CASES / "schema").glob("*/*.dsl"))
WORDS = st.sampled_from(
    ["{", "}", "[", "]", "(", ")", "<", ">", ",", ":", "|", "?", "=", "a", "str", "int", "A-b",
     "1", "-2.5", '"x"', "'y'", "// words\n", "\n", " ", "#", "é", '"open']
)  # fmt: skip


Outcome = tuple[int, frozenset[str]] | None
"""Where a text stops being one of the language, and what could stand there; None if it is one."""


def by_tables(text: str) -> Outcome:
    try:
        runner("schema").parse(text, Build())
    except StuckError as stuck:
        return stuck.token.start, stuck.expected
    return None


def by_lark(text: str) -> Outcome:
    try:
        LARK.parse(text)
    except UnexpectedToken as error:
        at = len(text) if error.token.type == END else error.token.start_pos or 0
        return at, frozenset(error.accepts or error.expected)
    except UnexpectedCharacters as error:
        return Source(text).offset(error.line, error.column), frozenset()
    return None


@pytest.mark.parametrize("path", sorted(GRAMMARS.glob("*.lark")), ids=lambda path: path.stem)
def test_the_tables_are_up_to_date(path: Any) -> None:
    """`python scripts/parse_tables.py` writes them."""
    stored = json.loads(path.with_suffix(".tables.json").read_text("utf-8"))
    grammar = path.read_text("utf-8")
    assert stored == {"grammar": fingerprint(grammar), **tables(grammar)}


@pytest.mark.parametrize("stored", [None, '{"grammar": 1}'], ids=["missing", "of-another-version"])
def test_lark_computes_the_tables_that_are_not_there(
    stored: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.joinpath("list.lark").write_text('start: ITEM*\nITEM: "a"\n', "utf-8")
    if stored is not None:
        tmp_path.joinpath("list.tables.json").write_text(stored, "utf-8")
    monkeypatch.setattr(module, "GRAMMARS", tmp_path)

    class Count:
        def start(self, *items: Token) -> int:
            return len(items)

    assert runner.__wrapped__("list").parse("aaa", Count()) == 3


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
    ranges = _outline(tuple(kinds))
    assert [start for start, _ in ranges] == [
        n for n, kind in enumerate(kinds) if kind == "SEPARATOR"
    ]
    assert all(end > start for start, end in ranges)
