"""What a compiled grammar holds of each keyword of its schema."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.cli.reports.json_text import json_document
from pdl.schema.prose import visible

if TYPE_CHECKING:
    from pdl.cli.screen import Screen, Style
    from pdl.gbnf import Grammar
    from pdl.gbnf.compiling.report import Level, Report

_STYLES: dict[Level, Style] = {"EXACT": "hint", "BOUNDED": "note", "POST_HOC": "warning"}
_NOUNS: dict[Level, str] = {
    "EXACT": "held exactly",
    "BOUNDED": "bounded",
    "POST_HOC": "left to the checker",
}
_WIDEST = 48  # columns of a pointer; what is behind a longer one moves


def report_text(report: Report, screen: Screen) -> str:
    """A line for each keyword with its JSON pointer, its level and why, then how many there are."""
    entries = [replace(one, pointer=visible(one.pointer), why=visible(one.why)) for one in report]
    place = min(_WIDEST, max((len(one.pointer) for one in entries), default=0))
    word = max((len(one.keyword) for one in entries), default=0)
    lines = []
    for one in entries:
        start = screen.safe(f"{one.pointer:<{place}}  {one.keyword:<{word}}")
        level = screen.style(f"{one.level:<8}" if one.why else one.level, _STYLES[one.level])
        lines.append(f"{start}  {level}{f'  {screen.safe(one.why)}' if one.why else ''}")
    return "\n".join([*lines, summary(report)])


def summary(report: Report) -> str:
    """`12 keywords: 10 held exactly, 2 left to the checker`."""
    levels = [one.level for one in report]
    if not levels:
        return "no keywords"
    counts = [f"{levels.count(level)} {noun}" for level, noun in _NOUNS.items() if level in levels]
    return f"{len(levels):,} keyword{'s' * (len(levels) > 1)}: {', '.join(counts)}"


def left_over(report: Report) -> str:
    """What is to be said of a grammar that leaves something out; empty if there is nothing."""
    count = len(report.post_hoc)
    if not count:
        return ""
    verb = "keyword is" if count == 1 else "keywords are"
    return f"{count:,} {verb} left to the checker; --explain tells which"


def compiled_json(grammar: Grammar, report: Report) -> str:
    """The grammar's text, its root, and the report."""
    return json_document(
        {"ok": True, "grammar": str(grammar), "root": grammar.root, "report": report.to_json()}
    )
