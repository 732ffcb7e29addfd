"""Formatting files of cases: what reading them gives stays as it is."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pdl.edit.document import Document, Range
from pdl.edit.formatting.format import format_edits, format_range, formatted
from pdl.prompt.template import source_of
from pdl.testing.parts import parts_of
from pdl.testing.reader import parse_cases
from pdl.testing.sections import sections_of

PATH = Path("a.tests.pdl")
LINES = st.sampled_from(
    [
        *("<|case|> one", "<| Case |>  two  ", "<|case|>", "<|data|>", "  <|data|>   {a:   1} "),
        *("<|reply|>", "<|REPLY|> refused elided", "<|expect|>", "<|expect|>   {a:int,[str]:any}"),
        *("{a:1|2,// c", "b:str}", '{"a":   1}', "<|assert|>", "value.a==1", "  or true"),
        *("<|messages|>", "<|user|>", "<|cases|>  @a.jsonl", "# comment", "", "   ", "a: 1"),
        *("text  ", "\x0c", "\xa0", "{ a: [str", "@a.json", "<|judge|>  b.pdl  true"),
    ]
)
TEXTS = st.tuples(
    st.lists(LINES, max_size=14), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans()
).map(lambda one: ("\ufeff" if one[2] else "") + one[1].join(one[0]))


def reading(text: str) -> list[Any]:
    """The cases of a text, without places."""
    file = parse_cases(source_of(text, "a.tests.pdl"), PATH)
    out: list[Any] = [sorted((one.code, one.message.split(": ")[0]) for one in file.problems)]
    for case in file.cases:
        parts = parts_of(case)
        expected = parts.expectation
        out.append(
            (
                case.name,
                parts.data,
                [(one.reply, one.refused) for one in parts.recordings],
                (expected.schema.to_json_schema(), expected.exact) if expected else None,
                [one.source.text for one in parts.assertions],
                parts.messages.text if parts.messages else None,
                [one.code for one in parts.problems],
            )
        )
    return out


@given(TEXTS)
def test_reading_stays_the_same(text: str) -> None:
    assert reading(formatted(text, PATH)) == reading(text)


@given(TEXTS)
def test_twice_is_once(text: str) -> None:
    once = formatted(text, PATH)
    assert formatted(once, PATH) == once


@given(TEXTS)
def test_line_ends_and_the_mark_stay(text: str) -> None:
    once = formatted(text, PATH)
    assert once.startswith("\ufeff") == text.startswith("\ufeff")
    if "\r" not in text:
        assert "\r" not in once
    elif "\n" not in text:
        assert "\n" not in once


@given(TEXTS)
def test_bodies_stay_as_they_are(text: str) -> None:
    """All but expectations."""
    found = [sections_of(source_of(one, "").text) for one in (text, formatted(text, PATH))]
    texts = [source_of(one, "").text for one in (text, formatted(text, PATH))]
    bodies = [
        [(one.name, text[slice(*one.body)]) for one in sections.all if one.name != "expect"]
        for sections, text in zip(found, texts, strict=True)
    ]
    assert bodies[0] == bodies[1]


@given(TEXTS, st.integers(0, 200), st.integers(0, 200))
def test_a_range_has_some_of_the_edits(text: str, start: int, end: int) -> None:
    document = Document(text, PATH)
    some = format_range(document, Range(min(start, end), max(start, end)))
    assert set(some) <= set(format_edits(document))


def test_edits_do_not_overlap() -> None:
    edits = format_edits(Document("\n\n# a\n\n\n <|Case|>  b \n\n\n<|expect|>\n\n{a:1}\n\n", PATH))
    assert all(one.end <= other.start for one, other in pairwise(edits))


def test_a_layout_that_breaks_lines_is_left_behind_a_mark() -> None:
    long = "{" + ", ".join(f"field_number_{number}: str" for number in range(9)) + "}"
    once = formatted(f"<|case|> a\n<|expect|>  {long}\n", PATH)
    assert once.splitlines()[1] == f"<|expect|> {long}"
