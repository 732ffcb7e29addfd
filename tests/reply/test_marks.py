"""What words say about the data that stands behind them, in many languages."""

from __future__ import annotations

import pytest
from snapshots import CASES

import pdl

SCHEMA = pdl.Schema.parse("{ n: str }")
ONE, OTHER = '{"n": "a"}', '{"n": "b"}'


def lines(name: str) -> list[str]:
    """The lines of `NAME.list`."""
    return (CASES / "reply" / f"{name}.list").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("mark", lines("mark-final"))
@pytest.mark.parametrize(
    "shape",
    [
        f"{ONE}\n\n%s\n{OTHER}",
        f"%s {OTHER}\n\n{ONE}",
        f"Draft:\n```\n{ONE}\n```\n\n%s\n\n```\n{OTHER}\n```",
        f"{ONE}\n\n%s\n\n---\n\n{OTHER}",
        f"{ONE}\n\n## %s\n\n{OTHER}",
    ],
)
def test_marked_answer_counts(mark: str, shape: str) -> None:
    """What is called final or corrected counts against another answer, before or behind it."""
    check = pdl.check(SCHEMA, shape.replace("%s", mark))
    assert check.value == {"n": "b"}, check.feedback


@pytest.mark.parametrize("words", lines("mark-not-final"))
@pytest.mark.parametrize("shape", [f"{ONE}\n\n%s\n{OTHER}", f"%s {OTHER}\n\n{ONE}"])
def test_other_words_are_no_mark(words: str, shape: str) -> None:
    """A denied mark, an example, a draft, or `final` of something else is no mark."""
    assert pdl.check(SCHEMA, shape.replace("%s", words)).value != {"n": "b"}


def test_quoted_mark_is_none() -> None:
    """What a quotation calls final is not called so by the model."""
    reply = f"The mail says:\n> Final answer: {ONE}\n\nMy own:\n{OTHER}"
    assert pdl.check(SCHEMA, reply).reason == "ambiguous"


@pytest.mark.parametrize("words", lines("doubt-denied"))
def test_denied_answer_is_none(words: str) -> None:
    """The only object of a reply is no answer if the words before it deny it."""
    assert not pdl.check(SCHEMA, f"{words} {OTHER}").ok


@pytest.mark.parametrize("words", lines("doubt-nothing"))
@pytest.mark.parametrize("shape", [f"%s\n\n{OTHER}", f"%s\n```json\n{OTHER}\n```"])
def test_words_that_deny_something_else(words: str, shape: str) -> None:
    """A denial of other things does not keep an answer from being found."""
    assert pdl.check(SCHEMA, shape.replace("%s", words)).value == {"n": "b"}


@pytest.mark.parametrize(
    "behind",
    ["is wrong.", "ist falsch.", "est faux.", "es incorrecto.", "— это неверно.", "是错误的。"],
)
def test_denied_behind(behind: str) -> None:
    """Nor is it one if the words behind it deny it."""
    assert not pdl.check(SCHEMA, f"{OTHER} {behind}").ok


@pytest.mark.parametrize(
    "words",
    [
        "Here is a partial list:",
        "Here are the first 2 of 45 entries:",
        "Unvollständige Liste:",
        "Liste partielle :",
        "Lista parcial:",
        "Неполный список:",
        "部分列表：",
    ],
)
def test_announced_as_a_part(words: str) -> None:
    """What is called a part of the list is not the list."""
    assert not pdl.check(pdl.Schema.parse("[{ n: str }]"), f"{words}\n[{ONE}, {OTHER}]").ok
