"""What holds for all that is said about any value."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from drawn import VALUES, documents
from hypothesis import given

import pdl
from pdl.reply import violations
from pdl.reply.phrases import Phrase
from pdl.reply.validation.compiled import validator_of
from pdl.reply.wording import brief

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
def test_feedback_is_short(schema: pdl.Schema, value: Json) -> None:
    check = pdl.check(schema, json.dumps(value))
    if not check.ok:
        assert 1 <= len(check.feedback.splitlines()) <= 13
        assert "http" not in check.feedback
