"""Comments amid data: those that may change the data are none that may fall away."""

from __future__ import annotations

import pytest
from snapshots import CASES

import pdl

SCHEMA = pdl.Schema.parse("{ n: int, m?: int }")
TEXTS = pdl.Schema.parse("[str]")


def lines(name: str) -> list[str]:
    text = (CASES / "reply" / f"{name}.list").read_text(encoding="utf-8")
    return text.splitlines()


@pytest.mark.parametrize("words", lines("comment-against"))
@pytest.mark.parametrize("shape", ['{"n": 5 // %s\n}', '{"n": 5 /* %s */}', '{\n  "n": 5, # %s\n}'])
def test_a_comment_may_hold_another_value(words: str, shape: str) -> None:
    """Right behind a value it may say that the value is another."""
    check = pdl.check(SCHEMA, shape.replace("%s", words))
    assert not check.ok, check.value


@pytest.mark.parametrize("words", lines("comment-harmless"))
@pytest.mark.parametrize("shape", ['{"n": 5 // %s\n}', '{"n": 5 /* %s */}', '{\n  "n": 5, # %s\n}'])
def test_a_note_is_passed_over(words: str, shape: str) -> None:
    """It says what a value means, or where it is from."""
    check = pdl.check(SCHEMA, shape.replace("%s", words))
    assert check.value == {"n": 5}, check.feedback


@pytest.mark.parametrize(
    "reply",
    [
        '["a", // "b",\n "c"]',
        '["a", /* "b", */ "c"]',
        '["a", "c"] // incomplete',
        '["a" // plus c and d\n]',
        '["a" // and so forth\n]',
        '["a", // or "b"\n "c"]',
        '[\n "a"\n // "b"\n]',
    ],
)
def test_a_comment_may_hold_items(reply: str) -> None:
    assert not pdl.check(TEXTS, reply).ok


def test_what_was_taken_out_with_its_comma_is_absent() -> None:
    """A member on lines of its own was made a comment on purpose."""
    reply = '{\n  "n": 5, // in metres\n  // "m": 6,\n  /* "n": 7, */\n}'
    assert pdl.check(SCHEMA, reply).value == {"n": 5}


def test_a_comment_beside_null_may_say_why() -> None:
    schema = pdl.Schema.parse("{ n: int? }")
    assert pdl.check(schema, '{"n": null // unknown\n}').value == {"n": None}
    assert not pdl.check(schema, '{"n": 0 // unknown\n}').ok


def test_data_that_end_with_all_their_closers_are_not_cut_off() -> None:
    """A string that is open at the end does not make it a reply that was cut."""
    schema = pdl.Schema.parse("{ a: [str] }")
    assert pdl.check(schema, '{"a": ["x", "y]}').reason == "unparsable"
    assert pdl.check(schema, '{"a": ["x", "y').reason == "truncated"
