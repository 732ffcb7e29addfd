"""Sets of words in many languages, and the words of a text to hold against them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Vowel signs of Hebrew, Arabic, Hindi and Thai are no letters to `re`, but parts of words.
WORD = re.compile(
    "(?:[^\\W\\d_]|(?<=\\w)['’](?=[^\\W\\d_])"
    "|[\u0300-\u036f\u0591-\u05c7\u0610-\u065f\u0900-\u0903\u093a-\u094f\u0e31-\u0e4e])+"
)
"""A word: letters and what belongs to them; an apostrophe amid it counts, a hyphen does not."""


class Vocabulary:
    """A set of words, written in lower case and parted by blanks.

    `korrigiert-` stands for every word that begins so.
    """

    def __init__(self, *lines: str) -> None:
        words = " ".join(lines).split()
        self._whole = frozenset(word for word in words if not word.endswith("-"))
        self._parts = tuple(word.rstrip("-") for word in words)
        self._ascii = tuple(part for part in self._parts if part.isascii())
        self._stems = tuple(word[:-1] for word in words if word.endswith("-"))

    def __contains__(self, word: str) -> bool:
        return word in self._whole or word.startswith(self._stems)

    def any_of(self, words: Iterator[str] | list[str]) -> bool:
        """Whether one of the words, in lower case, is in the set."""
        return any(word in self for word in words)

    def in_text(self, text: str) -> bool:
        """Whether a text in lower case has one of the words, or of their beginnings, anywhere."""
        parts = self._ascii if text.isascii() else self._parts
        return any(map(text.__contains__, parts))


def words_of(text: str) -> list[str]:
    """The words of a text in their order, in lower case."""
    return WORD.findall(text.lower())
