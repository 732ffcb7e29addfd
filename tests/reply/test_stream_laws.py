"""What holds for every reply and for every way to cut it into pieces."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pdl
from pdl.limits import Limits
from pdl.reply import Partial, Stream, violations
from pdl.reply.coercions import Coercions

if TYPE_CHECKING:
    from pdl._types import JsonPath

SCHEMAS = [
    pdl.Schema.parse(dsl)
    for dsl in (
        "{ a: str, b?: int }", "[int]", "[{ a: str }]", "{ a: [str | int], b?: { a: any } }",
        "{ [str]: any }", "any", "str", "code", 'code { lang: "py" }', "tasklist", "yesno", "int",
    )
]  # fmt: skip
PIECES = st.sampled_from(
    ["{", "}", "[", "]", '"a"', '"', "'", ":", ",", "1", "-2.5", "true", "None", "a", "b", " ",
     '{"a": "x"}', '{"a": ["y', '"a": ', "[1]", "```", "```json\n", "```py\n", "~~~", "\n", "\n\n",
     "<think>", "</think>", "<thinking>", "</thinking>", "[THINK]", "[/THINK]", "[ANSWER]", "<th",
     "<|channel|>analysis<|message|>", "<|channel|>final", "<|message|>", "<|end|>", "<|im_start|>",
     "assistant", "<answer>", "</answer>", " tag", "`", "- [ ] x\n", "  y\n", "* [x]", "final: ",
     "Here is it:", "// no\n", "/* x */", "/", "*", "\\", "\\u00e9", "\\ud83d", "\\ude00", "\\n",
     "“", "”", "，", "：", "é", "\u2028", "\ud800", "name", '"arguments": ', "x[0]", "see ", "  "]
)  # fmt: skip
REPLIES = st.lists(PIECES | st.text(max_size=2), max_size=16).map("".join)
SCALARS = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=6)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS | FLOATS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=4)
ANY_OBJECT = pdl.Schema.parse("{ [str]: any }")


@st.composite
def cuts(draw: st.DrawFn, text: str) -> list[str]:
    """The text in pieces, some of them empty."""
    at = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[start:end] for start, end in zip([0, *at], [*at, len(text)], strict=True)]


def fed(schema: pdl.Schema | None, pieces: list[str], **options: Any) -> Partial:
    stream = Stream(schema, **options)
    for piece in pieces[:-1]:
        stream.feed(piece)
    return stream.feed(pieces[-1])


def shown(partial: Partial) -> Any:
    """All that a partial says."""
    return (
        repr(partial.value),
        partial.started,
        partial.complete,
        partial.growing,
        partial.errors,
        list(partial.complete_paths()),
    )


@given(st.sampled_from(SCHEMAS), REPLIES, st.data())
def test_the_pieces_make_no_difference(schema: pdl.Schema, reply: str, data: st.DataObject) -> None:
    pieces = data.draw(cuts(reply))
    whole = shown(fed(schema, [reply]))
    assert shown(fed(schema, pieces)) == whole
    assert shown(fed(schema, list(reply) or [""])) == whole


DOUBTS = {
    "quotes": '{"a": "' + 'x", y' * 40 + '"}',
    "far": '{"a": "x", ' + "y " * 4_500 + '"}, {"b": 1}]',
    "dead": '[{"a": "b", "c": 1}, ' * 300 + '{"a": @}]',
    "text": '{"a": "' + "b, c\n" * 2_000 + '"}',
    "rows": json.dumps([{"a": "b", "c": [1, 2.5, True, {}]}] * 300),
    "late": '["a"' + ", 'b'" * 2_000,
}


@pytest.mark.parametrize("reply", DOUBTS.values(), ids=DOUBTS.keys())
@pytest.mark.parametrize("dsl", ["any", "[{ a: str }]", "[str]"])
def test_the_pieces_of_a_long_reply_make_no_difference(reply: str, dsl: str) -> None:
    schema = pdl.Schema.parse(dsl)
    whole = shown(fed(schema, [reply]))
    for size in (5, 64, 1000):
        pieces = [reply[start : start + size] for start in range(0, len(reply), size)]
        assert shown(fed(schema, pieces)) == whole


@given(st.sampled_from(SCHEMAS), REPLIES, st.data())
def test_closing_is_checking(schema: pdl.Schema, reply: str, data: st.DataObject) -> None:
    stream = Stream(schema)
    for piece in data.draw(cuts(reply)):
        stream.feed(piece)
    assert stream.close() == pdl.check(schema, reply)


@given(st.sampled_from(SCHEMAS), REPLIES)
@example(SCHEMAS[0], "A<think> tagfinal: {")  # `tag` may go on
def test_a_partial_stays_as_it_is(schema: pdl.Schema, reply: str) -> None:
    stream = Stream(schema)
    partials = [stream.feed(char) for char in reply]
    later = [shown(partial) for partial in partials]
    assert later == [shown(fed(schema, [reply[: end + 1]])) for end in range(len(reply))]


def beginning(part: Any, whole: Any, path: JsonPath, partial: Partial) -> bool:
    """Whether a part is the beginning of the same part of the whole, and equal if complete."""
    if partial.is_complete(path) or not isinstance(part, str | list | dict):
        return repr(part) == repr(whole)
    if isinstance(part, str):
        return isinstance(whole, str) and whole.startswith(part)
    if isinstance(part, list):
        return isinstance(whole, list) and all(
            beginning(item, whole[index], (*path, index), partial)
            for index, item in enumerate(part)
        )
    return list(part) == list(whole)[: len(part)] and all(
        beginning(item, whole[key], (*path, key), partial) for key, item in part.items()
    )


FRAMES = st.sampled_from(
    ["%s", "Here it is:\n```json\n%s\n```\nBye [1].", '<think>{"x": 1}</think>\n%s', " %s ",
     "So {name}, see [1]: %s.", "```\n%s\n```",
     "<|channel|>analysis<|message|>[]<|end|>%s<|return|>",
     '{"x": [</think>%s', "<answer>%s</answer>", "~~~json\n%s\n~~~"]
)  # fmt: skip


@given(OBJECTS, FRAMES, st.sampled_from([None, 1]), st.booleans())
def test_clean_json_grows_to_what_close_gives(
    value: dict[str, Any],
    frame: str,
    indent: Any,
    ascii_only: bool,  # noqa: FBT001 - hypothesis gives it by position
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    stream = Stream(ANY_OBJECT)
    head, _, tail = frame.partition("%s")
    stream.feed(head)
    for char in text[:-1]:
        partial = stream.feed(char)
        assert not partial.complete
        assert not partial.errors
        if partial.started or char not in "{ \n":  # what follows a bracket tells if it is data
            assert beginning(partial.value, value, (), partial)
    ended = stream.feed(text[-1])
    assert ended.complete
    assert ended.growing is None
    assert stream.feed(tail).value == ended.value == value
    check = stream.close()
    if check.ok:
        assert check.value == value


QUOTED = st.text('",:{}[]\\a \n', max_size=5)
QUOTED_VALUES = st.recursive(
    QUOTED | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(QUOTED, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(QUOTED, QUOTED_VALUES, min_size=1, max_size=4))
@example(  # more readings than are followed
    {
        "0": {"0": "", "😀": "", "\x1f": None, "": "", "1": ""},
        "": [{"": None, "0": None, "00": None}],
    }
)
def test_json_that_ends_is_complete(value: dict[str, Any]) -> None:
    partial = fed(ANY_OBJECT, list(json.dumps(value)))
    assert (partial.complete, partial.value) == (True, value)


RULES = [
    pdl.Schema.parse("{ a: int<0,5>, b?: [str<2,>]<1,2>, c?: { a: bool, b: int | null } }"),
    pdl.Schema.parse('{ a: N, b?: "x" | "y" } N = { a: int, b?: [N] }'),
    pdl.Schema.parse('[{ a: "x", b: int } | { a: "y", c: [int] } | int]'),
    pdl.Schema.from_json_schema(
        {
            "type": "object",
            "allOf": [{"$ref": "#/$defs/A"}, {"properties": {"b": {"not": {"type": "array"}}}}],
            "if": {"required": ["c"]},
            "then": {"required": ["b"]},
            "patternProperties": {"^c": {"$ref": "#/$defs/A"}},
            "additionalProperties": False,
            "properties": {"a": True, "b": {"minItems": 1}},
            "$defs": {"A": {"properties": {"a": {"$ref": "#"}}, "minProperties": 1}},
        }
    ),
    pdl.Schema.from_json_schema(
        {
            "type": ["object", "array"],
            "properties": {"a": {"prefixItems": [{"type": "string"}], "items": False}, "b": False},
            "items": {"type": "array", "uniqueItems": True, "contains": {"const": 1}},
            "propertyNames": {"maxLength": 1},
            "unevaluatedProperties": {"type": "array"},
        }
    ),
]
KNOWN = st.recursive(
    st.sampled_from([None, True, 1, 7, 1.5, "x", "y", "long"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c", "cc", "d"]), inner, max_size=4)
    ),
    max_leaves=10,
)


@given(st.sampled_from(RULES), KNOWN)
def test_errors_are_those_of_the_end(schema: pdl.Schema, value: Any) -> None:
    partial = fed(schema, [f"```json\n{json.dumps(value)}\n```\n"])
    found = {(error.path, error.keyword) for error in partial.errors}
    expected = {(error.path, error.keyword) for error in violations(schema, value)}
    assert found == expected if partial.is_complete() else found <= expected


@given(REPLIES, st.integers(0, 40))
def test_limits_are_errors(reply: str, chars: int) -> None:
    limits = Limits(reply_chars=chars, reply_depth=2)
    pieces = list(reply) or [""]
    assert shown(fed(ANY_OBJECT, pieces, limits=limits)) == shown(
        fed(ANY_OBJECT, [reply], limits=limits)
    )
    if len(reply) > chars:
        assert fed(ANY_OBJECT, [reply], limits=limits).errors[-1].keyword == "limit"


@given(OBJECTS)
def test_with_coercions_nothing_is_certain(value: dict[str, Any]) -> None:
    schema = pdl.Schema.parse("{ a: int }")
    allowed = Coercions(numbers_in_strings=True)
    partial = fed(schema, [json.dumps(value)], coercions=allowed)
    assert (partial.errors, list(partial.complete_paths())) == ((), [])
