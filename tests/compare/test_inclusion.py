"""Whether every answer of one schema is valid under another: pairs, both ways."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from schema_pairs import LINES

import pdl
from pdl import compare
from pdl.limits import Limits
from pdl.reply import violations


def schema(text: str) -> pdl.Schema:
    """A JSON Schema, or one in the DSL."""
    if text.startswith(('{"', "{}")):
        return pdl.Schema.from_json_schema(json.loads(text))
    return pdl.Schema.parse(text)


def told(found: compare.Yes | compare.No | compare.Unknown) -> str:
    """A result as the pairs write it."""
    if isinstance(found, compare.No):
        return found.witness
    return f"? {found.why}" if isinstance(found, compare.Unknown) else "yes"


@pytest.mark.parametrize("line", LINES)
def test_pairs(line: str) -> None:
    """The verdicts, the same each time; of each witness both schemas are asked."""
    one, other, *wanted = line.split(" => ")
    old, new = schema(one), schema(other)
    found = [compare.includes(old, new), compare.includes(new, old)]
    assert [told(verdict) for verdict in found] == wanted
    for verdict, fitting, failing in ((found[0], old, new), (found[1], new, old)):
        if isinstance(verdict, compare.No):
            assert not violations(fitting, verdict.value)
            assert pdl.check(fitting, verdict.witness).value == verdict.value
            refused = pdl.check(failing, verdict.witness)
            assert not refused.ok or refused.value != verdict.value


def test_long_strings_are_counted() -> None:
    old, new = ({"type": "string", "minLength": size} for size in (200_000, 200_001))
    found = compare.includes(pdl.Schema(old), pdl.Schema(new))
    assert isinstance(found, compare.No)
    assert found.value == "a" * 200_000


def test_time_is_bounded() -> None:
    found = compare.includes(
        pdl.Schema.parse("{ a: int }"),
        pdl.Schema.parse("{ a: int<0,> }"),
        limits=Limits(grammar_seconds=0),
    )
    assert isinstance(found, compare.Unknown)
    assert found.why == "comparing the schemas takes longer than 0 seconds"


def test_patterns_that_are_not_valid_decide_nothing() -> None:
    broken = pdl.Schema({"type": "string", "pattern": "("})
    found = compare.includes(broken, pdl.Schema({"type": "string", "maxLength": 3}))
    assert isinstance(found, compare.Unknown)
    assert "regular expression" in found.why


def test_documents_may_share_their_parts() -> None:
    """A subschema is one Python object in several places, also inside of others."""
    shared = {"type": "integer"}
    inner = {"type": "object", "properties": {"a": shared}, "required": ["a"]}
    old = pdl.Schema({"type": "object", "properties": {"a": shared, "b": inner}})
    new = pdl.Schema({"type": "object", "properties": {"b": inner, "a": {"type": "number"}}})
    assert compare.includes(old, new)
    assert compare.includes(new, old) == compare.No('{"a":0.1}', {"a": 0.1})


def test_types_are_schemas() -> None:
    assert compare.includes(int, float) == compare.Yes()
    assert compare.includes(list[int], list[str]) == compare.No("[0]", [0])


@pytest.mark.parametrize(("old", "new"), [("int", int), (int, {}), (None, int)])
def test_other_arguments_are_refused(old: object, new: object) -> None:
    with pytest.raises(TypeError, match="schema must be"):
        compare.includes(old, new)  # type: ignore[arg-type]


def test_hash_seeds_do_not_matter() -> None:
    """The verdicts and witnesses of all pairs are the same in processes of other hash seeds."""
    outputs = {listed(seed) for seed in ("1", "2", "77")}
    assert len(outputs) == 1
    assert len(outputs.pop().splitlines()) == len(LINES)


def listed(seed: str) -> bytes:
    """What this file prints as a program."""
    paths = os.pathsep.join((str(Path(pdl.__file__).parents[1]), *sys.path))
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths}
    done = subprocess.run(  # noqa: S603 - the file is this one
        [sys.executable, __file__], capture_output=True, check=True, env=environment
    )
    return done.stdout


if __name__ == "__main__":
    for line in LINES:
        one, other = map(schema, line.split(" => ")[:2])
        print(ascii(told(compare.includes(one, other))))  # noqa: T201


@pytest.mark.parametrize("bound", ["maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"])
@pytest.mark.parametrize("kind", ["integer", "number"])
def test_bounds_can_be_larger_than_all_floats(kind: str, bound: str) -> None:
    sign = 1 if "aximum" in bound else -1
    free, narrow = pdl.Schema({"type": kind}), pdl.Schema({"type": kind, bound: sign * 10**310})
    found = compare.includes(free, narrow)
    assert isinstance(found, compare.No)
    assert violations(narrow, found.value)
    assert compare.includes(narrow, free)


def test_large_unions_have_a_witness_soon() -> None:
    """Branches differ by a constant, as those of a discriminated union do."""
    keys = [{"type": "object", "properties": {"k": {"const": n}}} for n in range(40)]
    wide = {"anyOf": [{**one, "required": ["k"]} for one in keys]}
    narrow = {"oneOf": [{**one, "required": ["k", f"p{n}"]} for n, one in enumerate(keys)]}
    found = compare.includes(pdl.Schema(wide), pdl.Schema(narrow), limits=Limits(grammar_seconds=2))
    assert isinstance(found, compare.No)
    assert found.witness == '{"k":0}'
    assert compare.includes(pdl.Schema(narrow), pdl.Schema(wide))
    # Inside of others there is no such short cut, but the time is bounded there.
    inner = [pdl.Schema({"type": "array", "items": one}) for one in (wide, narrow)]
    start = process_time()
    assert not compare.includes(*inner, limits=Limits(grammar_seconds=0.5))
    assert process_time() - start < 2


@pytest.mark.parametrize("given", [3, None, "int"])
def test_only_schemas_and_types_are_compared(given: Any) -> None:
    for pair in ((given, int), (int, given)):
        with pytest.raises(TypeError, match=r"must be a pdl\.Schema or a Python type, not "):
            compare.includes(*pair)
