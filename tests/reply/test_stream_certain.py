"""What a partial calls complete or wrong is so in the end, if the answer is the one that it saw.

The replies are JSON in many spellings, most of which nearly fit a schema, then damaged, put beside
one another, marked, and wrapped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spellings import SPELLINGS, Writer

import pdl
from pdl.reply import Stream
from pdl.reply.validation.json_types import equal

if TYPE_CHECKING:
    from pdl._types import Json, JsonPath

SCHEMAS = [
    pdl.Schema.parse(dsl)
    for dsl in (
        "{ a: str, b?: str, c?: int }", "{ a: { b: int, c?: str }, c?: str, d?: int }", "[str]",
        "[int]", "[[int]]", "[[any]]<2,>", "[{ a: str, b?: int }]", "[any]<1,>", "any",
        "{ [str]: any }", "{ name: str, age?: int, arguments?: any }", "{ a: [str], b?: [int] }",
        "{ n: N } N = { v?: str, n?: N, k?: [N] }", "{ a: str } | [{ a: int }]", "[[str] | str]",
        "{ a: float, b?: bool | null, c?: str<0,4> }", "{ type: 'x' | 'y', id?: int }",
        "{ a?: str, b?: str, x?: { a?: str, b?: str } }", "{ a: { a: { b?: int }, b?: int } }",
    )
]  # fmt: skip
TEXTS = st.sampled_from(
    ["x", "y", "", "it's", "a, b", "x: y", "}", "]", "[1]", "a\nb", "é", "1,000", ">", "(x", "// c",
     "#d", "x\\y", "“q”", '"hi" now', 'say "hi"', 'x", "b": "y', "long words"]
)  # fmt: skip
NUMBERS = st.sampled_from([0, 5, 42, -1, 1000, 1.5, -2.0])
STRAYS = st.recursive(
    TEXTS | NUMBERS | st.none() | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abcnx"), inner, max_size=2)
    ),
    max_leaves=4,
)
MARKS = st.sampled_from(
    [*"{}[]\"',:\\ \n`.;5x#/", '"}', '"]', '", "', '"b": ', "”", "```", "\n```\n", '"x"', ', "y"',
     ", 5", "</think>", ",000", " and ", "//", '{"a": "x"}', '\\"', "]}", "}}", '" y"}']
)  # fmt: skip
JOINTS = st.sampled_from(["\n", ", ", " ", "\n\nFinal answer: ", "\n\nCorrected:\n"])
WRAPS = st.sampled_from(
    ["{}", "{}", "{}\n", "```json\n{}\n```", "```json\n{}\n```\nBye.", "```\n{}", "Here: {}.",
     "> ```json\n> {}\n> ```", "<answer>{}</answer>", '{}\nThat is all "}}\n', '"{}"', "[{}]",
     '{{"name": "f", "arguments": {}}}', '[{{"name": "f", "arguments": {}}}]', "x {} }} y",
     '{{"function": {{"name": "f", "arguments": {}}}}}', "Hm.</think>{}"]
)  # fmt: skip


@st.composite
def values(draw: st.DrawFn, document: Any, schema: Any, depth: int = 0) -> Any:
    """A value that fits a schema, or nearly does."""
    if schema is True or not schema or not draw(st.integers(0, 9)) or depth > 5:
        return draw(STRAYS)
    if "$ref" in schema or "anyOf" in schema:
        names = [schema["$ref"].rpartition("/")[2]] if "$ref" in schema else []
        branches = [document["$defs"][name] for name in names] or schema["anyOf"]
        return draw(values(document, draw(st.sampled_from(branches)), depth + 1))
    if "enum" in schema:
        return draw(st.sampled_from(schema["enum"]))
    kind = schema["type"] if isinstance(schema["type"], str) else draw(st.sampled_from("sn"))
    if kind == "object":
        given = {
            name: draw(values(document, sub, depth + 1))
            for name, sub in schema.get("properties", {}).items()
            if name in schema.get("required", ()) or draw(st.booleans())
        }
        more = draw(st.integers(0, 9))
        return {**given, "d": draw(STRAYS)} if more == 0 or not given else given
    if kind == "array":
        items = values(document, schema.get("items", True), depth + 1)
        return draw(st.lists(items, max_size=3))
    return draw({"string": TEXTS, "null": st.none(), "boolean": st.booleans()}.get(kind, NUMBERS))


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """The text with marks put in and characters left out, at a few places."""
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2]))):
        at = draw(st.integers(0, len(text)))
        mark, gone = draw(MARKS | st.just("")), draw(st.integers(0, 1))
        text = text[:at] + mark + text[at + gone :]
    return text


@st.composite
def replies(draw: st.DrawFn, schema: pdl.Schema) -> str:
    document: Any = schema.document
    writer = Writer(draw(st.data()), draw(st.sampled_from([(), ("inner",), SPELLINGS])))
    parts = [draw(values(document, document))]
    if draw(st.integers(0, 4)) == 0:
        parts += [draw(values(document, document))]
    if "items" in document and draw(st.integers(0, 4)) == 0:
        parts = parts[0] if isinstance(parts[0], list) else parts
    joint = draw(JOINTS)
    text = draw(damaged(joint.join(writer.write(part) for part in parts)))
    if draw(st.integers(0, 3)) == 0:
        text = text.replace('\\"', '"')
    return str(draw(WRAPS)).format(text)


def part_at(value: Json, path: JsonPath) -> Json:
    for step in path:
        value = value[step]
    return value


def claims(stream: Stream, reply: str) -> tuple[dict[Any, Json], dict[Any, str]]:
    """What is called complete, by where its answer begins and its path; the errors by the first."""
    parts: dict[Any, Json] = {}
    errors: dict[Any, str] = {}
    for char in reply:
        partial = stream.feed(char)
        for path in partial.complete_paths():
            part = part_at(partial.value, path)
            assert equal(parts.setdefault((partial.start, path), part), part)
            assert partial.is_complete(path)
        for error in partial.errors:
            errors[partial.start] = str(error)
    return parts, errors


GUESSES = {"tool-call", "json-lines", "missing-closer", "extra-closer"}
"""Repairs by which the answer is put together in another way than its text seems to say."""


def hold(schema: pdl.Schema, reply: str) -> None:
    """Assert that what was certain is so in the end."""
    stream = Stream(schema)
    parts, errors = claims(stream, reply)
    check = stream.close()
    if check.ok and GUESSES.isdisjoint(repair.kind for repair in check.repairs):
        assert check.span
        start = check.span[0]
        assert start not in errors
        for (began, path), part in parts.items():
            assert began != start or equal(part_at(check.value, path), part)


@given(st.data())
def test_what_is_certain_is_so_in_the_end(data: st.DataObject) -> None:
    schema = data.draw(st.sampled_from(SCHEMAS))
    hold(schema, data.draw(replies(schema)))


@pytest.mark.parametrize(
    ("dsl", "reply"),
    [
        ("{ a: int<,1>, b?: int }", '{"a": 1,000, "b": 2}'),
        ("{ a: str<,3>, b?: int }", '{"a": "say "hi" now", "b": 2}'),
        ("{ a: str }", '{"a": "one" + "two"}'),
        ("{ a: str }", '{"a": "x\n"}\nThat is all 5"}'),
        ("{ a: str }", '{“a”: “x", "b": 1, "c": 2”}'),
        ("{ a: str, b?: int }", '{"a": "x", "b\\u0062": "y", "b": 1}'),
        ("{ a: { b: int }, c: int }", '```json\n{"a": {"b": 1, "c": 2}\n```'),
        ("[[int]]<2,>", "[1, 2]\n[3]"),
        ("[[any]]<2,>", '[["a"]]\n[["b"]]'),
        ("{ name: str<,1>, age: int }", '{"name": "ff", "arguments": {"name": "A", "age": 3}}'),
        ("[{ name: str<,1> }]", '[{"name": "ff", "arguments": [{"name": "A"}]}]'),
        ("{ a: int<5,> }", 'First {"a": 1}.\nFinal answer: {"a": 6}'),
        ("{ a: int<5,> }", '{"a": 1}</think>{"a": 6}'),
        ("{ a: str }", '> ```json\n> {"a": "x\n> y"}\n> ```'),
        ("{ a: float, b?: int }", f'{{"a": 1.{"0" * 5000}, "b": 2}}'),
    ],
)
def test_replies_that_are_read_anew_at_their_end(dsl: str, reply: str) -> None:
    hold(pdl.Schema.parse(dsl), reply)


def told_at(dsl: str, reply: str) -> str:
    """The part of a reply by which its first error was known."""
    stream = Stream(pdl.Schema.parse(dsl))
    for at, char in enumerate(reply):
        if stream.feed(char).errors:
            return reply[: at + 1]
    return ""


@pytest.mark.parametrize(
    ("dsl", "told", "rest"),
    [
        ("{ a: int<,5>, b: int }", '{"a": 6,', ' "b": 1}'),
        ("{ a: str<,3>, b: int }", '{"a": "four", "b":', " 1}"),
        ("{ a: str<,3>, b: int }", '```json\n{"a": "four", "b":', " 1}\n```"),
        ("{ a: bool, b: int }", '{"a": null,', ' "b": 1}'),
        ("{ a: { b: str<,1> }, c: int }", '{"a": {"b": "xx"},', ' "c": 1}'),
        ("{ a: { b: int, d: int }, c: int }", '{"a": {"b": 1}', ', "c": 1}'),
        ("[str<,1>]", '["xx", "y",', ' "z"]'),
        ("[int]", '[1, "x", 2', ", 3]"),
        ("{ a: int }", '{"a": 1, "b": 2', "}"),
        ("[{ a: int, b?: int }]", '[{"a": "x", "b":', " 1}]"),
    ],
)
def test_an_error_is_known_early(dsl: str, told: str, rest: str) -> None:
    assert told_at(dsl, told + rest) in {told, told + rest[:1]}
