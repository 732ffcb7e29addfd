"""What is given instead of a schema or of options is named, with the way to make one of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import pdl
from pdl import gbnf

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: list[Callable[[Any], Any]] = [
    pdl.to_gbnf,
    gbnf.compile,
    lambda schema: pdl.check(schema, "1"),
    lambda schema: pdl.extract(schema, "1"),
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("given", "kind", "advice"),
    [
        ({"type": "integer"}, "dict", "use pdl.Schema.from_json_schema for a JSON Schema"),
        (True, "bool", "use pdl.Schema.from_json_schema for a JSON Schema"),
        ("int", "str", "use pdl.Schema.parse for the schema DSL"),
    ],
)
def test_no_schema(function: Callable[[Any], Any], given: Any, kind: str, advice: str) -> None:
    with pytest.raises(TypeError, match=f"schema must be a pdl.Schema.*, not {kind}: {advice}"):
        function(given)


def test_types_are_schemas() -> None:
    assert pdl.to_gbnf(list[bool]) == pdl.to_gbnf(pdl.Schema.parse("[bool]"))
    assert gbnf.compile(bool) == gbnf.compile(pdl.Schema.parse("bool"))


def test_what_no_schema_is_made_of() -> None:
    with pytest.raises(TypeError, match=r"schema must be a pdl\.Schema or a Python type, not int$"):
        pdl.to_gbnf(5)  # type: ignore[arg-type]


def test_no_options() -> None:
    with pytest.raises(TypeError, match=r"options must be gbnf\.Options, not dict"):
        gbnf.compile(pdl.Schema.parse("int"), {})  # type: ignore[arg-type]
