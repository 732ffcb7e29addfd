"""A free string that is asked for by a JSON Schema, whose quotes may be there or not."""

from __future__ import annotations

import pytest

import pdl

CASES = [
    ({"type": "string"}, "hello", "hello"),
    ({"type": "string"}, '"hello"', '"hello"'),  # as it is, since it fits as it is
    ({"type": "string", "pattern": "^[a-z]+$"}, '"hello"', "hello"),
    ({"type": "string", "maxLength": 2}, '"a\\n"', "a\n"),
    ({"type": "string", "format": "date"}, '"2024-02-29"', "2024-02-29"),
]


@pytest.mark.parametrize(("schema", "reply", "value"), CASES)
def test_quotes_of_a_lone_string(schema: dict[str, object], reply: str, value: str) -> None:
    """They are JSON's where the text does not fit with them."""
    check = pdl.check(pdl.Schema.from_json_schema(schema), reply)
    assert check.value == value


def test_what_fits_neither_way_is_refused() -> None:
    schema = pdl.Schema.from_json_schema({"type": "string", "pattern": "^[a-z]+$"})
    assert not pdl.check(schema, '"A"').ok
    assert not pdl.check(schema, '"a" and "b"').ok
