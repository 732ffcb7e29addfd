"""A reply that is one JSON string: nothing in it is a mark; its quotes may be a part of a text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamed import closed

import pdl

FREE = pdl.Schema.from_json_schema({"type": "string"})
SCHEMAS = [
    *(pdl.Schema.parse(dsl) for dsl in ("any", "str?", "str | int", "str | [str]")),
    pdl.Schema.from_json_schema({}),
]
PIECES = st.sampled_from(
    ["<think>", "</think>", "[THINK]", "[/THINK]", "<tool_call>", "</tool_call>", "[TOOL_CALLS]",
     "<|im_end|>", "</s>", "<s>", "<|channel|>analysis<|message|>", "<|channel|>final<|message|>",
     "<|start|>user", "<answer>", "</answer>", "<example>", "</example>", "<!--", "-->", "<name>",
     "```json\n", "```", '{"a": 1}', "[1]", "{", "]", '"', "\\", "\n", "null", "5", "...", "~~",
     "final answer: ", "ignore that", "assistantfinal", "- [ ] x", "> ", "\ufeff", "\u2028", "\0"]
)  # fmt: skip
STRINGS = st.lists(PIECES | st.text(max_size=2), max_size=6).map("".join)
AROUND = st.sampled_from(
    ["%s", " %s\n", "<think>so</think>\n%s", "[THINK]{[/THINK]%s", "so</think>\n\n%s", "<s>%s</s>",
     "%s<|im_end|>", "<think>so</think>%s<|end|>", "<|channel|>analysis<|message|>[<|end|>%s",
     "<|channel|>final<|message|>%s<|return|>", "<answer>%s</answer>", "<think></think>%s"]
)  # fmt: skip


def spelled(text: str, *, ascii_only: bool) -> str:
    return json.dumps(text, ensure_ascii=ascii_only)


@given(st.sampled_from(SCHEMAS), STRINGS, st.booleans(), st.sampled_from(["%s", "\t%s\r\n"]))
def test_a_string_is_what_its_json_says(
    schema: pdl.Schema,
    text: str,
    ascii_only: bool,  # noqa: FBT001 - hypothesis gives it by position
    frame: str,
) -> None:
    check = closed(schema, frame % spelled(text, ascii_only=ascii_only))
    assert (check.ok, check.value) == (True, text)
    assert check.repairs == ()


@given(STRINGS, st.booleans())
def test_a_free_string_loses_no_more_than_its_quotes(text: str, ascii_only: bool) -> None:  # noqa: FBT001
    """Quotes alone may be meant; with an escape besides they are those of JSON."""
    reply = spelled(text, ascii_only=ascii_only)
    check = closed(FREE, reply)
    assert check.ok
    assert check.value == text or ("\\" not in reply and check.value == reply)


@given(st.sampled_from(SCHEMAS), STRINGS, AROUND)
def test_behind_reasoning_it_is_that_string_or_nothing(
    schema: pdl.Schema, text: str, frame: str
) -> None:
    """What stands in a string never wins against the string."""
    check = closed(schema, frame % spelled(text, ascii_only=True))
    assert not check.ok or check.value == text


@pytest.mark.parametrize(
    ("dsl", "reply", "value"),
    [
        ('"a" | "<tool_call>"', '"<tool_call>"', "<tool_call>"),
        ('"a" | "</think>b"', '"</think>b"', "</think>b"),
        ("any", '"[/THINK]{\\"a\\": 1}"<|im_end|>', '[/THINK]{"a": 1}'),
        ("any", 'so</think>\n\n"[/THINK]{\\"a\\": 1}"', '[/THINK]{"a": 1}'),
        ("str?", '<answer>"a <b>c</b>"</answer>', "a <b>c</b>"),
        ("str?", '<think>"x"</think>"a <tool_call> b"', "a <tool_call> b"),
    ],
)
def test_marks_in_it_are_characters(dsl: str, reply: str, value: str) -> None:
    assert closed(pdl.Schema.parse(dsl), reply).value == value


@pytest.mark.parametrize(
    ("dsl", "reply"),
    [
        ("int", '"not 4</think>5"'),
        ('"approve" | "reject"', '"I reject this.</think> approve"'),
        ("[int]", '"[2]</think>[1]"'),
        ("str", '"a</think>b"'),  # a text is not written in JSON
    ],
)
def test_a_mark_in_a_string_that_does_not_fit_makes_no_answer(dsl: str, reply: str) -> None:
    assert not closed(pdl.Schema.parse(dsl), reply).ok


QUOTED = [
    ({"type": "string"}, "hello", "hello"),
    ({"type": "string"}, '"hello"', '"hello"'),  # as it is, since it fits as it is
    ({"type": "string"}, '"a\\nb"', "a\nb"),  # no text is written with escapes
    ({"type": "string"}, ' "\\u00e9"\n', "é"),
    ({"type": "string"}, '<think>brief</think>\n"say \\"hi\\""', 'say "hi"'),
    ({"type": "string"}, '"a\\tb"<|im_end|>', "a\tb"),
    ({"type": "string"}, '"a</think>b"', "a</think>b"),
    ({"type": "string"}, '"<|im_end|>"', "<|im_end|>"),
    ({"type": "string"}, '"C:\\new" and "D:\\"', '"C:\\new" and "D:\\"'),
    ({"type": "string"}, '"C:\\Users"', '"C:\\Users"'),  # no JSON: there is no escape `\U`
    ({"type": "string", "pattern": "^[a-z]+$"}, '"hello"', "hello"),
    ({"type": "string", "maxLength": 2}, '"a\\n"', "a\n"),
    ({"type": "string", "format": "date"}, '"2024-02-29"', "2024-02-29"),
    ({"type": "string", "format": "date"}, '"2024\\u002d02-29"', "2024-02-29"),
]


@pytest.mark.parametrize(("schema", "reply", "value"), QUOTED)
def test_quotes_of_a_lone_string(schema: dict[str, object], reply: str, value: str) -> None:
    """Quotes are JSON's where something else shows that it is JSON, or the text does not fit."""
    check = pdl.check(pdl.Schema.from_json_schema(schema), reply)
    assert check.value == value


@pytest.mark.parametrize(
    ("schema", "reply"),
    [
        ({"pattern": "^[a-z]+$"}, '"A"'),
        ({"pattern": "^[a-z]+$"}, '"a" and "b"'),
        ({"minLength": 4}, '"\\n"'),  # four characters as a text, one as JSON
        ({"pattern": "^[a-z\\\\]+$"}, '"a\\nb"'),
        ({"pattern": "^[a-z ]+$"}, '"a<b>c"'),
    ],
)
def test_what_fits_neither_way_is_refused(schema: dict[str, object], reply: str) -> None:
    assert not pdl.check(pdl.Schema.from_json_schema({"type": "string", **schema}), reply).ok
