"""What the parts of a reply are taken for."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdl
from pdl.reply.choosing.candidates import INSIDE, INSIDE_ENDS, MEMBER
from pdl.reply.prose.omissions import STAND_IN, left_out
from pdl.reply.validation.json_types import lone_surrogate
from pdl.reply.validation.schema_walk import compile_pattern

ARRAY = pdl.Schema.parse("[int]")
CODE = pdl.Schema.parse("code")
TASKS = pdl.Schema.parse("tasklist")


@pytest.mark.parametrize(
    ("schema", "piece"),
    [
        (CODE, "```\n"),
        (CODE, "~~~\n"),
        (CODE, "```py\n\"'''"),
        (ARRAY, "x[0] "),
        (ARRAY, "[1](x) "),
        (ARRAY, "- [ ] a\n"),
        (ARRAY, "<!-- "),
        (ARRAY, "not "),
        (ARRAY, "[[1]"),
        (TASKS, "- [ ] ...\n"),
    ],
)
def test_long_hostile_replies_end(schema: pdl.Schema, piece: str) -> None:
    """How their time grows is for benchmarks/growth.py."""
    check = pdl.check(schema, piece * 8_000)
    assert check.ok or check.feedback


@pytest.mark.parametrize(
    "piece",
    [
        '"\\',
        "'''",
        '"""\n',
        "/*",
        "<!--",
        "'a ",
        "# ...",
        "--",
        "((",
        "\\",
        "# etc,\n",
        "[a, ",
        ", \n",
    ],
)
def test_a_long_program_is_read(piece: str) -> None:
    check = pdl.check(CODE, f"```js\n{piece * 8_000}\n```")
    assert check.reason in {None, "ambiguous", "elided"}


def test_a_schema_with_an_unusable_pattern_is_a_reason() -> None:
    """Such schemas do not load; one that was made by hand must not make a check raise."""
    bad: Any = {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}}
    schema = dataclasses.replace(pdl.Schema.parse("{ a: str }"), document=bad)
    for reply in ('{"a": "x"}', 'So: {"a": "x"}', "x", ""):
        check = pdl.check(schema, reply)
        assert not check.ok
        assert check.feedback


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("^\\cA$", "\x01"), ("^\\u{1F600}$", "😀"), ("^\\uD83D\\uDE00$", "😀"), ("^[^]$", "\n")],
)
def test_patterns_of_ecma_262_are_translated(pattern: str, text: str) -> None:
    assert compile_pattern(pattern)(text)


def test_feedback_can_always_be_encoded() -> None:
    check = pdl.check(pdl.Schema.parse("{ a: int }"), '{"a": "\ud800"}')
    assert check.feedback.encode()
    assert check.summary.encode()


def test_dots_are_data_where_anything_is() -> None:
    text = '{"a": ["b", "..."]}'
    assert pdl.check(pdl.Schema.parse("{ [str]: any }"), text).value == {"a": ["b", "..."]}
    assert pdl.check(pdl.Schema.parse("{ a: [str] }"), text).reason == "elided"


def test_data_is_left_out_only_where_the_schema_names_parts() -> None:
    value = {"a": ["x", "..."]}
    lists = {"anyOf": [{"type": "object", "properties": {"a": True}}, {"enum": [["items"]]}]}
    assert left_out(lists, value) == "..."
    assert left_out({"anyOf": [{"enum": [["items"]]}, {"type": "object"}]}, value) == ""


def test_stand_ins_and_halves_are_found_at_any_depth() -> None:
    anything: dict[str, Any] = {"items": {}}
    assert left_out(anything, {"a": [{"b": [1, "..."]}]}) == "..."
    assert left_out(anything, ["...", "a"]) == ""
    assert left_out(anything, ["food", "more"]) == ""
    assert left_out(anything, ["passed", "skipped"]) == ""
    assert left_out(anything, ["a", "und 3 weitere"]) == "und 3 weitere"
    assert lone_surrogate({"a": [{"\udc00": 1}]}) == "\\udc00"
    assert lone_surrogate({"a": ["😀"]}) == ""


PIECES = ["a", "1", "true", "int", '"', "'", ":", "=>", "<", ",", " ", "\n", "\u00a0", "{", "["]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


@given(TEXTS)
def test_the_last_character_shows_that_nothing_is_inside(before: str) -> None:
    """Text is searched for half of a member or an item only where its last character allows one."""
    assert before.rstrip()[-1:] in INSIDE_ENDS or not INSIDE.search(before)


@given(TEXTS)
def test_nothing_is_found_without_its_signs(text: str) -> None:
    """Members are searched for only where a text has `:` or `=`, and stand-ins where it has `<`."""
    assert ":" in text or "=" in text or not MEMBER.search(text)
    assert "<" in text or not STAND_IN.fullmatch(text)
