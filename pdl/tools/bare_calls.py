"""Whether a bare JSON call (without a tool call marker) is made, or only mentioned.

A model that mentions a call writes it in the same way as one that makes it. Only the position
distinguishes them: a call has its lines, or its code block, to itself.
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
"""Characters that can separate calls."""
_START = itemgetter(0)
_NEAR = 80
_ESCAPED_MARK = re.compile(
    r"(?:&lt;|&#0*+60;|\\u003c|\\x3c|\\<)/?(?:tool_calls?|function_calls?|\|python_tag\|)"
    r"(?:&gt;|&#0*+62;|\\u003e|\\x3e|\\?>)\s*+\Z",
    re.IGNORECASE,
)
_TICK = re.compile(r"`[ \t]*+\Z")
_TICK_AFTER = re.compile(r"[ \t]*+`")
_QUOTE_MARK = re.compile(r"(?:^|\n)[ \t]*+>[> \t]*+\Z")
_LINE = 200  # characters of the line before a call, or after it, that are examined

_QUOTING_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>(?:tool|function)_(?:response|result|output)s?|documents?|page|web_?page"
    r"|e?mail|message|quote|blockquote|user(?:_input)?|context|search_results?|results?|source|file"
    r"|examples?)\b[^<>\n]{0,200}+>",
    re.IGNORECASE,
)
"""Tags around quoted text: a call in them is not the model's."""

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
"""The end of a line that attributes what follows to someone else: `The page says:`."""

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
"""The beginning of a line that asks about the call before it, or refuses it."""


@dataclass
class Lines:
    """The lines of a reply that contain certain spans: calls, and parts that are not text."""

    text: str
    spans: list[Span]
    _alone: list[bool] = field(init=False)
    _blocks: dict[Span, bool] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Look at each gap between the spans once."""
        gaps = list(self._gaps())
        before = _linked([(_is_blank(_last(gap)), "\n" in gap) for gap in gaps[:-1]])
        after = _linked([(_is_blank(_first(gap)), "\n" in gap) for gap in reversed(gaps[1:])])
        self._alone = [a and b for a, b in zip(before, reversed(after), strict=True)]

    def _gaps(self) -> list[str]:
        """The text before, between and after the spans."""
        starts = [*(start for start, _ in self.spans), len(self.text)]
        ends = [0, *(end for _, end in self.spans)]
        return [self.text[end:start] for end, start in zip(ends, starts, strict=True)]

    def is_quoted(self, span: Span) -> bool:
        """Whether one of them is in a tag around quoted text."""
        return span[0] in self._quoting

    @cached_property
    def _quoting(self) -> Spans:
        """The content of such tags."""
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
        """Whether the lines of one of them contain only spans."""
        index = bisect_right(self.spans, span[0], key=_START) - 1
        return index >= 0 and self._alone[index]

    def fills(self, fence: Segment) -> bool:
        """Whether a fence contains only spans."""
        known = self._blocks.get(fence.body)
        if known is None:
            known = self._blocks[fence.body] = is_filled(self.text, fence.body, self.spans)
        return known


def _linked(gaps: list[tuple[bool, bool]]) -> list[bool]:
    """For each span whether its line is blank up to its end on one side.

    A gap says whether its part next to the span is blank, and whether it contains a newline;
    without one, the span beyond it is on the same line.
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
    """The lines that contain spans, which may touch each other."""
    return Lines(text, list(Spans(spans)))


def is_filled(text: str, body: Span, gone: list[Span]) -> bool:
    """Whether the body of a fence contains only spans, which are in order."""
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
    """Whether an escaped tool call marker precedes a position: `&lt;tool_call&gt;`."""
    return _ESCAPED_MARK.search(text[max(0, at - _NEAR) : at]) is not None


def attributed_to_others(lines: Lines, outer: Span) -> str:
    """Why a call is someone else's, or waits for an answer; empty if it is neither."""
    text, (start, end) = lines.text, outer
    if lines.is_quoted(outer):
        return "is inside a tag that quotes others"
    lead = text[max(0, start - _LINE) : start].rstrip(" \t\r\n*_`:：").rpartition("\n")[2]
    if _ASCRIBED.search(lead):
        return "is quoted from someone else"
    after = text[end : end + _LINE].lstrip().partition("\n")[0].rstrip()
    if _ASKED.search(lead) or _TAKEN_BACK.match(after):
        return "is asked about or refused, not made"
    return ""


def mentioned(text: str, outer: Span) -> str:
    """Why a call with its markers is mentioned, not made; empty if it is made."""
    front = text[max(0, outer[0] - _NEAR) : outer[0]]
    if _TICK.search(front) and _TICK_AFTER.match(text, outer[1]):
        return "is inside inline code"
    if _QUOTE_MARK.search(front if outer[0] > _NEAR else f"\n{front}"):
        return "is inside a quotation"
    return ""
