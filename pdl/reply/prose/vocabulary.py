"""Sets of words in many languages, and the words of a text to hold against them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

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

    `korrigiert-` stands for every word that begins so; `parts` are the words and such beginnings.
    """

    def __init__(self, *lines: str) -> None:
        words = " ".join(lines).split()
        self._whole = frozenset(word for word in words if not word.endswith("-"))
        self.parts = tuple(word.rstrip("-") for word in words)
        self._ascii = tuple(part for part in self.parts if part.isascii())
        self._stems = tuple(word[:-1] for word in words if word.endswith("-"))

    def __contains__(self, word: str) -> bool:
        return word in self._whole or word.startswith(self._stems)

    def any_of(self, words: Iterator[str] | list[str]) -> bool:
        """Whether one of the words, in lower case, is in the set."""
        return any(word in self for word in words)

    def in_text(self, text: str) -> bool:
        """Whether a text in lower case has one of the words, or of their beginnings, anywhere."""
        parts = self._ascii if text.isascii() else self.parts
        return any(map(text.__contains__, parts))


_MARKS = str.maketrans(dict.fromkeys(".,;:!?()[]{}<>\"'`*_~/\\|-=+#\n\t\r", " "))
_HEADS = (4, 5)  # letters that tell one word from another: of hints of four letters, of longer
_BEHIND = 700  # characters behind an answer that are looked at
_PREFIXES = (0, 2, 3)  # letters of none, of `in-` and `un-`, of `dis-` and `mis-`


class Hints:
    """Beginnings of words and of phrases, one of which stands in each sentence of a kind.

    Whether none stands behind an answer is seen at a glance, which is all that most replies need.
    """

    def __init__(self, *hints: str) -> None:
        self._hints = hints
        heads: set[str] = set()
        short: list[str] = []
        for hint in filter(str.isascii, hints):
            words = hint.translate(_MARKS).split()
            word = max(words, key=len)
            if len(word) < _HEADS[0]:
                word = words[0]
            whole = len(words) > 1 or not hint.endswith(word)  # no more letters belong to it
            if len(word) >= _HEADS[0] or whole:
                heads.add(word[: _HEADS[1]])
            else:
                short.append(hint)
        self._heads = frozenset(heads)
        self._short = tuple(short)

    def in_text(self, low: str) -> bool:
        """Whether one of them is anywhere in a text in lower case."""
        return any(map(low.__contains__, self._hints))

    def absent(self, behind: Behind | None) -> bool:
        """Whether none of them is among the words behind an answer, if these are known."""
        if behind is None or not self._heads.isdisjoint(behind.heads):
            return False
        return not any(map(behind.text.__contains__, self._short))


class Behind(NamedTuple):
    """What stands behind an answer, in lower case, and how its words begin."""

    text: str
    heads: frozenset[str]


def behind(text: str, at: int) -> Behind | None:
    """What stands behind an answer that ends at `at`; None if it is not all in ASCII."""
    window = text[at : at + _BEHIND]
    return _behind(window) if window.isascii() else None


@lru_cache(maxsize=2)
def _behind(window: str) -> Behind:
    low = window.lower()
    words = set(low.translate(_MARKS).split())
    words |= {word[cut:] for cut in _PREFIXES[1:] for word in words if len(word) > _HEADS[1]}
    heads = {word[:size] for size in _HEADS for word in words}
    return Behind(low, frozenset(heads))


def words_of(text: str) -> list[str]:
    """The words of a text in their order, in lower case."""
    return WORD.findall(text.lower())
