"""Where a model says, in broken JSON or behind an answer, that it left data out."""

from __future__ import annotations

import re

from pdl.reply.prose.omissions_old import leaves_out, left_out_behind

_STRING = r'"[^"\\]*+(?>(?:\\[\s\S][^"\\]*+)*)\\?+(?:"|\Z)'
_PARTS = re.compile(
    rf"{_STRING}|“[^“”]*+”|(?<=[\[{{:,\s])'[^'\\\n]*+(?>(?:\\.[^'\\\n]*+)*)'(?=\s*+(?:[\]}},:]|\Z))"
    r"|(?P<comment>//[^\n]*+|/\*(?>(?:[^*]|\*(?!/))*)(?:\*/)?|(?<![^\s,\[\]{}\"])\#[^\n]*+)"
    r"|(?<![^\W\d_])(?P<dots>\.{3,}|…+)"
    r"|(?P<words>[(<+]?[^\W\d_][^\n\"',{}\[\]:]*+|(?<!\d)\d++[ ](?:more|other)[^\n\"',{}\[\]:]*+)"
)
_PLACEHOLDER = re.compile(
    rf"(?P<string>{_STRING})"
    r"|(?<=[:,\[])\s*+(?P<said><[A-Za-z][^<>\n]{0,60}+>|_{3,}+|\?{3,}+|TODO\b|TBD\b"
    r"|(?:YOUR|INSERT|ENTER)_\w++|[A-Z]++(?>(?:_(?!HERE)[A-Z]++)*)_HERE\b"
    r"|\{\{[^{}\n]{0,60}+\}\})"
)


def elided_at(text: str) -> tuple[int, int] | None:
    """Where broken JSON says, outside its strings, that something is left out."""
    for part in _PARTS.finditer(text):
        said = part["comment"] or part["words"]
        if part["dots"] or (said and leaves_out(said)):
            return part.end() - len(part[0].lstrip("/#* ")), part.end()
    return None


def placeholder_at(text: str) -> tuple[int, int] | None:
    """Where broken JSON has a name in place of a value: `<age>`, `YOUR_NAME`."""
    return next((m.span("said") for m in _PLACEHOLDER.finditer(text) if m["said"]), None)


def elided_behind(text: str, at: int) -> tuple[int, int] | None:
    """Where the words behind an answer say that it is not all of it."""
    return left_out_behind(text, at)
