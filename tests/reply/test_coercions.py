"""Changes that a caller allows: `NAME.json` has values, the file beside it what becomes of them.

A file is named after the change that it allows; `with` names others.
"""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pdl
from pdl._types import Json, format_path
from pdl.limits import DEFAULT_LIMITS
from pdl.reply import Coercions, violations
from pdl.reply.coercing import coerce
from pdl.reply.coercions import NO_COERCIONS

if TYPE_CHECKING:
    from snapshots import Snapshot

CASES = Path(__file__).parent.parent / "cases" / "coercions"
NAMES = [field.name for field in fields(Coercions)]


def schema_of(written: Json) -> pdl.Schema:
    if isinstance(written, str):
        return pdl.Schema.parse(written)
    return pdl.Schema.from_json_schema(written)


@pytest.mark.parametrize("path", sorted(CASES.glob("*.json")), ids=lambda path: path.stem)
def test_what_becomes_of_values(path: Path, snapshot: Snapshot) -> None:
    """Each value is changed so that it fits, or stays as it is."""
    cases = json.loads(path.read_text(encoding="utf-8"))
    snapshot.check(path.with_suffix(".txt"), "\n".join(told(path.stem, case) for case in cases))


def told(name: str, case: dict[str, Any]) -> str:
    schema = schema_of(case["schema"])
    allowed = Coercions(**dict.fromkeys({*case.get("with", ()), name} & set(NAMES), True))
    before = json.dumps(case["value"])
    value, repairs = coerce(schema.document, case["value"], allowed, DEFAULT_LIMITS)
    assert json.dumps(case["value"]) == before, "the value that came was changed in place"
    fits = not violations(schema, value)
    assert fits or (value == case["value"] and not repairs)
    text = f"{shown(case['schema'])}: {shown(case['value'])}"
    if not repairs:
        return f"{text} {'fits' if fits else 'stays'}"
    said = (f"\n    {r.kind} at {format_path(r.path)}: {r.before} -> {r.after}" for r in repairs)
    return f"{text} becomes {shown(value)}{''.join(said)}"


def shown(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("name", NAMES)
def test_each_is_off_unless_it_is_asked_for(name: str) -> None:
    """Without a change of that name the values of its cases stay as they are."""
    cases = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    others = Coercions(**dict.fromkeys(set(NAMES) - {name}, True))
    for case in cases:
        document = schema_of(case["schema"]).document
        _, repairs = coerce(document, case["value"], others, DEFAULT_LIMITS)
        assert name not in {repair.kind for repair in repairs}
        assert coerce(document, case["value"], NO_COERCIONS, DEFAULT_LIMITS) == (case["value"], ())


def test_an_ambiguous_part_leaves_the_whole_as_it_is() -> None:
    schema = pdl.Schema.parse("{ a: int | [int], b: int }")
    allowed = Coercions(numbers_in_strings=True, single_to_list=True)
    value = {"a": "5", "b": "6"}
    assert coerce(schema.document, value, allowed, DEFAULT_LIMITS) == (value, ())


def test_json_in_strings_is_no_deeper_than_replies() -> None:
    allowed = Coercions(json_in_strings=True)
    deep = "[" * DEFAULT_LIMITS.reply_depth + "]" * DEFAULT_LIMITS.reply_depth
    schema = pdl.Schema.from_json_schema({"properties": {"a": {"type": "array"}}})
    assert coerce(schema.document, {"a": deep}, allowed, DEFAULT_LIMITS) == ({"a": deep}, ())
    shallow = deep[1:-1]
    value, _ = coerce(schema.document, {"a": shallow}, allowed, DEFAULT_LIMITS)
    assert value == {"a": json.loads(shallow)}


def test_nested_unions_are_solved_once_for_each_part() -> None:
    """Each level has two branches that both want a look at the level below."""
    kid = {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}
    definitions = {
        name: {"properties": {"v": {"type": "integer"}, "kid": kid, "t": {"const": name}}}
        for name in ("A", "B")
    }
    schema = pdl.Schema.from_json_schema({"$ref": "#/$defs/A", "$defs": definitions})
    value: Json = {"v": "0"}
    for depth in range(180):
        value = {"v": str(depth), "t": "A", "kid": value}
    coerced, repairs = coerce(
        schema.document, value, Coercions(numbers_in_strings=True), DEFAULT_LIMITS
    )
    assert len(repairs) == 181
    assert not violations(schema, coerced)


def test_too_many_combinations_of_unions_are_left_alone() -> None:
    union = {"anyOf": [{"properties": {f"k{i}": {"type": "integer"}}} for i in range(8)]}
    schema = pdl.Schema.from_json_schema(
        {"type": "object", "allOf": [union] * 8, "required": ["a"], "properties": {"a": False}}
    )
    value = {"k0": "1"}
    allowed = Coercions(numbers_in_strings=True)
    assert coerce(schema.document, value, allowed, DEFAULT_LIMITS) == (value, ())


@pytest.mark.parametrize(
    "reply",
    ['{"answer": 5}', "[5]", 'The answer: {"answer": 5}', '```json\n{"data": {"value": 5}}\n```'],
)
def test_a_scalar_at_the_root_is_unwrapped(reply: str) -> None:
    schema = pdl.Schema.parse("int")
    assert not pdl.check(schema, reply).ok
    check = pdl.check(schema, reply, coercions=Coercions(unwrap=True))
    assert check.value == 5
    assert {repair.kind for repair in check.repairs} == {"unwrap"}
    assert check.span is not None
    assert all(
        check.span[0] <= repair.span[0] < repair.span[1] <= check.span[1]
        for repair in check.repairs
    )


@pytest.mark.parametrize(
    "reply",
    [
        '{"answer": 5, "other": 6}',
        '{"answer": 5} or {"answer": 6}',
        'It is 7. {"answer": 5}',
        "Ask again, see [5].",
        '{"answer": "5"}',
        "[5, 6]",
        '{"answer": 5',
    ],
)
def test_a_scalar_that_is_not_certain_is_not_unwrapped(reply: str) -> None:
    assert not pdl.check(pdl.Schema.parse("int"), reply, coercions=Coercions(unwrap=True)).ok


def test_several_changes_lead_to_a_scalar_at_the_root() -> None:
    allowed = Coercions(unwrap=True, enum_case=True)
    check = pdl.check(pdl.Schema.parse('"bug" | "feat"'), '{"kind": "Bug"}', coercions=allowed)
    assert check.value == "bug"
    assert [repair.kind for repair in check.repairs] == ["unwrap", "enum_case"]
