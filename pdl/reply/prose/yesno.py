"""`yesno`: the word of a clear answer, where an answer stands."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.phrases import say
from pdl.reply.prose.candidates import Candidate
from pdl.reply.prose.lexicon import joined, lexicon, tokens
from pdl.reply.prose.scalars import choose, prose
from pdl.reply.result import Reading, failed
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.reply.query import Query

_ECHO = re.compile(
    r"[\s*_`#>]*(?:(?:please )?(?:answer|reply) )?(?:with )?yes\s*(?:or|/)\s*no"
    r"[*_`\s]*[:：][*_`\s]*(?=\S)",
    re.IGNORECASE,
)
"""The question for a yes or a no, repeated in front of it."""

_NUMBERED = re.compile(r"\.?[ \t]?\d")
_UNCHOSEN = re.compile(r"(?:\[[ \t]?\]|☐)[ \t]*$")
_AGAINST = {True: frozenset("❌✖✗✘👎🚫⛔"), False: frozenset("✅✔👍✓")}
_SIGNS = 4  # characters around a word in which such signs are looked for
_LONG = 100  # characters of such a reply
_WORDS = 4  # of a reply that is no more than `Absolutely not.`


def read(query: Query) -> Reading:
    """True for yes, False for no."""
    text = prose(query)
    whole = _whole(text)
    if whole:
        return whole
    echo = _ECHO.match(text)
    if echo:
        text = " " * echo.end() + text[echo.end() :]
    found = choose(query, text, _spoken(text))
    if found.reason and found.reason != "limit":
        return _unclear(text, both=found.reason == "ambiguous")
    return found


def _whole(text: str) -> Reading | None:
    """The reading of a reply that is no more than `Absolutely`."""
    body = text.strip()
    words = tokens(body) if len(body) < _LONG else []
    if not 0 < len(words) <= _WORDS or any(char in "?？" or char.isdigit() for char in body):
        return None
    said = " ".join(words)
    start = text.find(body)
    for value, meaning in ((True, "surely"), (False, "surely_not")):
        if said in lexicon(meaning) or body.strip(" .!。！") in joined(meaning):
            return Reading(value, (start, start + len(body)))
    return None


@cache
def _pattern() -> re.Pattern[str]:
    every = (lexicon("yes") | lexicon("no")) - lexicon("surely") - lexicon("surely_not")
    longest = sorted(every, key=len, reverse=True)
    apart = "|".join(
        re.escape(word) for word in longest if word not in joined("yes") + joined("no")
    )
    together = "|".join(re.escape(word) for word in longest if word in joined("yes") + joined("no"))
    return re.compile(
        rf"(?<![^\W_])(?<!['’-])(?P<word>{apart})(?!_*[^\W_]|['’]|-\w)"
        rf"|(?:(?<=[^\w])|(?<=[为為は은는])|\A)(?P<east>{together})(?=[^\w]|\Z|です|입니다|이에요|예요)",
        re.IGNORECASE,
    )


def _spoken(text: str) -> Iterator[Candidate]:
    """Each yes and no; `No. 5` is a number."""
    true = lexicon("yes")
    for word in _pattern().finditer(text):
        start, end = word.span()
        if _UNCHOSEN.search(text, max(0, start - 8), start):
            continue
        said = word[0].lower()
        if said == "no" and _NUMBERED.match(text, end):
            continue
        value = said in true
        around = text[max(0, start - _SIGNS) : start] + text[end : end + _SIGNS]
        if not _AGAINST[value].isdisjoint(around.replace("\n", "")):
            yield Candidate((start, end), why="has a sign next to it that means the opposite")
            continue
        yield Candidate((start, end), value)


def _unclear(text: str, *, both: bool) -> Reading:
    found = shorten(text.strip())
    if both:
        return failed("ambiguous", say("both-yes-and-no"), found=found, wanted="yes or no")
    return failed("absent", say("neither-yes-nor-no"), found=found, wanted="yes or no")
