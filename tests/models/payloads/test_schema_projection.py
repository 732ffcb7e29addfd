"""Laws of the forms that providers take of schemas, and of the way back."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import schemata
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from instances import Instances
from jsonschema import Draft202012Validator
from models.payloads import drawn_schemas as drawn
from shares import share

import pdl
from pdl.models.payloads.anthropic import ANTHROPIC
from pdl.models.payloads.gemini import GEMINI
from pdl.models.payloads.ollama import OLLAMA
from pdl.models.payloads.openai_schema import STRICT, advice, strict_schema
from pdl.models.payloads.schema_dialect import UnsupportedSchemaError
from pdl.models.payloads.schema_projection import ProviderSchema, project
from pdl.reply import violations

if TYPE_CHECKING:
    from pdl.models.payloads.schema_dialect import SchemaDialect

SUBSETS = {one.provider: one for one in (STRICT, ANTHROPIC, GEMINI, OLLAMA)}
RNGS = st.integers(0, 2**32).map(Random)
STRUCTURE = frozenset(
    {
        *("$defs", "$ref", "additionalProperties", "anyOf", "description", "enum", "items"),
        *("properties", "propertyOrdering", "required", "title", "type"),
    }
)


def odd(rng: Random) -> pdl.Schema:
    """A schema of all keywords, most of which no provider has."""
    try:
        return pdl.Schema.from_json_schema(schemata.document(rng))
    except pdl.SchemaError:  # it leads to itself for the same value
        return odd(rng)


def formed(schema: pdl.Schema, dialect: SchemaDialect) -> ProviderSchema | None:
    try:
        return project(schema.document, dialect)
    except UnsupportedSchemaError:
        return None


@pytest.mark.parametrize("provider", SUBSETS)
@given(rng=RNGS, is_odd=st.booleans())
@settings(max_examples=share(200))
def test_a_form_has_only_what_its_provider_takes(provider: str, rng: Random, is_odd: bool) -> None:  # noqa: FBT001
    dialect = SUBSETS[provider]
    schema = odd(rng) if is_odd else drawn.schema(rng)
    projected = formed(schema, dialect)
    assume(projected is not None)
    assert projected is not None
    Draft202012Validator.check_schema(projected.schema)
    pending: list[Any] = [projected.schema]
    while pending:
        node = pending.pop()
        check_node(node, dialect)
        for keyword in ("properties", "$defs"):
            pending += node.get(keyword, {}).values()
        for keyword in ("anyOf", "prefixItems"):
            pending += node.get(keyword, ())
        pending += [node[key] for key in ("items", "additionalProperties") if node.get(key)]


def check_node(node: dict[str, Any], dialect: SchemaDialect) -> None:
    kind = node.get("type")
    held = STRUCTURE | dialect.keywords | (dialect.integers if kind == "integer" else frozenset())
    held |= {"prefixItems"} if dialect.has_tuples else set()
    held |= {"format"} if node.get("format") in dialect.formats else set()
    assert node.keys() <= held
    assert "$ref" not in node or node.keys() <= {"$ref", "$defs"}
    if not dialect.is_closed:
        return
    assert "$ref" in node or "anyOf" in node or isinstance(kind, str)
    assert kind != "object" or node["additionalProperties"] is False
    assert kind != "array" or "items" in node
    if dialect.all_required and kind == "object":
        assert node["required"] == list(node["properties"])


@pytest.mark.parametrize("provider", ["Anthropic", "Gemini", "Ollama"])
@given(rng=RNGS)
@settings(max_examples=share(200))
def test_what_satisfies_a_schema_satisfies_its_form(provider: str, rng: Random) -> None:
    """So that no provider keeps its model from an answer that is right."""
    schema = drawn.schema(rng)
    projected = formed(schema, SUBSETS[provider])
    assume(projected is not None)
    assert projected is not None
    instances = Instances(schema.document, rng)
    for value in (instances.value() for _ in range(8)):
        if not violations(schema, value):
            assert Draft202012Validator(projected.schema).is_valid(value)


@given(rng=RNGS, cut=st.integers(1, 7))
@example(rng=Random(46555), cut=1)  # noqa: S311 - tests draw
@settings(max_examples=share(400))
def test_what_openai_is_asked_for_is_undone(rng: Random, cut: int) -> None:
    """A right answer, in the form that strict schemas want, comes back as a right answer.

    Only a key that may be absent and may be null as well is always there.
    """
    schema = drawn.schema(rng)
    projected, is_strict = strict_schema(schema)
    assume(is_strict)
    instances = Instances(schema.document, rng)
    for value in (instances.value() for _ in range(8)):
        if violations(schema, value):
            continue
        key = projected.decoder.key if projected.decoder else ""
        inner = projected.schema["properties"][key] if key else projected.schema
        wide = drawn.widened(value, inner, projected.schema)
        text = json.dumps({key: wide} if key else wide, indent=rng.choice([None, 1]))
        assert Draft202012Validator(projected.schema).is_valid(json.loads(text))
        back = text if projected.decoder is None else projected.decoder.text(text)
        told = violations(schema, json.loads(back))
        # Items that differ only in such a key are the same then.
        same = json.loads(back) != value and {one.keyword for one in told} == {"uniqueItems"}
        assert same or not told
        assert without_nulls(json.loads(back)) == without_nulls(value)
        if projected.decoder is None:
            continue
        stream = projected.decoder.stream()
        pieces = [stream.feed(text[at : at + cut]) for at in range(0, len(text), cut)]
        assert "".join([*pieces, stream.close()]) == back


def without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(without_nulls, value))
    if isinstance(value, dict):
        return {key: without_nulls(one) for key, one in value.items() if one is not None}
    return value


@given(rng=RNGS, text=st.text(alphabet='{}[]:," \nnul1ab\\', max_size=30))
def test_what_is_not_of_the_form_is_left_as_it_is(rng: Random, text: str) -> None:
    """No text is lost, and nothing but nulls and the wrapper ever is, however wrong the text."""
    projected, is_strict = strict_schema(drawn.schema(rng))
    assume(is_strict and projected.decoder is not None)
    assert projected.decoder is not None
    back = projected.decoder.text(text)
    stream = projected.decoder.stream()
    assert "".join([*map(stream.feed, text), stream.close()]) == back
    if "null" not in text and not text.lstrip().startswith("{"):
        assert back == text


def test_references_still_lead_there_where_a_schema_stands_in_another() -> None:
    """Also those of schemas that stand where only a reference tells them from other values."""
    inner = {"anyOf": [{"type": "array", "items": {"$ref": "#/components/a"}}, {"enum": ["x"]}]}
    document = {"$ref": "#/components/a", "minItems": 1, "components": {"a": inner}}
    projected = advice(pdl.Schema.from_json_schema(document))
    assert projected.decoder is not None
    is_right = Draft202012Validator(projected.schema).is_valid
    assert is_right({projected.decoder.key: [["x"], "x"]})
    assert not is_right({projected.decoder.key: [["y"]]})


@pytest.mark.parametrize(
    ("count", "length", "strict"),
    [(250, 100, True), (251, 59, True), (251, 60, False), (900, 20, False)],
)
def test_a_long_enum_has_few_characters_at_openai(count: int, length: int, strict: bool) -> None:  # noqa: FBT001
    """Of more than 250 strings, 15,000 of them."""
    document = {"type": "string", "enum": [f"{number:0{length}}" for number in range(count)]}
    projected, is_strict = strict_schema(pdl.Schema.from_json_schema(document))
    assert is_strict == strict
    assert bool(projected.dropped) != strict
