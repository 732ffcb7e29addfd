"""What a reply says behind an answer that takes it back: `Ignore that`, `b should be 5`.

Three kinds of sentences do. One tells to ignore the answer, one corrects it, one calls it wrong.
A word such as `wait` or `sorry` makes it likely; a condition (`if anything is wrong`) and a mistake
that is mended (`my earlier mistake is fixed`) take nothing back.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.prose.turns import turns
from pdl.reply.prose.withdrawal_words import (
    CALLED_WRONG,
    CALLED_WRONG_ELSEWHERE,
    CONDITION,
    HINTS,
    HINTS_BEYOND,
    IGNORE,
    LABEL,
    LIKELY,
    MENDED,
    SHOULD,
    TAKES_BACK,
    TAKES_BACK_ELSEWHERE,
)

if TYPE_CHECKING:
    from pdl.reply.prose.vocabulary import Behind

_SENTENCE = re.compile(r"(?<=[.!?])[ \t]+|[\n。！？]+")
_NEXT = re.compile(r"[{}\[\]]|^[ \t>]*(?:`{3,}|~{3,})[ \t]*\w|<\|", re.MULTILINE)
_TRIM = " \t\r\n`*_~)\"'”»>.,;"
_BEGINS = re.compile(
    r"\W*(?:wait|oops|sorry|hmm|no\b|nope|actually|edit|hold\s+on|oh|ah|nein|non\b|espera)",
    re.IGNORECASE,
)
_NO = re.compile(r"no,\s", re.IGNORECASE)
_ASKS = ("?", "？")
_WINDOW = 600  # characters behind an answer that are looked at


def withdrawn(text: str, at: int) -> bool:
    """Whether the words behind an answer that ends at `at`, up to the next data, take it back."""
    return takes_back(said_behind(text, at))


def takes_back(said: str, window: Behind | None = None) -> bool:
    """Whether the words behind an answer take it back; `window` holds them, if that is known."""
    if not said:
        return False
    hinted = not HINTS.absent(window) and _hinted(said)
    return any(
        turns(one) or (hinted and _hinted(one) and _withdraws(one, first=not i))
        for i, one in enumerate(sentences_of(said))
    )


def said_behind(text: str, at: int) -> str:
    """The words behind an answer that ends at `at`, up to the next data."""
    window = text[at : at + _WINDOW]
    end = _NEXT.search(window)
    return (window[: end.start()] if end else window).lstrip(_TRIM)


def sentences_of(said: str) -> list[str]:
    """The sentences and lines of what was said."""
    return _SENTENCE.split(said)


def _hinted(said: str) -> bool:
    """Whether a sentence may be in what was said; a quick look, for most replies hold none."""
    low = said.lower()
    if HINTS.in_text(low):
        return True
    return not low.isascii() and HINTS_BEYOND.in_text(low)


def contested(remark: str) -> bool:
    """Whether a comment on data says that the data should be something else."""
    said = remark.strip("/*#!-<> \t")
    return _NO.match(said) is not None or (_hinted(said) and _withdraws(said, first=True))


def _withdraws(sentence: str, *, first: bool) -> bool:
    """Whether a sentence takes the answer back; `first`: it stands right behind the answer."""
    if TAKES_BACK.match(sentence):
        return IGNORE.match(sentence) is not None or not MENDED.search(sentence)
    if MENDED.search(sentence):
        return False
    if SHOULD.search(sentence) or LABEL.match(sentence):
        return not CONDITION.search(sentence)
    found = TAKES_BACK_ELSEWHERE.search(sentence) or LIKELY.match(sentence)
    found = found or _called_wrong(sentence, first=first)
    return (
        found is not None
        and not sentence.rstrip().endswith(_ASKS)
        and not CONDITION.search(sentence, 0, found.end())
    )


def _called_wrong(sentence: str, *, first: bool) -> re.Match[str] | None:
    """A statement that the answer is wrong: later on, `that is wrong` may be about other things."""
    if not (first or _BEGINS.match(sentence) or sentence[:2].lower() == "my"):
        return None
    return CALLED_WRONG.match(sentence) or CALLED_WRONG_ELSEWHERE.match(sentence)
