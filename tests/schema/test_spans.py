"""Where the values of a JSON text stand, by their pointers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from pdl.schema.keywords import pointer
from pdl.schema.parts import spans
from pdl.source import Source

if TYPE_CHECKING:
    from pdl._types import JsonPath

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def parts(value: Any, path: JsonPath = ()) -> list[tuple[JsonPath, Any]]:
    found = [(path, value)]
    if isinstance(value, dict):
        found += [one for key, inner in value.items() for one in parts(inner, (*path, key))]
    elif isinstance(value, list):
        found += [one for at, inner in enumerate(value) for one in parts(inner, (*path, at))]
    return found


@given(VALUES, st.sampled_from([None, 1]), st.booleans(), st.sampled_from(["", "x\n"]))
def test_law_all_values_are_found(
    value: Any,
    indent: int | None,
    plain: bool,  # noqa: FBT001 - drawn
    head: str,
) -> None:
    text = head + json.dumps(value, indent=indent, ensure_ascii=plain)
    told = {pointer(path): inner for path, inner in parts(value)}
    found = spans(Source(text), told, len(head))
    assert found.keys() == told.keys()
    for place, inner in told.items():
        shown = found[place].text
        if isinstance(inner, dict | list):
            assert shown == ("{" if isinstance(inner, dict) else "[")
        else:
            assert json.loads(shown) == inner


def test_what_is_not_there_has_no_span() -> None:
    assert spans(Source('{"a": [1, 2]}'), ["#/b", "#/a/2", "#/a/0/x"]) == {}
