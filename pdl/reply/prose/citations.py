"""What a reply only cites: words in quotation marks, in inline code, in a block quotation.

Whose words those are is not known, so they mark no answer: a mail may call something final.
"""

from __future__ import annotations

import re

_PAIRS = (("`", "`"), ('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("「", "」"), ("『", "』"))
_CLOSED = re.compile(
    "|".join(rf"{opener}[^{opener}{closer}\n]*+[{closer}]" for opener, closer in _PAIRS)
)
_LETTER = re.compile(r"\w")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_END = {
    closers: re.compile(rf"[}}\]][.\s*_)]{{0,3}}+[{closers}](?!\s*[:,}}\]])")
    for _, closers in _PAIRS
}
"""A mark that ends a quotation right behind data, not behind a string in it."""
_DATA = 4000  # characters of data, and of what follows it, that are looked at
_BEHIND = 200  # characters behind a tag that are looked at


def without_citations(lead: str, text: str, at: int) -> str:
    """The words in front of an answer at `at`, with dots for the letters that are cited.

    As long as before. A quotation may be still open there and end behind the answer; if it begins
    with the answer itself, then the words before it are not cited.
    """
    masked = _CLOSED.sub(lambda quote: _dotted(quote[0]), lead)
    opened = _opened(masked, text, at)
    return masked if opened is None else masked[:opened] + _dotted(masked[opened:])


def cited_together(text: str, start: int, end: int) -> bool:
    """Whether the tags that begin at `start` and end at `end` stand in one quotation."""
    line = text[max(0, start - _BEHIND) : start].rpartition("\n")[2]
    if line.lstrip().startswith(">"):
        return True
    line = _CLOSED.sub(lambda quote: " " * len(quote[0]), line)
    behind = text[end : end + _BEHIND].partition("\n")[0]
    return any(
        _last_open(line, opener, closers) >= 0 and any(map(behind.__contains__, closers))
        for opener, closers in _PAIRS
    )


def _dotted(quote: str) -> str:
    return _LETTER.sub("·", quote)


def _opened(lead: str, text: str, at: int) -> int | None:
    """Where the quotation begins that is still open at the end of `lead`, and ends behind."""
    line = lead.rfind("\n") + 1
    for opener, closers in _PAIRS:
        begin = _last_open(lead, opener, closers)
        if begin >= line:
            behind = _BLANK_LINE.split(text[at : at + _DATA], maxsplit=1)[0]
            if any(map(behind.__contains__, closers)):
                return begin
        elif begin >= 0 and opener != "`" and _END[closers].search(text, at, at + _DATA):
            return begin
    return None


def _last_open(lead: str, opener: str, closers: str) -> int:
    """Where the last quotation of a kind begins, if it does not end; else -1."""
    if opener in closers:
        return lead.rfind(opener) if lead.count(opener) % 2 else -1
    begin = lead.rfind(opener)
    return begin if max(map(lead.rfind, closers)) < begin else -1
