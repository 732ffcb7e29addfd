"""What holds of every schema, of every text and of every JSON Schema."""

from __future__ import annotations

import contextlib
import copy
import json
from typing import Any

from dsl_texts import parsed, problems, schemas
from hypothesis import given
from hypothesis import strategies as st

from pdl.errors import PromptError
from pdl.schema import Schema
from pdl.schema.dsl.normal_form import normal_form
from pdl.schema.dsl.tree import joined
from pdl.schema.keywords import nodes


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
