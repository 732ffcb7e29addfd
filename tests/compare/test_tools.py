"""Differences of tools: for those that handle calls, and for calls on record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pdl import compare
from pdl.tools import ToolCall, ToolSet

if TYPE_CHECKING:
    from pdl.compare.verdicts import No

CASES: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    ("search(query: str)", "search(query: str<1,9>)",
     ('search.query: str became str<1,9>: narrowed; "" was valid',), "narrowed"),
    ("search(query: str)", "search(query: str, limit?: int)",
     (('search.limit: optional argument added (int): widened;'
       ' {"query":"","limit":0} is now valid'),), "widened"),
    ("search() // Look", "search() // Find", ('search: description "Look" became "Find"',),
     "compatible"),
    ("search()", "search() // Find", ('search: description added: "Find"',), "compatible"),
    ("search() // Look", "search()", ('search: description removed: "Look"',), "compatible"),
    ("search()", "search()\nopen(id: int)", ("open: tool added: open(id: int)",), "widened"),
    ("search()\nopen(id: int)", "search()", ("open: tool removed: open(id: int)",), "narrowed"),
    ("a()\nb()", "b()\na()", ("$: order of tools `a`, `b` became `b`, `a`",), "compatible"),
    ("a(x: { y: int })", "a(x: { y: int, z?: int })",
     ('a.x.z: optional key added (int): widened; {"y":0,"z":0} is now valid',), "widened"),
)  # fmt: skip


@pytest.mark.parametrize(("old", "new", "wanted", "verdict"), CASES)
def test_cases(old: str, new: str, wanted: tuple[str, ...], verdict: str) -> None:
    one, other = ToolSet.parse(old), ToolSet.parse(new)
    found = compare.compare_tools(one, other)
    assert tuple(f"{change.path}: {change.message}" for change in found.changes) == wanted
    assert found.verdict == verdict
    breaks = {audience for change in found.changes for audience in change.breaks}
    assert ("programs" in breaks) == (verdict in ("widened", "both"))
    assert ("recordings" in breaks) == (verdict in ("narrowed", "both"))
    for change in found.changes:
        check(change.lost, one, other)
        check(change.gained, other, one)
    for inclusion, sides in ((found.forward, (one, other)), (found.backward, (other, one))):
        check(None if isinstance(inclusion, compare.Yes | compare.Unknown) else inclusion, *sides)


def check(witness: No | None, valid: ToolSet, refused: ToolSet) -> None:
    """A call that shows a difference is valid for one set of tools alone."""
    if witness is not None:
        call = ToolCall(witness.value["name"], witness.value["arguments"])
        assert valid.check_calls([call]).ok
        assert not refused.check_calls([call]).ok


def test_tools_that_are_new_or_gone() -> None:
    tools = ToolSet.parse("search(query: str)")
    assert compare.compare_tools(None, tools).verdict == "widened"
    assert compare.compare_tools(tools, None).verdict == "narrowed"
    assert compare.compare_tools(None, None).changes == ()
    assert compare.compare_tools(tools, tools).changes == ()


def test_a_tool_that_might_be_renamed() -> None:
    found = compare.compare_tools(
        ToolSet.parse("search(query: str) // Search the web"),
        ToolSet.parse("find(query: str) // Search the web"),
    )
    assert [one.guess for one in found.changes] == [
        "",
        "`find` may be `search`, renamed: same type and description",
    ]


def test_only_tools_are_compared() -> None:
    with pytest.raises(TypeError, match="must be a pdl ToolSet or None"):
        compare.compare_tools([], None)  # type: ignore[arg-type]
