"""Strict JSON and YAML: errors of JSON have the same words and places in all versions of Python."""

from __future__ import annotations

import json

import pytest

import pdl
from pdl.decoding import JsonError, json_fault, parse_yaml, strict_json
from pdl.source import Source


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


@pytest.mark.parametrize("text", ["x: " + "[" * 20_000, "- " * 20_000])
def test_yaml_that_nests_too_deeply_is_refused(text: str) -> None:
    """The parser in C would overflow its stack, which is a crash."""
    pytest.importorskip("yaml")
    with pytest.raises(pdl.FileError, match="too deeply"):
        parse_yaml(Source(text, "data.yaml"))


def test_yaml_with_long_lines_and_many_brackets_is_read() -> None:
    pytest.importorskip("yaml")
    text = "".join(f"- {{ a: [{'long ' * 100}] }}\n" for _ in range(400))
    found = parse_yaml(Source(text, "data.yaml"))
    assert isinstance(found, list)
    assert len(found) == 400
