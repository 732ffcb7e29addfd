"""Whether a call that no mark announces stands by itself, or is a part of what is said.

A model that speaks of a call writes it as one that makes it. Only the place tells them apart: a
call has its lines, or its block, for itself.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

from pdl.reply.segments.spans import Spans

if TYPE_CHECKING:
    from pdl.reply.result import Segment, Span

SEPARATORS = " \t\r\n\v\f\xa0\u200b\u3000\ufeff;,"
"""What may stand between calls."""
_START = itemgetter(0)
_NEAR = 80
_ESCAPED_MARK = re.compile(
    r"(?:&lt;|&#0*+60;|\\u003c|\\x3c|\\<)/?(?:tool_calls?|function_calls?|\|python_tag\|)"
    r"(?:&gt;|&#0*+62;|\\u003e|\\x3e|\\?>)\s*+\Z",
    re.IGNORECASE,
)
_TICK = re.compile(r"`[ \t]*+\Z")
_TICK_BEHIND = re.compile(r"[ \t]*+`")
_QUOTE_MARK = re.compile(r"(?:^|\n)[ \t]*+>[> \t]*+\Z")
_LINE = 200  # characters of the line in front of a call, or behind it, that are looked at

_QUOTING_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>(?:tool|function)_(?:response|result|output)s?|documents?|page|web_?page"
    r"|e?mail|message|quote|blockquote|user(?:_input)?|context|search_results?|results?|source|file"
    r"|examples?)\b[^<>\n]{0,200}+>",
    re.IGNORECASE,
)
"""Tags around what others say: a call in them is theirs."""

_TOLD = (
    r"(?:wrote|writes?|says?|said|contains?|reads?|includes?|returned|(?:told|tells?|instruct(?:s|ed)?"
    r"|asks?|asked|wants?) me to|dit|contient|sagt|enthält|dice|contiene)"
)
_ASCRIBED = re.compile(
    rf"\b(?:(?:attackers?|documents?|dokument|documento|(?:web ?)?pages?|página|seite"
    r"|(?:web ?)?sites?|e-?mails?|articles?|files?|tickets?|comments?|injections?|tool)"
    rf"\b[^.!?\n]{{0,40}}\b{_TOLD}"
    r"|(?:users?|customers?|someone|somebody)\b[^.!?\n]{0,40}\b(?:wrote|writes|says?|said|quoted))"
    r"\b[^.,;!?\n]{0,20}\Z|(?:网页|页面|文档|邮件)[^。！？\n]{0,20}(?:写着|说|包含)[：:]?\Z",
    re.IGNORECASE,
)
"""The end of a line that gives what follows to somebody else: `The page says:`."""

_DO = r"(?:run|execute|call|proceed|go ahead|make|send|submit|do (?:it|this|that))"
_ASKED = re.compile(
    rf"(?:\b(?:should|shall|may|can) I {_DO}\b[^.?!\n]{{0,80}}\?"
    r"|\b(?:do you want|would you like) me to\b[^.?!\n]{0,80}\??"
    rf"|\b(?:please (?:confirm|approve)|before I {_DO})\b[^.?!\n]{{0,80}})\Z",
    re.IGNORECASE,
)
"""The end of a line that asks whether what follows should be done."""

_TAKEN_BACK = re.compile(
    rf"\W*(?:(?:should|shall|may|can) I {_DO}\b[^.?!\n]*+\?"
    rf"|(?:do you want|would you like) me to {_DO}\b[^.?!\n]*+\?"
    r"|please (?:confirm|approve)\b|(?:but )?I (?:refuse|decline)\b"
    r"|(?:but )?I need your (?:permission|approval|consent)\b"
    rf"|(?:but )?I (?:will not|won['’]t) (?:{_DO}|follow|obey)\b"
    r"|(?:but )?I (?:will not|won['’]t)\W*+\Z"
    r"|(?:which|this|that|it) (?:looks|seems|is|appears)(?: to be)?(?: an?)? (?:malicious"
    r"|suspicious|phishing|spam|attack|(?:prompt )?injection))",
    re.IGNORECASE,
)
"""The beginning of a line that asks about the call in front of it, or refuses it."""


@dataclass
class Lines:
    """The lines of a reply in which certain spans are: calls, and what is no text."""

    text: str
    spans: list[Span]
    _alone: list[bool] = field(init=False)
    _blocks: dict[Span, bool] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Look at each gap between the spans once."""
        gaps = list(self._gaps())
        behind = _linked([(_is_blank(_last(gap)), "\n" in gap) for gap in gaps[:-1]])
        front = _linked([(_is_blank(_first(gap)), "\n" in gap) for gap in reversed(gaps[1:])])
        self._alone = [a and b for a, b in zip(behind, reversed(front), strict=True)]

    def _gaps(self) -> list[str]:
        """The text in front of, between and behind the spans."""
        starts = [*(start for start, _ in self.spans), len(self.text)]
        ends = [0, *(end for _, end in self.spans)]
        return [self.text[end:start] for end, start in zip(ends, starts, strict=True)]

    def is_quoted(self, span: Span) -> bool:
        """Whether one of them is in a tag around what others say."""
        return span[0] in self._quoting

    @cached_property
    def _quoting(self) -> Spans:
        """What is in such tags."""
        found: list[Span] = []
        open_at: dict[str, list[int]] = {}
        for tag in _QUOTING_TAG.finditer(self.text):
            starts = open_at.setdefault(tag["name"].lower(), [])
            if not tag["close"]:
                starts.append(tag.end())
            elif starts:
                found.append((starts.pop(), tag.start()))
        return Spans(found)

    def alone(self, span: Span) -> bool:
        """Whether nothing but other spans is on the lines of one of them."""
        index = bisect_right(self.spans, span[0], key=_START) - 1
        return index >= 0 and self._alone[index]

    def fills(self, fence: Segment) -> bool:
        """Whether a fence holds spans, and nothing else."""
        known = self._blocks.get(fence.body)
        if known is None:
            known = self._blocks[fence.body] = is_filled(self.text, fence.body, self.spans)
        return known


def _linked(gaps: list[tuple[bool, bool]]) -> list[bool]:
    """For each span whether its line is blank up to its end on one side.

    A gap tells whether its part next to the span is blank, and whether a line ends in it; without
    a line's end the span beyond it is on the same line.
    """
    found: list[bool] = []
    for is_blank, has_end in gaps:
        found.append(is_blank and (has_end or not found or found[-1]))
    return found


def _is_blank(part: str) -> bool:
    return not part.strip(SEPARATORS)


def _last(gap: str) -> str:
    return gap.rpartition("\n")[2]


def _first(gap: str) -> str:
    return gap.partition("\n")[0]


def lines_of(text: str, spans: list[Span]) -> Lines:
    """The lines in which spans are, that may touch each other."""
    return Lines(text, list(Spans(spans)))


def is_filled(text: str, body: Span, gone: list[Span]) -> bool:
    """Whether spans, which are in order, are in the body of a fence, and nothing else."""
    at, end = body
    first = index = max(bisect_right(gone, at, key=_START) - 1, 0)
    while index < len(gone) and gone[index][0] < end:
        start, stop = gone[index]
        if text[at : max(start, at)].strip(SEPARATORS):
            return False
        at = max(at, stop)
        index += 1
    return index > first and at > body[0] and not text[at:end].strip(SEPARATORS)


def escaped_marker(text: str, at: int) -> bool:
    """Whether a mark of calls is written out in front of a place: `&lt;tool_call&gt;`."""
    return _ESCAPED_MARK.search(text[max(0, at - _NEAR) : at]) is not None


def attributed_to_others(lines: Lines, outer: Span) -> str:
    """Why a call is another's, or waits for an answer; empty if nothing says so."""
    text, (start, end) = lines.text, outer
    if lines.is_quoted(outer):
        return "is inside a tag that quotes others"
    lead = text[max(0, start - _LINE) : start].rstrip(" \t\r\n*_`:：").rpartition("\n")[2]
    if _ASCRIBED.search(lead):
        return "is quoted from someone else"
    behind = text[end : end + _LINE].lstrip().partition("\n")[0].rstrip()
    if _ASKED.search(lead) or _TAKEN_BACK.match(behind):
        return "is asked about or refused, not made"
    return ""


def mentioned(text: str, outer: Span) -> str:
    """Why a call with its marks is spoken of, not made; empty if it is made."""
    front = text[max(0, outer[0] - _NEAR) : outer[0]]
    if _TICK.search(front) and _TICK_BEHIND.match(text, outer[1]):
        return "is inside inline code"
    if _QUOTE_MARK.search(front if outer[0] > _NEAR else f"\n{front}"):
        return "is inside a quotation"
    return ""
