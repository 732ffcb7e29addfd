"""Where in a sentence an answer stands, and what a reply says that takes an answer back.

A word or a number amid a sentence is seldom an answer: `I give up on that`, `it took 3 minutes`.
It is one if it is the whole sentence but for a plain lead-in (`So the total is 7`), or if it is
set apart by a label, bold type, quotation marks or a box.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl.reply.outcome import Extent

_MARKS = r"*_`\"'“”‘’«»"
_OPENING = rf"[\s>#{_MARKS}(\[|•–-]*+(?:\(?\d{{1,3}}[.)]\s+)?+[{_MARKS}(]*+"
_FILLERS = (
    r"(?:(?:so|well|thus|hence|therefore|ok|okay|sure|overall|finally|clearly|in\s+total|in\s+short|in\s+summary"
    r"|to\s+summarize|in\s+conclusion|unfortunately|fortunately|sadly|okay\s+then|based\s+on\s+[^,\n]{1,60}+)"
    r"[,:]?\s+)*+"
)
_LEAD = re.compile(
    rf"{_OPENING}{_FILLERS}"
    r"(?:(?:about|approximately|around|roughly|exactly|precisely|only|just|option|choice|number|total|score)\s+)*+"
    rf"[{_MARKS}(]*",
    re.IGNORECASE,
)
_COPULA = re.compile(
    r"(?:\b(?:(?<!\bi\s)(?:is|was|are|were)|equals?|makes?|costs?|totals?|gives|yields|(?:amounts|comes)\s+to"
    r"|(?:should|must|has\s+to)\s+be|ist|war|sind|beträgt|lautet|est|es|é|è|son|sont)"
    r"|\b(?:it|that|this|there|answer)['’]s"
    r"|\b(?:(?:i|we)(?:\s+(?:would|will|should|must))?|(?:i|we)['’](?:d|ll)|both|all)\s+"
    r"(?:therefore\s+)?(?:say|pick|choose|select|take|answer|vote|get|count|counted|found|chose|went\s+with"
    r"|go\s+with|estimate|think|believe)"
    r"|\b(?:classif\w+|categori[sz]ed?|label\w*|rated?|tag\w*|mark\w*)\s[^.:;\n]{0,40}?\bas"
    r"|\b(?:classif\w+|categori[sz]ed?|label\w*|rated?|tag\w*)(?:\s+(?:it|this))?)"
    r"(?:\s+(?:an?|the|definitely|clearly|simply|just|therefore|indeed|exactly|precisely|about|approximately"
    r"|around|roughly|equal\s+to|only|overall|predominantly|mostly|mainly|strongly|very\s+clearly|option|category"
    r"|label|number|score))*+"
    rf"\s+[{_MARKS}(]*$"
    rf"|[=＝→⇒≈][ \t]*[{_MARKS}(]*$"
    r"|(?:은|는|이|가|为|為|是|は|が)\s*+[\"'“‘「『*`]*$",
    re.IGNORECASE,
)
_LABEL = re.compile(
    rf"(?:^|\n)[ \t>#|•{_MARKS}-]*+(?P<label>[^\n:：]{{1,60}}?)[ {_MARKS}]*[:：][ \t{_MARKS}(]*$"
    rf"|\b(?P<name>answer|result|total|verdict|classification|choice|sentiment|score|rating|label|category|output)"
    rf"[ {_MARKS}]*[:：][ \t{_MARKS}(]*$",
    re.IGNORECASE,
)
_NO_LABEL = re.compile(
    r"\b(?:error|https?|status|version|step|page|question|example|input|attempt|note|ref|source|chapter|isbn"
    r"|tel|phone|section|line|not|no|never|wrong|incorrect|maybe|if|when|unless|or|options?|choices|between)\b",
    re.IGNORECASE,
)
_BOX = re.compile(r"\\boxed\{\s*(?:\\(?:text|mathrm|textbf)\{)?\s*$")
_BEHIND = re.compile(
    r"[*_`\"'”’»)}\]$|\u200b\u200c\u200d\ufeff]*[ \t\u00a0]*+"
    r"(?:$|[.,;:!\n。，；！](?!\d)|[—–]|-\s|[(\[](?!s\))"
    r"|[\u2600-\u27bf\U0001f000-\U0001faff]"
    r"|(?:because|since|given|in\s+(?:all|total)|of\s+(?:them|these|those)|altogether|overall)\b"
    r"|(?:is|was)\s+(?:the|my)\s+(?:(?:final|correct|right|best)\s+)?(?:answer|choice|result|one)\b"
    r"|입니다|이다|이에요|예요|です|だ(?!\w))",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b(?:there\s+(?:are|is|were|was)|(?:i|we)\s+(?:count|counted|see|found|find))\s+"
    r"(?:(?:exactly|only|about|around|approximately|roughly|a\s+total\s+of)\s+)*[*_`]*$",
    re.IGNORECASE,
)
_THINGS = re.compile(
    r"[*_`]*\s+[^\W\d_]{3,}(?:\s+[^\W\d_]{3,}){0,2}(?:\s+(?:in|on|of|at)\s+[^.,;:!?\n]{1,60})?\s*[.!]?\s*$",
    re.IGNORECASE,
)
_SETS_APART = re.compile(r"(?:\*\*|__|`)$")
_WINDOW = 160  # characters in front of an answer, and behind it, that are looked at

_DECLINES = re.compile(
    r"\b(?:can\s?not|can['’]?t|unable\s+to|will\s+not|won['’]?t|could\s+not|couldn['’]?t)\s+(?:really\s+|possibly\s+)?"
    r"(?:answer|help|assist|tell|say|determine|provide|comply|decide|know|do\s+(?:that|this)|give|be\s+sure|judge"
    r"|confirm|verify|fulfil\w*|process|read|see|access)\b"
    r"|\b(?:do\s+not|don['’]?t|did\s+not|didn['’]?t)\s+(?:really\s+|actually\s+)?(?:know|understand|have\s+(?:enough|access))\b"
    r"|\bnot\s+(?:sure|certain|able\s+to)\b|\b(?:no|any)\s+(?:idea|way\s+to)\b|\b(?:unsure|uncertain)\b"
    r"|\b(?:i|we)\s+(?:must\s+|have\s+to\s+)?(?:refuse|decline|apologi[sz]e)\b|\bas\s+an\s+ai\b|\bsorry\b"
    r"|\bweiß\s+(?:\w+\s+)?nicht\b|\bne\s+sais\s+pas\b|\bno\s+(?:lo\s+)?sé\b|알\s?수\s?없|모르|分かりません|不知道",
    re.IGNORECASE,
)
_RETRACTS = re.compile(
    r"\b(?:wait(?!\s+(?:time|for|until|list))|scratch\s+that|strike\s+that|on\s+(?:reflection|second\s+thoughts?)|correction|never\s?mind"
    r"|my\s+mistake|my\s+bad|oops|hmm+|take\s+(?:that|it)\s+back|i\s+was\s+wrong|i\s+misspoke"
    r"|let\s+me\s+(?:re\w+|correct|think|check)|or\s+(?:rather|maybe|perhaps)|come\s+to\s+think)\b"
    r"|(?:^|[.,;:!?\n—–-])\s*actually\b",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"\b(?:that|this|it)(?:['’]s|\s+(?:is|was|would\s+be))\s+(?:\w+\s+)?"
    r"(?:wrong|incorrect|false|untrue|mistaken|an\s+error)\b",
    re.IGNORECASE,
)


def placed(text: str, sentence: Extent, span: Extent) -> bool:
    """Whether what stands at `span` is what its sentence is there to say."""
    start = max(sentence[0], span[0] - _WINDOW)
    before = text[start : span[0]].rstrip("-−+").rstrip("$€£¥~≈ \t")
    before += " " * (span[0] - start > len(before))
    if _BOX.search(text[max(0, span[0] - _WINDOW) : span[0]]):
        return True
    behind = text[span[1] : span[1] + _WINDOW]
    number = text[span[0] : span[1]][-1:].isdigit()
    if number and _counted(before, behind, sentence[1] - span[1]):
        return True
    # `**5** km` is no 5, but `**bug** fits best` is a bug.
    if not (_BEHIND.match(behind) or (not number and _is_set_apart(before, behind))):
        return False
    whole = start == sentence[0] and _LEAD.fullmatch(before)
    return bool(whole or _COPULA.search(before) or _is_labelled(before) or _is_bold(before))


def _counted(before: str, behind: str, length: int) -> bool:
    """Whether things are counted: `There are 7 apples in the box`."""
    return bool(
        before.endswith(" ") and _COUNTED.search(before) and _THINGS.match(behind[: max(0, length)])
    )


def _is_set_apart(before: str, behind: str) -> bool:
    return _is_bold(before) and behind[:1] in {"*", "_", "`"}


def _is_bold(before: str) -> bool:
    return _SETS_APART.search(before) is not None


def _is_labelled(before: str) -> bool:
    """`Total: `, `**Answer:** `; an error's code or a page is no answer."""
    label = _LABEL.search(before)
    return label is not None and not _NO_LABEL.search(label["label"] or label["name"])


def taken_back(text: str, at: int, start: int = 0, *, denies: bool = False) -> bool:
    """Whether a reply declines to answer, from `start` on, or retracts, from `at` on, what it said.

    `No, that is wrong.` retracts nothing: an answer that `denies` goes with such words.
    """
    if _DECLINES.search(text, start) or _RETRACTS.search(text, at):
        return True
    return not denies and _WRONG.search(text, at) is not None
