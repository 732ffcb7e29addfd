"""A free string that is asked for by a JSON Schema, whose quotes may be there or not."""

from __future__ import annotations

import pytest

import pdl

CASES = [
    ({"type": "string"}, "hello", "hello"),
    ({"type": "string"}, '"hello"', '"hello"'),  # as it is, since it fits as it is
    ({"type": "string"}, '"a\\nb"', "a\nb"),  # no text is written with escapes
    ({"type": "string"}, ' "\\u00e9"\n', "é"),
    ({"type": "string"}, '<think>brief</think>\n"say \\"hi\\""', 'say "hi"'),
    ({"type": "string"}, '"a\\tb"<|im_end|>', "a\tb"),
    ({"type": "string"}, '"a</think>b"', "a</think>b"),
    ({"type": "string"}, '"<|im_end|>"', "<|im_end|>"),
    ({"type": "string"}, '"C:\\new" and "D:\\"', '"C:\\new" and "D:\\"'),
    ({"type": "string"}, '"C:\\Users"', '"C:\\Users"'),  # no JSON: there is no escape `\U`
    ({"type": "string", "pattern": "^[a-z]+$"}, '"hello"', "hello"),
    ({"type": "string", "maxLength": 2}, '"a\\n"', "a\n"),
    ({"type": "string", "format": "date"}, '"2024-02-29"', "2024-02-29"),
    ({"type": "string", "format": "date"}, '"2024\\u002d02-29"', "2024-02-29"),
]


@pytest.mark.parametrize(("schema", "reply", "value"), CASES)
def test_quotes_of_a_lone_string(schema: dict[str, object], reply: str, value: str) -> None:
    """They are JSON's where something else shows that it is JSON, or the text does not fit."""
    check = pdl.check(pdl.Schema.from_json_schema(schema), reply)
    assert check.value == value


@pytest.mark.parametrize(
    ("schema", "reply"),
    [
        ({"pattern": "^[a-z]+$"}, '"A"'),
        ({"pattern": "^[a-z]+$"}, '"a" and "b"'),
        ({"minLength": 4}, '"\\n"'),  # four characters as a text, one as JSON
        ({"pattern": "^[a-z\\\\]+$"}, '"a\\nb"'),
        ({"pattern": "^[a-z ]+$"}, '"a<b>c"'),
    ],
)
def test_what_fits_neither_way_is_refused(schema: dict[str, object], reply: str) -> None:
    assert not pdl.check(pdl.Schema.from_json_schema({"type": "string", **schema}), reply).ok
