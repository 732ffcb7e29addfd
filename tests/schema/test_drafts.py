"""JSON Schema of all drafts: what it becomes in 2020-12, in the notation, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

import pdl
from pdl.errors import LimitError, PromptError, SchemaError
from pdl.schema import Schema
from pdl.schema.keywords import lookup

if TYPE_CHECKING:
    from conftest import Snapshot

CASES = Path(__file__).parent.parent / "cases" / "schema" / "drafts"
VALID = sorted(path for path in CASES.glob("valid/*.json") if ".2020" not in path.name)
INVALID = sorted(CASES.glob("invalid/*.json"))


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def text_of(schema: Schema) -> str:
    """The schema in the notation, or what that cannot say."""
    try:
        return schema.to_dsl()
    except SchemaError as error:
        return str(error)


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_valid(path: Path, snapshot: Snapshot) -> None:
    """A schema of any draft has the 2020-12 form and the text beside it, and is left as it was."""
    original = load(path)
    schema = Schema.from_json_schema(original)
    normal = json.dumps(schema.document, indent=2, ensure_ascii=False)
    snapshot.check(path.with_suffix(".2020.json"), normal)
    snapshot.check(path.with_suffix(".dsl"), text_of(schema))
    assert original == load(path)
    Draft202012Validator.check_schema(schema.document)
    assert Schema.from_json_schema(schema.document) == schema


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_every_reference_is_a_pointer_into_the_document(path: Path) -> None:
    document = Schema.from_json_schema(load(path)).document
    text = json.dumps(document)
    for part in text.split('"$ref": "')[1:]:
        assert isinstance(lookup(document, json.loads(f'"{part.split(chr(34))[0]}"')), dict)
    assert not any(f'"{key}": "' in text for key in ("$id", "$anchor", "$dynamicRef", "$schema"))


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_invalid(path: Path, snapshot: Snapshot) -> None:
    """A wrong schema is refused in the words beside it, with the JSON path of each problem."""
    with pytest.raises(PromptError) as caught:
        Schema.from_json_schema(load(path))
    codes = "".join(f"[{problem.code}]\n" for problem in caught.value.problems)
    snapshot.check(path.with_suffix(".txt"), f"{caught.value}\n{codes}")


def test_what_json_cannot_hold() -> None:
    for value in ({"const": {1}}, {"const": float("nan")}, {"const": b""}, {"const": {1: 2}}):
        with pytest.raises(SchemaError, match="at #/const"):
            Schema.from_json_schema(value)


def test_mappings_and_tuples_are_taken_as_json() -> None:
    assert Schema.from_json_schema({"enum": (1, 2)}).document == {"enum": [1, 2]}


def test_a_schema_that_holds_itself_is_too_deep() -> None:
    schema: dict[str, Any] = {}
    schema["items"] = schema
    with pytest.raises(LimitError, match="deeper than 800 levels"):
        Schema.from_json_schema(schema)


def test_a_schema_of_100000_levels_is_too_deep() -> None:
    schema: dict[str, Any] = {}
    inner = schema
    for _ in range(100_000):
        inner["items"] = inner = {}
    with pytest.raises(LimitError):
        Schema.from_json_schema(schema)


def test_a_schema_of_200_levels_is_written_and_described() -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(199):
        schema = {"type": "array", "items": schema}
    read = Schema.from_json_schema(schema)
    assert Schema.parse(read.to_dsl()) == read
    assert read.describe().count("[]") == 199


def test_a_long_chain_of_references_is_followed() -> None:
    names = {f"N{n}": {"$ref": f"#/$defs/N{n + 1}"} for n in range(3_000)}
    document = {"$ref": "#/$defs/N0", "$defs": {**names, "N3000": {"type": "integer"}}}
    assert Schema.from_json_schema(document).to_dsl().endswith("N3000 = int")


def test_to_json_schema_is_a_fresh_value() -> None:
    schema = Schema.parse("{ a: [int] }")
    schema.to_json_schema()["properties"]["a"]["items"]["type"] = "string"
    assert schema == Schema.parse("{ a: [int] }")


REGISTRY = {
    "https://example.org/person": {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "definitions": {"age": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}},
        "properties": {"age": {"$ref": "#/definitions/age"}, "friend": {"$ref": "#"}},
    },
    "https://example.org/team#": {"items": {"$ref": "person"}},
}


def test_references_lead_to_a_registry() -> None:
    """Relative ones as well, each document by its own draft, and into themselves."""
    ref = {"$ref": "https://example.org/team"}
    schema = pdl.Schema.from_json_schema({"properties": {"team": ref}}, registry=REGISTRY)
    assert pdl.check(schema, '{"team": [{"age": 1, "friend": {"age": 2}}]}').ok
    assert not pdl.check(schema, '{"team": [{"age": 1, "friend": {"age": 0}}]}').ok
    assert pdl.Schema.from_json_schema(schema.document).document == schema.document


def test_fragments_of_a_registry() -> None:
    ref = {"$ref": "https://example.org/person#/definitions/age"}
    schema = pdl.Schema.from_json_schema(ref, registry=REGISTRY)
    assert pdl.check(schema, "3").value == 3
    assert not pdl.check(schema, "0").ok


def test_what_a_registry_lacks_is_not_fetched() -> None:
    with pytest.raises(pdl.SchemaError, match="nothing is fetched"):
        pdl.Schema.from_json_schema({"$ref": "https://example.org/other"}, registry=REGISTRY)
