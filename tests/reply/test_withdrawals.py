"""What a reply takes back, strikes out or only cites, in many languages, and what only looks so."""

from __future__ import annotations

import pytest
from snapshots import CASES

import pdl

SCHEMA = pdl.Schema.parse("{ n: str }")
LIST = pdl.Schema.parse("[{ n: str }]")
ONE, OTHER = '{"n": "a"}', '{"n": "b"}'


def lines(name: str) -> list[str]:
    r"""The lines of `NAME.list`, in which `\n` is a line break."""
    text = (CASES / "reply" / f"{name}.list").read_text(encoding="utf-8")
    return [line.replace("\\n", "\n") for line in text.splitlines()]


@pytest.mark.parametrize("words", lines("withdrawn-behind"))
@pytest.mark.parametrize(
    "shape", [f"{ONE}\n\n%s", f"```json\n{ONE}\n```\n%s", f"Here it is:\n{ONE}\n%s\n"]
)
def test_taken_back_behind(words: str, shape: str) -> None:
    """An answer that the words behind it take back is none."""
    check = pdl.check(SCHEMA, shape.replace("%s", words))
    assert check.reason == "ambiguous", check.value


@pytest.mark.parametrize("words", lines("withdrawn-not"))
@pytest.mark.parametrize(
    "shape",
    [f"{ONE}\n\n%s", f"```json\n{ONE}\n```\n%s", f"Here it is:\n{ONE}\n\nHope this helps. %s\n"],
)
def test_remarks_that_take_nothing_back(words: str, shape: str) -> None:
    """Conditions, what was mended before, and errors of others."""
    check = pdl.check(SCHEMA, shape.replace("%s", words))
    assert check.value == {"n": "a"}, check.feedback


@pytest.mark.parametrize("around", lines("withdrawn-around"))
def test_taken_back_around(around: str) -> None:
    """What is struck out, asked about, called a draft, or shown beside a refusal to answer."""
    assert not pdl.check(SCHEMA, around.replace("%s", ONE)).ok


@pytest.mark.parametrize("around", lines("withdrawn-around-not"))
def test_words_around_that_take_nothing_back(around: str) -> None:
    """The same words about something else; and tokens of a turn that are tags elsewhere."""
    check = pdl.check(SCHEMA, around.replace("%s", ONE))
    assert check.value == {"n": "a"}, check.feedback


@pytest.mark.parametrize("cited", lines("mark-cited"))
@pytest.mark.parametrize("shape", [f"%s\n\n{OTHER}", f"{OTHER}\n\n%s"])
def test_cited_marks_decide_nothing(cited: str, shape: str) -> None:
    """Words in quotation marks or in inline code are another's; alone, they do no harm."""
    said = cited.replace("%s", ONE)
    assert pdl.check(SCHEMA, shape.replace("%s", said)).reason == "ambiguous"


@pytest.mark.parametrize("own", lines("mark-own"))
def test_own_marks_decide(own: str) -> None:
    """Only the answer is quoted, or something else is."""
    check = pdl.check(SCHEMA, own.replace("%s", ONE) + f"\n\n{OTHER}")
    assert check.value == {"n": "a"}, check.feedback


@pytest.mark.parametrize(
    "comment",
    ["should be 5", "wrong", "that is wrong", "Korrektur: 5", "this isn't right"],
)
@pytest.mark.parametrize("shape", ['{"b": 4 /* %s */}', '{"b": 4 // %s\n}', '{"b": 4 # %s\n}'])
def test_contradicted_by_a_comment(comment: str, shape: str) -> None:
    """A comment in the data that says that they should be others."""
    assert not pdl.check(pdl.Schema.parse("{ b: int }"), shape.replace("%s", comment)).ok


@pytest.mark.parametrize(
    "comment",
    ["should be checked", "an integer", "the wrong door", "in metres", "must be positive"],
)
def test_comments_that_say_nothing_against(comment: str) -> None:
    """Notes on the data."""
    check = pdl.check(pdl.Schema.parse("{ b: int }"), f'{{"b": 4 /* {comment} */}}')
    assert check.value == {"b": 4}, check.feedback


@pytest.mark.parametrize("prose", [f"{OTHER}", f"or {OTHER}", f"The result is {OTHER}."])
@pytest.mark.parametrize("fence", [f"```json\n{ONE}\n```\n\n%s", f"%s\n\n```json\n{ONE}\n```"])
def test_fence_is_no_mark_against_prose(prose: str, fence: str) -> None:
    """A JSON fence counts against other fences only."""
    assert pdl.check(SCHEMA, fence.replace("%s", prose)).reason == "ambiguous"


@pytest.mark.parametrize(
    "prose",
    [
        f"I first thought of {OTHER}.",
        f"My previous attempt had {OTHER}.",
        f"The original: {OTHER}",
        f"Zuerst dachte ich an {OTHER}.",
        f"An example: {OTHER}",
        f"Given the input {OTHER}:",
        "The braces in {this} are prose, and so is {}.",
        f"The same as {ONE}.",
    ],
)
def test_prose_that_is_no_rival(prose: str) -> None:
    """What was there before, an example, braces that hold no answer, the same answer again."""
    check = pdl.check(SCHEMA, f"{prose}\n\n```json\n{ONE}\n```")
    assert check.value == {"n": "a"}, check.feedback


@pytest.mark.parametrize(
    "words", ["I can also sum up the remaining 19 chapters.", "There are no other 5.", "See you!"]
)
def test_so_many_of_something_else(words: str) -> None:
    """Other things are counted."""
    assert pdl.check(LIST, f"[{ONE}, {OTHER}]\n\n{words}").ok


@pytest.mark.parametrize("size", [10_000, 40_000])
@pytest.mark.parametrize(
    "part",
    [
        "~~",
        "<del>",
        "</s><s>",
        '"',
        "`",
        "“",
        "wait ",
        "sorry no ",
        "ignore ",
        "should be ",
        "no, ",
    ],
)
def test_hostile_words_end(part: str, size: int) -> None:
    """Nothing that is looked at for such words takes more than linear time."""
    for reply in (part * size + ONE, ONE + part * size, f"Final answer: {part * size}{ONE}"):
        assert pdl.check(SCHEMA, reply).reason != "limit"
