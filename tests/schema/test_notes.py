"""Annotations: the DSL writes each into a comment, and never refuses one."""

from __future__ import annotations

from typing import Any

import pytest

from pdl.errors import SchemaError
from pdl.reply.validation import formats as checked
from pdl.schema import Schema
from pdl.schema.formats import ASSERTED

STR = {"type": "string"}
NAME = {"$ref": "#/$defs/Name"}
LONG = "x" * 200

FIELDS: list[tuple[dict[str, Any], str]] = [
    ({**STR, "description": "in full", "title": "Full"}, 'str, // in full (title: "Full")'),
    ({**STR, "examples": ["Ann", "Bob"]}, 'str, // (examples: "Ann", "Bob")'),
    ({**STR, "example": [1, 2]}, "str, // (example: [1, 2])"),
    ({**STR, "examples": "Ann"}, 'str, // (examples: "Ann")'),
    ({**STR, "deprecated": True, "readOnly": True}, "str, // (deprecated; readOnly)"),
    ({**STR, "description": "a\nb", "title": "T"}, 'a\nb (title: "T")'),
    ({**STR, "title": "b)\n; c"}, 'str, // (title: "b)\\n; c")'),
    ({**STR, "$comment": "x", "writeOnly": True}, 'str, // ($comment: "x"; writeOnly)'),
    ({**STR, "contentMediaType": "image/png"}, 'str, // (contentMediaType: "image/png")'),
    ({**STR, "contentSchema": {"type": "object"}}, "str, // (left out: contentSchema)"),
    ({**STR, "x-order": 3, "x-list": [1]}, "str, // (x-order: 3; left out: x-list)"),
    ({**STR, "examples": [LONG], "title": LONG}, "str, // (left out: examples, title)"),
    ({**STR, "format": "path"}, 'str, // (format: "path")'),
    ({"type": "integer", "format": "int32"}, 'int, // (format: "int32")'),
    ({"title": "T"}, 'any, // (title: "T")'),
    ({"const": 5, "title": "T"}, '5, // (title: "T")'),
    ({**NAME, "title": "T", "deprecated": True}, 'Name, // (title: "T"; deprecated)'),
    ({"allOf": [{**NAME, "title": "T"}], "description": "d"}, 'Name, // d (title: "T")'),
    ({"type": "array", "items": {**STR, "description": "a\nb"}}, "[str], // (each: a b)"),
    (
        {"type": "array", "items": {"type": "array", "items": {**STR, "title": "T"}}},
        '[[str]], // (each: each: (title: "T"))',
    ),
    (
        {
            "type": "array",
            "prefixItems": [STR, {**STR, "title": "T"}],
            "items": False,
            "minItems": 2,
        },
        '[str, str], // (item 2: (title: "T"))',
    ),
    (
        {"anyOf": [{"const": "a", "description": "first"}, {"const": "b", "description": "last"}]},
        '"a" | "b", // ("a": first; "b": last)',
    ),
    (
        {"anyOf": [{**STR, "description": "x"}, {**NAME, "description": "y"}, {"type": "null"}]},
        "str | Name | null, // (if string: x; if Name: y)",
    ),
    (
        {"anyOf": [{**STR, "title": "x"}, {**STR, "maxLength": 3}, {"title": "y"}]},
        '(alternative 1: (title: "x"); alternative 3: (title: "y"))',
    ),
    ({**STR, "default": 5}, "str, // (default: 5)"),
    (
        {"anyOf": [{**STR, "default": "x"}, {"type": "null"}]},
        'str?, // (if string: (default: "x"))',
    ),
]


@pytest.mark.parametrize(("field", "line"), FIELDS, ids=lambda one: str(one)[:40])
def test_an_annotation_is_a_note_of_the_field(field: dict[str, Any], line: str) -> None:
    document = {
        "type": "object",
        "properties": {"key": field},
        "additionalProperties": False,
        "$defs": {"Name": STR},
    }
    text = Schema.from_json_schema(document).to_dsl()
    described = Schema.parse(text).document["properties"]["key"].get("description", "")
    assert line == described or f"\n  key?: {line}\n" in text
    assert Schema.parse(text).to_dsl() == text


def test_a_text_that_is_read_again_is_exact() -> None:
    """`str(schema)` is what a template prints into a schema turn."""
    exact = Schema.from_json_schema({**STR, "description": "d"})
    noted = Schema.from_json_schema({**STR, "title": "T", "examples": ["\ud800"]})
    assert str(exact) == exact.to_dsl() == "// d\nstr"
    named = Schema.from_json_schema({"type": "object", "properties": {"a": {"title": "A"}}})
    assert Schema.parse(str(named)) == named
    assert Schema.parse(str(noted)) == noted
    assert noted.to_dsl() == '// (title: "T"; examples: "\\ud800")\nstr'


@pytest.mark.parametrize(
    ("title", "noted"),
    [("First name", False), ("FirstName", False), ("first_name", False), ("Name", True)],
)
def test_a_title_that_only_repeats_the_name_is_no_note(title: str, noted: bool) -> None:  # noqa: FBT001 - a case
    inner = {"type": "string", "title": title}
    document = {"type": "object", "properties": {"first_name": inner}}
    assert ("title" in Schema.from_json_schema(document).to_dsl()) is noted


def test_the_root_a_definition_and_the_other_keys_have_notes() -> None:
    document = {
        "$ref": "#/$defs/Node",
        "title": "root",
        "default": {},
        "$defs": {
            "Node": {
                "title": "Node",
                "description": "d",
                "examples": [{"v": 1}],
                "type": "object",
                "additionalProperties": {**NAME, "title": "other"},
            },
            "Name": {**STR, "title": "the name"},
        },
    }
    assert (
        Schema.from_json_schema(document).to_dsl()
        == """\
// (title: "root"; default: {})
Node
// d (examples: {"v": 1})
Node = {
  [str]: Name, // (title: "other")
}
// (title: "the name")
Name = str"""
    )


def test_a_model_reads_descriptions_and_examples_of_parts_but_no_titles() -> None:
    items = {**STR, "description": "a tag", "examples": ["x"], "title": "Tag"}
    document = {"type": "array", "items": items, "title": "Tags", "deprecated": True}
    assert (
        Schema.from_json_schema(document).describe()
        == """\
Answer with one JSON value of this form, and nothing else:
// (each: a tag (examples: "x"))
string[]"""
    )


def test_assertions_are_refused_with_all_their_paths() -> None:
    document = {
        "type": "object",
        "title": "T",
        "properties": {
            "a": {"type": "string", "format": "hostname", "title": "T"},
            "b": {"not": {}, "deprecated": True},
        },
    }
    with pytest.raises(SchemaError) as caught:
        Schema.from_json_schema(document).to_dsl()
    assert [str(one.message) for one in caught.value.problems] == [
        "the schema DSL cannot express `format` of `hostname` (at $.properties.a)",
        "the schema DSL cannot express `not` (at $.properties.b)",
    ]


def test_a_form_that_is_not_json_has_notes() -> None:
    schema = Schema({"type": "boolean", "title": "T", "description": "d"}, "yesno")
    assert schema.to_dsl() == '// d (title: "T")\nyesno'


def test_the_formats_that_are_no_annotations_are_those_that_are_checked() -> None:
    assert frozenset(checked.FORMATS) == ASSERTED
