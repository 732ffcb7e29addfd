"""Whether what follows a yes or a no leaves it one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.reply.prose.yes_rests import (
    BUT,
    CONDITION,
    DENIED,
    FALSITY,
    GIVEN,
    KINDNESS,
    NEGATION,
    OFFER,
    REQUEST,
    TRUTH,
    TURN,
    UNKNOWN,
)

if TYPE_CHECKING:
    import re

_HALF = 50  # percent


def spoiled(text: str, english: bool, value: bool, at: int, end: int) -> bool:  # noqa: FBT001
    """Whether a yes (`value`) or a no that ends at `at`, in a sentence that ends at `end`, is none.

    `english`: the word is English; other words are judged by the words around them, which are in
    many languages, more strictly.
    """
    if KINDNESS.match(text, at) or _asks(text, at):
        return True
    if value and (BUT.match(text, at) or DENIED.match(text, at) or CONDITION.search(text, at, end)):
        return True
    if not value and (TURN.match(text, at) or UNKNOWN.search(text, at)):
        return True
    given = GIVEN.match(text, at)
    if given and _weakens(given, value=value):
        return True
    return not english and _contradicts(text, at, end, value=value)


def _asks(text: str, at: int) -> bool:
    """Whether the reader is asked for something, and not only offered more."""
    return REQUEST.search(text, at) is not None and not OFFER.search(text, at)


def _weakens(given: re.Match[str], *, value: bool) -> bool:
    """Whether a measure or a word behind the answer is against it."""
    if given["share"]:
        return given[0].lstrip(" \t*_`\"'").startswith((":", "=")) or float(given["share"]) < _HALF
    if given["rated"]:
        return float(given["rated"]) < _HALF
    if given["end"] is None:
        return False
    if given["against"]:
        return value
    return not value if given["beside"] else True


def _contradicts(text: str, at: int, end: int, *, value: bool) -> bool:
    """Whether the sentence of an answer says the opposite, in another language than English."""
    said = text[at:end]
    false = FALSITY.search(said) is not None
    denied = NEGATION.search(FALSITY.sub(" ", said)) is not None
    if value:
        return denied != false
    return TRUTH.search(said) is not None and not denied and not false
