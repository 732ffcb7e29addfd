"""The meaning of the words around a candidate: they call it the answer, or deny it."""

from __future__ import annotations

from enum import IntEnum
from itertools import islice
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.prose.scalar_candidates import BOX
from pdl.reply.prose.signs import sentences
from pdl.reply.prose.words import begins, ends, ends_joined, has, hear, joined, lexicon, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.reply.prose.scalar_candidates import ScalarCandidate
    from pdl.reply.result import Span

MARKS = "*_`\"'“”‘’«»„「」『』~\u200b\u200c\u200d\ufeff"
"""Emphasis and quotation marks, which can surround an answer."""

WINDOW = 160
"""Characters before an answer, and after it, that are looked at."""

_ENDED = re.compile(rf"[{MARKS})\]}}$\s]*(?:[.,;!。，、；！।،؛…]|[—–(（/-]|$)")
_SET_OFF = re.compile(
    rf"[{MARKS})\]}}$]*[%％]?[{MARKS})\]}}$]*[ \t]*"
    r"(?:[.,;!。，、；！।،؛…](?!\d)|[—–(（]|-\s|\n|\\n|$)"
)
_COLON = re.compile(rf"[{MARKS}]*:[ {MARKS}]+[^\W\d_]")
_BOX_END = re.compile(r"[\s$*_.]*\}")
_BREAK = re.compile(r"[.!?;,(。](?!\d)")
_OPENED = re.compile(rf"[{MARKS})]*\s*[(\[:：–—-]")
_COUNTED = re.compile(rf"[{MARKS}]*(?:\s?[%％°€£¥$][^\W\d_]?)?[{MARKS})]*[ \u00a0-]?[^\W\d_'’]")
_EQUATED = re.compile(r"(?:(?<![=!<>])[=＝]|[≈→⇒])[\s*_`\"'$(]*$")
_LEADING = " \t,;:!*_`\"'“”’)—–、，！-"
_REST = 300  # characters after a yes or a no that can revoke it
_LABEL = 90  # characters of a label
_NOUNS = 2  # words after a choice, as in `a positive review overall`
_LETTER = 2  # characters of a choice that is not a word
_SAID = 3  # words after a number that can call it wrong


class Rank(IntEnum):
    """How strongly a position indicates the answer."""

    NOWHERE = 0
    STATED = 1
    MARKED = 2
    ANSWER = 3
    FINAL = 4
    TAGGED = 5


class Clause:
    """The clause of a candidate: the words before and after it."""

    def __init__(
        self, text: str, one: ScalarCandidate, clause: Span, sentence: Span, *, follows: bool
    ) -> None:
        start, end = one.span
        self._one, self._follows = one, follows
        self._leads = clause[0] <= sentence[0] + 1 and not follows
        self._sentence = text[max(sentence[0], start - WINDOW) : min(sentence[1], start + WINDOW)]
        self._head, self._tail = text[max(0, start - WINDOW) : start], text[end : end + WINDOW]
        self._before = self._head[max(0, len(self._head) - start + clause[0]) :]
        self._following = self._tail[: clause[1] - end]
        self._words = tokens(self._before)
        self._lead = _without_fillers(self._words)
        self._said = text[start:end].lower()
        words = tokens(self._following)
        again = next((at for at, word in enumerate(words) if word != self._said), len(words))
        self._after = _up_to_reason(words[again:])
        if not self._following.isascii() and self._following.lstrip(MARKS + " ").startswith(
            joined("stop")
        ):
            self._after = []
        word = isinstance(one.value, str)
        self._number = not word and any(map(str.isdigit, self._said))
        self._flag = not word and not self._number and not one.why
        self._letter = word and len(str(one.value)) <= _LETTER
        self.foreign = self.listed = False

    def rank(self, *, edge: bool) -> Rank:
        """The rank of the position. `edge`: the start of the text, or alone on an outer line."""
        if BOX.search(self._head) and _BOX_END.match(self._tail):
            return Rank.TAGGED
        label = _label(self._head.rpartition("\n")[2])
        if label is not None and (said := tokens(label)):
            return self._labelled(said, label)
        if edge:
            return Rank.ANSWER
        return self._subject() or max(self._linked(), self._set_apart())

    def is_set_off(self) -> bool:
        """Whether what follows sets it off from the rest: `Yes, …`, `B) Paris`, `0.9 (likely)`."""
        if self._letter and self._tail[:1] in {")", ":", "."}:
            return not self.listed
        if _SET_OFF.match(self._tail):
            return True
        return self._flag and (begins("pronoun", self._after) > 0 or bool(_COLON.match(self._tail)))

    def _labelled(self, said: Sequence[str], label: str) -> Rank:
        """The rank of what a label leads to: `Final score: 3`, `Confidence: 0.8`."""
        self.foreign = _is_others(said, label) or (self._number and has("counter", said, label))
        sure = has("sure", said, label) and not isinstance(self._one.value, float)
        return Rank.NOWHERE if self.foreign or sure else _named(said, label, Rank.MARKED)

    def _may_stand(self) -> bool:
        """Whether the text that follows allows it: units for a number, a noun for a word."""
        if self._number or self._ended():
            return True
        if self._letter or self._flag:
            return begins("or", self._after) > 0 or self._tail[:1] in {")", ":"}
        return len(self._after) <= _NOUNS

    def _ended(self) -> bool:
        return not self._after and self._following.strip()[-1:] not in {":", "："}

    def _subject(self) -> Rank:
        """The rank of what a sentence begins with: `17 is the smallest`, `Option B is correct`."""
        linked = begins("states", self._after)
        words = self._words[: -ends("grade", self._words) or None]
        if not linked or not self._leads or _without_fillers(words):
            return Rank.NOWHERE
        rest = self._after[linked:]
        named = [word for word in rest if word not in lexicon("filler") | lexicon("right")]
        right = not named and not lexicon("right").isdisjoint(rest)
        if right or _is_answer(named[:1]):
            return Rank.ANSWER
        unsaid = self._words or self._flag or (self._letter and len(self._said) == 1)
        return Rank.NOWHERE if unsaid else Rank.STATED

    def _linked(self) -> Rank:
        """The rank of what a copula or a verb of choice leads to, or of a count of things."""
        lead, fillers = self._lead, len(self._words) > len(self._lead)
        counted = Rank.STATED if self._counts() else Rank.NOWHERE
        if not self._may_stand() or (not lead and self._follows):
            return counted
        if not lead:
            return max(counted, self._bare())
        if not self._number and (ends("self", lead) or self._is_adjective(fillers=fillers)):
            return counted
        if self._number and not _is_answer(lead) and has("asked", lead, self._before):
            return Rank.NOWHERE
        if self._is_lead("states", lead):
            others = _is_answer(lead, self._before) and _is_others(lead, self._before)
            return counted if others else _named(lead, self._before, Rank.STATED)
        led = _EQUATED.search(self._before) or self._is_lead("lead", lead)
        graded = self._ended() and self._is_lead("grade", self._words)
        return Rank.STATED if led or graded else counted

    def _is_lead(self, meaning: str, words: Sequence[str]) -> bool:
        return ends(meaning, words) > 0 or ends_joined(meaning, self._before)

    def _is_adjective(self, *, fillers: bool) -> bool:
        """Whether a noun follows that no article led to: `open to either`, `is in the court`."""
        nouns = [word for word in self._after if word not in lexicon("filler")]
        return bool(nouns) and not fillers and self._lead[-1:] != ["as"]

    def _bare(self) -> Rank:
        """The rank of a candidate with only fillers before it: `So yes`, `A solid 9`."""
        if self._letter and self.listed and self._tail[:1] in {")", ":", "."}:
            return Rank.NOWHERE
        opened = self._head[: len(self._head) - len(self._before)].rstrip()[-1:]
        if self._flag and not self._leads and opened in {"(", "["}:
            return Rank.NOWHERE
        if self._after and not self._number:
            return Rank.STATED if self._leads and not tokens(self._head) else Rank.NOWHERE
        return Rank.STATED if self._ended() else Rank.NOWHERE

    def _counts(self) -> bool:
        """Whether it is the number of what follows, or part of a scale: `7 people`, `4 of 5`."""
        if self._one.rated or self._one.result or self._one.free:
            return True
        if not self._number or not lexicon("function").isdisjoint(self._after[:1]):
            return False
        return _COUNTED.match(self._following) is not None

    def _set_apart(self) -> Rank:
        """The rank of bold type and code, where a word is not only spoken of."""
        if ends("mention", self._words):
            return Rank.NOWHERE
        line = self._tail.partition("\n")[0]
        for mark in ("**", "__", "`"):
            if self._head.endswith(mark) and mark in line:
                inside = mark != "`" and (self._number or self._letter)
                return Rank.MARKED if inside or line.startswith(mark) else Rank.NOWHERE
        return Rank.NOWHERE

    def turned(self, rank: Rank) -> bool:
        """Whether the words deny it, make it a condition, or say that another says it."""
        words = _since_reason(self._words)
        near, ahead = (2, 8) if rank >= Rank.ANSWER else (None, None)
        if _is_denied(words, self._before) or _is_denied(
            self._after[:near], self._following[:ahead]
        ):
            return True
        if self._is_rejected() or self._is_bounded():
            return True
        counted = rank is Rank.STATED
        linked = not self._lead or ends("states", self._lead) or ends("lead", self._lead)
        return counted and not linked and _is_denied(tokens(self._sentence), self._sentence)

    def _is_rejected(self) -> bool:
        """Whether the text right after it rejects it: `bug (ruled out)`, `yes: no`."""
        opened = _OPENED.match(self._tail)
        aside = tokens(self._tail[opened.end() :][:32])[:2] if opened else []
        if not lexicon("rejected").isdisjoint(aside):
            return True
        if self._flag:
            return not lexicon("no" if self._one.value else "yes").isdisjoint(aside[:1])
        return not lexicon("rejected").isdisjoint(self._after[:_SAID])

    def _is_bounded(self) -> bool:
        if self._one.free:
            return bool(ends("bound", self._words) or begins("bound", self._after))
        pairs = zip(self._after, self._after[1:], strict=False)
        counts = self._number and not self._one.rated
        return counts and any(" ".join(pair) in lexicon("bound") for pair in pairs)

    def concluded(self) -> bool:
        """Whether the words before it draw a conclusion, which a copula states."""
        return ends("states", self._lead) > 0 and has("therefore", self._words, self._before)

    def alone(self) -> bool:
        """Whether nothing else is in its sentence."""
        return self._leads and not self._words and _ENDED.match(self._tail) is not None


def _named(words: Sequence[str], text: str, otherwise: Rank) -> Rank:
    """The rank by the words before a colon or a copula."""
    answer = _is_answer(words, text)
    final = has("final", words, text) or has("overall", words, text)
    if final and (answer or otherwise is Rank.MARKED):
        return Rank.FINAL
    return Rank.ANSWER if answer else otherwise


def _is_answer(words: Sequence[str], text: str = "") -> bool:
    return has("answer", words, text)


def _is_others(words: Sequence[str], text: str) -> bool:
    """Whether a label names something else than the answer, or another's answer."""
    at = next((at for at, word in enumerate(words) if word in lexicon("answer")), len(words))
    said = words[:at] if at else words[1:]
    if has("something_else", said, text):
        return True
    return any(one.endswith("'s") and not ends("states", [one]) for one in words[:at])


def _is_denied(words: Sequence[str], text: str) -> bool:
    return has("denied", words, text) or any(word.endswith("n't") for word in words)


def _label(line: str) -> str | None:
    """The words before the last colon of a line, if no others follow: `Total score: **`."""
    at = max(line.rfind(":"), line.rfind("："))
    rest = line[at + 1 :]
    if at < 0 or any(map(str.isdigit, rest)) or _without_fillers(tokens(rest)):
        return None
    return _BREAK.split(line[:at][-_LABEL:])[-1]


def _up_to_reason(words: list[str]) -> list[str]:
    """The words up to one that begins a reason or another thought."""
    known = lexicon("because")
    return words[: next((at for at, word in enumerate(words) if word in known), None)]


def _since_reason(words: list[str]) -> list[str]:
    known = lexicon("because")
    return words[next((at for at in range(len(words), 0, -1) if words[at - 1] in known), 0) :]


def _without_fillers(words: list[str]) -> list[str]:
    """The words without the fillers at their end."""
    end = len(words)
    while end and (count := ends("filler", words[:end])):
        if ends("states", words[:end]) or ends("lead", words[:end]):
            break
        end -= count
    return words[:end]


def is_spoiled(following: str, value: bool) -> bool:  # noqa: FBT001
    """Whether the text that follows makes a yes or a no a courtesy, or contradicts it."""
    rest = following[:_REST].lstrip(_LEADING)
    first, second = [*islice(sentences(rest), 2), "", ""][:2]
    if hear(first).says("kindness"):
        return True
    contrary = "contrary_yes" if value else "contrary_no"
    return hear(first).says(contrary) or hear(second).says(contrary)
