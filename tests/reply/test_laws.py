"""What holds for every reply."""

from __future__ import annotations

import dataclasses
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdl
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.reply.coercions import NO_COERCIONS
from pdl.reply.search import search
from pdl.reply.segments.dialects import DIALECTS

SCHEMAS = [
    pdl.Schema.parse(dsl)
    for dsl in (
        "{ a: str, b?: int }", "[int]", "[{ a: str }]", "int<0,10>", "float", "bool", "yesno",
        "code", 'code { lang: "py" }', "tasklist", "str<1,20>", '"red" | "green"', "null", "any",
        "str | int?", "{ [str]: any }",
    )
]  # fmt: skip
PIECES = st.sampled_from(
    ["{", "}", "[", "]", '"a"', '"', ":", ",", "1", "-2.5", "true", "null", "red", "yes", "no",
     "not", "```", "```json\n", "~~~", "\n", " ", "<think>", "</think>", "<answer>", "</answer>",
     "- [ ] x\n", "* [x] y\n", "final:", "...", "NaN", "\\", "'", "<|channel|>", "<|message|>",
     "[THINK]", "é", "“", "None", "2024-01-02", "1,000", "\u2028", "\ud800", "\0"]
)  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=4)
ANY_OBJECT = pdl.Schema.parse("{ [str]: any }")


@given(st.sampled_from(SCHEMAS), st.lists(PIECES | st.text(max_size=3), max_size=14).map("".join))
def test_no_reply_makes_it_raise(schema: pdl.Schema, reply: str) -> None:
    check = pdl.check(schema, reply)
    if check.ok:
        assert not check.errors
        assert not check.feedback
        start, end = check.span or (0, len(reply))
        assert 0 <= start <= end <= len(reply)
    else:
        assert check.value is None
        assert check.reason
        assert check.errors
        assert check.feedback
    assert check == pdl.check(schema, reply)


@given(
    st.lists(PIECES | st.sampled_from(["analysis", " ", "\n"]) | st.text(max_size=3), max_size=6)
)
def test_text_without_marks_is_read_as_any_other(pieces: list[str]) -> None:
    """Without a schema most replies are seen to be plain text, and nothing else is looked for."""
    reply = "".join(pieces)
    found = search(None, reply, coercions=NO_COERCIONS, dialects=DIALECTS, limits=DEFAULT_LIMITS)
    assert pdl.check(None, reply) == found


@given(OBJECTS, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_clean_json_is_its_value(value: dict[str, Any], indent: Any, ascii_only: bool) -> None:  # noqa: FBT001
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    check = pdl.check(ANY_OBJECT, text)
    assert check.ok, check.feedback
    assert check.value == value
    assert check.repairs == ()
    assert check.span == (0, len(text))


@given(OBJECTS)
def test_a_fence_in_prose_holds_its_value(value: dict[str, Any]) -> None:
    text = json.dumps(value, indent=1)
    reply = f"Here is what you asked for:\n\n```json\n{text}\n```\n\nTell me if more is needed."
    check = pdl.check(ANY_OBJECT, reply)
    assert check.ok, check.feedback
    assert check.value == value
    assert check.span is not None
    assert json.loads(reply[slice(*check.span)]) == value


@given(OBJECTS, OBJECTS)
def test_two_answers_are_one_only_if_they_are_equal(a: dict[str, Any], b: dict[str, Any]) -> None:
    reply = f"One: {json.dumps(a)}\n\nTwo: {json.dumps(b)}"
    check = pdl.check(ANY_OBJECT, reply)
    assert check.ok == (json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True))
    if not check.ok:
        assert check.reason == "ambiguous"


@given(OBJECTS)
def test_what_stands_in_reasoning_is_no_answer(value: dict[str, Any]) -> None:
    text = json.dumps(value)
    assert pdl.check(ANY_OBJECT, f"<think>{text}</think>").reason == "absent"
    assert pdl.check(ANY_OBJECT, f'<think>{text}</think>{{"k": 1}}').value == {"k": 1}


@given(OBJECTS, st.data())
def test_a_cut_reply_is_never_completed(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = data.draw(st.integers(1, len(text) - 1))
    assert not pdl.check(ANY_OBJECT, text[:cut]).ok


HOSTILE = {
    "braces": "{", "brackets": "[", "quotes": '"', "keys": '{"a":', "backslashes": "\\",
    "candidates": '{"b":1} ', "backticks": "`", "fences": "```json\n", "think": "<think>",
    "closers": "</think>", "tildes": "~~~\n", "commas": ",", "digits": "9", "tasks": "- [ ] x\n",
    "words": "yes no ", "numbers": "1 2,", "blanks": " ", "lines": "\n", "answers": "<answer>",
    "channels": "<|channel|>analysis<|message|>", "dots": "...", "finals": "final answer: ",
    "closed nests": "[]", "citations": "[1] ", "dashes": "- ",
}  # fmt: skip


@pytest.mark.parametrize("times", [300, pytest.param(6_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_replies_end(piece: str, times: int) -> None:
    """The time is linear, which a benchmark measures; here, that no input crashes it."""
    reply = piece * times
    for schema in SCHEMAS:
        check = pdl.check(schema, reply)
        assert check.ok or check.feedback


def test_limits_are_reasons() -> None:
    schema = pdl.Schema.parse("[any]")
    assert pdl.check(schema, "[1]" * 10, limits=Limits(reply_chars=5)).reason == "limit"
    deep = "[" * 300 + "]" * 300
    assert pdl.check(schema, deep).reason == "limit"
    assert pdl.check(schema, f"[{'9' * 5000}]").reason == "limit"


def test_extract_gives_the_value_or_raises_with_the_check() -> None:
    schema = pdl.Schema.parse("{ a: int }")
    assert pdl.extract(schema, 'So: {"a": 1}') == {"a": 1}
    with pytest.raises(pdl.OutputError) as raised:
        pdl.extract(schema, '{"a": "x"}')
    assert raised.value.check.errors[0].path == ("a",)
    assert "a" in str(raised.value)
    back = pickle.loads(pickle.dumps(raised.value))  # noqa: S301  (our own)
    assert (type(back), back.check, str(back)) == (
        pdl.OutputError,
        raised.value.check,
        str(raised.value),
    )


def test_without_a_schema_the_reply_is_the_answer() -> None:
    assert pdl.check(None, "<think>hm</think> Hello.\n").value == "Hello."


def test_a_check_is_frozen() -> None:
    check = pdl.check(None, "Hi")
    with pytest.raises(dataclasses.FrozenInstanceError):
        check.value = "Ho"  # type: ignore[misc]
    with pytest.raises(TypeError):
        pdl.check(None, 3)  # type: ignore[call-overload]
