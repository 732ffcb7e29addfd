"""`tasklist`: the one list of GFM task items of a reply, its lines as they stand there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.reply.extents import Extents
from pdl.reply.marks import announced
from pdl.reply.omissions import left_out_behind, stands_for_more
from pdl.reply.outcome import Extent, Reading, failed
from pdl.reply.phrases import say
from pdl.reply.quoted import unquoted
from pdl.reply.sentences import PLAIN_FENCES, blanked, language, masked
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from pdl.reply.asked import Asked

_ITEM = re.compile(
    r"(?P<indent>[ \t]*)(?P<marker>[-*+]|\d{1,9}[.)])[ \t]+\[[^\[\]\n]\][ \t]+(?P<said>\S[^\n]*)"
)
_TAG_END = re.compile(r"[>\]]")


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
    lists = _lists(asked)
    if not lists:
        bare = unquoted(asked)
        lists = _lists(bare) if bare else []
        asked = bare or asked
    if not lists:
        return failed("absent", say("holds-no", wanted=say("a-task-list-of")), wanted="a task list")
    lists = _marked(asked, lists) or lists
    if len(lists) > 1:
        message = say("several-lists", number=len(lists))
        return failed("ambiguous", message, span=lists[1].span, wanted="1 task list")
    return _checked(asked, lists[0])


def _marked(asked: Asked, lists: list[_List]) -> list[_List]:
    """The lists that the reply calls final or corrected, or puts into an answer tag."""
    tagged = Extents(asked.cut.answers)
    ends = [0, *(one.span[1] for one in lists)]
    return [
        one
        for one, end in zip(lists, ends, strict=False)
        if one.span[0] in tagged or announced(asked.text, end, one.span[0])
    ]


def _checked(asked: Asked, found: _List) -> Reading:
    """The reading of the only list: it must be whole, and of one kind."""
    if found.mixed:
        return failed("ambiguous", say("mixed-markers"), span=found.span)
    if found.stray:
        message = say("stray-line", found=found.stray)
        return failed("ambiguous", message, span=found.span, found=found.stray)
    if found.left_out:
        message = say("leaves-tasks-out", found=found.left_out)
        return failed("elided", message, span=found.span, found=found.left_out, wanted="all tasks")
    behind = left_out_behind(asked.text, found.span[1])
    if behind:
        said = shorten(asked.text[slice(*behind)])
        message = say("leaves-tasks-out", found=said)
        return failed("elided", message, span=found.span, found=said, wanted="all tasks")
    value = _dedented(asked.text[slice(*found.span)], found.indent)
    return _bounded(found, asked.tasks) or Reading(value, found.span)


def _dedented(lines: str, indent: int) -> str:
    """The lines without the indentation of the list itself."""
    if not indent:
        return lines
    return re.sub(rf"^[ \t]{{1,{indent}}}", "", lines, flags=re.MULTILINE)


def _bounded(found: _List, bounds: tuple[int | None, int | None]) -> Reading | None:
    least, most = bounds
    if least is not None and found.items < least:
        wanted, key = say("at-least", bound=say("tasks", number=least)), "too-short"
    elif most is not None and found.items > most:
        wanted, key = say("at-most", bound=say("tasks", number=most)), "too-long"
    else:
        return None
    message = say(key, wanted=wanted, found=str(found.items))
    return failed("wrong-schema", message, span=found.span, found=str(found.items), wanted=wanted)


def _lists(asked: Asked) -> list[_List]:
    """The runs of task items and what belongs to them; a blank line ends a run."""
    text = blanked(masked(asked.text, asked.cut, PLAIN_FENCES), _answer_tags(asked))
    programs = _programs(asked)
    fences = Extents((start, end + 1) for start, end in programs.items())
    lists: list[_List] = []
    current: _List | None = None
    at = 0
    for line in text.split("\n"):
        span = (at, at + len(line.rstrip()))
        at += len(line) + 1
        item = _ITEM.match(line)
        if span[0] in fences:
            # A program may stand below a task; its own lines are no tasks.
            if current and span[0] in programs:
                current.span = (current.span[0], programs[span[0]])
        elif not line.strip():
            current = None
        elif item and current is None:
            current = _begin(item, span)
            lists.append(current)
        elif item and current:
            _add(current, span, item)
        elif current:
            _continue(current, span, line)
    return lists


def _programs(asked: Asked) -> dict[int, int]:
    """The indented fences that hold programs: where their first lines begin, and where they end."""
    text = asked.text
    found: dict[int, int] = {}
    for segment in asked.cut.segments:
        start = text.rfind("\n", 0, segment.span[0]) + 1
        before = text[start : segment.span[0]]
        program = segment.kind == "fence" and language(segment.label) not in PLAIN_FENCES
        if program and before and not before.strip():
            found[start] = segment.span[1]
    return found


def _answer_tags(asked: Asked) -> list[Extent]:
    """The tags around answers, which are no part of them."""
    text, tags = asked.text, []
    for start, end in asked.cut.answers:
        tags.append((max(text.rfind("<", 0, start), text.rfind("[", 0, start), 0), start))
        behind = _TAG_END.search(text, end)
        tags.append((end, behind.end() if behind else len(text)))
    return tags


def _begin(item: re.Match[str], span: Extent) -> _List:
    indent = _width(item["indent"])
    current = _List(span, indent, {indent: _kind(item)})
    _look_for_gap(current, item)
    return current


def _width(indent: str) -> int:
    return len(indent.expandtabs(4))


def _kind(item: re.Match[str]) -> str:
    """The marker of an item; numbers are of one kind."""
    return item["marker"][-1]


def _look_for_gap(current: _List, item: re.Match[str]) -> None:
    """Note a task that is none, but stands for others: `- [ ] ...`."""
    if not current.left_out and stands_for_more(item["said"].rstrip()):
        current.left_out = item[0].strip()[:40]


def _add(current: _List, span: Extent, item: re.Match[str]) -> None:
    indent = _width(item["indent"])
    current.span = (current.span[0], span[1])
    current.items += indent <= current.indent
    current.mixed |= current.markers.setdefault(indent, _kind(item)) != _kind(item)
    _look_for_gap(current, item)


def _continue(current: _List, span: Extent, line: str) -> None:
    """A line that is indented goes on with the item above it; another one has no clear place."""
    indent = _width(line[: len(line) - len(line.lstrip())])
    if indent > current.indent:
        current.span = (current.span[0], span[1])
    elif left_out_behind(line, 0):
        current.left_out = current.left_out or line.strip()[:40]
    else:
        current.stray = current.stray or line.strip()[:40]
