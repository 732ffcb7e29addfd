"""What a stream shows of answers that are text, code or task lists, from what is settled."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pdl.reply.prose.visible import is_plain
from pdl.reply.streaming.partial import NOTHING, Partial

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl._types import JsonPath
    from pdl.reply.result import Segment, Span
    from pdl.reply.segments.dialects import Patterns
    from pdl.reply.segments.segmenter import Segmenter

_ITEM = re.compile(r"[ \t]*+[-*+][ \t]++\[[^\[\]\n]\][ \t]++\S")
_INDENTED = re.compile(r"[ \t]++\S")
_LAST_LINE = re.compile(r"(?:\A|\r\n|\n|\r)[ \t]*\Z")
_INDENT = 200  # blanks on the last line of code that may stand in front of the end of its fence


class Written(NamedTuple):
    """The first `number` parts of a reply, up to the offset `end`: a view that stays as it is."""

    segmenter: Segmenter
    parts: list[Span]
    number: int
    end: int
    indent: int = 0
    is_open: bool = True

    def value(self) -> str:
        """The text, less the indentation of its fence (GFM 4.5)."""
        text = self.segmenter.source.text
        parts = self.parts[: self.number]
        written = "".join(text[start : min(end, self.end)] for start, end in parts)
        return re.sub(rf"(?m)^[ \t]{{1,{self.indent}}}", "", written) if self.indent else written

    def growing(self) -> JsonPath | None:
        """The text itself, while it is open."""
        return () if self.is_open else None


class SilentView:
    """Shows nothing: any later word may deny, correct or double an answer that is one word."""

    def __init__(self) -> None:
        self._segments: list[Segment] | None = None
        self._seen = 0  # how many of them were
        self._told: tuple[object, Partial] = (None, NOTHING)
        self._restart()

    def look(self, segmenter: Segmenter) -> Partial:
        """What is known after a piece; the same partial again while nothing changes."""
        if segmenter.segments is not self._segments:
            self._segments = segmenter.segments
            self._restart()
        for segment in segmenter.segments[self._seen :]:
            self._pass(segmenter, segment)
        self._seen = len(segmenter.segments)
        written = self._written(segmenter)
        if written is None:
            return NOTHING
        shown = (id(written.parts), *written[2:])
        if shown != self._told[0]:
            # None of it is certain before the reply ends.
            told = Partial(started=True, _view=written)
            self._told = (shown, told)
        return self._told[1]

    def _restart(self) -> None:
        """All that was there was reasoning."""
        self._seen = self._at = 0  # the offset up to which all was read
        self._parts: list[Span] = []
        self._end = 0

    def _pass(self, segmenter: Segmenter, segment: Segment) -> None:
        """Read up to the end of a segment."""

    def _written(self, segmenter: Segmenter) -> Written | None:  # noqa: ARG002 - for the others
        """What is shown, with what is settled behind the last segment."""
        return None


class TextView(SilentView):
    """The reply without reasoning. Blanks and tokens at its end wait for what follows them."""

    def __init__(self, patterns: Patterns) -> None:
        self._end_token = patterns.end_token
        super().__init__()

    def _restart(self) -> None:
        super()._restart()
        self._ended = False  # behind a token that ends the turn no text is certain to belong to it

    def _pass(self, segmenter: Segmenter, segment: Segment) -> None:
        if segment.kind == "fence":
            return
        self._take(segmenter, segment.span[0])
        if segment.kind == "token":
            self._add(segment.span)
            self._ended |= bool(self._parts and self._end_token.fullmatch(segment.label))
        self._at = segment.span[1]

    def _take(self, segmenter: Segmenter, end: int) -> None:
        text = segmenter.source.text[self._at : end]
        body = text.rstrip()
        if body and not self._ended:
            lead = 0 if self._parts else len(body) - len(body.lstrip())
            self._parts = self._parts or [(self._at + lead, self._at + lead)]
            self._end = self._at + len(body)
        self._add((self._at, end))
        self._at = end

    def _add(self, span: Span) -> None:
        if not self._parts or self._ended or span[0] >= span[1]:
            return
        start, end = self._parts[-1]
        if span[0] <= end or start == end:
            self._parts[-1] = (start, span[1])
        else:
            self._parts.append(span)

    def _written(self, segmenter: Segmenter) -> Written | None:
        self._take(segmenter, max(self._at, segmenter.settled))
        count = len(self._parts)
        return Written(segmenter, self._parts, count, self._end) if count else None


class CodeView(SilentView):
    """The body of the last block that `is_wanted`, by its info string, less its last line break."""

    def __init__(self, is_wanted: Callable[[str], bool]) -> None:
        self._is_wanted = is_wanted
        super().__init__()

    def _restart(self) -> None:
        super()._restart()
        self._last: Written | None = None

    def _pass(self, segmenter: Segmenter, segment: Segment) -> None:
        if segment.kind == "fence" and self._is_wanted(segment.label):
            start = segment.span[0]
            indent = start - 1 - segmenter.source.text.rfind("\n", 0, start)
            self._last = self._block(segmenter, segment.body, indent, is_open=False)

    def _written(self, segmenter: Segmenter) -> Written | None:
        fence = segmenter.fence
        if fence is None or not self._is_wanted(fence.info):
            return self._last
        body = (fence.body, max(fence.body, segmenter.settled))
        return self._block(segmenter, body, fence.indent, is_open=True)

    def _block(self, segmenter: Segmenter, body: Span, indent: int, *, is_open: bool) -> Written:
        start, end = body
        last = _LAST_LINE.search(segmenter.source.text[max(start, end - _INDENT) : end])
        kept = end - (len(last[0]) if last else 0)
        if not self._parts or self._parts[0][0] != start:
            self._parts = [(start, end)]
        self._parts[0] = (start, end)
        return Written(segmenter, self._parts, 1, kept, indent, is_open)


class TaskView(SilentView):
    """The lines that have ended of the first task list: its items, and the lines that go on.

    It ends with a blank line, or with a line that has no clear place in it.
    """

    def _restart(self) -> None:
        super()._restart()
        self._line = 0  # where the line begins that is read
        self._ended = False

    def _written(self, segmenter: Segmenter) -> Written | None:
        text, settled = segmenter.source.text, segmenter.settled
        while not self._ended and (end := text.find("\n", self._at, settled)) >= 0:
            self._read(segmenter, self._line, end)
            self._line = self._at = end + 1
        self._at = max(self._at, settled)
        return Written(segmenter, self._parts, 1, self._end) if self._parts else None

    def _read(self, segmenter: Segmenter, start: int, end: int) -> None:
        segment = segmenter.segment_at(end)
        if segment and segment.kind == "reasoning":
            start = max(start, segment.span[1])
        line = segmenter.source.text[start:end]
        is_item = _ITEM.match(line) is not None
        if start > end or not (self._parts or is_item) or _is_program(segment, start):
            return
        if not is_item and not _INDENTED.match(line):
            self._ended = True
            return
        first = self._parts[0][0] if self._parts else start
        self._end = start + len(line.rstrip())
        self._parts = [(first, self._end)]


def _is_program(segment: Segment | None, offset: int) -> bool:
    """Whether an offset is in a fence for another language than those of an answer."""
    if segment is None or segment.kind != "fence" or (segment.closed and offset >= segment.span[1]):
        return False
    return not is_plain(segment.label)
