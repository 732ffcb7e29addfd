"""`Schema.to_arrow`: types that represent each value of the schema, and distinguish it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import schemata
from hypothesis import given
from hypothesis import strategies as st
from instances import Instances

import pdl
from pdl.reply import violations

pa: Any = pytest.importorskip("pyarrow")
arrow: Any = pytest.importorskip("pdl.schema.arrow")
forms: Any = pytest.importorskip("pdl.schema.arrow_forms")

TYPES = {
    "str": "string",
    "yesno": "bool",
    "bool": "bool",
    "int": "int64",
    "int<0,10>": "int64",
    "int<,9223372036854775807>": "int64",
    "int<,9223372036854775808>": "string",
    "float": "double",
    "int | float": "double",
    "date": "date32[day]",
    "datetime": "string",
    "time": "string",
    "uuid": "string",
    "'a' | 'b'": "string",
    "'a' | 'b' | null": "string",
    "1 | 2": "int64",
    "1 | 2.5": "double",
    "1 | 'a'": "string",
    "int | str": "string",
    "int?": "int64",
    "null": "string",
    "any": "string",
    "[int]": "list<item: int64>",
    "[int?]": "list<item: int64>",
    "[[date]]": "list<item: list<item: date32[day]>>",
    "[any]": "list<item: string>",
    "[]": "list<item: string>",
    "[float, float]": "list<item: double>",
    "[int, str]": "string",
    "{ [str]: int }": "map<string, int64>",
    "{ [str]: any }": "string",
    "{ a: int, [str]: str }": "string",
    "{}": "string",
    "{ a: int, b?: str }": "struct<a: int64, b: string>",
    "{ a: int? }": "struct<a: int64>",
    "{ a?: int? }": "struct<a: string>",
    "{ a: { b: [int] }? }": "struct<a: struct<b: list<item: int64>>>",
    "{ a: int, A: int }": "string",
    "{ '': int }": "string",
    '{ "a\\u0000": int }': "string",
    "[T]  T = { a: int }": "list<item: struct<a: int64>>",
    "{ a: N }  N = { v: int, kids: [N] }": "struct<a: struct<v: int64, kids: list<item: string>>>",
}


@pytest.mark.parametrize("dsl", TYPES)
def test_types(dsl: str) -> None:
    assert str(pdl.Schema.parse(dsl).to_arrow()) == TYPES[dsl]


def _object(schema: Any, **keywords: Any) -> dict[str, Any]:
    known = {"type": "object", "properties": {"a": schema}, "additionalProperties": False}
    return {**known, **keywords}


@pytest.mark.parametrize(
    ("document", "wanted"),
    [
        ({"type": "object", "properties": {"a": {"type": "integer"}}}, "string"),
        (_object({"type": "integer"}, patternProperties={"^b": {}}), "string"),
        (_object({"type": ["string", "null"], "default": None}), "struct<a: string>"),
        ({"allOf": [{"minLength": 1}, {"type": "string"}]}, "string"),
        ({"type": "string", "not": {"const": "a"}, "pattern": "^b"}, "string"),
        ({"anyOf": [{"const": "a"}, {"enum": ["b", "c"]}, {"type": "null"}]}, "string"),
        ({"oneOf": [{"type": "integer", "minimum": 3}, {"type": "integer"}]}, "int64"),
        ({"type": "integer", "minimum": -(10**30)}, "string"),
        ({"minimum": 3}, "string"),
        ({"type": "array"}, "list<item: string>"),
        ({"type": "array", "prefixItems": [{"type": "integer"}]}, "string"),
        (False, "string"),
    ],
)
def test_types_of_json_schema(document: Any, wanted: str) -> None:
    whole = {"anyOf": [document]} if isinstance(document, bool) else document
    assert str(pdl.Schema.from_json_schema(whole).to_arrow()) == wanted


def test_text_is_marked_where_it_is_json() -> None:
    struct = pdl.Schema.parse("{ a: str, b: int | str, c: [any] }").to_arrow()
    assert struct.field("a").metadata is None
    assert struct.field("b").metadata == forms.IS_JSON
    assert struct.field("c").type.field(0).metadata == forms.IS_JSON


def test_an_optional_null_is_no_absence() -> None:
    schema = pdl.Schema.parse("{ a?: int? }")
    values = [{}, {"a": None}, {"a": 1}]
    assert _through(schema, values) == values


def test_absence_is_a_default_of_null() -> None:
    """As of `nick: str | None = None`: both mean the same to whoever reads it."""
    schema = pdl.Schema.from_json_schema(_object({"type": ["string", "null"], "default": None}))
    assert _through(schema, [{}, {"a": None}]) == [{"a": None}, {"a": None}]


@pytest.mark.parametrize(
    ("dsl", "value", "path", "message"),
    [
        ("{ a: [int] }", {"a": [1, 2**63]}, ("a", 1), "is an integer of more than 64 bits"),
        ("{ [str]: int }", {"k": -(2**63) - 1}, ("k",), "is an integer of more than 64 bits"),
        ("float", 2**53 + 1, (), "is an integer that a double cannot represent"),
        ("float", 10**400, (), "is an integer that a double cannot represent"),
        ("date", "0000-01-01", (), "is a date that Python does not have"),
    ],
)
def test_what_does_not_fit(dsl: str, value: Any, path: tuple[Any, ...], message: str) -> None:
    """It is refused, not wrapped or rounded."""
    with pytest.raises(forms.UnfitError) as caught:
        arrow.form_of(pdl.Schema.parse(dsl).document).put(value)
    assert (caught.value.path, str(caught.value)) == (path, message)


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 0])
def test_what_just_fits(value: int) -> None:
    assert _through(pdl.Schema.parse("int"), [value]) == [value]
    assert _through(pdl.Schema.parse("float"), [2**53, 10**22]) == [2**53, 10**22]


def test_names_that_are_used_often_stay_small() -> None:
    """Each doubles the type; from some size on it is text."""
    names = [f"T{level} = {{ a: T{level + 1}, b: T{level + 1} }}" for level in range(30)]
    schema = pdl.Schema.parse("{ root: T0 } " + " ".join([*names, "T30 = { a: int }"]))
    assert len(str(schema.to_arrow())) < 100_000


def test_a_deep_schema_ends_in_text() -> None:
    deep = pdl.Schema.parse(f"{'[' * 150}int{']' * 150}")
    assert "string" in str(deep.to_arrow())


@given(st.integers(0, 2**32))
def test_values_come_back(seed: int) -> None:
    rng = Random(seed)  # noqa: S311 - no secret
    document = schemata.document(rng)
    try:
        schema = pdl.Schema.from_json_schema(document)
    except pdl.SchemaError:
        return
    drawn = (Instances(document, rng).value() for _ in range(12))
    values = [value for value in drawn if not violations(schema, value)]
    assert _through(schema, values) == values


@given(st.integers(0, 2**32))
def test_values_of_closed_objects_come_back(seed: int) -> None:
    """Most drawn schemas are text as a whole; these have types."""
    rng = Random(seed)  # noqa: S311 - no secret
    document = _closed(schemata.document(rng), rng)
    try:
        schema = pdl.Schema.from_json_schema(document)
    except pdl.SchemaError:
        return
    drawn = (Instances(document, rng).value() for _ in range(12))
    values = [value for value in drawn if not violations(schema, value)]
    assert _through(schema, values) == values


def _closed(node: Any, rng: Random) -> Any:
    """The schema with most objects closed, and with a type where that was left out."""
    if isinstance(node, list):
        return [_closed(one, rng) for one in node]
    if not isinstance(node, dict):
        return node
    made = {key: _closed(one, rng) for key, one in node.items()}
    if isinstance(made.get("properties"), dict) and rng.random() < 0.9:
        made |= {"type": "object", "additionalProperties": False}
        made.pop("patternProperties", None)
    return made


def _through(schema: pdl.Schema, values: list[Any]) -> list[Any]:
    """The values that fit, through Arrow and back."""
    form = arrow.form_of(schema.document)
    put = []
    for at, value in reversed(list(enumerate(values))):
        try:
            put.append(form.put(value))
        except forms.UnfitError:
            del values[at]
    cells = pa.array(put[::-1], type=form.type)
    cells.validate(full=True)
    return [form.take(one) for one in cells.to_pylist()]
