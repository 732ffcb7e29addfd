"""Descriptions as lines of comments and back, and pieces of text as errors quote them."""

from __future__ import annotations

import re

_QUOTED = 40  # characters of a piece of text in an error
_LINE_END = re.compile(r"\r\n?|\n")


def lines_of(description: str) -> list[str]:
    """The lines without blanks at their ends, empty lines at the ends, and common indentation.

    What a comment cannot carry is only blanks, so this is what a description is compared by.
    """
    lines = [line.rstrip() for line in _LINE_END.split(description)]
    filled = [number for number, line in enumerate(lines) if line]
    lines = lines[filled[0] : filled[-1] + 1] if filled else []
    indent = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return [line[indent:] for line in lines]


def joined(lines: list[str]) -> str:
    """The description that lines of comments make."""
    return "\n".join(lines_of("\n".join(lines)))


def quoted(text: str) -> str:
    """A piece of text in backticks, cut if it is long; what no terminal prints is escaped."""
    shown = text if len(text) <= _QUOTED else f"{text[: _QUOTED - 1]}…"
    return f"`{visible(shown)}`"


def visible(text: str) -> str:
    r"""A text on one line: what no terminal prints, or would not print as a character, is escaped.

    A newline in a name becomes `\n`, so that no name can look like two lines of a report.
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
