"""Results that stay after a change of the schema: they are what a new check finds."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import schemata
from hypothesis import given
from hypothesis import strategies as st
from schema_pairs import chance, pair, values

import pdl
from pdl.batch.rechecking import is_sole_answer, what_stays

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

SHAPES: tuple[Callable[[str, str], str], ...] = (
    lambda one, _: one,
    lambda one, _: f"So:\n```json\n{one}\n```\nDone.",
    lambda one, _: f"The answer is {one}, I think.",
    lambda one, other: f"{one}\n{other}",
    lambda one, other: f"First I thought {other}. No: {one}",
    lambda one, other: f"```json\n{other}\n```\n\n```json\n{one}\n```",
    lambda one, other: f"<think>{other}?</think>\n{one}",
    lambda one, other: f"<think>{one}?</think>\n{other}",
    lambda one, _: f"{one[:-1]},{one[-1:]}",
    lambda one, _: f"[{one}]",
    lambda one, _: f'{{"answer": {one}}}',
    lambda one, _: f"For example, {one}",
    lambda one, _: f"I can't do that. {one}",
    lambda one, _: f"{one} or 5, or `yes`",
    lambda one, _: f"{one}\na: 2, b = 3",
    lambda one, _: f"5 {one}",
    lambda one, other: f'{{"name": "f", "arguments": {one}}} {other}',
    lambda one, _: f"Sure, it's null:\n```\n{one}\n```",
    lambda one, _: f"For example:\n\n```json\n{one}\n```\n",
    lambda one, _: re.sub(r"\b([0-9]+)\b", r"\1.0", one),
)


def task(schema: pdl.Schema | None, **more: Any) -> dict[str, Any]:
    """A task as a manifest has it."""
    form = None if schema is None else schema.form
    document = None if schema is None else schema.to_json_schema()
    asked = {"json": document, "form": form, "typed": False}
    coercions = dataclasses.asdict(pdl.Coercions())
    found = {"command": "check", "pdl": "1", "field": "reply", "coercions": coercions}
    return {**found, "sources": None, "schema": asked, **more}


def replies(old: pdl.Schema, rng: Random) -> list[str]:
    """Replies whose answers mostly fit the old schema, with others that may fit the new one."""
    made = [*values(old, rng, 6), schemata.value(rng)]
    texts = [json.dumps(one) for one in made]
    return [rng.choice(SHAPES)(rng.choice(texts), rng.choice(texts)) for _ in range(12)]


@pytest.mark.law
@given(st.integers(0, 10**9))
def test_what_stays_is_what_a_check_finds(seed: int) -> None:
    rng = chance(seed)
    old, new = pair(rng)
    if what_stays(task(old), task(new)).keep != "valid":
        return
    for reply in replies(old, rng):
        before = pdl.check(old, reply)
        if before.ok and not before.repairs and is_sole_answer(reply, before.data):
            after = pdl.check(new, reply)
            assert after.ok, (old, new, reply)
            assert after.repairs == before.repairs
            assert json.dumps(after.data) == json.dumps(before.data)  # 1 is not 1.0


@pytest.mark.parametrize(
    ("reply", "value", "expected"),
    [
        ('{"n": 1}', {"n": 1}, True),
        ('```json\n{"n": 1}\n```\n', {"n": 1}, True),
        ('\r\n```\r\n{"n": 1}\r\n```', {"n": 1}, True),
        ('Here\'s it, as you said:\n\n```json\n{"n": 1}\n```', {"n": 1}, True),
        ('So, 5:\n```json\n{"n": 1}\n```', {"n": 1}, False),
        ('So:\n{"n": 1}', {"n": 1}, False),
        ('```json\n{"n": 1}\n```\nb: 2', {"n": 1}, False),
        ('```json\n{"n": 1}\n', {"n": 1}, False),
        ('{"n": 1}\n```', {"n": 1}, False),
        ('{"n": 1}, b = 2', {"n": 1}, False),
        ("5 [null]", [None], False),
        ('{"n": 1.0}', {"n": 1}, False),
        ('{"n": 1.0}', {"n": 1.0}, False),
        ('{"n": 1.5}', {"n": 1.5}, True),
        ('["a", "..."]', ["a", "..."], False),
        ('{"n": 1} {"n": "x"}', {"n": 1}, False),
        ('{"n": 1} [0]', {"n": 1}, False),
        ('{"n": 1,}', {"n": 1}, False),
        ("5", 5, False),
        ('{"n": 1} }', {"n": 1}, False),
        ('{"n": true}', {"n": 1}, False),
    ],
)
def test_a_reply_has_one_thing_that_can_be_an_answer(
    reply: str,
    value: Any,
    expected: bool,  # noqa: FBT001 - a row of a table
) -> None:
    assert is_sole_answer(reply, value) is expected


@pytest.mark.parametrize(
    ("old", "new", "reply"),
    [
        ("{ a: int }", "{ a: int, b?: int }", '{"a": 1}, b = 2'),
        ("[null]", "[any]", "5 [null]"),
        ("{ a: int }", "{ a: int | float }", '{"a": 1.0}'),
    ],
)
def test_what_another_schema_reads_differently_does_not_stay(
    old: str, new: str, reply: str
) -> None:
    one, other = pdl.Schema.parse(old), pdl.Schema.parse(new)
    before, after = pdl.check(one, reply), pdl.check(other, reply)
    assert what_stays(task(one), task(other)).keep == "valid"
    assert (before.ok, json.dumps(before.data)) != (after.ok, json.dumps(after.data))
    assert not is_sole_answer(reply, before.data)


def parsed(dsl: str) -> pdl.Schema:
    return pdl.Schema.parse(dsl)


@pytest.mark.parametrize(
    ("old", "new", "keep"),
    [
        (task(parsed("{ a: int }")), task(parsed("{ a: int | str }")), "valid"),
        (task(parsed("{ a: int }")), task(parsed("{ a: int // words\n}")), "valid"),
        (task(parsed("{ a: int }")), task(parsed("{ a: int<0,> }")), "none"),
        (task(parsed("{ a: int }")), task(parsed("{ a: int } | int")), "none"),
        (task(parsed("yesno")), task(parsed("yesno")), "none"),
        (task(None), task(None), "none"),
        (task(parsed("[int]")), task(parsed("[int]"), pdl="2"), "none"),
        (task(parsed("[int]")), task(parsed("[int]"), sources=["x"]), "none"),
        (None, task(parsed("[int]")), "none"),
    ],
)
def test_tasks_of_which_results_stay(old: Any, new: Any, keep: str) -> None:
    stay = what_stays(old, new)
    assert stay.keep == keep
    assert stay.why
