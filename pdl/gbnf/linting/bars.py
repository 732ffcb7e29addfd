"""Alternatives: bars at line ends, doubles, and long rows of literals."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from pdl.gbnf.nodes import Group, Item, Literal, Repeat, Rule, Sequence
from pdl.gbnf.write import item_text, sequence_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.gbnf.linting.finding import Finding, Reporter

_BLANK = re.compile(r"(?>(?:[ \t\r\n]|#[^\r\n]*+)*)")
_BAR_LINE = re.compile(r"\|[ \t]*+(?>(?:#[^\r\n]*+)?)(?:\r?\n)")
_EMPTY_LINE = re.compile(r"\n[ \t]*+(?:\r?\n|#)")
_NEEDLESS = 16
"""So many stacks that a trie would save are worth a word."""
_SHOWN = 40


def trailing(rule: Rule, report: Reporter) -> Iterator[Finding]:
    """Bars at the end of a line: at the end of the rule, or before what looks like a new one."""
    text = report.source.text
    ends = rule.named
    for index, option in enumerate(rule.options):
        if index and option.start >= 0:
            yield from _bar(text, ends, option, report)
        elif index and index == len(rule.options) - 1:
            bar = _next_bar(text, ends, index - _last_written(rule.options, index))
            if bar >= 0 and _BAR_LINE.match(text + "\n" if bar + 1 == len(text) else text, bar):
                message = f"this `|` ends the line, so rule `{rule.name}` may be empty"
                hint = 'remove the `|`, or write `| ""` if it may'
                yield report.at((bar, bar + 1), "trailing-bar", message, hint)
        ends = max(ends, option.end)


def _last_written(options: tuple[Sequence, ...], before: int) -> int:
    """The index of the last alternative in front of one that is not left empty."""
    return next((n for n in range(before - 1, 0, -1) if options[n].start >= 0), 0)


def _next_bar(text: str, at: int, count: int) -> int:
    """Where the bar of that number stands behind an offset, over blanks and comments."""
    bar = at - 1
    for _ in range(count):
        found = _BLANK.match(text, bar + 1)
        assert found is not None
        bar = found.end()
        if text[bar : bar + 3] == "::=":
            found = _BLANK.match(text, bar + 3)
            assert found is not None
            bar = found.end()
        if text[bar : bar + 1] != "|":
            return -1
    return bar


def _bar(text: str, ends: int, option: Sequence, report: Reporter) -> Iterator[Finding]:
    """A bar at a line end in front of an alternative that does not look like one."""
    gap = text[ends : option.start]
    found = _BAR_LINE.search(gap)
    if found is None:
        return
    behind = gap[found.end() - 1 :]
    if _EMPTY_LINE.match(behind) or behind.endswith("\n"):
        bar = ends + found.start()
        message = "this `|` ends the line, and lets the rule go on below"
        hint = "indent the next line, or remove the `|`"
        yield report.at((bar, bar + 1), "bar-at-line-end", message, hint)


def in_options(
    options: tuple[Sequence, ...], place: tuple[int, int], report: Reporter
) -> Iterator[Finding]:
    """Doubles and long rows in alternatives, and in the groups inside them."""
    yield from _doubles(options, place, report)
    yield from _flat(options, place, report)
    for option in options:
        for item in option.items:
            yield from _inside(item, report)


def _inside(item: Item, report: Reporter) -> Iterator[Finding]:
    while isinstance(item, Repeat):
        item = item.item
    if isinstance(item, Group):
        yield from in_options(item.options, (item.start, item.end), report)


def _doubles(
    options: tuple[Sequence, ...], place: tuple[int, int], report: Reporter
) -> Iterator[Finding]:
    seen: set[Sequence] = set()
    for option in options:
        if option in seen:
            if option.start >= 0:
                place = option.start, option.end
            shown = sequence_text(option)[:_SHOWN] or '""'
            message = f"the alternative `{shown}` is there twice"
            yield report.at(place, "duplicate-alternative", message, "remove one of them")
        seen.add(option)


def _flat(
    options: tuple[Sequence, ...], place: tuple[int, int], report: Reporter
) -> Iterator[Finding]:
    """Many alternatives that begin with the same characters."""
    literals = [
        item
        for option in options[: len(options) if len(options) > _NEEDLESS else 0]
        if option.items and isinstance(item := option.items[0], Literal) and item.codes
    ]
    first = Counter(item.codes[0] for item in literals)
    if len(literals) - len(first) < _NEEDLESS:
        return
    code, count = first.most_common(1)[0]
    words = [item for item in literals if item.codes[0] == code]
    two = [item_text(Literal(item.codes[1:])) for item in words[:2]]
    head = item_text(Literal((code,)))
    message = (
        f"{len(literals)} literals side by side are as many stacks, and begin with only"
        f" {len(first)} different character{'s' if len(first) > 1 else ''}"
    )
    hint = (
        f"share beginnings, as `{head} ({' | '.join(two)} | …)` for the {count} with {head}"
        " (`Grammar.optimize` does so)"
    )
    yield report.at(place, "flat-alternatives", message, hint)
