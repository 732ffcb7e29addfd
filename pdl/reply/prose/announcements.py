"""Words behind an answer that announce another one: `Corrected:`, `The right value is 2`."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from pdl.reply.prose.delayed import Delayed
from pdl.reply.prose.marks_old import announced, claimed, is_mark
from pdl.reply.prose.namings import ANSWER, CORRECT, FINAL, RESULT
from pdl.reply.prose.sentences import untagged
from pdl.reply.prose.vocabulary import Hints, Vocabulary, words_of

if TYPE_CHECKING:
    from pdl.reply.prose.vocabulary import Behind

_DATA = re.compile(r"[{\[]\s*(?:[\"'{\[\d]|[A-Za-z_]\w*\s*:)")
_FENCE_LINE = re.compile(r"(?m)^[ \t>]*(?:`{3,}|~{3,})[^\n]*$")
_TOKENS = re.compile(r"<[|｜][^<>\n]{1,40}[|｜]>|\[/?[A-Z_]{2,20}\]|◁[^▷\n]{1,20}▷")
_TOKEN = re.compile(r"\w+")
_NAMED = (
    Delayed(r"(?P<head>[^:：=\n]{1,100}+)[:：=](?P<rest>[^\n]*)"),
    Delayed(
        r"(?P<head>[^:：=\n]{1,100}?)\s*(?:\b(?:is|are|equals|ist|lautet|sind|est|sont|es|son|é"
        r"|são|è|sono|zijn|jest|to|это|är|var|je)(?=[\s*_`])|是|为|は)"
        r"(?P<rest>[^\n]*)",
    ),
)
_IS = Delayed(r"\W*(?:is|are|was|were|would|will|ist|sind|est|es|son|è|é)\b")
_ELSEWHERE = Delayed(
    r"\W*(?:above|below|shown|given|ready|correct|complete|done|here|there|oben|ci-dessus|arriba"
    r"|valid|it)\b"
)
_THIS = Delayed(
    r"\b(?:this|that|it|these|above|hope|sure|here\s+(?:was|were)|das|dies|es|ceci|cela|c['’]est"
    r"|voilà|esto|eso|isso|questo|dit|dat|to|это|bu|det)\b|上|这|これ|이것"
)
_VALUES = Vocabulary(
    "value values number numbers total count sum amount one wert- valeur- valor- valore-",
    "waarde- значени- zahl nombre número",
)
_RIGHT = Vocabulary(
    "right true actual real proper new better richtig- tatsächlich- echte- vraie bonne",
    "bon real- verdader- vero giust- echte werkelijke prawdziw- настоящ- gerçek riktig-",
)
_LABELS = Vocabulary(
    "updated edited revised corrected fixed amended korrigiert corrigé corregido corrigido corretto"
)
_ENDS = (".", "!", "。", "！", "?", "？")
_HINTS = Hints(
    *("answer", "final", "correct", "updated", "fixed", "amended", "revised", "edited", "result"),
    *("output", "version", "json", "right", "true", "actual", "real", "proper", "new", "better"),
    *("antwort", "endg", "abschlie", "korrig", "richtig", "berichtig", "ergebnis", "fassung"),
    *("finit", "korrekt", "corrig", "correg", "corret", "bonne", "vraie", "revis", "bon "),
    *("respuesta", "resposta", "risposta", "soluz", "solu", "verdader", "giust", "echte", "juist"),
    *("eind", "herzien", "gecorr", "ostatecz", "popraw", "prawdziw", "koniec", "nihai", "son "),
    *("kesin", "slut", "endelig", "rett", "oprav", "vysledn", "conclu", "verdict", "response"),
    *("object", "array", "list", "data", "record", "code", "label", "number", "uiteindelijk"),
)
"""What stands in each such line, if it is in Latin letters of ASCII."""

_ITEM = re.compile(r"\d{1,9}[.)][ \t]+\S")
_FIRST = re.compile(r"(?:[^.!?\n:：]|\.(?=\d))+(?=[.!?\n]|$)")
_NUMBERS = frozenset(
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
)
_BARE = frozenset(["actually", "rather", "instead", "right", "correct", "again", "after", "nein"])
_FEW = 6  # words of a sentence that is a value
_TINY = 3  # letters of an interjection, a verb or a pronoun
_WINDOW = 600  # characters behind an answer that are looked at
_SAID = Delayed(
    r"\d|(?<!\w)[\"'“`«‘「]\S|\w\s*=\s*\S|^\W*[\w.]{1,30}\s*[:：]\s*\S|^\W*\w+\W*$"
    r"|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|true|false|null)\b"
)


def supplanted(text: str, span: tuple[int, int], outer: int, around: Behind | None = None) -> bool:
    """Whether the words behind an answer announce another, which is no data in brackets.

    Nothing may follow, another notation, or one value; one that says the same again is none.
    `outer` is where the fence of the answer ends; `around` is what stands behind the answer, if
    that is known.
    """
    window = text[outer : outer + _WINDOW]
    data = _DATA.search(window)
    said = window[: data.start()] if data else window
    behind = _TOKENS.sub(" ", untagged(_FENCE_LINE.sub("", said))).rstrip()
    words = _value_words(behind)
    if words and _replaces(words, _own(text, span)):
        return True
    low = behind.lower()
    if not low.strip() or _HINTS.absent(around) or (low.isascii() and not _HINTS.in_text(low)):
        return False
    if not data and outer + _WINDOW >= len(text) and _ends_announcing(behind):
        return True
    own = _own(text, span)
    rows = behind.split("\n")
    return any(
        _announces(row, rows[i + 1 :], own, last=bool(data))
        for i, row in enumerate(rows)
        if row.strip()
    )


def _ends_announcing(behind: str) -> bool:
    """Whether the last line calls what does not follow the answer, or final."""
    line = behind.rpartition("\n")[2].strip(" \t")
    if line == behind.strip(" \t") and line.startswith("("):
        return False
    line = line.strip("()")
    if (
        line.endswith(_ENDS)
        or _IS.match(line)
        or (_THIS.search(line) and not line.endswith((":", "：")))
    ):
        return False
    return announced(behind, 0, len(behind)) or claimed(behind, 0, len(behind))


def _announces(row: str, below: list[str], own: frozenset[str], *, last: bool) -> bool:
    """Whether a line names a better answer, and has it, or the lines below do."""
    line = row.strip(" \t*_#>`-(•")
    named = (one for pattern in _NAMED if (one := pattern.match(line)))
    found = next((one for one in named if _is_named(one["head"])), None)
    if found is None:
        return False
    rest = found["rest"].strip(" \t*_`")
    if not rest:
        rest = "\n".join(below).strip()
        return bool(rest) and not last and not _restates(rest.partition("\n\n")[0], own)
    return (
        not _ELSEWHERE.match(rest) and _SAID.search(rest) is not None and not _restates(rest, own)
    )


def _own(text: str, span: tuple[int, int]) -> frozenset[str]:
    """The words and numbers of an answer."""
    return frozenset(_TOKEN.findall(text[slice(*span)].lower()))


def _value_words(behind: str) -> list[str]:
    """The words of the first sentence behind, if it is short and has a number; else none."""
    said = behind.strip()
    first = None if _ITEM.match(said) else _FIRST.match(said)
    if not first or len(first[0].split()) > _FEW:
        return []
    words = _TOKEN.findall(first[0].lower())
    return words if len(words) <= _FEW and any(map(_is_number, words)) else []


def _is_number(word: str) -> bool:
    return word.isdecimal() or word in _NUMBERS


def _replaces(words: list[str], own: frozenset[str]) -> bool:
    """Whether those words are another value and little else: `Um, 2`."""
    others = [word for word in words if word not in own and word not in _BARE]
    named = [word for word in others if not _is_number(word)]
    return len(named) < len(others) and all(len(word) <= _TINY for word in named)


def _is_named(head: str) -> bool:
    if _THIS.search(head):
        return False
    words = words_of(head)
    if len(words) == 1 and words[0] in _LABELS:
        return True
    return is_mark(head) or any(
        (word in FINAL or word in CORRECT or word in _RIGHT)
        and (after in _VALUES or ((word in _RIGHT) and (after in ANSWER or after in RESULT)))
        for pair in pairwise(words)
        for word, after in (pair, pair[::-1])
    )


def _restates(rest: str, own: frozenset[str]) -> bool:
    """Whether what is said consists of words and numbers of the answer."""
    return own.issuperset(_TOKEN.findall(rest.lower()))
