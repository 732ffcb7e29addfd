"""A push segmenter: a reply becomes reasoning, fences, tokens and text. Nothing is rewritten."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pdl import _re as re
from pdl.reply.phrases import line_before
from pdl.reply.result import Kind, Segment
from pdl.reply.segments.brackets import WAIT, Stack, TextBuffer
from pdl.reply.segments.dialects import CHANNELS, DIALECTS, Dialects
from pdl.reply.segments.spans import START, Segmented, with_fences, with_text

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.result import Span

_RUN = re.compile(r"`{1,512}+|~{1,512}+")
FENCE_PREFIX = re.compile(r"[ \t]*+(?>(?:(?:[-*+]|\d{1,9}[.)])[ \t]++|>[ \t]*+)*)")
_SHORTEST_FENCE = 3  # GFM 4.5
_LONGEST_LINE = 512  # characters after its run on the line of a fence
_DEEPER = 3  # how much deeper than its opening line a closing line can be indented
PREFIX = 200  # a run that is indented deeper than this is not a fence
QUOTES = {"`": "`", '"': '"', "'": "'", "“": "”", "„": "“", "‘": "’", "«": "»", "「": "」"}
WORD = re.compile(r"[^\s(\[{]")
_STRIPPED = re.compile(r"\s{0,100}+(?:assistant)?(?:analysis|commentary)(?!\w{0,40}\s{0,8}[:=])")
_STRIPPED_FINAL = re.compile("assistantfinal")
"""The channels of harmony where the tokens around their names were dropped."""
_STRIPPED_WIDTH = 200  # characters that show whether a reply begins with one


@dataclass(slots=True)
class Fence:
    """A fence that is open: the run that opened it and where its body begins.

    `ended`: the offset of a closing reasoning mark in it. If nothing closes the fence, it was left
    open by reasoning that ends there.
    """

    start: int
    run: str
    indent: int
    info: str
    body: int
    quoted: bool = False
    reasoning: int = 0  # reasoning tags that opened in its body
    ended: int | None = None


_MARKS = {
    "closer": "_close_reasoning",
    "opener": "_open_reasoning",
    "channel": "_channel",
    "other_turn": "_other_turn",
    "token": "_token",
    "answer_opener": "_open_answer",
    "answer_closer": "_close_answer",
}
"""Pattern of the dialects -> the name of its method: bound ones would make a cycle."""


class _Aside(NamedTuple):
    """Reasoning, or a turn of another role, that is open."""

    kind: Kind
    start: int
    body: int
    label: str
    closer: re.Pattern[str]


def segmented(text: str, limits: Limits, dialects: Dialects = DIALECTS) -> Segmented:
    """Segment a reply by the marks of those dialects. Linear in its length."""
    return Segmenter(limits, dialects).end(text)


class Segmenter:
    """Reads a reply as it comes. The pieces make no difference.

    A mark can begin at the end of the text: that much is held back, at most the length of the
    longest mark. A string that does not end as one, or a fence in which reasoning ends, is read
    again; `settled` is before them. A closing reasoning mark without an opening one makes
    everything before it reasoning.
    """

    def __init__(self, limits: Limits, dialects: Dialects = DIALECTS) -> None:
        self.segments: list[Segment] = []
        """All that ended, except text; a new list after a mark that made everything reasoning."""
        self.fence: Fence | None = None
        self.at = 0  # the offset up to which all was read
        self.source = TextBuffer()
        self._patterns = dialects.patterns
        self.stack = Stack(self.source, limits, self._patterns)
        self._answers: list[Span] = []
        self._quoted: list[Span] = []
        self.answer: Span | None = None  # the tag that opened one
        self._aside: _Aside | None = None
        self._begun = False
        self._lead = 0  # the end of the tokens at the beginning of the reply; -1 after them

    # The state for callers

    @property
    def settled(self) -> int:
        """The offset up to which text, reasoning, fences, and tokens are known."""
        if self._aside:
            return self._aside.start
        fence, string = self.fence, self.stack.string
        at = string.start if string else self.at
        return at if not fence or fence.ended is None else min(at, fence.ended)

    def in_answer(self, offset: int) -> int | None:
        """Where the inside of an answer tag begins in which an offset is."""
        if self.answer and self.answer[1] <= offset:
            return self.answer[1]
        index = bisect_right(self._answers, offset, key=START) - 1
        start, end = self._answers[index] if index >= 0 else (0, 0)
        return start if offset < end else None

    def segment_at(self, offset: int) -> Segment | None:
        """The last segment that begins before an offset; a fence can be open."""
        fence = self.fence
        if fence and fence.start < offset:
            span, body = (fence.start, self.at), (fence.body, self.at)
            return Segment("fence", span, body, fence.info, closed=False)
        index = bisect_right(self.segments, offset, key=lambda one: one.span[0]) - 1
        return self.segments[index] if index >= 0 else None

    def feed(self, text: str) -> None:
        """Take the next piece of the reply."""
        self.source.add(text)
        self._read()

    def end(self, text: str = "") -> Segmented:
        """Take the last piece; return all parts."""
        self.source.add(text, last=True)
        self._read()
        while self._recovers():
            self._read()
        if self._aside:
            self._end_aside(self._aside, self.at, self.at, closed=False)
        if self.fence:
            self._end_fence(self.fence, self.at, self.at, closed=False)
        self.stack.leave(self.at, cut=True)
        answers = [(self.answer[1], self.at)] if self.answer else []
        segments = with_text(self.segments, self.at)
        brackets = with_fences(self.stack.spans, self.segments)
        return Segmented(segments, brackets, (*self._answers, *answers), tuple(self._quoted))

    # The pass

    def _read(self) -> None:
        """Go from mark to mark, and from string to string inside brackets."""
        text, stack, patterns = self.source.text, self.stack, self._patterns
        place = self.at
        if not self._begun and not self._begin():
            return
        while True:
            place = self._pass(self._aside, place) if self._aside else place
            mark = place if self._aside else stack.next_mark(place)
            if mark == len(text) or stack.string or self._aside:
                break
            two = text[mark : mark + 2]
            place = self._tag(mark) if two in patterns.begins or two in patterns.first else 0
            place = place or self._handle(two[0], mark)
            if place == WAIT:
                break
        self.at = mark

    def _handle(self, mark: str, place: int) -> int:
        """Where to continue after a mark of one character that is there; or `WAIT`."""
        if mark in "[{":
            return self._bracket(place)
        if mark in "]}":
            return self.stack.close(place)
        if mark in "`~":
            return self._run(place)
        return self.stack.quote(place) if mark in "\"'“" else place + 1

    def _begin(self) -> bool:
        """Whether it is known if a reply begins with the name of a channel, less its tokens."""
        text = self.source.text
        head = text[:_STRIPPED_WIDTH].lstrip()
        may = head.startswith(CHANNELS) or (
            not self.source.whole and any(name.startswith(head) for name in CHANNELS)
        )
        self._begun = not may or self.source.whole or len(text) > _STRIPPED_WIDTH
        if may and self._begun and _STRIPPED.match(text):
            self._aside = _Aside("reasoning", 0, 0, "analysis", _STRIPPED_FINAL)
        return self._begun

    def _recovers(self) -> bool:
        """Whether the end shows that something must be read again."""
        if self._aside and self._aside.closer is _STRIPPED_FINAL:
            self._aside = None
            self.at = 0
            return True
        if self.fence and self.fence.ended is not None:
            closer = self._patterns.closer.match(self.source.text, self.fence.ended)
            assert closer
            self.at = self._take_back(closer)
            return True
        return False

    # Fences: GFM 4.5, but at any indentation, for replies are indented as they please.

    def _prefix(self, place: int) -> str:
        """The part of the line before an offset; of a long line its end."""
        return line_before(self.source.text, place, most=PREFIX)

    def _bracket(self, place: int) -> int:
        """Strings go over several lines in a fence for data, which begins with a bracket.

        In a program an odd quote would hide the end of the fence.
        """
        if self.fence and not self.stack:
            body = self.source.text[self.fence.body : min(place, self.fence.body + PREFIX)]
            self.stack.long_strings |= not body.strip(" \t\r\n>")
        return self.stack.open(place)

    def _run(self, place: int) -> int:
        """A run of backticks or tildes: the line of a fence."""
        text, whole = self.source.text, self.source.whole
        run = _RUN.match(text, place)
        assert run
        if run.end() == len(text) and not whole:
            return WAIT
        prefix = self._prefix(place)
        short = len(run[0]) < _SHORTEST_FENCE or len(prefix) >= PREFIX
        if short or not FENCE_PREFIX.fullmatch(prefix):
            return run.end()
        line, newline, _ = text[run.end() : run.end() + _LONGEST_LINE].partition("\n")
        if len(line) == _LONGEST_LINE:
            return run.end()
        is_there = whole or bool(newline)
        if self.fence:
            return self._in_fence(self.fence, run, prefix, line, is_there=is_there)
        return self._open_fence(run, prefix, line, is_there=is_there)

    def _open_fence(self, run: re.Match[str], prefix: str, line: str, *, is_there: bool) -> int:
        info = line.strip()
        if run[0][0] == "`" and "`" in info:
            return run.end()
        if not is_there:
            return WAIT
        if not info.isalnum() and self._patterns.closer.search(info):
            return run.end()
        body = min(run.end() + len(line) + 1, len(self.source.text))
        if info.casefold() in self._patterns.reasoning_fences:
            closer = re.compile(rf"(?m)^[ \t>]*+{run[0]}(?=[ \t]{{0,16}}+\r?\n)")
            return self._open_aside("reasoning", (run.start(), body), info, closer)
        self.fence = Fence(run.start(), run[0], len(prefix), info, body, ">" in prefix)
        self.stack.leave(run.start())
        self.stack.fenced, self.stack.long_strings = True, False
        return body

    def _in_fence(
        self, fence: Fence, run: re.Match[str], prefix: str, line: str, *, is_there: bool
    ) -> int:
        """The line of a fence in a fence: it closes this one, or opens another one."""
        info = line.lstrip()
        if not is_there and (not info or info[0] in self._patterns.first):
            return WAIT
        fence.ended = None
        closes = (
            run[0].startswith(fence.run)
            and not prefix.strip(" \t>" if fence.quoted else None)
            and len(prefix) <= fence.indent + _DEEPER
            and self._patterns.end_of_line.fullmatch(line)
        )
        if closes:
            self._end_fence(fence, run.start() - len(prefix), run.end(), closed=True)
        return run.end()

    def _end_fence(self, fence: Fence, body_end: int, end: int, *, closed: bool) -> None:
        body = (fence.body, max(fence.body, body_end))
        self.segments.append(Segment("fence", (fence.start, end), body, fence.info, closed))
        self.stack.leave(body[1], cut=not closed)
        self.fence = None
        self.stack.fenced, self.stack.long_strings = False, True
        if fence.quoted:
            self._quoted.append(body)

    # Tags and tokens

    def _tag(self, place: int) -> int:
        """Handle the mark that begins here; return 0 if there is none."""
        text, whole = self.source.text, self.source.whole
        near = not whole and len(text) - place < self._patterns.longest
        if near and self._patterns.may_begin(text[place:]):
            return WAIT
        for name, handler in _MARKS.items():
            found = getattr(self._patterns, name).match(text, place)
            if found and found.end() == len(text) and not whole:
                return WAIT
            if found:
                quoted = self._is_quoted(*found.span())
                end: int = found.end() if quoted else getattr(self, handler)(found)
                return end
        return 0

    def _is_quoted(self, start: int, end: int) -> bool:
        """Whether the text only mentions a tag, or a whole element: `in "<think>"`."""
        text = self.source.text
        closing = QUOTES.get(text[start - 1 : start])
        # A quote after a letter ends a quotation: `"no"</think>"yes"`.
        is_quoted = closing is not None and text.startswith(closing, end)
        return is_quoted and not WORD.match(text[max(0, start - 2) : start - 1])

    def _open_aside(self, kind: Kind, opener: Span, label: str, closer: re.Pattern[str]) -> int:
        self.stack.leave(opener[0])
        self._aside = _Aside(kind, *opener, label, closer)
        return opener[1]

    def _pass(self, aside: _Aside, place: int) -> int:
        """Skip to the end of reasoning or another role's turn, or to where it might be."""
        text = self.source.text
        found = aside.closer.search(text, place)
        if found is None:
            held = 0 if self.source.whole else self._patterns.longest
            return max(place, len(text) - held)
        self._end_aside(aside, *found.span(), closed=True)
        return found.end()

    def _end_aside(self, aside: _Aside, body_end: int, end: int, *, closed: bool) -> None:
        self._aside = None
        span, body = (aside.start, end), (aside.body, body_end)
        if aside.kind == "token":
            self._lead, body, closed = end, span, True
        self.segments.append(Segment(aside.kind, span, body, aside.label, closed))

    def _open_reasoning(self, opener: re.Match[str]) -> int:
        """Any closing mark ends it: models mix them up."""
        if self.fence:
            self.fence.reasoning += 1
            return opener.end()
        label = opener["name"] or opener["text"]
        return self._open_aside("reasoning", opener.span(), label, self._patterns.closer)

    def _close_reasoning(self, closer: re.Match[str]) -> int:
        """In a fence it is a part of that, unless nothing closes the fence."""
        fence = self.fence
        if fence is None:
            return self._take_back(closer)
        if fence.reasoning:
            fence.reasoning -= 1
        elif fence.ended is None:
            fence.ended = closer.start()
        return closer.end()

    def _take_back(self, closer: re.Match[str]) -> int:
        """A closing mark without an opening one: everything before it is reasoning."""
        start, end = closer.span()
        self.stack.leave(start)
        self.stack.drop(0)
        self._answers, self._quoted, self.answer = [], [], None
        self.fence = None
        label = closer["name"] or closer["text"]
        self.segments = [Segment("reasoning", (0, end), (0, start), label)]
        return end

    def _channel(self, head: re.Match[str]) -> int:
        if self.fence:
            return head.end()
        if head["name"].lower() == "final":
            return self._token(head)
        end = self._patterns.channel_end
        return self._open_aside("reasoning", head.span(), head["name"], end)

    def _other_turn(self, head: re.Match[str]) -> int:
        """A turn of another role. At the beginning of the reply it is the prompt, repeated.

        One after text is not skipped: a model that cites such a token can continue.
        """
        if self._leads(head.start()) and not self.fence and not self.stack:
            return self._open_aside("token", head.span(), head[0], self._patterns.turn_end)
        token = self._patterns.token.match(self.source.text, head.start())
        return self._token(token) if token else head.end()

    def _leads(self, place: int) -> bool:
        """Whether only tokens come before an offset."""
        if self._lead >= 0 and self.source.text[self._lead : place].strip():
            self._lead = -1
        return self._lead >= 0

    def _token(self, token: re.Match[str]) -> int:
        leads = self._leads(token.start())
        if not self.fence and not self.stack:
            self._lead = token.end() if leads else -1
            self.segments.append(Segment("token", token.span(), token.span(), token[0]))
        return token.end()

    def _open_answer(self, tag: re.Match[str]) -> int:
        if self.answer is None and not self.fence and not self.stack:
            self.answer = tag.span()
        return tag.end()

    def _close_answer(self, tag: re.Match[str]) -> int:
        """The tag after an answer, unless all of it is quoted."""
        if self.answer is not None and not self.fence and not self.stack:
            start, body = self.answer
            quoted = self._prefix(start).lstrip().startswith(">")
            if not quoted and not self._is_quoted(start, tag.end()):
                self._answers.append((body, tag.start()))
            self.answer = None
        return tag.end()
