"""The tolerant parser changes spelling, never data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.reply.parsing.events import locate, since
from pdl.reply.parsing.grammar import Plain
from pdl.reply.parsing.parser import Parser
from pdl.reply.parsing.readings import read_tolerantly as read_with
from pdl.reply.parsing.tokens import UnreadableError
from pdl.reply.result import Broken
from pdl.reply.validation.compiled import validator_of
from pdl.reply.validation.schema_walk import Node
from pdl.schema import Schema

if TYPE_CHECKING:
    from pdl._types import JsonPath
    from pdl.reply.result import Parsed

CASES = Path(__file__).parent.parent / "cases" / "tolerant"
ANY: dict[str, Any] = {}


def read_or_not(
    text: str, notation: str = "any", limits: Limits = DEFAULT_LIMITS
) -> Parsed | Broken:
    document = Schema.parse(notation).document
    return read_with(text, document, validator_of(document).is_valid, limits)


def read(text: str, notation: str = "any") -> Parsed:
    made = read_or_not(text, notation)
    assert not isinstance(made, Broken), made
    return made


def rows(name: str) -> list[list[Any]]:
    """Rows of a table: the schema, the text, and what is read."""
    found: list[list[Any]] = json.loads((CASES / name).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(("notation", "text", "value", "kinds"), rows("read.json"))
def test_other_spellings_are_read(
    notation: str,
    text: str,
    value: Any,
    kinds: list[str],
) -> None:
    """The value, each repair by its name, and where it was made."""
    made = read(text, notation)
    assert json.dumps(made.value) == json.dumps(value)
    assert sorted({repair.kind for repair in made.repairs}) == kinds
    for repair in made.repairs:
        assert text[slice(*repair.span)].startswith(repair.before)


@pytest.mark.parametrize(("notation", "text"), rows("refused.json"))
def test_what_is_not_certain_is_not_read(
    notation: str,
    text: str,
) -> None:
    assert isinstance(read_or_not(text, notation), Broken)


def test_a_repair_has_a_path_and_a_place() -> None:
    text = "{\"a\": [1, {b: 'x'}]}"
    bare, quotes = read(text).repairs
    assert (bare.path, text[slice(*bare.span)], bare.after) == (("a", 1), "b", '"b"')
    assert (quotes.path, quotes.before, quotes.after) == (("a", 1, "b"), "'x'", '"x"')


def test_parts_have_places() -> None:
    text = "{a: [1, 'x'], b: {c: True}}"
    expected: dict[JsonPath, str] = {
        (): text,
        ("a",): "[1, 'x']",
        ("a", 0): "1",
        ("a", 1): "'x'",
        ("b",): "{c: True}",
        ("b", "c"): "True",
    }
    places = locate(read(text), text, (0, len(text)), {*expected, ("x",)})
    assert {path: text[slice(*span)] for path, span in places.items()} == expected


def test_depth_and_digits_are_limited() -> None:
    limits = Limits(reply_depth=3, integer_digits=4)
    for text, why in (("[[[[1,],],],]", "3 levels deep"), ("[12345,]", "4 digits")):
        made = read_or_not(text, limits=limits)
        assert isinstance(made, Broken)
        assert made.reason == "limit"
        assert f"more than {why}" in made.message


@given(st.text("{}[]'\",:ab1 \\\n/*#=“”", max_size=40))
def test_any_text_is_read_or_refused(
    text: str,
) -> None:
    made = read_or_not("{" + text)
    if isinstance(made, Broken):
        return
    assert json.loads(json.dumps(made.value)) == made.value


@pytest.mark.parametrize(
    "piece", ['x"y, ', '"a", "b" c", ', "'", '"', "{", "[{", "a: ", "\\", "1,"]
)
def test_many_doubts_end(piece: str) -> None:
    """Each place that can be read in two ways costs one more reading, of which there are few."""
    assert isinstance(read_or_not('{"a": "' + piece * 3000 + "}"), Broken)


def heard(parser: Parser) -> list[tuple[object, ...]]:
    return [event[1:4] for event in since(parser.certain)]


SIGNS = st.sampled_from(
    [*"{}[]\"',:ab1 \\\n/#=“”é", '"a": ', '"x", ', "'b': ", "1,000", "true", "None", '"y"}',
     "// c\n"]
)  # fmt: skip


@given(st.lists(SIGNS, max_size=24).map("".join), st.lists(st.integers(0, 60), max_size=4))
def test_pieces_make_no_difference(body: str, cuts: list[int]) -> None:
    """What is certain depends on the text alone, and all readings begin with it."""
    text = '{"k": ' + body
    ends = sorted({min(cut, len(text)) for cut in cuts} | {len(text)})
    whole, pieces = Parser(Node(True), DEFAULT_LIMITS), Parser(Node(True), DEFAULT_LIMITS)  # noqa: FBT003
    whole.feed(text)
    for start, end in zip([0, *ends], ends, strict=False):
        pieces.feed(text[start:end])
    assert heard(pieces) == heard(whole)
    assert pieces.glimpse(*pieces.moment)[1:] == whole.glimpse(*whole.moment)[1:]
    try:
        readings = Parser(Node(True), DEFAULT_LIMITS).end(text)  # noqa: FBT003
    except UnreadableError:
        return
    for reading in readings:
        events = [event[1:4] for event in since(reading.made.last)]
        assert events[: len(heard(whole))] == heard(whole)


def readings(text: str) -> list[object]:
    try:
        found = Parser(Node(True), DEFAULT_LIMITS).end(text)  # noqa: FBT003
    except UnreadableError as failure:
        return [failure.args, failure.expected]
    return [(one.made.value, one.made.repairs) for one in found]


@given(st.lists(SIGNS, max_size=24).map("".join))
def test_plain_parts_are_read_as_all_others(body: str) -> None:
    """One match takes what the steps take one by one."""
    text = '{"k": ' + body
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Plain, "_take_plain", lambda _: "odd")
        expected = readings(text)
    assert readings(text) == expected
