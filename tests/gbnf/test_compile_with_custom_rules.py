"""`x-gbnf` in a schema: the rule stands at its place, and the report says what it leaves over."""

# ruff: noqa: S311 - what is drawn must be the same in every run

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from llama import llama, needs_llama

import pdl
from pdl import gbnf

CODE = r'"\"" [A-Z]{3} "\""'
YEAR = "[1-9] [0-9]{3}"
PLATE = r"""root ::= "\"" digit{4} "\""
digit ::= [0-9]
"""
RULE = {"type": "string", "x-gbnf": CODE}

EXACT: list[tuple[Any, list[str], list[str]]] = [
    (RULE, ['"ABC"'], ['"abc"', '"ABCD"', "ABC", '"\\u0041BC"']),
    ({"type": ["string", "null"], "x-gbnf": CODE}, ['"ABC"', "null"], ['"abc"', "1"]),
    ({"type": "integer", "x-gbnf": YEAR}, ["1999"], ["0999", "19990", "null"]),
    ({"type": ["integer", "null"], "x-gbnf": YEAR}, ["1999"], ["null"]),
    ({"x-gbnf": '"[" "1"? "]" | "{}" | "true"'}, ["[]", "[1]", "{}", "true"], ["[2]", "false"]),
    ({"type": "string", "allOf": [{"x-gbnf": CODE}]}, ['"ABC"'], ['"abc"']),
    (
        {"properties": {"a": RULE}, "required": ["a"], "additionalProperties": False},
        ['{"a":"ABC"}', '{ "a": "ABC"}'],
        ['{"a":"abc"}', "{}"],
    ),
    (
        {"type": "array", "items": RULE, "minItems": 2},
        ['["ABC", "XYZ"]'],
        ['["ABC"]', '["ABC","x"]'],
    ),
    (
        {"$defs": {"c": RULE}, "type": "array", "items": {"$ref": "#/$defs/c"}},
        ['["ABC", "XYZ"]'],
        ['["ABC", 1]'],
    ),
    (
        {"anyOf": [RULE, {"type": "boolean"}, {"enum": ["b", "c"]}]},
        ['"ABC"', "true", '"b"'],
        ['"a"', "1"],
    ),
    ({"oneOf": [RULE, {"type": "boolean"}]}, ['"ABC"', "false"], ['"a"']),
    (
        {"type": "string", "not": {"type": "integer", "minimum": 3}, "x-gbnf": CODE},
        ['"ABC"'],
        ["2"],
    ),
]
"""Schemas with a rule and nothing that it could miss: texts that match, texts that do not."""

POST_HOC: list[tuple[Any, list[str]]] = [
    ({**RULE, "minLength": 2, "pattern": "A"}, ["# minLength", "# pattern"]),
    ({**RULE, "minimum": 2, "minItems": 3, "required": ["a"]}, []),
    ({**RULE, "enum": ["ABC", 5]}, ["# enum"]),
    (
        {"allOf": [RULE, {"maxLength": 30}, {"format": "date"}]},
        ["#/allOf/1 maxLength", "#/allOf/2 format"],
    ),
    ({**RULE, "$ref": "#/$defs/c", "$defs": {"c": {"const": "ABC"}}}, ["#/$defs/c const"]),
    ({**RULE, "anyOf": [{"maxLength": 3}]}, ["#/anyOf/0 maxLength"]),
    ({**RULE, "not": {"const": "ABC"}}, ["#/not const"]),
    ({"x-gbnf": YEAR, "not": {"type": "integer"}}, ["#/not type"]),
    ({"allOf": [RULE, {"type": "string", "x-gbnf": PLATE}]}, ["#/allOf/1 x-gbnf"]),
    ({"type": "integer", "x-gbnf": '"1.5"'}, ["# type"]),
    ({"type": "string", "allOf": [{"x-gbnf": '"5" | "\\"a\\""'}]}, ["# type"]),
    ({"type": "integer", "maximum": 2030, "x-gbnf": YEAR}, ["# maximum"]),
    ({"type": "array", "maxItems": 1, "x-gbnf": '"[]"'}, ["# maxItems"]),
    ({"x-gbnf": '"{}"', "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, ["# anyOf"]),
    ({"type": ["string", "integer"], "not": RULE}, ["#/not x-gbnf"]),
    (
        {"oneOf": [RULE, {"type": "string", "x-gbnf": PLATE}]},
        ["#/oneOf/0 x-gbnf", "#/oneOf/1 x-gbnf"],
    ),
    ({"propertyNames": {"x-gbnf": CODE}}, ["# propertyNames", "#/propertyNames x-gbnf"]),
    ({"type": "array", "items": RULE, "uniqueItems": True}, ["# uniqueItems"]),
]
"""Schemas with a rule, and what of them is left to the checker."""


def compiled(document: Any) -> gbnf.Compiled:
    return gbnf.compile(pdl.Schema.from_json_schema(document))


def left(found: gbnf.Compiled) -> list[str]:
    return [f"{one.pointer} {one.keyword}" for one in found.report.post_hoc]


@pytest.mark.parametrize(("document", "good", "bad"), EXACT, ids=lambda one: json.dumps(one)[:60])
def test_what_is_taken(document: Any, good: list[str], bad: list[str]) -> None:
    schema = pdl.Schema.from_json_schema(document)
    found = gbnf.compile(schema, strict=True)
    for text in good:
        assert found.grammar.match(text), text
    for text in bad:
        assert not found.grammar.match(text), text
    for seed in range(20):
        text = found.grammar.generate(Random(seed), size=30)
        assert pdl.check(schema, text).ok, text


@pytest.mark.parametrize(("document", "expected"), POST_HOC, ids=lambda one: json.dumps(one)[:60])
def test_what_is_left_to_the_checker(document: Any, expected: list[str]) -> None:
    found = compiled(document)
    assert sorted(left(found)) == sorted(expected)
    for seed in range(10):
        json.loads(found.grammar.generate(Random(seed), size=30))


@needs_llama
def test_llama_takes_the_rules() -> None:
    for document, *_ in (*EXACT, *POST_HOC):
        with llama(str(compiled(document).grammar)) as judge:
            assert judge is not None


def test_each_rule_says_that_it_is_not_checked() -> None:
    """So does one that nothing leads to."""
    entries = compiled({**RULE, "$defs": {"c": RULE}}).report.to_json()
    told = [one for one in entries if one["keyword"] == "x-gbnf"]
    assert {one["pointer"] for one in told} == {"#", "#/$defs/c"}
    assert {(one["level"], one["why"]) for one in told} == {
        ("EXACT", "the rule is followed; the checker ignores it")
    }


def test_names_are_told_apart() -> None:
    """Those of rules at other places, of the schema's own rules, and of rules for everything."""
    rule = {"type": "string", "x-gbnf": PLATE}
    inner = {"properties": {"digit": {"type": "integer"}, "gbnf": rule}, "required": ["gbnf"]}
    found = compiled(
        {
            "properties": {
                "a": rule,
                "a-gbnf": inner,
                "a gbnf": rule,
                "b": {"$ref": "#/properties/a"},
            },
            "required": ["a", "a-gbnf", "a gbnf", "b"],
        }
    )
    names = [rule.name for rule in found.grammar.rules]
    assert len(names) == len(set(names))
    assert str(found.grammar).count('"\\"" a-gbnf-digit{4} "\\""') == 1
    assert gbnf.parse(str(found.grammar)) == found.grammar
    text = '{"a": "1234", "a-gbnf": {"digit": 5, "gbnf": "1234"}, "a gbnf": "0000", "b": "1111"}'
    assert found.grammar.match(text)
    assert not found.grammar.match(text.replace("1111", "111"))


def test_all_rules_are_read_first() -> None:
    """Also those that nothing leads to, and with all their problems at once."""
    document = {
        "x-gbnf": "[a",
        "$defs": {"c": {"x-gbnf": "'5'"}, "d": {"type": "string", "x-gbnf": "5"}},
    }
    with pytest.raises(pdl.GrammarError) as raised:
        compiled(document)
    names = {one.location.source.name for one in raised.value.problems if one.location}
    assert names == {"#/x-gbnf", "#/$defs/c/x-gbnf", "#/$defs/d/x-gbnf"}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            {"allOf": [{"x-gbnf": '"5"'}, {"type": "object"}]},
            "`x-gbnf` at #/allOf/0 and `type` at #/allOf/1 contradict each other",
        ),
        (
            {**RULE, "minLength": 5, "maxLength": 3},
            "`minLength` at # and `maxLength` at # contradict each other",
        ),
    ],
)
def test_a_rule_that_nothing_else_agrees_with(document: Any, message: str) -> None:
    with pytest.raises(pdl.SchemaError, match="no value satisfies this schema") as raised:
        compiled(document)
    assert str(raised.value).endswith(message)


def test_a_reply_that_is_a_text_follows_no_rule() -> None:
    """The rule has quotes, which the text has not."""
    schema = pdl.Schema({"type": "string", "allOf": [{"x-gbnf": CODE}]}, "text")
    found = gbnf.compile(schema)
    assert found.grammar.match("any text")
    assert left(found) == ["#/allOf/0 x-gbnf"]


def test_rules_count() -> None:
    """Those written by hand are rules as well."""
    schema = pdl.Schema.from_json_schema({"type": "string", "x-gbnf": PLATE})
    with pytest.raises(pdl.LimitError, match="more than 2 rules"):
        gbnf.compile(schema, gbnf.Options(max_rules=2))


def test_what_stands_before_a_value_is_bounded() -> None:
    """No walk goes on for ever where blanks nest."""
    document = {"type": "string", "x-gbnf": 'root ::= ws "\\"\\""\nws ::= " " ws " " | ""'}
    with pytest.raises(pdl.GrammarError, match="too much may precede"):
        compiled(document)
    numbers = {"type": "integer", "x-gbnf": 'root ::= "1" n\nn ::= "2" n "3" | ""'}
    assert left(compiled(numbers)) == ["# type"]


def test_in_the_notation() -> None:
    schema = pdl.Schema.parse(r"""{ code: str { gbnf: '"\"" [A-Z]{3} "\""' }, n: int }""")
    grammar = gbnf.compile(schema).grammar
    assert grammar.match('{"code": "ABC", "n": 1}')
    assert not grammar.match('{"code": "abc", "n": 1}')
