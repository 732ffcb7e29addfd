"""Why a bracketed span in a reply may be no answer, although it fits: what is said around it."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from pdl.reply.prose.announcements import supplanted
from pdl.reply.prose.ascriptions import ascribed
from pdl.reply.prose.delayed import Delayed
from pdl.reply.prose.elements import others_words
from pdl.reply.prose.marks_old import lead_clause
from pdl.reply.prose.namings import (
    ABRIDGED,
    ABRIDGED_PHRASE,
    ANSWER,
    DENIAL_ELSEWHERE,
    RESULT,
    WRONG,
    WRONG_PHRASE,
)
from pdl.reply.prose.programs import misused
from pdl.reply.prose.retractions import declines
from pdl.reply.prose.sentences import PLAIN_FENCES, language
from pdl.reply.prose.shortfalls import is_excerpt
from pdl.reply.prose.unreal import unreal
from pdl.reply.prose.verdicts import spoken_ill_of
from pdl.reply.prose.vocabulary import behind, words_of
from pdl.reply.prose.withdrawals_old import said_behind, takes_back
from pdl.reply.segments.spans import Spans

if TYPE_CHECKING:
    from pdl.reply.result import Segment, Span

_COMMENT = re.compile(r"(?s)<!--.*?(?:-->|\Z)")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_BOX = re.compile(r"\[\s*[xX]?\s*\](?=[ \t]+\S)")
_INDEXED = re.compile(r"[A-Za-z0-9_)]")
_CITATION = re.compile(r"\[\s*\d{1,3}(?:\s*[,–-]\s*\d{1,3})?\s*\]")
_EMPTY = re.compile(r"\{\s*\}|\[\s*\]")
_ANSWERED = Delayed(
    r"(?:[:：=→>]|\b(?:is|are|be|was|were|get|gets|gives?|yields?|returns?|returned|produces?|with|contains?"
    r"|pick|choose|select|therefore|thus|hence|answer|result|output|list|array|object|ist|est|es|é|è)"
    r"|['’]s|为|是|は)[\s*_`\"“]*$",
)
_NAMED_BEHIND = Delayed(r"[\s*_`\"”]*(?:is|are|was|would|should|ist|est|es)\b")
_ENDED = Delayed(r"[*_`\"”)]*[ \t]*(?:$|[.,;:!\n\[{]|\b(?:because|since|as|for)\b)")
_RESET = re.compile(
    r"\b(?:but|however|instead|rather|here(?:['’]s| is| are| you go| it is)?(?!\s+(?:not|no)\b)"
    r"|so|then|sondern|aber|mais|pero|mas|ma)\b",
    re.IGNORECASE,
)
_DENIAL = Delayed(
    r"(?:\b(?:cannot|never|not|refuse|unable|don['’]?t|doesn['’]?t|didn['’]?t|isn['’]?t|wasn['’]?t|aren['’]?t"
    r"|can['’]?t|won['’]?t|couldn['’]?t|wouldn['’]?t|shouldn['’]?t|mustn['’]?t|nicht|kein\w*|pas|não|nunca|niet)\b"
    r"(?!\s+(?:only|counting|including|bad|hard|difficult|complicated|surprising|obvious|easy)\b)(?:\s+[\w'’`\"]+){0,6}"
    r"|\b(?:wrong|incorrect|invalid|bad|malformed|forbidden|false|falsch\w*|incorrecto)"
    r"(?:\s+(?:answers?|results?|outputs?|json|objects?|arrays?|lists?|responses?|examples?|versions?|ones?))?"
    r"(?:\s+(?:would\s+be|might\s+be|could\s+be|is|are|was|were|looks?\s+like))?)[\s*_`:：]*$"
    r"|\b(?:ignore|disregard|discard|forget|scrap)\s+(?:this|that|it|the\s+following)(?:\s+\w+)?[\s*_`:：]*$"
    r"|\bif\s+(?:it|he|she|they|this|that|we|i|you|there|the\s+\w+)\s+(?:were|was|had|could|did)\b"
    r"|^\W*(?:suppos(?:e|ing)|assuming|hypothetically|imagine|pretend)\b|\bwould\s+have\s+been\b",
)
_DENIED_BEHIND = Delayed(
    r"[\s*_`\"”]*(?:"
    r"(?:is|was|are|were|would\s+be|would|should|must|may|can|does|ist|est)"
    r"(?:\s+(?:not|never|wrong|incorrect|invalid|bad|false|nicht|falsch|pas)\b|n['’]t\b)"
    r"|(?:cannot|isn['’]t|wasn['’]t|aren['’]t)\b|[❌✗✘🚫]"
    r"|(?:it|this|that)\s+(?:would|will|could|does|did|can)(?:\s+not\b|n['’]t\b)"
    r"|,?\s*(?:but|which|and)\s+(?:(?!may|might|could|if|nothing|no)[^\W\d_]+\s+){0,4}(?:wrong|incorrect|mistaken|an?\s+(?:mistake|error))\b"
    r"|,?\s*but\s+no\s*(?:[.,!;]|$|longer\b)"
    r"|(?:[—–-]|это|to|to\s+jest|é|è|es|est|är|je|は|是|이|가|은|는)?\s*(?:это\s+)?(?:errad[oa]|faux|fausse"
    r"|incorrect[oa]?|sbagliat[oa]|fout|błędn[aey]|неверн\w+|неправильн\w+|yanlış|fel\b|špatn\w+|错误|错的|不对"
    r"|間違|誤り|違い|(?:틀렸|잘못)(?!\w{0,2}다면)))",
)
_NEAR = 3  # words in front of a bracket among which a denial stands
_NEAR_CHARS = 20  # the same in characters, where words cannot be told
_TO_COME = Delayed(
    r"(?:\b(?:will|would|can)|['’]ll)\s+(?:then\s+)?(?:reply|answer|respond|return|provide|send)\b"
    r".*\b(?:form|format|shape|structure|like\s+this)\b",
)
_EARLIER = 400  # characters in front of an answer in which the reply may have declined
_TILDES = re.compile(r"(?<!~)~~(?!~)")
_DELETION = re.compile(r"<(/?)(del|strike|s)(?:\s[^<>\n]{0,80})?>", re.IGNORECASE)
_BLOCK_QUOTE = re.compile(r"[ \t]*>")
_QUESTION = Delayed(r"[\s*_`\"”')]*[?？](?!\W*(?:yes|ja|oui|sí|si|sim|да|tak|evet|是|はい|네)\b)")
_ASKED = Delayed(r"[^.!?？\n{}\[\]]{0,100}[?？](?!\W*(?:yes|ja|oui|sí|si|sim|да|tak|evet)\b)")
_ASKS = Delayed(
    r"\W*(?:is|was|are|were|could|would|might|should|does|do|did|can|ist|war|wäre|könnte|soll|est-ce|serait|es|será"
    r"|seria|sarebbe|è|czy|это|может)\b",
)
_FORMAL = Delayed(
    r"\b(?:format|form|schema|structure|shape|template|syntax)\s+(?:of\s+[^.:]{1,40}\s+)?(?:would|could|might)\b"
    r"|\b(?:das\s+format|die\s+struktur|die\s+form)\s+(?:wäre|würde)\b|\ble\s+(?:format|schéma)\s+serait\b"
    r"|\b(?:el|o|il)\s+format[oe]\s+(?:sería|seria|sarebbe)\b|\bhet\s+formaat\s+zou\b|формат\s+(?:был\s+бы|выглядел)",
)
_SHOWN = Delayed(
    r"\b(?:would|could|might|wäre|würde|serait|sería|seria|sarebbe|zou)\b|\b(?:example|sample|template|placeholder"
    r"|beispiel\w*|vorlage|exemple|modèle|ejemplo|plantilla|exemplo|modelo|esempio|modello|voorbeeld|przykład\w*"
    r"|пример\w*|шаблон\w*|örnek|exempel)\b|示例|例子|例：|例え|예시",
)
_TRACE = Delayed(
    r"[`\s]*(?:observations?|thought|tool\s+(?:output|result|response)|function\s+(?:output|result)|action(?:\s+input)?)\s*:",
)
"""What follows the input of a tool in a ReAct trace (Yao et al. 2022)."""
_NEAR_BY = 60  # characters between an answer and the end of its fence, so that both are seen
_LINE = 200  # characters beside a bracket that are looked at


def _denied_elsewhere(clause: str) -> bool:
    """Whether a clause that is not in English denies what stands behind it."""
    last = words_of(clause)[-_NEAR:]
    if WRONG.any_of(last) or DENIAL_ELSEWHERE.any_of(last):
        return True
    return WRONG_PHRASE.search(clause.lower(), max(0, len(clause) - _NEAR_CHARS)) is not None


def _abridged(clause: str) -> bool:
    """Whether a clause says that what follows is not all of it: `a partial list`."""
    if not clause:
        return False
    words = words_of(clause)
    near = (set(words[max(0, i - 1) : i + 2]) for i, word in enumerate(words) if word in ABRIDGED)
    named = any(RESULT.any_of(pair) or ANSWER.any_of(pair) for pair in map(list, near))
    return named or is_excerpt(clause) or ABRIDGED_PHRASE.search(clause) is not None


def _is_hypothetical(clause: str, before: str) -> bool:
    """Whether a clause speaks of a form only: `The format would be`, `I cannot tell. Example:`."""
    if not clause:
        return False
    if _FORMAL.search(clause):
        return True
    return _SHOWN.search(clause) is not None and declines(before)


def _deletions(text: str) -> list[Span]:
    """The insides of `<del>`, `<strike>` and `<s>`, of which the last is a token as well.

    One that begins the reply and one that ends it are the tokens of a turn.
    """
    spans: list[Span] = []
    opened: dict[str, int] = {}
    ends = len(text) - len(text.lstrip()), len(text.rstrip())
    for tag in _DELETION.finditer(text):
        name = tag[2].lower()
        if not tag[1]:
            opened.setdefault(name, tag.start())
        elif name in opened:
            start = opened.pop(name)
            if name != "s" or start > ends[0] or tag.end() < ends[1]:
                spans.append((start, tag.end()))
    return spans


def _spoken_against(clause: str, before: str) -> str:
    """What a clause in front of a span says against it; `before` is more of what stands there."""
    if _abridged(clause):
        return "is called a part of the answer by the words before it"
    if _TO_COME.search(clause):
        return "is said to be what is still to come"
    if ascribed(clause):
        return "is said to be another's words, or no answer yet"
    if _is_hypothetical(clause, before):
        return "is said to show the form of an answer, not to be one"
    return ""


class Surroundings:
    """The text around the brackets of a reply, to be asked about each of them."""

    def __init__(self, text: str, front: str) -> None:
        self._text = text
        self._front = front  # the same with blanks for reasoning: what stands before a bracket
        self._comments = [found.span() for found in _COMMENT.finditer(front)]
        self._deleted = Spans(_deletions(front))
        self._others = Spans(others_words(front))

    def no_data(self, span: Span, before: int) -> bool:
        """Whether a closed array is none: a task box, the text of a link, an index.

        `before` is where the last span ended that was found to be no data.
        """
        start, end = span
        if self._text[start] != "[":
            return False
        if self._text.startswith("(", end) or (start and start == before):
            return True
        if start and _INDEXED.match(self._text, start - 1) and self._text[start - 1].isascii():
            return True
        return bool(_BOX.match(self._text, start) and _ITEM.fullmatch(self._before(start)))

    def doubt(self, span: Span, fence: Segment | None, since: int) -> str:
        """Why a span is doubtful as an answer; an empty string if nothing speaks against it.

        `since` is where the candidate before it ends.
        """
        outside = fence.span[0] if fence and fence.span[0] >= since else span[0]
        if self._commented(span[0]):
            return "stands in a comment"
        if span[0] in self._others:
            return "stands in an element that holds no answer"
        if said := self._said(span, fence, lead_clause(self._front, since, outside)):
            return said
        return self._placed(span, fence)

    def _placed(self, span: Span, fence: Segment | None) -> str:
        """What the place of a span says against it: in a sentence, or in a program."""
        if fence and not self._programmed(span, fence):
            return ""
        text = self._text
        bare = _EMPTY.fullmatch(text, *span) or _CITATION.fullmatch(text, *span)
        if bare and (fence or not self._answered(span)):
            return "does not stand where an answer does"
        if fence and misused(text, span, fence.body, fence.label):
            return "is a part of a program, and not what it ends with"
        return ""

    def anothers(self, at: int, since: int) -> bool:
        """Whether what begins at `at` is another's words, or what came before the answer."""
        return at in self._others or ascribed(lead_clause(self._front, since, at))

    def _said(self, span: Span, fence: Segment | None, clause: str) -> str:
        """What the words before it, which are `clause`, and those behind it say against a span."""
        if self._denied(span, clause, in_prose=fence is None):
            return "is denied, or made a condition, by the words around it"
        outer = fence.span if fence else span
        earlier = self._front[max(0, outer[0] - _EARLIER) : outer[0]]
        return _spoken_against(clause, earlier) or self._turned(span, outer, clause)

    def _turned(self, span: Span, outer: Span, clause: str) -> str:
        """What stands around a span, or behind it, against it."""
        if self._struck(outer):
            return "is struck out"
        if self._quoted(outer):
            return "is a quotation that the words below it speak of"
        if self._asked(outer, clause):
            return "is asked about"
        return self._followed(span, outer)

    def _followed(self, span: Span, outer: Span) -> str:
        """What the words behind a span say against it."""
        said = said_behind(self._text, outer[1])
        if not said and outer[1] == len(self._text):
            return ""
        around = behind(self._text, span[1]) if outer[1] - span[1] < _NEAR_BY else None
        if takes_back(said, around):
            return "is taken back by the words behind it"
        if _TRACE.match(said):
            return "is said to be the input of a tool"
        if unreal(said, around):
            return "is said to be no real data by the words behind it"
        if supplanted(self._text, span, outer[1], around):
            return "is followed by words that announce another answer"
        return ""

    def _struck(self, span: Span) -> bool:
        """Whether a span stands between `~~` and `~~` (GFM 6.5), or in an element for deletions."""
        start, end = span
        line = self._front[max(0, start - _LINE) : start].rpartition("\n\n")[2]
        if len(_TILDES.findall(line)) % 2:
            behind = self._text[end : end + _LINE].partition("\n\n")[0]
            if _TILDES.search(behind):
                return True
        return start in self._deleted

    def _quoted(self, outer: Span) -> bool:
        """Whether a span is in a block quote that no words introduce, and prose follows it."""
        text, (start, end) = self._text, outer
        if not _BLOCK_QUOTE.match(text, text.rfind("\n", 0, start) + 1):
            return False
        head = self._front[max(0, start - _EARLIER) : start].split("\n")[:-1]
        above = next(
            (line for line in reversed(head) if line.strip() and line.lstrip()[0] != ">"), ""
        )
        behind = text[end : end + _EARLIER].split("\n")[1:]
        below = any(line.strip(" `~") and line.lstrip()[0] != ">" for line in behind)
        return below and not above.rstrip(" *_`").endswith((":", "："))

    def _asked(self, span: Span, clause: str) -> bool:
        """Whether a question mark follows, or the question goes on behind: `Is it {…}? No.`."""
        behind = self._text[span[1] : span[1] + _LINE].partition("\n")[0]
        if _QUESTION.match(behind):
            return True
        return bool(_ASKS.match(clause)) and _ASKED.match(behind) is not None

    def _before(self, at: int) -> str:
        return self._front[max(0, at - _LINE) : at].rpartition("\n")[2]

    def _commented(self, at: int) -> bool:
        index = bisect_right(self._comments, (at, at)) - 1
        return index >= 0 and self._comments[index][0] <= at < self._comments[index][1]

    def _denied(self, span: Span, clause: str, *, in_prose: bool) -> bool:
        resets = list(_RESET.finditer(clause))
        told = clause[resets[-1].end() :] if resets else clause
        if told and (_DENIAL.search(told) or _denied_elsewhere(told)):
            return True
        if not in_prose:
            return False
        return _DENIED_BEHIND.match(self._text, span[1]) is not None or spoken_ill_of(
            self._text, *span
        )

    def _programmed(self, span: Span, fence: Segment) -> bool:
        """Whether a span is a part of a program: of a fence in another language that holds more."""
        named = language(fence.label)
        if named in PLAIN_FENCES or named.startswith("json"):
            return False
        start, end = fence.body
        outside = self._text[max(start, span[0] - _LINE) : span[0]]
        outside += self._text[span[1] : min(end, span[1] + _LINE)]
        return bool(outside.strip())

    def _answered(self, span: Span) -> bool:
        """Whether a span stands alone on its line, behind `is` or a colon, or in front of `is`."""
        before = self._before(span[0]).strip(' \t*_`"“>#-')
        behind = self._text[span[1] : span[1] + _LINE]
        if not before:
            return bool(_ENDED.match(behind) or _NAMED_BEHIND.match(behind))
        return _ANSWERED.search(before) is not None
