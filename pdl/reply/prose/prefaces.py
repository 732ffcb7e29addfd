"""What is said around a code block or a task list that makes it no answer.

The words are those about data, and more that only prose around such blocks has: whose code it is,
that it is what was there before, that it is one part of several, that something was left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.prose.doubt import Surroundings
from pdl.reply.prose.marks_old import lead_clause
from pdl.reply.prose.omissions_old import left_out_behind
from pdl.reply.prose.retractions import declines
from pdl.reply.prose.withdrawals_old import withdrawn

if TYPE_CHECKING:
    from pdl.reply.result import Segment, Span

_NOUN = (
    r"(?:code|snippet|function|method|class|script|program|query|statement|command|file|version|block|config\w*"
    r"|implementation|solution|list|plan|tasks?|error(?:\s+message)?|message|traceback|output|input|log|one)"
)
_FORMER = (
    r"(?:original|current|existing|old|previous|former|earlier|initial|first|buggy|broken|faulty|failing|bad|wrong"
    r"|incorrect|vulnerable|unsafe|problematic|offending|outdated|rejected)"
)
_POINTS = r"(?:(?:so\s+)?(?:here(?:['’]s|\s+is|\s+are|\s+was)|this\s+(?:is|was))\s+)?"
_GAVE = (
    r"(?:wrote|posted|sent|gave|provided|shared|had|have|pasted|submitted|showed|quoted|tried|used|got"
    r"|get|received|saw|see)"
)
_OTHERS = re.compile(
    rf"^{_POINTS}(?:(?:the|your|my|his|her|their|an?)\s+)?(?:{_FORMER}\s+)+(?:{_NOUN}\s*)*(?:was|is|were|are|looks?(?:ed)?\s+like)?$"
    rf"|^(?:your|the\s+user['’]?s|his|her|their|my)\s+(?:\w+\s+){{0,2}}{_NOUN}\s+(?:was|were|looked\s+like|had\s+been)$"
    rf"|^{_POINTS}(?:the\s+|your\s+)?(?:\w+\s+)?{_NOUN}\s+(?:that\s+)?(?:you|the\s+user|they|he|she)\s+{_GAVE}$"
    rf"|^(?:what\s+)?(?:you|the\s+user|they|he|she)\s+{_GAVE}(?:\s+(?:this|was|is))?$"
    r"|^(?:the\s+)?error(?:\s+message)?(?:\s+(?:is|was|says))?$"
    r"|^(?:before|wrong|bad|incorrect|avoid|never|not|old|original|input|instead\s+of|vorher|falsch|avant|antes|mal|prima"
    r"|faux|sbagliato|błędnie|неправильно|раньше|было|yanlış|önce|fel|fout|错误|之前|修改前|変更前|誤り|이전|잘못)$"
    r"|\b(?:wrong|bad|incorrect)\s+way$"
    r"|\b(?:bug|problem|error|issue|mistake|culprit|fault)\s+(?:\w+\s+){0,2}(?:is|lies|was|comes)\s+(?:in|here|from|with|caused\s+by)\b"
    r"|\b(?:dein|ihr|euer)e?r?\s+(?:\w+\s+)?(?:code|liste|plan)\s+(?:war|lautete)$|\bvotre\s+code\s+était$|\btu\s+código\s+era$",
    re.IGNORECASE,
)
"""Clauses whose whole point is that what follows is another's, or came before."""

_PART = re.compile(
    r"\bpart\s+(?:\d+|one|i)\b|\bteil\s+\d+\b|\bpartie\s+\d+\b|\bparte\s+\d+\b|часть\s+\d|第[一1]部分|パート\s*1"
    r"|\b(?:first|second|next|last|top|bottom|upper)\s+(?:half|part|section|chunk|portion)\b|\bexcerpt\b"
    r"|\bfirst\s+(?:\d+|two|three|few|several)\s+(?:of|tasks|items|steps)\b|\bpartial\s+(?:list|version|code|implementation|solution|plan)\b",
    re.IGNORECASE,
)
_CANNOT = re.compile(
    r"\b(?:i|we)(?:\s+(?:can\s?not|can['’]?t|could\s+not|couldn['’]t|will\s+not|won['’]t|am\s+unable\s+to|am\s+not\s+able\s+to)"
    r"|['’]m\s+(?:unable|not\s+able)\s+to)\b",
    re.IGNORECASE,
)
_STAND_IN = re.compile(
    r"\bwould\s+(?:look|be)\b|\b(?:example|sample|similar|harmless|stub|skeleton|placeholder|template|instead|format|generic|pseudo\w*)\b",
    re.IGNORECASE,
)
_RELATIVE_NOT = re.compile(
    r"\b(?:that|which|who|it|they|so|to|and|but)\s+(?:\w+\s+){0,2}?(?:not|never|cannot|(?:does|do|is|are|will|can)n['’]?t)\b"
    r"|\b(?:not\s+(?:only|just|yet)|without)\b",
    re.IGNORECASE,
)
"""A denial in a relative clause, about how the code works: `a query that does not …`."""

_UNFIT = re.compile(
    r"\W*(?:please\s+)?(?:ignore|disregard|forget|(?:do\s+not|don['’]t)\s+use)\s+(?:this|that|the)\s+(?:block|code|snippet|version|list|plan|above)\b(?!\s+(?:in|for|with\w*|if|on|as)\b)"
    r"|\W*(?:please\s+|then\s+|also\s+)?(?:replace|change|edit|fix)\s+line\s+\d+\s+(?:with|to|by|so|from)\b"
    r"|\W*(?:(?:but|however|note\s+that),?\s+)?(?:this|that|it|the\s+(?:above|code|version|list|plan))\s+"
    r"(?:(?:code|version|list|plan|one)\s+)?(?:above\s+)?(?:does(?:\s+not|n['’]t)\s+(?:work|run|compile)(?:\s+yet)?\W*$"
    r"|(?:is|was)\s+(?:(?:only|just|merely|still)\s+)?(?:an?\s+)?(?:sketch|stub|skeleton|draft|outline|placeholder|partial|incomplete|unfinished)\b"
    r"|(?:is|was)\s+(?:only|just|merely)\s+(?:an?\s+)?(?:example|sample|illustration)\b)",
    re.IGNORECASE,
)
"""Sentences behind an answer that say that it is not fit for use."""

_OMITS = re.compile(
    r"\b(?:i|we)(?:['’]ve|\s+have)?\s+(?:\w+\s+)?(?:omitted|left\s+out|skipped|elided|abbreviated)\b"
    r"|\b(?:rest|remainder|remaining|others?|further)\b[^.\n]{0,40}\b(?:omitted|left\s+out|elided|to\s+come"
    r"|follows?\s+(?:below|later|next|in|the\s+same))\b"
    r"|\b(?:omitted|left\s+out|skipped|shortened|abbreviated|elided)\s+(?:here\s+)?for\s+(?:brevity|clarity|space|simplicity)\b",
    re.IGNORECASE,
)
"""What says, wherever it stands, that the answer is not whole."""

_ABOUT = re.compile(
    r"\b(?:brevity|space|length|limit\w*|continue[sd]?|cut\s+off|next\s+(?:message|reply|part|response))\b"
    r"|\b(?:rest|remaining|other)\s+(?:of\s+(?:the|your)\s+)?(?:code|functions?|methods?|class(?:es)?|files?|implementations?"
    r"|handlers?|modules?|tests?|parts?|sections?|routes?|components?|endpoints?|tasks?)\b"
    r"|\b(?:rest|reste|resto|reszta)\b|остальн|остаток|省略|略|생략|其余|残り|나머지",
    re.IGNORECASE,
)
"""Of remarks on what is not there, those that are not about what a program does."""

_EXCUSED = re.compile(
    r"\b(?:nothing|none|no|not|as\s+(?:you\s+)?(?:requested|asked|instructed))\b", re.IGNORECASE
)
_MORE_TASKS = re.compile(
    r"\b(?:\d+|two|three|four|five|several|some|many|a\s+few)\s+(?:more|other|further|additional|remaining)\s+(?:tasks?|items?|steps?|to-?dos?)\b"
    r"|\b(?:first|last|top|only)\s+(?:\d+|two|three|four|five|few)\s+(?:(?:out\s+)?of|tasks|items|steps)\b"
    r"|\b\d+\s+(?:out\s+)?of\s+(?:the\s+|all\s+)?\d+\s+(?:tasks|items|steps)\b|\bmore\s+(?:tasks|items|steps)\s+(?:follow|to\s+(?:come|follow)|below|later)\b"
    r"|\b(?:partial|incomplete)\s+(?:task\s+|to-?do\s+)?(?:list|plan)\b",
    re.IGNORECASE,
)
_CUT_SHORT = re.compile(
    r"\s*[\[(]\s*(?:cut\s+(?:off|short)|truncated|incomplete|unfinished|abgeschnitten|tronqué|cortado)\b[^\])\n]*[\])]",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*|\n+")
_WINDOW = 600  # characters beside an answer that are looked at
_NEAR = 2  # sentences behind an answer that tell of more tasks


def doubt(text: str, span: Span, fence: Segment | None, since: int) -> str:
    """Why a block of code or a list is no answer; an empty string if nothing says so.

    `span` is the answer and `fence` the fence that it is in; `since` is where the one before ends.
    """
    outer = fence.span if fence else span
    clause = lead_clause(text, since, outer[0]).strip(" \t*_:：#")
    if _OTHERS.search(clause):
        return "is called another's, or an earlier one, by the words before it"
    if _PART.search(clause):
        return "is called a part of the answer by the words before it"
    before = text[max(since, outer[0] - _WINDOW) : outer[0]]
    if _STAND_IN.search(before) and (declines(before) or _CANNOT.search(before)):
        return "stands in for an answer that is declined"
    behind = text[outer[1] : outer[1] + _WINDOW]
    if any(_UNFIT.match(behind, *one) for one in _sentences(behind)):
        return "is called unfinished, or to be changed, by the words behind it"
    led = outer[0] if _RELATIVE_NOT.search(clause) else since
    # Other remarks behind an answer than withdrawals are about data: `Replace it with your own`.
    why = Surroundings(text[: outer[1]], text[: outer[1]]).doubt(span, fence, led)
    return why or ("is taken back by the words behind it" if withdrawn(text, outer[1]) else "")


def left_out(text: str, start: int, end: int, since: int) -> Span | None:
    """Where the words around an answer, from `start` to `end`, say that some of it is not there.

    A remark on what a program does with the rest of its data is none: it must speak of code, or
    give a reason such as brevity.
    """
    behind = left_out_behind(text, end)
    if behind and (_at_once(text, end, behind) or _ABOUT.search(text, *behind)):
        return behind
    short = _CUT_SHORT.match(text, end)
    if short:
        return short.span()
    first = max(since, start - _WINDOW)
    for begin, stop in ((end, min(len(text), end + _WINDOW)), (first, start)):
        found = _told(text[begin:stop], begin)
        if found:
            return found
    return None


def _at_once(text: str, end: int, said: Span) -> bool:
    """Whether a remark is the first line behind an answer, in brackets or of a few words."""
    words = text[slice(*said)].strip()
    return not text[end : said[0]].strip("`~ \t\r\n") and (
        words[:1] in set("([<（［【/#.…") or len(words.split()) <= 3  # noqa: PLR2004 - `and so on`
    )


def _told(said: str, at: int) -> Span | None:
    """The sentence of a text, which begins at `at`, that says what the answer lacks."""
    for start, end in _sentences(said):
        words = said[start:end]
        if _OMITS.search(words) and not _EXCUSED.search(words):
            return at + start, at + end
    return None


def _sentences(said: str) -> list[Span]:
    found: list[Span] = []
    at = 0
    for end in _SENTENCE.finditer(said):
        if end.start() > at:
            found.append((at, end.start()))
        at = end.end()
    return [*found, (at, len(said))] if at < len(said) else found


def more_tasks(text: str, start: int, end: int, since: int) -> Span | None:
    """Where the words just around a list speak of tasks that are not in it: `3 more tasks`."""
    behind = text[end : end + _WINDOW]
    for one in [one for one in _sentences(behind) if behind[slice(*one)].strip()][:_NEAR]:
        if _MORE_TASKS.search(behind[slice(*one)]):
            return end + one[0], end + one[1]
    clause = lead_clause(text, since, start)
    if _MORE_TASKS.search(clause):
        return text.rfind("\n", 0, start - 1) + 1 if start else 0, start
    return None
