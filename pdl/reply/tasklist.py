"""`tasklist`: the one list of GFM task items of a reply, its lines as they stand there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.reply.outcome import Extent, Reading, failed
from pdl.reply.sentences import PLAIN_FENCES, masked
from pdl.reply.wording import count

if TYPE_CHECKING:
    from pdl.reply.asked import Asked

_ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<marker>[-*+])[ \t]+\[[^\[\]\n]\][ \t]+\S")
_LEFT_OUT = re.compile(
    r"[ \t]*(?:[-*+][ \t]+\[[^\[\]\n]\][ \t]+)?[(\[<]?(?:"
    r"(?:\.\.\.|…|etc\b)[ \t]*"
    r"(?:\(?(?:and\s+so\s+on|(?:and\s+)?(?:\d+\s+|the\s+)?(?:more|rest|others?|remaining)\b"
    r"[^\n]{0,40}))?"
    r"|(?:and\s+)?(?:\d+\s+more|more|other|remaining|rest of the)\s+(?:tasks|items|steps)"
    r"(?:\s+(?:here|omitted|follow))?"
    r")[.)\]> \t]*$",
    re.IGNORECASE,
)
_OTHER_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")


@dataclass
class _List:
    """A run of lines that began with a task item."""

    span: Extent
    indent: int
    markers: dict[int, str]
    mixed: bool = False
    stray: str = ""
    left_out: str = ""
    items: int = 1


def read(asked: Asked) -> Reading:
    """The lines of the only task list, as they are; the bounds count its items at the top."""
    text = masked(asked.text, asked.cut, PLAIN_FENCES)
    lists = _lists(text)
    if not lists:
        return failed("absent", "holds no task list", wanted="a task list")
    if len(lists) > 1:
        message = f"has multiple task lists: {len(lists)}"
        return failed("ambiguous", message, span=lists[1].span, wanted="1 task list")
    [found] = lists
    if found.mixed:
        return failed("ambiguous", "has a task list with different markers", span=found.span)
    if found.stray:
        message = f"has a line beside its tasks that is none: `{found.stray}`"
        return failed("ambiguous", message, span=found.span, found=found.stray)
    if found.left_out:
        message = f"leaves tasks out at `{found.left_out}`"
        return failed("elided", message, span=found.span, found=found.left_out, wanted="all tasks")
    return _bounded(found, asked.tasks) or Reading(text[slice(*found.span)], found.span)


def _bounded(found: _List, bounds: tuple[int | None, int | None]) -> Reading | None:
    least, most = bounds
    if least is not None and found.items < least:
        wanted, word = f"at least {count(least, 'task')}", "short"
    elif most is not None and found.items > most:
        wanted, word = f"at most {count(most, 'task')}", "long"
    else:
        return None
    message = f"is too {word}: make sure that it has {wanted}, not {found.items}"
    return failed("wrong-schema", message, span=found.span, found=str(found.items), wanted=wanted)


def _lists(text: str) -> list[_List]:
    """The runs of task items and what belongs to them; a blank line ends a run."""
    lists: list[_List] = []
    current: _List | None = None
    at = 0
    for line in text.split("\n"):
        span = (at, at + len(line.rstrip()))
        at += len(line) + 1
        item = _ITEM.match(line)
        if not line.strip():
            current = None
        elif item and current is None:
            indent = len(item["indent"].expandtabs(4))
            current = _List(span, indent, {indent: item["marker"]})
            lists.append(current)
            _look_for_gap(current, line)
        elif item and current:
            _add(current, span, item)
            _look_for_gap(current, line)
        elif current:
            _continue(current, span, line)
    return lists


def _look_for_gap(current: _List, line: str) -> None:
    """Note a task that is none, but stands for others: `- [ ] ...`."""
    if not current.left_out and _LEFT_OUT.match(line):
        current.left_out = line.strip()[:40]


def _add(current: _List, span: Extent, item: re.Match[str]) -> None:
    indent = len(item["indent"].expandtabs(4))
    current.span = (current.span[0], span[1])
    current.items += indent <= current.indent
    current.mixed |= current.markers.setdefault(indent, item["marker"]) != item["marker"]


def _continue(current: _List, span: Extent, line: str) -> None:
    """A line that is indented goes on with the item above it; another one has no clear place."""
    indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
    if indent > current.indent and not _OTHER_ITEM.match(line):
        current.span = (current.span[0], span[1])
    else:
        current.stray = current.stray or line.strip()[:40]
