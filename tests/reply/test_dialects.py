"""The table of marks: what may stand in it, and that a user's own marks work everywhere."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from snapshots import CASES

import pdl
from pdl.prompt.rendered import Rendered
from pdl.reply import DIALECTS, Dialects

if TYPE_CHECKING:
    from snapshots import Snapshot

SCHEMA = pdl.Schema.parse("{ city: str }")
DRAFT, ANSWER = '{"city": "Bergen"}', '{"city": "Oslo"}'
OSLO = {"city": "Oslo"}


@pytest.mark.parametrize(
    ("more", "reply"),
    [
        ({"reasoning_tags": ["musing"]}, f"<musing>{DRAFT}</musing>{ANSWER}"),
        ({"reasoning_tags": ["musing"]}, f"{DRAFT}</Musing>{ANSWER}"),
        ({"reasoning_tags": ["a.b*c"]}, f"<a.b*c>{DRAFT}</a.b*c>{ANSWER}"),
        ({"reasoning_tags": ["réflexion"]}, f"<RÉFLEXION>{DRAFT}</réflexion>{ANSWER}"),
        ({"reasoning_marks": [("[[", "]]")]}, f"[[{DRAFT}]]{ANSWER}"),
        ({"reasoning_marks": [("{think}", "{/think}")]}, f"{{think}}{DRAFT}{{/think}}{ANSWER}"),
        ({"reasoning_marks": [("(?", "?)")]}, f"(?{DRAFT}?){ANSWER}"),
        ({"reasoning_marks": [("Thought:", "Action:")]}, f"thought: {DRAFT}\nAction: {ANSWER}"),
        ({"reasoning_marks": [("…(", ")…")]}, f"…({DRAFT})…{ANSWER}"),
        ({"answer_tags": ["reply-to"]}, f"{DRAFT} <reply-to>{ANSWER}</reply-to>"),
        ({"answer_marks": [("=>>", "<<=")]}, f"{DRAFT} =>>{ANSWER}<<="),
        ({"end_tokens": ["<|fin|>"]}, f"{ANSWER}<|fin|>"),
        ({"end_tokens": ["§§"]}, f"```json\n{ANSWER}\n```§§"),
    ],
)  # fmt: skip
def test_marks_of_a_user(more: dict[str, Any], reply: str) -> None:
    dialects = DIALECTS.extended(**more)
    assert pdl.check(SCHEMA, reply, dialects=dialects).value == OSLO
    assert pdl.extract(SCHEMA, reply, dialects=dialects) == OSLO
    assert Rendered((), SCHEMA).check(reply, dialects=dialects).value == OSLO


def test_other_marks_stay_what_they_are() -> None:
    reply = f"<musing>{DRAFT}</musing>{ANSWER}"
    assert pdl.check(SCHEMA, reply).reason == "ambiguous"
    more = DIALECTS.extended(reasoning_tags=["musing"])
    assert pdl.check(SCHEMA, f"<think>{DRAFT}</think>{ANSWER}", dialects=more).value == OSLO


def test_tokens_of_a_user_end_texts_and_code() -> None:
    dialects = DIALECTS.extended(end_tokens=["<|fin|>"], turn_tokens=["<|go|>"], roles=["bot"])
    text, code = pdl.Schema.parse("str"), pdl.Schema.parse("code")
    assert pdl.check(text, "<|go|>bot\nHello.<|fin|>", dialects=dialects).value == "Hello."
    assert pdl.check(code, "```py\nx = 1\n<|fin|> <|fin|>", dialects=dialects).value == "x = 1"


def test_entries_can_be_taken_away() -> None:
    """A language model that speaks of HTML may use `<output>` as it likes."""
    fewer = dataclasses.replace(DIALECTS, answer_tags=("answer",))
    reply = f"{DRAFT} <output>{ANSWER}</output>"
    assert pdl.check(SCHEMA, reply).value == OSLO
    assert pdl.check(SCHEMA, reply, dialects=fewer).reason == "ambiguous"


def test_an_empty_table_knows_no_marks() -> None:
    empty = Dialects((), (), (), (), (), (), (), (), (), ())
    assert pdl.check(SCHEMA, f"<think>{ANSWER}</s>", dialects=empty).value == OSLO


def test_tables_are_values() -> None:
    assert Dialects() == DIALECTS
    one, other = (DIALECTS.extended(reasoning_tags=["musing"]) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one.patterns is other.patterns
    assert isinstance(one.reasoning_tags, tuple)


REFUSED: dict[str, dict[str, Any]] = {
    "blank-role": {"roles": [" "]},
    "blank-tag": {"reasoning_tags": [""]},
    "citation": {"reasoning_marks": [("[1]", "[/1]")]},
    "mark-in-both": {"answer_marks": [("[think]", "[x]")]},
    "mark-of-one-character": {"end_tokens": ["."]},
    "mark-with-blank-in-front": {"start_tokens": [" go"]},
    "no-text": {"end_tokens": [None]},
    "one-mark-for-pair": {"reasoning_marks": ["**"]},
    "one-text-for-list": {"reasoning_tags": "musing"},
    "own-closer": {"reasoning_marks": [("**", "**")]},
    "tag-in-both": {"reasoning_tags": ["Answer"]},
    "tag-with-angles": {"reasoning_tags": ["<musing>"]},
    "tag-with-blank": {"answer_tags": ["my answer"]},
    "three-for-pair": {"reasoning_marks": [("a1", "b1", "c1")]},
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_work_is_refused_with_advice(name: str, snapshot: Snapshot) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        DIALECTS.extended(**REFUSED[name])
    snapshot.check(CASES / "dialects" / f"{name}.txt", str(raised.value))


def test_a_field_that_there_is_not_is_refused() -> None:
    with pytest.raises(TypeError, match="Dialects has no 'tags'; it has reasoning_tags, "):
        DIALECTS.extended(tags=["musing"])
