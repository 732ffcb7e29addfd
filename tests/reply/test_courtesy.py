"""Sentences beside an answer, in each language that the documentation names.

What takes the answer back is heard, and ordinary courtesy refuses nothing.
"""

from __future__ import annotations

import json
import tomllib
from functools import cache
from importlib import resources

import pytest
from snapshots import CASES

import pdl

LANGUAGES = sorted(path.stem for path in (CASES / "courtesy").glob("*.toml"))
PERSON = pdl.Schema.parse("{ name: str, age: int, city: str }")
REVIEW = pdl.Schema.parse("{ stars: int<1,5>, refund: bool, problems: [str] }")
ADA = {"name": "Ada Moss", "age": 41, "city": "Leeds"}
TWO_STARS = {"stars": 2, "refund": True, "problems": ["late", "broken lid"]}
ABOUT_REVIEWS = ("stars", "refund", "problem", "review")


@cache
def rows(language: str) -> dict[str, list[str]]:
    text = (CASES / "courtesy" / f"{language}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def cases(kind: str) -> list[object]:
    return [
        pytest.param(one, id=f"{language}-{number}")
        for language in LANGUAGES
        for number, one in enumerate(rows(language)[kind])
    ]


def check(sentence: str, *, behind: bool, fenced: bool) -> pdl.Check:
    """The check of a reply with one good answer and a sentence beside it."""
    reviews = any(word in sentence.lower() for word in ABOUT_REVIEWS)
    schema, value = (REVIEW, TWO_STARS) if reviews else (PERSON, ADA)
    answer = json.dumps(value, indent=1 if fenced else None)
    answer = f"```json\n{answer}\n```" if fenced else answer
    reply = f"{answer}\n\n{sentence}" if behind else f"{sentence}\n\n{answer}"
    made = pdl.check(schema, reply)
    assert not made.ok or made.value == value
    return made


@pytest.mark.parametrize("fenced", [False, True])
@pytest.mark.parametrize("sentence", cases("after_ok"))
def test_courtesy_behind_an_answer(sentence: str, fenced: bool) -> None:  # noqa: FBT001
    """Offers, hedges, notes and apologies for earlier replies refuse nothing."""
    made = check(sentence, behind=True, fenced=fenced)
    assert made.ok, made.summary


@pytest.mark.parametrize("fenced", [False, True])
@pytest.mark.parametrize("sentence", cases("before_ok"))
def test_courtesy_before_an_answer(sentence: str, fenced: bool) -> None:  # noqa: FBT001
    """Announcements, restatements and excuses refuse nothing."""
    made = check(sentence, behind=False, fenced=fenced)
    assert made.ok, made.summary


@pytest.mark.parametrize("fenced", [False, True])
@pytest.mark.parametrize("sentence", cases("after_bad"))
def test_taken_back(sentence: str, fenced: bool) -> None:  # noqa: FBT001
    """An imperative on the answer, a verdict on it, another value for one of its keys."""
    assert check(sentence, behind=True, fenced=fenced).reason == "ambiguous"


@pytest.mark.parametrize("fenced", [False, True])
@pytest.mark.parametrize("sentence", cases("before_bad"))
def test_no_answer_of_the_models(sentence: str, fenced: bool) -> None:  # noqa: FBT001
    """An example without an input, a case that is none, what somebody else has written."""
    assert check(sentence, behind=False, fenced=fenced).reason == "ambiguous"


def test_each_language_has_its_lists() -> None:
    """At least 8 sentences that take back and 8 that don't; English has 100 of courtesy."""
    text = (resources.files("pdl.reply.prose") / "words.toml").read_text(encoding="utf-8")
    named = {name for each in tomllib.loads(text).values() for name in each}
    assert named - {"any"} == set(LANGUAGES)
    for language in LANGUAGES:
        lists = rows(language)
        assert len(lists["after_bad"] + lists["before_bad"]) >= 8
        assert len(lists["after_ok"] + lists["before_ok"]) >= (100 if language == "en" else 8)
