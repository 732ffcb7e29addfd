"""Words and signs with which a model says that it left data out."""

from __future__ import annotations

import re

_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_SAID = (
    r"\.\.\.|…"
    r"|\b(?:rest|remaining|remainder|others?|more|further|additional)\s+"
    r"(?:of\s+\w+\s+)?(?:the\s+)?\w*\s*"
    r"(?:items?|entries|elements?|records?|rows?|fields?|values?|objects?|results?|omitted|truncated)\b"
    r"|\b(?:omitted|truncated|elided|abbreviated|continued|and so on|etc\.|same as above)"
)
_INSIDE = re.compile(rf"(?P<string>{_STRING})|(?P<said>{_SAID})", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    rf"(?P<string>{_STRING})"
    r"|(?<=[:,\[])\s*+(?P<said><[A-Za-z][^<>\n]{0,60}+>|_{3,}+|\?{3,}+|TODO\b|TBD\b|YOUR_\w++"
    r"|\{\{[^{}\n]{0,60}+\}\})"
)
_BEHIND = re.compile(
    r" ?(?:\.\.\.|…)(?=[ \t]*(?:\n|$))|"
    r"(?:[\s`,;]*+[(\[]?|[ \t]*\n?[ \t]*(?://|#|/\*)?)[ \t]*+(?:(?:\.\.\.|…)+\s*)?+"
    r"(?:and\s+)?(?:the\s+)?"
    r"(?:(?:rest|remaining|remainder|\d+ (?:more|other))\b[^\n]{0,60}?"
    r"\b(?:omitted|truncated|items|entries|elements|follow|similar)"
    r"|(?:to be )?continued\b|(?:output |list |response )?(?:truncated|omitted|abbreviated)\b)",
    re.IGNORECASE,
)


def elided_at(text: str) -> tuple[int, int] | None:
    """Where broken JSON says, outside its strings, that something is left out."""
    return _said(_INSIDE, text)


def placeholder_at(text: str) -> tuple[int, int] | None:
    """Where broken JSON has a name in place of a value: `<age>`, `YOUR_NAME`."""
    return _said(_PLACEHOLDER, text)


def _said(pattern: re.Pattern[str], text: str) -> tuple[int, int] | None:
    return next((m.span("said") for m in pattern.finditer(text) if m["said"]), None)


def elided_behind(text: str, at: int) -> tuple[int, int] | None:
    """Whether the words right behind an answer say that it is not all of it."""
    found = _BEHIND.match(text, at)
    return found.span() if found else None
