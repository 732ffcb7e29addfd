"""Schema texts that are not only the notation: fences, files, rendered sources, hostile sizes."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from pdl.errors import LimitError, SchemaError
from pdl.limits import Limits
from pdl.schema import Schema
from pdl.source import Anchor, Source

PERSON = '{"type": "object", "properties": {"name": {"type": "string"}}}'


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{PERSON}\n```",
        f"\n  ~~~~ JSON Schema\n{PERSON}\n~~~~~\n",
        f"```\r\n{PERSON}\r\n```\r\n",
    ],
)
def test_a_fence_holds_a_json_schema(text: str) -> None:
    assert Schema.parse(text).to_dsl() == "{ name?: str, [str]: any }"


def test_a_file_is_what_resolve_gives() -> None:
    asked: list[str] = []

    def resolve(words: str) -> tuple[str, str]:
        asked.append(words)
        return PERSON, "schemas/person.json"

    schema = Schema.parse("\n @schemas/person.json \n", resolve=resolve)
    assert schema == Schema.from_json_schema(
        {"type": "object", "properties": {"name": {"type": "string"}}}
    )
    assert asked == ["schemas/person.json"]


def test_an_error_in_a_file_names_the_file_and_the_path() -> None:
    with pytest.raises(SchemaError) as caught:
        Schema.parse("@a.json", name="p.pdl", resolve=lambda _: ('{"items": 5}', "s/a.json"))
    assert str(caught.value).splitlines()[0] == (
        "s/a.json:1:11: `items`: expected a schema, found `5` (at #/items)"
    )


def test_a_file_that_is_no_json_is_shown_where_it_breaks() -> None:
    with pytest.raises(SchemaError) as caught:
        Schema.parse("@a.json", resolve=lambda _: ('{\n  "items": ,\n}', "s/a.json"))
    assert str(caught.value).startswith("s/a.json:2:12: this is not JSON: expecting value\n")


@pytest.mark.parametrize(
    "text", ["KEY=sk-not-real\n", '{"KEY": "sk-not-real"}\n{"a": 1}\n', '["sk-not-real"]', ""]
)
def test_of_a_file_that_is_no_schema_no_word_is_shown(text: str) -> None:
    """It may be any file, and what is wrong may be sent to whoever wrote the prompt."""
    with pytest.raises(SchemaError) as caught:
        Schema.parse("@a.env", resolve=lambda _: (text, "a.env"))
    assert "sk-not-real" not in str(caught.value)
    assert str(caught.value).startswith("<schema>:1:1: a.env:")


@pytest.mark.parametrize("text", ["@", "@a.json\nint"])
def test_a_file_is_named_by_one_line(text: str) -> None:
    with pytest.raises(SchemaError, match="expected one line with the name of a file"):
        Schema.parse(text, resolve=lambda _: ("{}", "x"))


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ('{"minimum": NaN}', "NaN is not a JSON value"),
        ('{"maximum": ' + "9" * 5_000 + "}", "an integer of more than 4,000 digits"),
        ("[" * 5_000, "the JSON nests deeper than 800 levels"),
    ],
)
def test_json_that_is_refused(inside: str, message: str) -> None:
    with pytest.raises((SchemaError, LimitError), match=message):
        Schema.parse(f"```json\n{inside}\n```")


def test_errors_point_into_the_file_that_was_rendered() -> None:
    """A rendered schema's problems stand where the template has the words."""
    file = Source("<|schema|>\n{ a: strng }", "p.pdl")
    anchors = (Anchor(0, 12, file, 11),)
    with pytest.raises(SchemaError) as caught:
        Schema.parse(Source("{ a: strng }", "rendered", anchors))
    assert str(caught.value).startswith("p.pdl:2:6: unknown type `strng`\n  2 | { a: strng }\n")


def test_all_problems_are_told_but_a_hundred_are_enough() -> None:
    text = "{" + ", ".join(f"k{n}: strng" for n in range(500)) + "}"
    with pytest.raises(SchemaError) as caught:
        Schema.parse(text)
    assert len(caught.value.problems) == 100


@pytest.mark.parametrize("opener", ["[", "{a: ", "(", "int { a: ["])
def test_100000_open_brackets_are_a_limit_with_a_place(opener: str) -> None:
    with pytest.raises(LimitError) as caught:
        Schema.parse(opener * 100_000)
    assert caught.value.problem.span is not None


@pytest.mark.parametrize(
    "text", ["int<1,1234567>", "str<1234567>", "1234567 | 0", "{ a: int = 1234567 }"]
)
def test_an_integer_of_too_many_digits_is_one_problem(text: str) -> None:
    with pytest.raises(LimitError) as caught:
        Schema.parse(text, limits=replace(Limits(), integer_digits=5))
    assert [one.code for one in caught.value.problems] == ["limit/integer-digits"]


def test_limits_can_be_set() -> None:
    with pytest.raises(LimitError, match="longer than 10 characters"):
        Schema.parse("{ name: str }", limits=replace(Limits(), source_chars=10))
    with pytest.raises(LimitError, match="deeper than 2 levels"):
        Schema.parse("[[[int]]]", limits=replace(Limits(), schema_depth=2))
    deep = "[" * 900 + "]" * 900
    assert Schema.parse(deep, limits=replace(Limits(), schema_depth=900)).form == "json"


@pytest.mark.parametrize(
    "line",
    [
        "key{0}: str<1,{0}>? = null, // words\n",
        "// above\n// and above\n\nkey{0}: int | 'a' | \"b\\u0041\",\n",
        "key{0}: [[{{ a: [int, str] }}]],",
    ],
)
def test_a_long_schema_is_read(line: str) -> None:
    def text(count: int) -> str:
        return "{" + "".join(line.format(n) for n in range(1, count)) + "\n}"

    assert Schema.parse(text(6_000)).form == "json"


def test_a_long_union_is_read() -> None:
    assert Schema.parse("int" + " | int" * 40_000).form == "json"


def test_a_long_schema_is_read_in_the_number_of_fields() -> None:
    def text(count: int) -> str:
        return "{" + ", ".join(f"k{n}: int" for n in range(count)) + "}"

    assert Schema.parse(text(40_000)).form == "json"


def test_only_what_is_used_is_imported() -> None:
    """A program that reads JSON Schema does not pay for the parser."""
    program = (
        "import sys; from pdl.schema import Schema; Schema.from_json_schema({}).document;"
        "sys.exit(' '.join({'lark', 'jsonschema', 'jinja2', 'regex'} & sys.modules.keys()))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - ours
    assert done.stderr == "\n"


@pytest.mark.parametrize("text", [None, 5, b"int", Schema({})])
def test_what_is_no_text_is_refused(text: Any) -> None:
    with pytest.raises(TypeError, match="dsl must be a str or a pdl Source, not "):
        Schema.parse(text)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("{ a: 1 }", "{ a: true }", False),
        ("{ a: 0 | 2 }", "{ a: false | 2 }", False),
        ("{ a: 1, b: str }", "{ b: str, a: 1 }", False),  # they are required in another order
        ("{ a: 1 | 2 }", "{ a: 1 | 2, }", True),
        ("[1]", "[1.0]", True),
        ("str", "code", False),
    ],
)
def test_schemas_are_equal_as_json_is(one: str, other: str, *, equal: bool) -> None:
    assert (Schema.parse(one) == Schema.parse(other)) is equal


def test_equal_schemas_have_one_hash() -> None:
    one = Schema({"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]})
    same = Schema({"required": ["a"], "properties": {"a": {"const": 1.0}}, "type": "object"})
    assert len({one, same, Schema.parse("int"), Schema.parse("[int]"), Schema.parse("yesno")}) == 4


@pytest.mark.parametrize("count", [50_000])
def test_many_comments_without_words_are_read(count: int) -> None:
    assert Schema.parse("//\n" * count + "int").form == "json"


def test_a_long_schema_is_read_in_defaults_that_lead_through_many_names() -> None:
    def text(count: int) -> str:
        fields = ", ".join(f"a{n}: N{n} = {n}" for n in range(count))
        return (
            f"{{ {fields} }}\n"
            + "".join(f"N{n} = N{n + 1}\n" for n in range(count))
            + (f"N{count} = int")
        )

    assert Schema.parse(text(4_000)).form == "json"


def test_an_error_is_no_longer_than_a_person_reads() -> None:
    with pytest.raises(SchemaError) as caught:
        Schema.parse("@" + "x" * 1_000_000)
    assert len(str(caught.value)) < 1_000


def test_a_value_that_holds_the_same_object_again_and_again_is_bounded() -> None:
    """It is small in memory, and doubles with each level once it is written out."""
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(40):
        schema = {"allOf": [schema, schema]}
    with pytest.raises(LimitError, match="the schema has more than 160,000 objects and arrays"):
        Schema.from_json_schema(schema)
