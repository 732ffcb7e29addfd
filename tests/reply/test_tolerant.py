"""The tolerant parser changes spelling, never data."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.reply.tolerant import UnreadableError, read

SCALARS = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)

READ = {
    "{'a': 1}": ({"a": 1}, ["quotes"]),
    "{a: True, b: None,}": (
        {"a": True, "b": None},
        ["bare-key", "python-literal", "bare-key", "python-literal", "trailing-comma"],
    ),
    '{"a": .5, "b": +5, "c": 5.}': ({"a": 0.5, "b": 5, "c": 5.0}, ["number"] * 3),
    "[1, 2,]": ([1, 2], ["trailing-comma"]),
    '{“a”: “it’s 5" long”}': ({"a": 'it’s 5" long'}, ["quotes", "quotes"]),
    "{'t': \"it's\"}": ({"t": "it's"}, ["quotes"]),
    '{"t": "a\nb"}': ({"t": "a\nb"}, ["raw-control"]),
    '// x\n{"a": 1 /* y */} # z': ({"a": 1}, ["comment"] * 3),
    '{"a"：1，"b"：2}': ({"a": 1, "b": 2}, ["full-width"] * 3),
    "{'a': 'b\\'c'}": ({"a": "b'c"}, ["quotes", "quotes"]),
    "{'u': 'http://x//y # z'}": ({"u": "http://x//y # z"}, ["quotes", "quotes"]),
    '{"a":\u00a01}': ({"a": 1}, ["blank"]),
    "{'a': 1, 'a': 1.0}": ({"a": 1}, ["quotes", "quotes"]),
}
REFUSED = [
    "{'a': 'it's'}", "[1, 2, ...]", '{"a": 007}', '{"a": 1_0}', '{"a": 0x1F}', '{"a": NaN}',
    '{"a": Infinity}', '{"a": undefined}', '{"a": "x" "b": 1}', '{"a":1', "[[[]]", "[]]",
    "{'a': 1, 'a': 2}", "{,}", "[,1]", "[1,,2]", '{"a": $5}', '{"a": 50%}', '{"a": 1e999}',
    '{"a": 1e-999}', '{"a": word}', "(1, 2)", "{1, 2}", '{"a": "\\q"}', "{'a': 'b}", '{"a" 1}',
    "{a}", "", "{'a': 6*7}", "{'a': 1,000}", "{“a„: 1}", "{'a': b'x'}",
]  # fmt: skip


@pytest.mark.parametrize(("text", "outcome"), READ.items(), ids=READ.keys())
def test_other_spellings_are_read(text: str, outcome: tuple[Any, list[str]]) -> None:
    value, repairs = read(text, DEFAULT_LIMITS)
    assert (value, [repair.kind for repair in repairs]) == outcome
    for repair in repairs:
        assert text[slice(*repair.span)].startswith(repair.before)


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_certain_is_not_read(text: str) -> None:
    with pytest.raises(UnreadableError):
        read(text, DEFAULT_LIMITS)


@given(VALUES, st.sampled_from([None, 2]))
def test_json_needs_no_repair(value: Any, indent: int | None) -> None:
    assert read(json.dumps(value, indent=indent), DEFAULT_LIMITS) == (value, ())


@given(VALUES)
def test_a_python_literal_is_read_as_its_value(value: Any) -> None:
    """`repr` escapes some characters in ways that JSON has not; then nothing is read."""
    text = repr(value)
    try:
        found, _ = read(text, DEFAULT_LIMITS)
    except UnreadableError:
        assert "\\x" in text or "\\U" in text
    else:
        assert found == value


@given(st.dictionaries(st.text(max_size=4), VALUES, min_size=1), st.data())
def test_a_cut_text_is_never_completed(value: dict[str, Any], data: st.DataObject) -> None:
    text = repr(value)
    with pytest.raises(UnreadableError):
        read(text[: data.draw(st.integers(1, len(text) - 1))], DEFAULT_LIMITS)


@given(st.text(st.sampled_from("{}[]\"'“”,:1aT\\/*# \n.-"), max_size=20))
def test_it_reads_or_refuses(text: str) -> None:
    with contextlib.suppress(UnreadableError):
        json.dumps(read(text, DEFAULT_LIMITS)[0])


def test_depth_is_limited() -> None:
    with pytest.raises(UnreadableError):
        read("[" * 50 + "]" * 50, Limits(reply_depth=20))
    with pytest.raises(UnreadableError):
        read("[" * 100_000, DEFAULT_LIMITS)
