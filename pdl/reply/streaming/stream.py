"""`Stream`: a reply that comes piece by piece."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, overload

from pdl._types import T
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.reply.checker import check
from pdl.reply.coercions import NO_COERCIONS, Coercions
from pdl.reply.phrases import say
from pdl.reply.prose.visible import is_plain
from pdl.reply.query import form_of, is_quoted
from pdl.reply.result import Check, Violation
from pdl.reply.segments.brackets import TextBuffer
from pdl.reply.segments.dialects import DIALECTS, Dialects
from pdl.reply.segments.segmenter import Segmenter
from pdl.reply.streaming.bracket_view import BracketView
from pdl.reply.streaming.partial import NOTHING, Partial
from pdl.reply.validation.schema_walk import root_kinds
from pdl.schema.model import schema_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl._types import JsonPath
    from pdl.reply.result import Segment, Span
    from pdl.reply.segments.dialects import Patterns
    from pdl.reply.streaming.partial_instances import PartialInstances
    from pdl.schema import Schema


_ITEM = re.compile(r"[ \t]*+[-*+][ \t]++\[[^\[\]\n]\][ \t]++\S")
_INDENTED = re.compile(r"[ \t]++\S")
_LAST_LINE = re.compile(r"(?:\A|\r\n|\n|\r)[ \t]*\Z")
_INDENT = 200  # spaces on the last line of code that can come before the end of its fence


class Written(NamedTuple):
    """The first `number` parts of a reply, up to the offset `end`: a view that stays as it is."""

    segmenter: Segmenter
    parts: list[Span]
    number: int
    end: int
    indent: int = 0
    is_open: bool = True

    def value(self) -> str:
        """The text without the indentation of its fence (GFM 4.5)."""
        text = self.segmenter.source.text
        parts = self.parts[: self.number]
        written = "".join(text[start : min(end, self.end)] for start, end in parts)
        return re.sub(rf"(?m)^[ \t]{{1,{self.indent}}}", "", written) if self.indent else written

    def growing(self) -> JsonPath | None:
        """The text itself, while it is open."""
        return () if self.is_open else None


class SilentView:
    """Shows nothing: any later word can deny, correct, or double an answer that is one word."""

    def __init__(self) -> None:
        self._segments: list[Segment] | None = None
        self._seen = 0  # how many of them were
        self._latest: tuple[object, Partial] = (None, NOTHING)
        self._restart()

    def look(self, segmenter: Segmenter) -> Partial:
        """The partial after a piece; the same object while nothing changes."""
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
        if shown != self._latest[0]:
            # None of it is certain before the reply ends.
            made = Partial(started=True, _view=written)
            self._latest = (shown, made)
        return self._latest[1]

    def _restart(self) -> None:
        """All that was there was reasoning."""
        self._seen = self._at = 0  # the offset up to which all was read
        self._parts: list[Span] = []
        self._end = 0

    def _pass(self, segmenter: Segmenter, segment: Segment) -> None:
        """Read up to the end of a segment."""

    def _written(self, segmenter: Segmenter) -> Written | None:  # noqa: ARG002 - for the others
        """The part that is shown, with the settled text after the last segment."""
        return None


class TextView(SilentView):
    """The reply without reasoning. Blanks and tokens at its end wait for what follows them."""

    def __init__(self, patterns: Patterns) -> None:
        self._end_token = patterns.end_token
        super().__init__()

    def _restart(self) -> None:
        super()._restart()
        self._ended = False  # after a token that ends the turn, no text is certain to belong to it

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
    """The complete lines of the first task list: its items, and their continuation lines.

    It ends at a blank line, or at a line that does not clearly belong to it.
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


_CONTAINERS = frozenset(["object", "array"])


class Stream(Generic[T]):
    r"""Checks a reply as it comes: the part of the answer that is certain so far, and its errors.

    >>> import pdl
    >>> from pdl.reply import Stream
    >>> stream = Stream(pdl.Schema.parse("{ name: str, age: int<0,120> }"))
    >>> stream.feed('Here it is: {"name": "An').data
    {'name': 'An'}
    >>> partial = stream.feed('n", "age": 204}')
    >>> partial.data, partial.is_complete(("name",)), partial.complete
    ({'name': 'Ann', 'age': 204}, True, True)
    >>> print(partial.errors[0])
    $.age: must be at most 120, not 204
    >>> stream.close().ok
    False

    The pieces in which a reply comes make no difference, and feeding takes time in proportion to
    the text. Reasoning is skipped. Strings are shown as they grow, numbers and literals when the
    next character ends them; where a text can be read in several ways, the likeliest is shown.

    Only `close` knows which bracket is the answer: another one might come and be marked as final,
    and a closing reasoning tag without an opening one turns everything before it into reasoning. A
    partial shows the last one that might be the answer, unless an earlier one ranks higher, and its
    offset `start`. If the check is ok and its span begins there, each part that was complete has
    the same value at the same path, and there were no errors. The exceptions are repairs of kind
    `tool-call` or `json-lines`, and those of a closing bracket, which only `close` reports. A part
    is complete when all states of the parser have it in common, often a token or two after it. In a
    fence in a block quote, with `coercions`, and after an ambiguity that lasts very long, nothing
    is complete before `close`.

    Text is shown as it comes, for `code` the body of the last fence, for `tasklist` the complete
    lines; none of it is certain before the end. For `yesno`, and if the answer is a scalar, inside
    a tool call, or in JSON Lines, nothing is shown before the end.

    For a Python type, and a schema that was made of one, `Partial.value` is a partial instance, and
    the value of the check an instance.

    Feeding costs the same whether a partial is looked at or not. The cost of reading `data` is
    proportional to the string that grows and the number of parts in the open brackets. That of
    `value` is also proportional to the parts that became complete since it was last read; each is
    made once, with all it contains, as often as it is deep. While nothing changes, the same
    partial is returned.

    Raises TypeError for arguments of other types, SchemaError for a type that has no schema.
    """

    @overload
    def __init__(
        self,
        schema: Schema[T] | type[T],
        *,
        coercions: Coercions = NO_COERCIONS,
        dialects: Dialects = DIALECTS,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None: ...

    @overload
    def __init__(
        self: Stream[Any],
        schema: Any,
        *,
        coercions: Coercions = NO_COERCIONS,
        dialects: Dialects = DIALECTS,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None: ...

    def __init__(
        self,
        schema: Any,
        *,
        coercions: Coercions = NO_COERCIONS,
        dialects: Dialects = DIALECTS,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self._schema = schema = schema_of(schema)
        self._options: Mapping[str, Any] = {
            "coercions": coercions, "dialects": dialects, "limits": limits,
        }  # fmt: skip
        self._limit = limits.reply_chars
        self._segmenter = Segmenter(limits, dialects)
        self._excess = TextBuffer()  # the text beyond the limit
        self._view = _view_of(schema, self._options)
        self._instances = self._partial_instances()
        self._seen: Partial = NOTHING
        self._last: Partial[T] = self._typed(NOTHING)
        self._check: Check[T] | None = None

    def feed(self, text: str) -> Partial[T]:
        """Take the next piece of the reply; return the answer so far.

        Raises TypeError if the piece is not a str, ValueError after `close`.
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, not {type(text).__name__}")
        if self._check is not None:
            raise ValueError("the stream is closed; make a new Stream for another reply")
        left = self._limit - len(self._segmenter.source.text)
        if not self._excess.text:
            self._segmenter.feed(text[:left])
            seen = self._view.look(self._segmenter)
            if seen is not self._seen:
                self._seen, self._last = seen, self._typed(seen)
            if len(text) > left:
                self._last = self._too_long(self._last)
        self._excess.add(text[left:])
        return self._last

    def close(self) -> Check[T]:
        """End the reply; return the same as `pdl.check` of all of it, also when called again."""
        if self._check is None:
            text = self._segmenter.source.text + self._excess.text
            self._check = check(self._schema, text, **self._options)
        return self._check

    def _partial_instances(self) -> PartialInstances | None:
        if self._schema is None or self._schema.python_type is None:
            return None
        from pdl.reply.streaming.partial_instances import PartialInstances  # noqa: PLC0415 - not for JSON

        source = self._segmenter.source
        return PartialInstances(self._schema.python_type, lambda: source.text)

    def _typed(self, partial: Partial) -> Partial[T]:
        """A partial whose value is an instance, if the schema has a Python type."""
        return partial if self._instances is None else replace(partial, _instances=self._instances)

    def _too_long(self, last: Partial[T]) -> Partial[T]:
        message = say("too-many-characters", number=self._limit)
        violation = Violation((), message, "limit", span=(self._limit, self._limit + 1))
        return replace(last, errors=(*last.errors, violation))


def _view_of(schema: Schema | None, options: Mapping[str, Any]) -> SilentView | BracketView:
    """The view for the requested form; without a schema it is text."""
    form = form_of(schema)
    if is_quoted(schema):
        return SilentView()  # whether it is JSON shows at its end
    if schema is None or form == "text":
        return TextView(options["dialects"].patterns)
    if form == "code":
        return CodeView(lru_cache(64)(lambda info: check(schema, f"~~~ {info}\nx\n~~~\n").ok))
    if form == "tasklist":
        return TaskView()
    kinds = root_kinds(schema.document, schema.document)
    if form == "yesno" or not kinds & _CONTAINERS:
        return SilentView()
    # Only the whole value shows which coercion makes it fit.
    lasting = bool(options["coercions"])
    return BracketView(schema.document, options["limits"], lasting=lasting)
