"""The verdicts of jsonsubschema, the other library that decides inclusion, where it has one.

It needs jsonsubschema, which is not one of the requirements of the tests: `.ci/run` installs it.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest
from schema_pairs import LINES

import pdl
from pdl import compare

oracle = pytest.importorskip("jsonsubschema", reason="jsonsubschema is not installed")

IGNORED = frozenset(
    (
        *("format", "contains", "minContains", "maxContains", "prefixItems", "propertyNames"),
        *("if", "unevaluatedItems", "unevaluatedProperties", "dependentSchemas", "$schema"),
        "x-gbnf",
    )
)
"""Keywords that it does not look at: it takes every string for a date, for example."""

PAIRS = [
    line.split(" => ")[:2]
    for line in LINES
    if line.startswith('{"') and not any(f'"{word}":' in line for word in IGNORED)
    if line.split(" => ")[1].startswith(('{"', "{}"))
]

WRONG = {
    ('"multipleOf": 0.3}', '"multipleOf": 0.1}'): "it divides floats, and 0.3 / 0.1 is below 3",
    ('{"type": "integer"}', '"multipleOf": 0.5}'): "integers are multiples of 0.5",
    ('"maximum": 1.75}', '"not": {"type": "integer"}}'): "there is no integer from 1.5 to 1.75",
    ('"not": {"type": "integer"}}', '"maximum": 1.75}'): "0.1 is not an integer, nor in the range",
    ('"^a{2,5}$"}', '"maxLength": 5}'): "it does not know how long the strings of a pattern are",
    ('"maxLength": 5}', '"^a{2,5}$"}'): "`ab` has two characters, but does not match",
    ('"(a)\\\\1"}', '"maxLength": 4}'): "`aaaaa` is too long",
    ('"(a)\\\\1"}', '"minLength": 3}'): "`aa` is too short",
    ('"enum": [1, 2]}}', '"maxItems": 2}'): "two values make two different items at most",
    ('"maxItems": 1}', '"uniqueItems": true}'): "a lone item is unique",
    ('"additionalProperties": false}', '"maxProperties": 1}'): "there is one key that it can have",
    ('"\\ud800"]}', '{"type": "integer"}'): "text has no lone surrogates",
    ('"\\udfff"]}', '{"type": "integer"}'): "text has no lone surrogates",
}
"""The ends of pairs of which it says yes where it is no, or the reverse, and why that is wrong."""


def verdict(old: Any, new: Any) -> bool | None:
    """What it says; None where it says nothing, as it does not know a keyword."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bool(oracle.isSubschema(old, new))
        except Exception:  # noqa: BLE001 - it has many, for what it does not know
            return None


def _inside(document: Any) -> pdl.Schema:
    """A schema of values inside of answers: of a whole answer, its spelling counts, too."""
    if "$ref" not in json.dumps(document):
        document = {"type": "object", "properties": {"v": document}, "required": ["v"]}
    return pdl.Schema.from_json_schema(document)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_both_say_the_same(one: str, other: str) -> None:
    for old, new in ((one, other), (other, one)):
        theirs = verdict(json.loads(old), json.loads(new))
        ours = compare.includes(*(_inside(json.loads(text)) for text in (old, new)))
        if theirs is None or isinstance(ours, compare.Unknown):
            continue
        ends = [(a, b) for a, b in WRONG if old.endswith(a) and new.endswith(b)]
        assert (theirs != bool(ours)) == bool(ends)
