"""Plain phrases of the table of words, looked up by the words at the end or begin of a text.

Faster than patterns, and ready at once: a phrase has at most three words, in lower case. Phrases in
scripts without blanks are looked for in the text itself.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from pdl.reply.prose.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_JOINED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LETTER = re.compile(r"(\[\w+\]|.)(\??)")
_LONGEST = 3  # words of a phrase
_SEVERAL = (2, 3)


@cache
def lexicon(meaning: str) -> frozenset[str]:
    """The phrases of a meaning, in lower case, less what begins words."""
    each = [one.lower() for one in words(meaning) if not one.endswith("*")]
    return frozenset(spelling for one in each for spelling in _spellings(one))


@cache
def _stems(meaning: str) -> tuple[str, ...]:
    """What words begin with that have a meaning: `final*`."""
    return tuple(one.lower()[:-1] for one in words(meaning) if one.endswith("*"))


def _spellings(phrase: str) -> list[str]:
    """The spellings of a phrase in which letters may be missing, `s?`, or several, `[oa]`."""
    if "[" not in phrase and "?" not in phrase:
        return [phrase]
    made = [""]
    for letter in _LETTER.finditer(phrase):
        choices = [*letter[1].strip("[]"), *([""] if letter[2] else [])]
        made = [one + choice for one in made for choice in choices]
    return made


@cache
def joined(meaning: str) -> tuple[str, ...]:
    """Those in scripts that set no blanks."""
    return tuple(one for one in words(meaning) if _JOINED.search(one))


def tokens(text: str) -> list[str]:
    """The words of a text in lower case, digits left out."""
    return _WORD.findall(text.lower().replace("’", "'"))


def begins(meaning: str, words: Sequence[str]) -> int:
    """How many words at the begin make a phrase of a meaning, at least; 0 for none."""
    known = lexicon(meaning)
    return (
        next((n for n in range(1, _LONGEST + 1) if " ".join(words[:n]) in known), 0) if words else 0
    )


def ends(meaning: str, words: Sequence[str]) -> int:
    """How many words at the end make a phrase of a meaning; 0 for none."""
    known = lexicon(meaning)
    return (
        next((n for n in range(_LONGEST, 0, -1) if " ".join(words[-n:]) in known), 0)
        if words
        else 0
    )


def ends_joined(meaning: str, text: str) -> bool:
    """Whether a text ends with a phrase of a script without blanks."""
    return not text.isascii() and text.rstrip(" *_`\"'“「『(").endswith(joined(meaning))


def has(meaning: str, words: Sequence[str], text: str) -> bool:
    """Whether a text, whose words these are, has a phrase of a meaning."""
    known, first, stems = lexicon(meaning), _first(meaning), _stems(meaning)
    if not known.isdisjoint(words):
        return True
    for at, word in enumerate(words):
        if word in first and any(" ".join(words[at : at + n]) in known for n in _SEVERAL):
            return True
        if stems and word.startswith(stems):
            return True
    return not text.isascii() and any(one in text for one in joined(meaning))


@cache
def _first(meaning: str) -> frozenset[str]:
    """The first words of phrases of several."""
    return frozenset(one.partition(" ")[0] for one in lexicon(meaning) if " " in one)
