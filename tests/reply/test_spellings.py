"""The law of the checker: another spelling or wrapping gives the same value, or a refusal."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from spellings import SPELLINGS, VALUES, WRAPPINGS, Writer, schema_of

import pdl


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values, in which true is not 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@given(st.data(), VALUES, st.booleans(), st.sampled_from(WRAPPINGS))
def test_a_spelling_changes_no_data(
    data: st.DataObject,
    value: Any,
    closed: bool,  # noqa: FBT001 - hypothesis draws it
    wrapping: str,
) -> None:
    text = Writer(data, SPELLINGS).write(value)
    schema = pdl.Schema.from_json_schema(schema_of(value, closed=closed))
    check = pdl.check(schema, wrapping.format(text))
    assert not check.ok or same(check.value, value), (text, check.value)


@given(VALUES, st.booleans(), st.sampled_from(WRAPPINGS))
def test_clean_json_is_never_changed(
    value: Any,
    closed: bool,  # noqa: FBT001 - hypothesis draws it
    wrapping: str,
) -> None:
    schema = pdl.Schema.from_json_schema(schema_of(value, closed=closed))
    text = json.dumps(value, ensure_ascii=False)
    check = pdl.check(schema, wrapping.format(text))
    assert not check.ok or same(check.value, value)
    assert check.ok or check.reason in {"elided", "ambiguous", "absent"}, check.feedback
