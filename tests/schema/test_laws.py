"""What holds of every schema, of every text and of every JSON Schema."""

from __future__ import annotations

import contextlib
import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pdl.errors import PromptError
from pdl.schema import Schema
from pdl.schema.dsl.normal_form import normal_form
from pdl.schema.dsl.tree import joined
from pdl.schema.dsl.words import TYPES
from pdl.schema.keywords import nodes

numbers = st.integers(-1000, 1000) | st.floats(-1e6, 1e6).map(lambda number: round(number, 3))
texts = st.text(st.characters(codec="utf-8"), max_size=8)
quoted = texts.map(lambda text: json.dumps(text, ensure_ascii=False))
literals = quoted | numbers.map(json.dumps) | st.sampled_from(["true", "false", "'raw\\d'"])
words = st.sampled_from([*TYPES])
keys = (
    st.from_regex(r"\A[a-z_][a-z0-9_-]{0,6}\Z") | quoted | st.sampled_from(["이름", "नाम", "int"])
)
comments = st.sampled_from(["", "", "", " // words\n", "\n// above\n"])


def bounded(word: str, low: int, high: int, kind: int) -> str:
    """A type with bounds, in one of the ways to write them."""
    low, high = min(low, high), max(low, high)
    ways = (
        "<{0},{1}>",
        "<{0},>",
        "<,{1}>",
        " {{ min: {0}, max: {1} }}",
        " {{ max: {1} }}",
        " {{}}",
    )
    return word + ways[kind % len(ways)].format(low, high)


bounds = st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 5))
scalars = st.one_of(
    words,
    literals,
    st.builds(lambda word, three: bounded(word, *three), st.sampled_from(["str", "int"]), bounds),
    st.sampled_from(
        [
            "str { pattern: '^a|b$' }",
            "int { gt: -1, lt: 5, multiple: 2 }",
            "float<-0.5,1e3> { multiple: 0.5 }",
            "str<3>",
            "email<,80>",
            "time<,20> { zone: true }",
        ]
    ),
)


@st.composite
def objects(draw: st.DrawFn, types: st.SearchStrategy[str]) -> str:
    """An object with fields of the types, some with comments."""
    chosen = draw(st.lists(keys, max_size=4, unique_by=lambda key: key.strip('"')))
    fields = [
        f"{draw(comments)}{key}{draw(st.sampled_from(['', '?']))}: {draw(types)}," for key in chosen
    ]
    rest = draw(st.sampled_from(["", "", "[str]: any", "[str]: int"]))
    return "{" + draw(comments).join([*fields, rest]) + "\n}" + draw(st.sampled_from(["", "<,9>"]))


def compound(types: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Arrays, tuples, objects, unions and groups of types."""
    arrays = st.builds(lambda item, three: bounded(f"[{item}]", *three), types, bounds)
    tuples = st.lists(types, min_size=2, max_size=3).map(lambda items: f"[{', '.join(items)}]")
    unions = st.lists(types, min_size=2, max_size=3).map(lambda items: f"({' | '.join(items)})")
    optional = types.map(lambda one: f"({one})?")
    return arrays | tuples | unions | optional | objects(types)


types = st.recursive(scalars, compound, max_leaves=8)
named = st.builds(
    "{}\nNode = {{ v: {}, kids: [Node], next?: Leaf }}\nLeaf = {}".format,
    types.map(lambda one: f"[Node, {one}]"),
    types,
    types,
)
schemas = types | named


def problems(text: str) -> set[str]:
    """The codes of what is wrong with a text, each of which must have a place."""
    try:
        Schema.parse(text)
    except PromptError as error:
        unplaced = [problem for problem in error.problems if problem.span is None]
        return {"no place"} if unplaced else {problem.code for problem in error.problems}
    return set()


def parsed(text: str) -> Schema | None:
    """The schema of a generated text, or None if it says the same value twice."""
    if problems(text) & {"schema/duplicate-value", "schema/duplicate-key"}:
        return None
    return Schema.parse(text)


@given(schemas)
def test_canonical_text_means_the_same(text: str) -> None:
    schema = parsed(text)
    if schema is not None:
        canonical = schema.to_dsl()
        assert Schema.parse(canonical) == schema
        assert Schema.parse(canonical).to_dsl() == canonical


@given(schemas)
def test_json_schema_means_the_same(text: str) -> None:
    schema = parsed(text)
    if schema is not None:
        assert Schema.from_json_schema(schema.to_json_schema()).document == schema.document


@given(schemas)
def test_every_schema_can_be_described(text: str) -> None:
    schema = parsed(text)
    if schema is not None:
        assert schema.describe().startswith("Answer with")


@given(st.text(max_size=60) | st.text(alphabet="{}[]()<>|?:=,\"'/#ab1-. \nT", max_size=40))
def test_any_text_is_a_schema_or_an_error_with_a_place(text: str) -> None:
    assert "no place" not in problems(text)


@given(st.text(max_size=60))
def test_a_description_comes_back_as_its_lines(description: str) -> None:
    document = {"type": "object", "properties": {"a": {"description": description}}}
    text = Schema.from_json_schema(document).to_dsl()
    field = Schema.parse(text).document["properties"]["a"]
    assert field.get("description", "") == joined([description])


KEYWORDS = [
    *("$anchor", "$defs", "$id", "$ref", "additionalItems", "additionalProperties", "allOf"),
    *("anyOf", "const", "default", "definitions", "dependencies", "description", "enum"),
    *("exclusiveMinimum", "format", "items", "maxItems", "minItems", "minimum", "not"),
    *("nullable", "oneOf", "pattern", "prefixItems", "properties", "required", "type", "a"),
]
keyword_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(["string", "object", "#", "a"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(keyword_values)
def test_any_json_is_a_schema_or_an_error(value: Any) -> None:
    before = copy.deepcopy(value)
    with contextlib.suppress(PromptError):
        schema = Schema.from_json_schema(value)
        assert schema.describe()
        assert str(Schema.parse(str(schema))) == str(schema)
        assert len(repr(schema)) < 100
        with contextlib.suppress(PromptError):
            text = schema.to_dsl()
            assert Schema.parse(text).to_dsl() == text
    assert value == before


ANNOTATIONS: dict[str, st.SearchStrategy[Any]] = {
    "title": st.text(max_size=9),
    "description": st.text(max_size=9),
    "$comment": st.text(max_size=9),
    "default": st.integers() | st.text(max_size=3) | st.none(),
    "examples": st.lists(st.integers() | st.text(max_size=3), max_size=3),
    "deprecated": st.booleans(),
    "readOnly": st.booleans(),
    "x-own": st.integers() | st.lists(st.integers()),
}


@given(schemas, st.data())
def test_annotations_never_change_what_a_schema_accepts(text: str, data: st.DataObject) -> None:
    schema = parsed(text)
    if schema is None or schema.form not in ("json", "text"):
        return
    document = copy.deepcopy(schema.to_json_schema())
    places = [one for one in nodes(document) if data.draw(st.booleans())]
    for place in places:
        for key in data.draw(st.lists(st.sampled_from(sorted(ANNOTATIONS)), max_size=3)):
            place[key] = data.draw(ANNOTATIONS[key])
    annotated = Schema.from_json_schema(document)
    canonical = annotated.to_dsl()
    assert _asserted(Schema.parse(canonical)) == _asserted(schema)
    assert Schema.parse(canonical).to_dsl() == canonical
    used = {key for place in places for key, value in place.items() if key in ("x-own", "$comment")}
    assert all(key in canonical for key in used)


def _asserted(schema: Schema) -> str:
    """The assertions of a schema in normal form."""
    whole = normal_form(schema.document)
    both = {"root": whole.root, **whole.definitions}
    for form in both.values():
        for one in list(nodes(form)):
            one.pop("description", None)
            one.pop("default", None)
    return json.dumps(both, sort_keys=True)
