"""What a schema from a stranger, or a hostile reply, costs the checker."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from effort import effort

import pdl
from pdl import gbnf

if TYPE_CHECKING:
    from collections.abc import Callable

Level: TypeAlias = "Callable[[dict[str, Any]], dict[str, Any]]"
LEVELS: dict[str, Level] = {
    "allOf": lambda ref: {"allOf": [ref, dict(ref)]},
    "anyOf": lambda ref: {"anyOf": [ref, dict(ref)]},
    "oneOf": lambda ref: {"oneOf": [ref, dict(ref)]},
    "not": lambda ref: {"not": {"anyOf": [ref, dict(ref)]}},
    "if": lambda ref: {"if": ref, "then": dict(ref), "else": dict(ref)},
    "$ref": lambda ref: {**ref, "allOf": [dict(ref)]},
    "dependentSchemas": lambda ref: {"dependentSchemas": {"a": ref, "b": dict(ref)}},
    "properties": lambda ref: {"type": "object", "properties": {"a": ref, "b": dict(ref)}},
    "items": lambda ref: {"type": "array", "prefixItems": [ref, dict(ref)]},
}
LAST: list[dict[str, Any]] = [
    {"type": "integer"},
    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    {"enum": ["a", "b"]},
]
REPLIES = ("1", '"x"', '{"a": 1}', '{"a": "x"}', "[1, [2]]", "It is 3.", '{"a": 1')


def diamond(level: Level, last: dict[str, Any], depth: int) -> pdl.Schema:
    """A schema in which two ways lead from each definition to the next."""
    definitions = {f"d{n}": level({"$ref": f"#/$defs/d{n + 1}"}) for n in range(depth)}
    document = {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{depth}": last}}
    return pdl.Schema.from_json_schema(document)


@pytest.mark.parametrize(("name", "last"), list(product(LEVELS, range(len(LAST)))))
def test_ways_that_meet_again_are_gone_once(name: str, last: int) -> None:
    """Else the work would double with each level: 60 levels would never end."""
    schema = diamond(LEVELS[name], LAST[last], 60)
    for reply in REPLIES:
        assert effort(pdl.check, schema, reply) < 1_000_000
    assert effort(schema.describe) < 1_000_000


@pytest.mark.parametrize("name", sorted(LEVELS.keys() - {"oneOf"}))  # nothing satisfies that
def test_a_grammar_goes_them_once_as_well(name: str) -> None:
    assert effort(gbnf.compile, diamond(LEVELS[name], LAST[0], 20)) < 3_000_000


def test_numbers_whose_hashes_are_alike_are_told_apart_at_once() -> None:
    """All multiples of 2**61 - 1 have the hash 0, and -1 has that of -2."""
    schema = pdl.Schema.from_json_schema({"type": "array", "uniqueItems": True})
    alike = [number * (2**61 - 1) for number in range(8_000)]
    signs = [list(each) for each in product((-1, -2), repeat=12)]
    zeros = [list(each) for each in product((0, ""), repeat=12)]
    for values in (alike, signs, zeros):
        assert effort(pdl.check, schema, json.dumps(values)) < 1_000_000
        assert pdl.check(schema, json.dumps(values)).ok
        assert not pdl.check(schema, json.dumps([*values, values[0]])).ok


def test_words_that_are_not_shown_are_not_written() -> None:
    """A message names a few of ten thousand choices, for each wrong item of a list."""
    words = [f"choice {number}" for number in range(10_000)]
    schema = pdl.Schema.from_json_schema({"type": "array", "items": {"enum": words}})
    reply = json.dumps([f"chioce {number}" for number in range(200)])
    assert effort(pdl.check, schema, reply) < 1_000_000


def test_an_enum_of_very_many_words_is_soon_looked_for() -> None:
    """A pattern of all its words would take seconds to compile, and most are nowhere near."""
    schema = pdl.Schema.from_json_schema({"enum": [f"word{number}" for number in range(20_000)]})
    for reply in ("The answer is word78.", "The answer is WORD79.", "The answer is wrd78."):
        assert effort(pdl.check, schema, reply) < 2_000_000
    assert pdl.check(schema, "The answer is word78.").value == "word78"
    assert pdl.check(schema, "The answer is WORD79.").value == "word79"
    assert not pdl.check(schema, "The answer is wrd78.").ok
