"""Data that is left out in words, in many languages; and words that only look like it."""

from __future__ import annotations

import pytest
from snapshots import CASES

import pdl

LIST = pdl.Schema.parse("[{ n: str }]")
PAIR = pdl.Schema.parse("{ n: str, m: str }")
OPEN = pdl.Schema.parse("{ n: str, m?: str }")
ONE, OTHER = '{"n": "a"}', '{"n": "b"}'
BOTH = [{"n": "a"}, {"n": "b"}]


def lines(name: str) -> list[str]:
    """The lines of `NAME.list`."""
    return (CASES / "reply" / f"{name}.list").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("words", lines("elided-inside"))
@pytest.mark.parametrize(
    "shape", [f"[\n  {ONE},\n  {OTHER},\n  %s\n]", f"```json\n[\n  {ONE},\n  %s\n  {OTHER}\n]\n```"]
)
def test_left_out_inside(words: str, shape: str) -> None:
    """Dots, a comment or bare words in the place of items."""
    check = pdl.check(LIST, shape.replace("%s", words))
    assert check.reason in {"elided", "unparsable"}, check.value


@pytest.mark.parametrize("words", ["// other fields", "...", "/* weitere Felder */", "// 其他字段"])
def test_left_out_fields(words: str) -> None:
    """The same in an object that would fit without them."""
    assert not pdl.check(OPEN, f'{{"n": "a", {words}\n}}').ok


@pytest.mark.parametrize("words", lines("elided-behind"))
@pytest.mark.parametrize(
    "shape",
    [
        f"[{ONE}, {OTHER}]\n%s",
        f"[{ONE}, {OTHER}]\n\n%s",
        f"```json\n[{ONE}, {OTHER}]\n```\n%s",
        f"[{ONE}, {OTHER}] %s",
    ],
)
def test_left_out_after(words: str, shape: str) -> None:
    """A list that fits, and words behind it that say it is not all."""
    assert pdl.check(LIST, shape.replace("%s", words)).reason == "elided"


@pytest.mark.parametrize("words", lines("elided-nothing"))
@pytest.mark.parametrize(
    "shape", [f"[{ONE}, {OTHER}]\n\n%s", f"```json\n[{ONE}, {OTHER}]\n```\n%s"]
)
def test_nothing_left_out_after(words: str, shape: str) -> None:
    """Remarks on the answer that take nothing from it."""
    check = pdl.check(LIST, shape.replace("%s", words))
    assert check.value == BOTH, check.feedback


@pytest.mark.parametrize("note", lines("elided-notes"))
@pytest.mark.parametrize("shape", ["// %s\n", "# %s\n", "/* %s */"])
def test_notes_on_data(note: str, shape: str) -> None:
    """Comments that say something about the data beside them."""
    reply = f"[\n  {ONE}, {shape.replace('%s', note)}  {OTHER}\n]"
    check = pdl.check(LIST, reply)
    assert check.value == BOTH, check.feedback


@pytest.mark.parametrize(
    "words",
    [
        "...",
        "etc.",
        "and so on",
        "eggs, milk, etc.",
        "Wait...",
        "[...]",
        "usw.",
        "以下省略",
        "// ...",
    ],
)
@pytest.mark.parametrize("shape", ['{"n": "%s", "m": "x"}', "{'n': '%s', 'm': 'x',}"])
def test_dots_in_a_value_are_data(words: str, shape: str) -> None:
    """A string is data, whatever it says."""
    check = pdl.check(PAIR, shape.replace("%s", words))
    assert check.value == {"n": words, "m": "x"}, check.feedback


@pytest.mark.parametrize("size", [10_000, 40_000])
@pytest.mark.parametrize("part", ["... ", "rest ", "// ...", "/*", "“", '\\"', "' ", "(", "more "])
def test_hostile_remarks_end(part: str, size: int) -> None:
    """Nothing that is looked at for such words takes more than linear time."""
    assert not pdl.check(LIST, "[" + part * size + "]").ok
    assert pdl.check(LIST, f"[{ONE}] " + part * size).reason != "limit"
