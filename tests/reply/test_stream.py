"""What a stream and its partials offer, and that work and memory follow the length of the text."""

from __future__ import annotations

import dataclasses
import doctest
import json
import tracemalloc
from typing import Any

import pytest
from streamed import calls

import pdl
from pdl.limits import Limits
from pdl.reply import DIALECTS, Coercions, Stream
from pdl.reply.streaming import stream

PERSON = pdl.Schema.parse("{ name: str, age: int<0,120>, tags?: [str] }")


def test_the_example_is_true() -> None:
    assert doctest.testmod(stream).failed == 0


def test_states_of_parts() -> None:
    partial = Stream(PERSON).feed('So: {"name": "Ann", "tags": ["a", "b", "c')
    assert partial.value == {"name": "Ann", "tags": ["a", "b", "c"]}
    assert partial.growing == ("tags", 2)
    assert partial.start == 4
    assert [partial.state(path) for path in ((), ("name",), ("tags",), ("tags", 1))] == [
        "open", "complete", "open", "open",
    ]  # fmt: skip
    for path in (("age",), ("tags", 3), ("tags", -1), ("name", 0), (0,), ("tags", "a")):
        assert partial.state(path) == "absent"
    assert list(partial.complete_paths()) == [("name",), ("tags", 0)]


def test_a_complete_value_has_all_its_paths() -> None:
    partial = Stream(PERSON).feed('{"name": "Ann", "tags": ["a"]}')
    assert partial.complete
    assert partial.growing is None
    assert list(partial.complete_paths()) == [(), ("name",), ("tags",), ("tags", 0)]


def test_a_string_in_front_of_the_last_bracket_is_not_certain() -> None:
    partial = Stream(PERSON).feed('```json\n{"age": 3, "name": "Ann"}\n```\n')
    assert partial.complete
    assert list(partial.complete_paths()) == [("age",)]


def test_with_coercions_nothing_is_certain() -> None:
    allowed = Coercions(numbers_in_strings=True)
    partial = Stream(PERSON, coercions=allowed).feed('{"age": "3", "tags": []}')
    assert partial.value == {"age": "3", "tags": []}
    assert list(partial.complete_paths()) == []


def test_a_partial_comes_again_while_nothing_changes() -> None:
    fed = Stream(PERSON)
    partial = fed.feed('{"tags": ["a"], ')
    assert fed.feed(" \n") is partial
    assert fed.feed('"na') is partial
    assert fed.feed('me": "') is not partial


def test_only_so_many_errors_are_collected() -> None:
    partial = Stream(pdl.Schema.parse("[int]")).feed(json.dumps([True] * 3000))
    assert len(partial.errors) == 1000


def test_before_an_answer_begins_there_is_nothing() -> None:
    partial = Stream(PERSON).feed("Let me see.")
    assert (partial.started, partial.complete, partial.value) == (False, False, None)
    assert (partial.growing, partial.errors, list(partial.complete_paths())) == (None, (), [])
    assert partial.state() == "absent"


def test_earlier_partials_stay() -> None:
    fed = Stream(PERSON)
    first = fed.feed('{"name": "A')
    second = fed.feed('nn", "age": 130')
    third = fed.feed(', "tags": []}')
    assert [one.value for one in (first, second, third)] == [
        {"name": "A"},
        {"name": "Ann"},
        {"name": "Ann", "age": 130, "tags": []},
    ]
    assert [len(one.errors) for one in (first, second, third)] == [0, 0, 1]
    with pytest.raises(dataclasses.FrozenInstanceError):
        third.complete = False  # type: ignore[misc]


def test_an_error_has_its_place() -> None:
    text = 'So: {"name": "Ann", "age": 130, "'
    [error] = Stream(PERSON).feed(text).errors
    assert error.path == ("age",)
    assert error.span is not None
    assert text[slice(*error.span)] == "130"


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="schema must be"):
        Stream("{ a: int }")
    with pytest.raises(TypeError, match="text must be a str, not bytes"):
        Stream(PERSON).feed(b"{")  # type: ignore[arg-type]


def test_a_closed_stream_takes_no_more() -> None:
    fed = Stream(PERSON)
    fed.feed('{"name": "Ann", "age": 31}')
    assert fed.close() is fed.close()
    with pytest.raises(ValueError, match="the stream is closed"):
        fed.feed(" ")


def test_nothing_fed_is_an_empty_reply() -> None:
    assert Stream(PERSON).close() == pdl.check(PERSON, "")


def test_without_a_schema_the_reply_is_text() -> None:
    assert Stream(None).feed("<think>hm</think> Hi ").value == "Hi"


def test_dialects_are_those_of_the_caller() -> None:
    dialects = dataclasses.replace(DIALECTS, reasoning_tags=("musing",))
    fed = Stream(PERSON, dialects=dialects)
    assert not fed.feed('<musing>{"name": "x"}').started
    assert fed.feed('</musing>{"name": "y"').value == {"name": "y"}


def test_too_many_characters_are_an_error() -> None:
    fed = Stream(PERSON, limits=Limits(reply_chars=12))
    assert not fed.feed('{"name": "An').errors
    partial = fed.feed("n")
    assert partial.value == {"name": "An"}
    assert [error.message for error in partial.errors] == ["is longer than 12 characters"]
    assert fed.feed('"}').errors == partial.errors
    assert fed.close().reason == "limit"


def test_too_many_brackets_are_an_error() -> None:
    partial = Stream(pdl.Schema.parse("[any]"), limits=Limits(reply_depth=2)).feed("[[[1]]]")
    assert partial.value == [[]]
    assert [error.keyword for error in partial.errors] == ["limit"]


def test_too_many_candidates_are_an_error() -> None:
    fed = Stream(PERSON, limits=Limits(reply_candidates=2))
    partial = fed.feed('{"name": "a"} {"name": "b"} {"name": "c"} {"name": "d"}')
    assert partial.value == {"name": "c"}
    assert partial.errors[-1].message == "contains more than 2 possible answers"


def test_a_number_of_too_many_digits_is_an_error() -> None:
    partial = Stream(PERSON, limits=Limits(integer_digits=5)).feed('{"age": 123456}')
    assert partial.value == {}
    assert [error.keyword for error in partial.errors] == ["limit"]


def test_a_pattern_that_runs_too_long_leaves_judging_to_the_end() -> None:
    schema = pdl.Schema.parse('{ a: str { pattern: "^(a|a|b?a)*$" }, b: int }')
    partial = Stream(schema).feed(json.dumps({"a": "a" * 60 + "!", "b": "x"}))
    assert partial.complete


def test_deep_unions_are_judged_once() -> None:
    document: dict[str, Any] = {
        "$ref": "#/$defs/N",
        "$defs": {
            "N": {
                "type": "object",
                "properties": {"n": {"$ref": "#/$defs/N"}, "v": {"type": "integer"}},
                "anyOf": [{"required": ["v"]}, {"required": ["n"]}],
            }
        },
    }
    value: dict[str, Any] = {}
    for _ in range(100):
        value = {"n": value}
    partial = Stream(pdl.Schema.from_json_schema(document)).feed(json.dumps(value))
    assert partial.complete
    assert not any(error.keyword == "type" for error in partial.errors)


RECORD = {"id": 1, "title": 'a "b" é', "tags": ["x", "y"], "sub": {"k": [1, 2.5, None]}}
UNITS = {
    "records": json.dumps(RECORD) + ", ", "string": "lorem ipsum ", "escapes": "\\u00e9\\n",
    "braces": "{", "nests": "{[", "pairs": "[]", "candidates": '{"id": 1} ', "stuck": '{"a" "b" ',
    "prose": "so [1] and {x} ", "tags": "<think ", "closers": "</think>", "blanks": "</think ",
    "openers": "<think>", "fences": "```\n{", "ticks": "`", "comments": "/* x ", "digits": "9",
    "channels": "<|channel|>a", "keys": '"a": ', "lines": '"\n', "bare": "word",
}  # fmt: skip


ANY_LIST = pdl.Schema.parse("[any]")


def feed(schema: pdl.Schema, text: str) -> None:
    """Feed a text in pieces of four characters."""
    fed = Stream(schema)
    for at in range(0, len(text), 4):
        fed.feed(text[at : at + 4])


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS.keys())
@pytest.mark.parametrize("head", ["", '["'])
def test_work_follows_length(unit: str, head: str) -> None:
    """Twice the text takes twice the calls."""
    feed(ANY_LIST, head + unit)  # imports and caches
    number = 1_600 // len(unit)
    one, two = (
        calls(lambda: feed(ANY_LIST, head + unit * number)),
        calls(lambda: feed(ANY_LIST, head + unit * 2 * number)),
    )
    assert two <= 2.2 * one + 500


@pytest.mark.parametrize("dsl", ["[any]", "str", "code", "tasklist"])
@pytest.mark.parametrize("unit", ["lorem ipsum ", "- [ ] do it\n", "</thi", '", "'])
def test_effort_follows_length(dsl: str, unit: str) -> None:
    """What was looked at again with each piece would take 16 times as many calls."""
    schema = pdl.Schema.parse(dsl)
    head = '["' if dsl == "[any]" else "```\n" if dsl == "code" else ""
    feed(schema, head + unit * 9)  # imports and caches
    number = 4_000 // len(unit)
    once = calls(lambda: feed(schema, head + unit * number))
    assert calls(lambda: feed(schema, head + unit * 4 * number)) < 6 * once


def test_memory_is_a_multiple_of_the_text() -> None:
    schema = pdl.Schema.parse("[{ id: int, title: str, tags: [str], sub: { k: [any] } }]")
    text = "[" + ", ".join([json.dumps(RECORD)] * 500) + "]"
    fed = Stream(schema)
    fed.feed(text[:1000])  # imports and caches
    tracemalloc.start()
    try:
        for at in range(1000, len(text), 64):
            fed.feed(text[at : at + 64])
        assert tracemalloc.get_traced_memory()[1] < 60 * len(text)
    finally:
        tracemalloc.stop()
