"""Strict JSON: its errors have the same words and places in all versions of Python."""

from __future__ import annotations

import json

import pytest

from pdl.decoding import JsonError, json_fault, strict_json


@pytest.mark.parametrize(
    ("marked", "reason"),
    [
        ('{ "a": 1¦, }', "trailing comma"),
        ("[1¦,\n]", "trailing comma"),
        ('{"a": [1, [2¦,]]}', "trailing comma"),
        ("[¦,]", "expecting value"),
        ("[1, ¦}", "expecting value"),
        ('{"a": ¦}', "expecting value"),
        ('{"a": 1, ¦]', "expecting property name enclosed in double quotes"),
        ('{"a" ¦, }', "expecting ':' delimiter"),
        ("[1 ¦2]", "expecting ',' delimiter"),
        ("1 ¦2", "extra data"),
        ("[1,¦", "expecting value"),
        ('[¦"a', "unterminated string"),
        ('["a¦\n"]', "invalid control character"),
        ("[¦NaN]", "`NaN` is not a JSON value"),
    ],
)
def test_what_is_not_json(marked: str, reason: str) -> None:
    text = marked.replace("¦", "")
    with pytest.raises(JsonError) as caught:
        strict_json(text)
    assert (str(caught.value), caught.value.at) == (f"is not JSON: {reason}", marked.index("¦"))


@pytest.mark.parametrize(
    ("words", "at"),
    [
        ("Expecting value", 4),  # Python 3.12
        ("Illegal trailing comma before end of array", 2),  # 3.13
    ],
)
def test_a_trailing_comma_is_one_in_each_version(words: str, at: int) -> None:
    assert json_fault(json.JSONDecodeError(words, "[1, ]", at)) == ("trailing comma", 2)
