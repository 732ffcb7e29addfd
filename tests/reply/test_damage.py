"""One mark of JSON is missing: then the value is the one that was written, or there is none."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from spellings import containers, schema_of

import pdl

WORDS = ["a", "the", "big", "he", "said", "no", "bad wolf", "end.", "it's", "é", "x-ray", "(so)"]


@st.composite
def prose(draw: st.DrawFn) -> str:
    """Words, some of them in quotes."""
    words = draw(st.lists(st.sampled_from(WORDS), max_size=5))
    quoted = draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words)))
    marks = [f'"{word}"' if mark else word for word, mark in zip(words, quoted, strict=True)]
    return " ".join(marks)


SCALARS = st.none() | st.booleans() | st.integers(-999, 99_999) | prose()
VALUES = containers(st.recursive(SCALARS, containers, max_leaves=8)).filter(bool)
MARKS = re.compile(r'(?<!\\)["\]},:]|\\')
"""Without its opener a bracket has one closer too many, which is read; so openers stay."""


@given(st.data(), VALUES, st.booleans(), st.sampled_from(["{}", "```json\n{}\n```", "Here:\n{}\n"]))
def test_a_mark_is_missing(
    data: st.DataObject,
    value: Any,
    closed: bool,  # noqa: FBT001 - hypothesis draws it
    wrapping: str,
) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=data.draw(st.sampled_from([None, 1])))
    place = data.draw(st.sampled_from([found.start() for found in MARKS.finditer(text)]))
    damaged = text[:place] + text[place + 1 :]
    with contextlib.suppress(ValueError):
        assume(json.dumps(json.loads(damaged)) == json.dumps(value))
    schema = pdl.Schema.from_json_schema(schema_of(value, closed=closed))
    check = pdl.check(schema, wrapping.replace("{}", damaged))
    assert not check.ok or json.dumps(check.value) == json.dumps(value), (damaged, check.value)


@given(VALUES, st.booleans())
def test_no_inner_quote_has_its_backslash(
    value: Any,
    closed: bool,  # noqa: FBT001 - hypothesis draws it
) -> None:
    text = json.dumps(value, ensure_ascii=False).replace('\\"', '"')
    schema = pdl.Schema.from_json_schema(schema_of(value, closed=closed))
    check = pdl.check(schema, text)
    assert not check.ok or json.dumps(check.value) == json.dumps(value), (text, check.value)
