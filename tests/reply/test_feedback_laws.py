"""What holds for all that is said about any value."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from drawn import VALUES, documents
from hypothesis import given

import pdl
from pdl.reply import violations
from pdl.reply.phrases import Phrase, brief
from pdl.reply.validation.compiled import validator_of

if TYPE_CHECKING:
    from pdl._types import Json


@given(documents(), VALUES)
def test_there_are_violations_just_where_a_value_does_not_fit(
    schema: pdl.Schema, value: Json
) -> None:
    found = violations(schema, value)
    assert bool(found) != validator_of(schema.document).is_valid(value)
    assert len(found) == len(set(found))
    for violation in found:
        assert violation.keyword != "schema", "a keyword should have been named"
        assert isinstance(violation.message, Phrase)
        assert len(violation.found) <= 40
        assert violation.wanted
        assert "\n" not in violation.message


@given(documents(), VALUES)
def test_each_violation_stands_at_a_part_of_the_value(schema: pdl.Schema, value: Json) -> None:
    for violation in violations(schema, value):
        part = value
        for step in violation.path:
            part = part[step]
        if violation.keyword != "propertyNames":
            assert violation.found == brief(part)


@given(documents(), VALUES)
def test_feedback_is_a_few_sentences_of_which_the_last_is_an_instruction(
    schema: pdl.Schema, value: Json
) -> None:
    check = pdl.check(schema, json.dumps(value))
    if check.ok:
        return
    *told, advice = check.feedback.splitlines()
    assert 1 <= len(told) <= 12
    assert advice.split()[0] in {"Correct", "Return", "Answer", "Give", "Write"}
    for line in (*told, advice):
        assert line.endswith(".")
        assert line[0].isupper() or line[0] == "`"
        assert "http" not in line
    assert check.summary.startswith(f"{check.reason}: ")
    assert "\n" not in check.summary
