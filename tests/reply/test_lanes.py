"""The quick ways give what the slow way gives: for generated replies, and for all cases."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snapshots import CASES

import pdl
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.reply import late, search
from pdl.reply.parsing.parsed import Broken, Parsed, is_deep, parse
from pdl.reply.parsing.strict import read_exactly
from pdl.reply.segments import brackets
from pdl.reply.validation.wholeness import is_whole

if TYPE_CHECKING:
    from pathlib import Path

NARROW = Limits(reply_candidates=2, reply_depth=2, integer_digits=3)
SCHEMAS = [
    pdl.Schema.parse(dsl)
    for dsl in (
        "{ a: str, b?: int }", "[int]", "[{ a: any }]", "{ [str]: any }", "{ a: [str] }", "any",
        "{ a: float }", "[any] | { a: any }", "str | { a: any }", "[{ name: str, n: [int] }]",
    )
]  # fmt: skip
TEXTS = st.sampled_from(
    ["{", "}", "[", "]", "[1]", "[2, 3]", "[12](x)", "x[0]", '{"a": "x"}', '{"a": "y", "b": 2}',
     '[{"a": 1}]', '{"a": 1, "a": 1}', '{"a": 1, "a": 2}', '{"a": [1, "..."]}',
     '{"a": ["b", "..."]}', '{"a": "<value>"}', '{"a": "\\ud800"}', '{"a": 1e400}',
     '{"a": 1e2}', '{"a": NaN}', '{"a": ":"}',
     "{'a': 'x'}", "{a: 'x'}", "```json\n", "```\n", "```py\n", "> ", "\n", " ", "<think>",
     "</think>", "<answer>", "</answer>", "<!-- ", "-->", "Final answer: ", "For example: ",
     "This is not ", "Corrected:\n", "- [ ] ", "...", " and 3 more", "`", '"', "'", "\\", ": ",
     ", ", "<|im_end|>", "word ", "\ud800", "é", "The result is "]
)  # fmt: skip
REPLIES = st.lists(TEXTS | st.text(max_size=2), max_size=9).map("".join)
LITERALS = st.sampled_from(
    ["0", "-0.0", "1e5", "1E400", "1e-400", "12345678901234567890", "0.1234567890123456789",
     "0.99999999999999999999", "9007199254740993.0", "1.0", "true", "null", '""', '":"', '"a:b\\""',
     '"\\\\"', '"\\u00e9"', '"\\ud83d\\ude00"', '"\\ud800"', '"..."', '"and 3 MORE"', '" <name>"',
     '"\\u003cname>"', '"\\t<text>"', '"\\u2026"', '"{[" ', "9" * 5000, '"é"', "[]", "{}"]
)  # fmt: skip
JSON = st.recursive(
    LITERALS,
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda parts: f"[{', '.join(parts)}]")
        | st.lists(st.tuples(st.sampled_from("abc:"), inner), max_size=4).map(
            lambda parts: "{" + ",".join(f'"{name}" : {part}' for name, part in parts) + "}"
        )
    ),
    max_leaves=12,
)


def slowly(schema: pdl.Schema, reply: str, limits: Limits = DEFAULT_LIMITS) -> pdl.Check:
    """The check of a reply by nothing but the general way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(late, "lone", lambda _asked: None)
        patch.setattr(brackets, "read_exactly", lambda *_arguments: None)
        return search.search(schema, reply, limits=limits)


def bare(check: pdl.Check) -> tuple[str, pdl.Check]:
    """What is compared: types count as well; the clean way takes all of a reply for text."""
    return repr(check.value), dataclasses.replace(check, segments=())


@given(st.sampled_from(SCHEMAS), REPLIES, st.sampled_from([DEFAULT_LIMITS, NARROW]))
def test_the_ways_agree_on_generated_replies(
    schema: pdl.Schema, reply: str, limits: Limits
) -> None:
    assert bare(pdl.check(schema, reply, limits=limits)) == bare(slowly(schema, reply, limits))


@pytest.mark.parametrize("path", sorted((CASES / "reply").glob("*/*.case")), ids=lambda p: p.stem)
def test_the_ways_agree_on_cases(path: Path) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        notation, _, reply = file.read().partition("\n=== reply ===\n")
    is_json_schema = notation.startswith('{"')
    schema = (
        pdl.Schema.from_json_schema(json.loads(notation))
        if is_json_schema
        else pdl.Schema.parse(notation)
    )
    assert bare(pdl.check(schema, reply)) == bare(slowly(schema, reply))


@given(JSON, st.sampled_from([DEFAULT_LIMITS, NARROW]))
def test_what_is_read_exactly_is_what_the_parser_says(text: str, limits: Limits) -> None:
    exact = read_exactly(f"x {text} y", 2, limits)
    if exact is None:
        assert text[:1] not in {"{", "["} or isinstance(parse(text, limits), Broken)
        return
    body = text.rstrip()
    assert exact.span == (2, 2 + len(body))
    assert repr(exact.findings.made) == repr(parse(body, limits, 2))
    assert exact.findings.deep == is_deep(body, limits.reply_depth)


@given(JSON)
def test_what_is_not_whole_is_suspected(text: str) -> None:
    """The quick look may be wrong in one way only: by asking for the closer one."""
    exact = read_exactly(text, 0, DEFAULT_LIMITS)
    document = pdl.Schema.parse("{ a: [str] }").document
    if exact is None:
        return
    made, suspect = exact.findings.made, exact.findings.suspect
    if isinstance(made, Parsed) and not is_whole(document, made.value):
        assert suspect
