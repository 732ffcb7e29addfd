"""Plain phrases of the table of words, looked up by the words at the end or begin of a text.

Faster than patterns, and ready at once: a phrase has at most three words, in lower case. Phrases in
scripts without blanks are looked for in the text itself.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.prose.words import UNSPACED, rows, spellings, words

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_LONGEST = 3  # words of a phrase
_SEVERAL = (2, 3)


@cache
def lexicon(meaning: str) -> frozenset[str]:
    """The phrases of a meaning, in lower case, less what begins words."""
    each = [one for one in words(meaning) if not one.endswith("*")]
    plain = frozenset("\n".join(each).lower().split("\n"))
    if not any("[" in one or "?" in one for one in each):
        return plain
    return frozenset(spelling for one in plain for spelling in spellings(one))


@cache
def _stems(meaning: str) -> tuple[str, ...]:
    """What words begin with that have a meaning: `final*`."""
    return tuple(one.lower()[:-1] for one in words(meaning) if one.endswith("*"))


@cache
def joined(meaning: str) -> tuple[str, ...]:
    """Those of languages in which blanks do not set words apart."""
    return tuple(one for lang in UNSPACED for one in rows(meaning).get(lang, ()))


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
