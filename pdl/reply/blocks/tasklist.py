"""`tasklist`: the one list of GFM task items of a reply, its lines as they stand there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.reply.blocks.quoted import unquoted
from pdl.reply.blocks.text import amid_line, line_before
from pdl.reply.phrases import say
from pdl.reply.prose.marks_old import announced
from pdl.reply.prose.omissions_old import left_out_behind, stands_for_more
from pdl.reply.prose.prefaces import doubt, left_out, more_tasks
from pdl.reply.prose.sentences import PLAIN_FENCES, blanked, language, masked
from pdl.reply.result import Reading, Span, failed
from pdl.reply.segments.spans import Spans
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from pdl.reply.query import Asked
    from pdl.reply.result import Segment

_ITEM = re.compile(
    r"(?P<indent>[ \t]*)(?P<marker>[-*+]|\d{1,9}[.)])[ \t]+\[[^\[\]\n]\][ \t]+(?P<said>\S[^\n]*)"
)
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_NEARLY = re.compile(
    r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]*)?(?:\[[ \txX✓✔]?\](?!\()|[☐☑☒🔲⬜])[ \t]*\S"
)
"""A line with a task that is not written as one: `- [] a`, `☐ a`."""

_AMID = re.compile(r"[^\s`][ \t]+(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX✓✔]?\][ \t]+\S")
"""A task amid a line: `The plan: - [ ] a`."""

_TAG_END = re.compile(r"[>\]]")
_BEHIND = 200  # characters behind a tag that are looked at
_PARAGRAPH = 2  # columns by which a paragraph of an item is indented, at least


@dataclass
class _List:
    """A run of lines that began with a task item."""

    span: Span
    indent: int
    markers: dict[int, str]
    mixed: bool = False
    stray: str = ""
    left_out: str = ""
    items: int = 1
    gaps: int = 0  # items at the top with a blank line in front, less the first item

    @property
    def uneven(self) -> bool:
        """Whether blank lines stand between some items and not between others: it may be two."""
        return 0 < self.gaps < self.items - 1


def read(asked: Asked) -> Reading:
    """The lines of the only task list, as they are; the bounds count its items at the top."""
    lists = _lists(asked)
    if not lists:
        bare = unquoted(asked)
        lists = _lists(bare) if bare else []
        asked = bare or asked
    if not lists:
        return failed("absent", say("holds-no", wanted=say("a-task-list")), wanted="a task list")
    lists = _marked(asked, lists) or lists
    if len(lists) > 1:
        message = say("several-lists", number=len(lists))
        return failed("ambiguous", message, span=lists[1].span, wanted="1 task list")
    return _checked(asked, lists[0])


def _marked(asked: Asked, lists: list[_List]) -> list[_List]:
    """The lists that the reply calls final or corrected, or puts into an answer tag."""
    tagged = Spans(asked.cut.answers)
    ends = [0, *(one.span[1] for one in lists)]
    return [
        one
        for one, end in zip(lists, ends, strict=False)
        if one.span[0] in tagged or announced(asked.front, end, one.span[0])
    ]


def _checked(asked: Asked, found: _List) -> Reading:
    """The reading of the only list: it must be whole, of one kind, and meant."""
    broken = _misshapen(found) or _open_fence(asked, found) or _tag_amid(asked)
    if broken:
        return broken
    if said := _missing(asked, found):
        message = say("leaves-tasks-out", found=said)
        return failed("elided", message, span=found.span, found=said, wanted="all tasks")
    why = doubt(asked.around(found.span[0]), found.span, _fence(asked, found), 0)
    if why:
        excerpt = shorten(asked.text[slice(*found.span)])
        message = say("unclear", found=excerpt, why=why)
        return failed("ambiguous", message, span=found.span, found=excerpt, wanted="a task list")
    value = asked.patterns.without_end(asked.text[slice(*found.span)])
    value = _dedented(value, found.indent)
    return _bounded(found, asked.tasks) or Reading(value, found.span)


def _misshapen(found: _List) -> Reading | None:
    """Why a list is not one list of tasks."""
    if found.mixed:
        return failed("ambiguous", say("mixed-markers"), span=found.span)
    if found.stray:
        message = say("stray-line", found=found.stray)
        return failed("ambiguous", message, span=found.span, found=found.stray)
    if found.uneven:
        message = say("several-lists", number=found.gaps + 1)
        return failed("ambiguous", message, span=found.span, wanted="1 task list")
    return None


def _fence(asked: Asked, found: _List) -> Segment | None:
    """The fence that a list is in."""
    fences = (one for one in asked.cut.segments if one.kind == "fence")
    at = found.span[0]
    return next((one for one in fences if one.body[0] <= at < one.body[1]), None)


def _open_fence(asked: Asked, found: _List) -> Reading | None:
    """A list in a fence that is never closed may go on, unless a token ends the turn."""
    fence = _fence(asked, found)
    if fence is None or fence.closed:
        return None
    body = asked.text[slice(*fence.body)]
    if asked.patterns.without_end(body) != body:
        return None
    end = shorten(body.rstrip()[-24:], 24)
    return failed("truncated", say("cut-off", found=end), span=found.span, found=end)


def _tag_amid(asked: Asked) -> Reading | None:
    """Tags of reasoning or of an answer amid a line may be what a task speaks of."""
    text = asked.text
    for segment in asked.cut.segments:
        if segment.kind == "reasoning" and (
            amid_line(asked, segment) or _in_item(text, segment.body[1], segment)
        ):
            message = say("tag-amid-text", tag=shorten(segment.label))
            return failed("ambiguous", message, span=segment.span, wanted="the tasks alone")
    for start, end in _answer_tags(asked):
        if _ITEM.match(line_before(text, start + 1)):
            behind = text[end : end + _BEHIND].partition("\n")[0].strip()
            if behind or text[start : start + 2] != "</":
                message = say("tag-amid-text", tag=text[start:end])
                return failed("ambiguous", message, span=(start, end), wanted="the tasks alone")
    return None


def _in_item(text: str, at: int, segment: Segment) -> bool:
    """Whether reasoning without an opener ends on the line of a task, or of a bullet."""
    bare = segment.span[0] == segment.body[0]
    return bare and _BULLET.match(line_before(text, at)) is not None


def _missing(asked: Asked, found: _List) -> str:
    """What in a list, or around it, stands for tasks that are not in it."""
    if found.left_out:
        return found.left_out
    start, end = found.span
    text = asked.around(start)
    said = left_out(text, start, end, 0) or more_tasks(text, start, end, 0)
    return shorten(asked.text[slice(*said)].strip()) if said else ""


def _dedented(lines: str, indent: int) -> str:
    """The lines without the indentation of the list itself."""
    if not indent:
        return lines
    return re.sub(rf"^[ \t]{{1,{indent}}}", "", lines, flags=re.MULTILINE)


def _bounded(found: _List, bounds: tuple[int | None, int | None]) -> Reading | None:
    least, most = bounds
    if least is not None and found.items < least:
        wanted = say("at-least", bound=say("tasks", number=least))
    elif most is not None and found.items > most:
        wanted = say("at-most", bound=say("tasks", number=most))
    else:
        return None
    message = say("must-have", wanted=wanted, found=str(found.items))
    return failed("wrong-schema", message, span=found.span, found=str(found.items), wanted=wanted)


def _lists(asked: Asked) -> list[_List]:
    """The runs of task items and what belongs to them."""
    text = blanked(masked(asked.text, asked.cut, PLAIN_FENCES), _answer_tags(asked))
    programs = _programs(asked)
    lines = _Lines(asked.text, programs)
    at = 0
    for line in text.split("\n"):
        lines.add(line, (at, at + len(line.rstrip())))
        at += len(line) + 1
    if lines.nearly and lines.lists:
        lines.lists[0].stray = lines.lists[0].stray or lines.nearly
    return lines.lists


class _Lines:
    """The lines of a reply one after the other, and the lists that they make."""

    def __init__(self, text: str, programs: dict[int, int]) -> None:
        self.lists: list[_List] = []
        self.nearly = ""
        self._text = text
        self._programs = programs
        self._fences = Spans((start, end + 1) for start, end in programs.items())
        self._current: _List | None = None
        self._last: Span = (0, 0)  # the last line with text
        self._bullet = -1  # the indentation of that line if it is a plain bullet

    def add(self, line: str, span: Span) -> None:
        """Look at a line; `span` is where it stands, without the blanks at its end."""
        if span[0] in self._fences:
            self._below(span)
        elif line.strip():
            item = _ITEM.match(line)
            self._with_text(line, span, item)
            bullet = not item and _BULLET.match(line)
            self._bullet = _indent(line) if bullet else -1
            self._last = span

    def _below(self, span: Span) -> None:
        """A program may stand below a task; its own lines are no tasks."""
        if self._current and span[0] in self._programs:
            end = self._programs[span[0]]
            self._current.span = (self._current.span[0], end)
            self._last = (span[0], end)

    def _with_text(self, line: str, span: Span, item: re.Match[str] | None) -> None:
        if _AMID.search(line) or (not item and _NEARLY.match(line)):
            self.nearly = self.nearly or line.strip()[:40]
        between = self._text[self._last[1] : span[0]]
        blank = between.count("\n") > 1
        if between.strip():
            self._current, self._bullet = None, -1
        current = self._current
        if current and blank and not item:
            self._behind(current, line, span)
        elif current and item:
            _add(current, span, item, blank=blank)
        elif current:
            _continue(current, span, line)
        elif item:
            self._begin(item, span)

    def _begin(self, item: re.Match[str], span: Span) -> None:
        self._current = _begin(item, span)
        self.lists.append(self._current)
        if self._bullet >= self._current.indent:
            self._current.stray = self._text[slice(*self._last)].strip()[:40]

    def _behind(self, current: _List, line: str, span: Span) -> None:
        """A line with a blank one in front: a paragraph of the last item, or no part of the list.

        A plain bullet there would be an item of the same list (GFM 5.3).
        """
        if _indent(line) >= current.indent + _PARAGRAPH:
            _continue(current, span, line)
            return
        if _BULLET.match(line):
            current.stray = current.stray or line.strip()[:40]
        self._current = None


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


def _answer_tags(asked: Asked) -> list[Span]:
    """The tags around answers, which are no part of them."""
    text, tags = asked.text, []
    for start, end in asked.cut.answers:
        tags.append((max(text.rfind("<", 0, start), text.rfind("[", 0, start), 0), start))
        behind = _TAG_END.search(text, end)
        tags.append((end, behind.end() if behind else len(text)))
    return tags


def _begin(item: re.Match[str], span: Span) -> _List:
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


def _add(current: _List, span: Span, item: re.Match[str], *, blank: bool) -> None:
    indent = _width(item["indent"])
    current.span = (current.span[0], span[1])
    if indent <= current.indent:
        current.items += 1
        current.gaps += blank
    current.mixed |= current.markers.setdefault(indent, _kind(item)) != _kind(item)
    _look_for_gap(current, item)


def _continue(current: _List, span: Span, line: str) -> None:
    """A line that is indented goes on with the item above it; another one has no clear place."""
    said = line.strip()
    bare = said[2:].lstrip() if said[:2] in {"- ", "* ", "+ "} else said
    if _indent(line) > current.indent:
        current.span = (current.span[0], span[1])
        if bare != said and stands_for_more(bare):
            current.left_out = current.left_out or said[:40]
    elif left_out_behind(line, 0) or stands_for_more(bare):
        current.left_out = current.left_out or said[:40]
    else:
        current.stray = current.stray or said[:40]


def _indent(line: str) -> int:
    return _width(line[: len(line) - len(line.lstrip())])
