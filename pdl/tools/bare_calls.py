"""Whether a bare JSON call (without a tool call marker) is made, or only mentioned.

A model that mentions a call writes it in the same way as one that makes it. Only the position
distinguishes them: a call has its lines, or its code block, to itself.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from pdl.reply.segments.spans import Spans

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.reply.result import Segment, Span

SEPARATORS = " \t\r\n\v\f\xa0\u200b\u3000\ufeff;,"
"""Characters that can separate calls."""
_REST_OF_LINE = re.compile(r"[^\n]*+(?:\n|\Z)")
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


class Lines:
    """The lines of a reply that contain certain spans: calls, and parts that are not text."""

    def __init__(self, text: str, spans: Iterable[Span]) -> None:
        self.text = text
        self._masked = masked(text, Spans(spans))
        self._filled: dict[Span, bool] = {}

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
        return span[0] in self._lines

    @cached_property
    def _lines(self) -> Spans:
        """The lines without other text; newlines inside spans do not end a line."""
        lines = (match.span() for match in _REST_OF_LINE.finditer(self._masked))
        return Spans(one for one in lines if _is_blank(self._masked[slice(*one)]))

    def fills(self, fence: Segment) -> bool:
        """Whether a fence contains only spans."""
        known = self._filled.get(fence.body)
        if known is None:
            known = self._filled[fence.body] = is_filled(self.text, self._masked, fence.body)
        return known


def masked(text: str, spans: Spans) -> str:
    """Return the text with spaces instead of spans; of the same length."""
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += (text[at:start], " " * (end - start))
        at = end
    return "".join([*parts, text[at:]])


def is_filled(text: str, without: str, body: Span) -> bool:
    """Whether the body of a fence has text, but none in the text `without` spans."""
    return _is_blank(without[slice(*body)]) and not _is_blank(text[slice(*body)])


def _is_blank(part: str) -> bool:
    return not part.strip(SEPARATORS)


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
