"""One pass over a reply cuts it into reasoning, fences, tokens and text. Nothing is rewritten."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from pdl.reply.prose.citations import cited_together
from pdl.reply.result import Segment
from pdl.reply.segments.brackets import Bracketed, Stack
from pdl.reply.segments.dialects import DIALECTS, Dialects

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.result import Span

_START = itemgetter(0)
_RUN = re.compile(r"`++|~++")
FENCE_PREFIX = re.compile(r"[ \t]*+(?>(?:(?:[-*+]|\d{1,9}[.)])[ \t]++|>[ \t]*+)*)")
_FENCE_LINE = re.compile(r"^[ \t>]*+(?:`{3,}|~{3,})[ \t]*+(?P<info>\S?)", re.MULTILINE)
_FIRST = re.compile(r"[\s>]*+(\S)")
_QUOTE_MARKS = re.compile(r"^[ \t]*+(?>(?:>[ \t]?)+)", re.MULTILINE)
QUOTED = {"`": "`", '"': '"', "'": "'", "“": "”", "„": "“", "‘": "’", "«": "»", "「": "」"}
WORD = re.compile(r"[^\s(\[{]")
NOUN = re.compile(
    r"[ \t]++(?:tags?|tokens?|elements?|blocks?|markers?|sections?|delimiters?)\b", re.IGNORECASE
)
_LABELLED = re.compile(
    r"(?:^|[.!?]\s)\W*(?:(?:the|your|this|from\s+the|in\s+the)\s+)?(?:documents?|inputs?|texts?|questions?|examples?|contexts?|e?mails?"
    r"|users?|tools?|prompts?|sources?|drafts?|messages?|pages?|articles?|passages?|templates?|formats?|customers?|students?)\b"
    r"[^.!?\n]{0,40}[:：][\s*_`]*$",
    re.IGNORECASE,
)
"""Words in front of an answer tag that say whose it is: `Document: <result>3</result>`."""

_STRIPPED = re.compile(r"\s*+(?:assistant)?(?:analysis|commentary)(?!\w*\s*[:=])")
_STRIPPED_FINAL = "assistantfinal"
"""The channels of harmony where the tokens around their names were dropped."""

_SHORTEST_FENCE = 3  # GFM 4.5
PREFIX_WINDOW = 200  # a fence that is indented deeper than this is none


@dataclass(frozen=True, slots=True)
class Cut:
    """A reply in parts: segments without a gap, bracketed spans, the insides of answer tags.

    Each bracketed span stands beside the fence that it is in. `quoted` are the bodies of fences
    in block quotes, whose lines begin with the mark of a quote.
    """

    segments: tuple[Segment, ...]
    brackets: tuple[tuple[Bracketed, Segment | None], ...]
    answers: tuple[Span, ...]
    quoted: tuple[Span, ...] = ()

    def in_answer(self, at: int) -> bool:
        """Whether a place is inside of an answer tag."""
        index = bisect_right(self.answers, at, key=_START) - 1
        return index >= 0 and at < self.answers[index][1]

    def unquoted(self, text: str) -> str:
        """The text with blanks for the marks of quotes in those fences; as long as before."""
        parts: list[str] = []
        at = 0
        for start, end in self.quoted:
            body = _QUOTE_MARKS.sub(lambda mark: " " * len(mark[0]), text[start:end])
            parts += [text[at:start], body]
            at = end
        return "".join([*parts, text[at:]]) if parts else text


@dataclass
class _Fence:
    """A fence that is open: the run that opened it and where its body begins."""

    start: int
    run: str
    indent: int
    info: str
    body: int
    quoted: bool = False
    reasoning: int = 0  # reasoning tags that opened in its body


def cut(text: str, limits: Limits, dialects: Dialects = DIALECTS) -> Cut:
    """Cut a reply by the marks of those dialects. Linear in its length."""
    return _Pass(text, limits, dialects).run()


class _Pass:
    def __init__(self, text: str, limits: Limits, dialects: Dialects) -> None:
        self._text = text
        self._end = len(text)
        self._patterns = dialects.patterns
        self._stack = Stack(text, limits, self._patterns.first)
        self._segments: list[Segment] = []
        self._brackets: list[tuple[Bracketed, Segment | None]] = []
        self._answers: list[Span] = []
        self._quoted: list[Span] = []
        self._answer: int | None = None
        self._tag_at = 0  # where the tag begins that opened it
        self._fence: _Fence | None = None
        self._unclosable: set[str] = set()
        self._ahead: re.Match[str] | None = None  # the fence line that was looked for last
        self._looked = False
        self._lead = 0  # where the tokens end that the reply begins with; -1 behind them

    def run(self) -> Cut:
        """Go from mark to mark, and from string to string inside brackets."""
        begins, stack = self._patterns.begins, self._stack
        opened, closed, quote, fence = stack.open, stack.close, self._quote, self._run
        handlers = {"[": opened, "{": opened, "]": closed, "}": closed, "`": fence, "~": fence}
        handlers |= {'"': quote, "'": quote, "“": quote}
        handlers |= {"/": stack.slash, "#": stack.hash}
        at = self._stripped_channels()
        while mark := stack.next_mark(at):
            at = mark.start()
            end = self._tag(at) if self._text[at : at + 2] in begins else None
            if end is None:
                handle = handlers.get(mark[0])
                end = handle(at) if handle else at + 1
            at = end
        if self._fence:
            self._end_fence(self._end, self._end, closed=False)
        self._leave(self._end, cut=True)
        if self._answer is not None:
            self._answers.append((self._answer, self._end))
        return Cut(
            tuple(self._with_text()),
            tuple(self._brackets),
            tuple(self._answers),
            tuple(self._quoted),
        )

    def _quote(self, at: int) -> int:
        """Read a quote in brackets. What was thought may have one that no other ends.

        Of data that is cut off such a string is a part, and a closer in it may be anybody's. But
        with a line break in a key it is no JSON, and no one has a reason to write a closer there.
        """
        end = self._stack.quote(at)
        if end < self._end or self._fence or not self._stack.in_key(at):
            return end
        closer = self._patterns.last_closer.search(self._text, at)
        return closer.start() if closer and closer.end() < end else end

    def _stripped_channels(self) -> int:
        """Where the final channel begins if only the names of channels are left of their tokens."""
        end = self._text.rfind(_STRIPPED_FINAL)
        if end < 0 or not _STRIPPED.match(self._text):
            return 0
        span = (0, end + len(_STRIPPED_FINAL))
        self._segments.append(Segment("reasoning", span, (0, end), "analysis"))
        return span[1]

    def _leave(self, end: int, *, cut: bool = False, fence: Segment | None = None) -> None:
        self._brackets += [(span, fence) for span in self._stack.leave(end, cut=cut)]

    def _with_text(self) -> list[Segment]:
        """The segments, with the text between them as segments of its own."""
        out: list[Segment] = []
        at = 0
        for segment in [*self._segments, None]:
            start = segment.span[0] if segment else self._end
            if start > at:
                out.append(Segment("text", (at, start), (at, start)))
            if segment:
                out.append(segment)
                at = segment.span[1]
        return out

    # Fences: GFM 4.5, but at any indentation, for replies are indented as they please.

    def _run(self, at: int) -> int:
        run = _RUN.match(self._text, at)
        assert run
        start = self._text.rfind("\n", max(0, at - PREFIX_WINDOW), at) + 1
        if len(run[0]) < _SHORTEST_FENCE or (not start and at > PREFIX_WINDOW):
            return run.end()
        prefix = self._text[start:at]
        if self._fence:
            return self._close_fence(self._fence, run, prefix)
        return self._open_fence(run, prefix)

    def _line_end(self, at: int) -> int:
        end = self._text.find("\n", at)
        return self._end if end < 0 else end

    def _open_fence(self, run: re.Match[str], prefix: str) -> int:
        if not FENCE_PREFIX.fullmatch(prefix):
            return run.end()
        line_end = self._line_end(run.end())
        info = self._text[run.end() : line_end].strip()
        if (run[0][0] == "`" and "`" in info) or self._patterns.last_closer.search(info):
            return run.end()
        self._leave(run.start())
        body = min(line_end + 1, self._end)
        self._fence = _Fence(run.start(), run[0], len(prefix), info, body, ">" in prefix)
        first = _FIRST.match(self._text, body)
        self._stack.long_strings = first is not None and first[1] in {"{", "["}
        return body

    def _close_fence(self, fence: _Fence, run: re.Match[str], prefix: str) -> int:
        rest_of_closer = self._patterns.end_of_line
        closes = (
            run[0].startswith(fence.run)
            and not prefix.strip(" \t>" if fence.quoted else None)
            and len(prefix) <= fence.indent + 3
            and rest_of_closer.fullmatch(self._text, run.end(), self._line_end(run.end()))
        )
        if closes:
            self._end_fence(run.start() - len(prefix), run.end(), closed=True)
        return run.end()

    def _end_fence(self, body_end: int, end: int, *, closed: bool) -> None:
        fence = self._fence
        assert fence
        self._fence = None
        self._stack.long_strings = True
        body = (fence.body, max(fence.body, body_end))
        if fence.info.casefold() in self._patterns.reasoning_fences:
            self._stack.leave(body[1], cut=not closed)
            info = fence.info
            self._segments.append(Segment("reasoning", (fence.start, end), body, info, closed))
            return
        segment = Segment("fence", (fence.start, end), body, fence.info, closed)
        self._segments.append(segment)
        self._quoted += [body] if fence.quoted else []
        self._leave(body[1], cut=not closed, fence=segment)

    # Tags and tokens

    def _tag(self, at: int) -> int | None:
        """Handle the tag or token that begins here; None if there is none."""
        patterns = self._patterns
        for pattern, handle in (
            (patterns.closer, self._close_reasoning),
            (patterns.opener, self._open_reasoning),
            (patterns.channel, self._channel),
            (patterns.other_turn, self._other_turn),
            (patterns.token, self._token),
            (patterns.answer_opener, self._open_answer),
            (patterns.answer_closer, self._close_answer),
        ):
            found = pattern.match(self._text, at)
            if found:
                return found.end() if self._is_spoken_of(found) else handle(found)
        return None

    def _is_spoken_of(self, tag: re.Match[str]) -> bool:
        """Whether the text names a tag and does not use it: `in "<think>"`, `the <think> tag`."""
        text, start, end = self._text, tag.start(), tag.end()
        closing = QUOTED.get(text[start - 1 : start])
        if closing is not None and text.startswith(closing, end):
            # A quote behind a letter ends what was quoted: `"no"</think>"yes"`.
            return not WORD.match(text[start - 2 : start - 1])
        if not NOUN.match(text, end):
            return False
        line = text[max(0, start - PREFIX_WINDOW) : start].rpartition("\n")[2]
        return any(map(str.isalpha, line))

    def _open_reasoning(self, opener: re.Match[str]) -> int:
        if self._fence:
            self._fence.reasoning += 1
            return opener.end()
        closer = self._find_closer(opener)
        end = closer.end() if closer else self._end
        body = (opener.end(), closer.start() if closer else self._end)
        label = opener["name"] or opener["text"]
        self._add(Segment("reasoning", (opener.start(), end), body, label, closer is not None))
        return end

    def _find_closer(self, opener: re.Match[str]) -> re.Match[str] | None:
        """Its own closer, or any other's: models mix them up. Each is looked for in vain once."""
        own = self._patterns.closer_of(opener)
        for pattern in (own, self._patterns.closer):
            if pattern.pattern not in self._unclosable:
                found = pattern.search(self._text, opener.end())
                if found:
                    return found
                self._unclosable.add(pattern.pattern)
        return None

    def _close_reasoning(self, closer: re.Match[str]) -> int:
        """A closer without an opener: all before it is reasoning."""
        if self._fence and self._fence.reasoning:
            self._fence.reasoning -= 1
            return closer.end()
        if self._fence and not self._abandoned(closer):
            return closer.end()
        self._stack.leave(closer.start(), cut=False)
        for found in (self._brackets, self._answers, self._quoted):
            found.clear()
        self._answer = self._fence = None
        self._stack.long_strings = True
        label = closer["name"] or closer["text"]
        self._segments = [Segment("reasoning", (0, closer.end()), (0, closer.start()), label)]
        return closer.end()

    def _abandoned(self, closer: re.Match[str]) -> bool:
        """Whether a closer in a fence ends reasoning that left the fence open.

        It stands at the start of a line, and the next fence is opened before this one is closed; or
        at the end of one, and there is no further fence.
        """
        line = self._text[max(0, closer.start() - PREFIX_WINDOW) : closer.start()]
        following = self._next_fence(closer.end())
        if not following and self._patterns.last_closer.match(self._text, closer.start()):
            return True
        return not line.rpartition("\n")[2].strip() and not (following and not following["info"])

    def _next_fence(self, at: int) -> re.Match[str] | None:
        """The next line that may open or close a fence; each is looked for once."""
        if self._ahead is not None and self._ahead.start() < at:
            self._ahead, self._looked = None, False
        if not self._looked:
            self._ahead, self._looked = _FENCE_LINE.search(self._text, at), True
        return self._ahead

    def _channel(self, head: re.Match[str]) -> int:
        if self._fence:
            return head.end()
        if head["name"].lower() == "final":
            return self._token(head)
        end = self._patterns.channel_end.search(self._text, head.end())
        stop = end.start() if end else self._end
        body = (head.end(), stop)
        span = (head.start(), stop)
        self._add(Segment("reasoning", span, body, head["name"], end is not None))
        return stop

    def _add(self, segment: Segment) -> None:
        self._leave(segment.span[0])
        self._segments.append(segment)

    def _other_turn(self, head: re.Match[str]) -> int:
        """A turn of another role. What the reply begins with is the prompt, said again.

        One behind text is not passed over: who cites such a token may go on as the model.
        """
        if not self._leads(head.start()) or self._fence or self._stack:
            token = self._patterns.token.match(self._text, head.start())
            return self._token(token) if token else head.end()
        end = self._patterns.turn_end.search(self._text, head.end())
        stop = self._end
        if end:
            stop = end.end() if end["end"] else end.start()
        self._segments.append(Segment("token", (head.start(), stop), (head.start(), stop), head[0]))
        self._lead = stop
        return stop

    def _leads(self, at: int) -> bool:
        """Whether only tokens stand in front of a place."""
        if self._lead >= 0 and self._text[self._lead : at].strip():
            self._lead = -1
        return self._lead >= 0

    def _token(self, token: re.Match[str]) -> int:
        if self._leads(token.start()):
            self._lead = token.end()
        if not self._fence and not self._stack:
            self._segments.append(Segment("token", token.span(), token.span(), token[0]))
        return token.end()

    def _open_answer(self, tag: re.Match[str]) -> int:
        if self._answer is None and not self._fence and not self._stack:
            self._answer, self._tag_at = tag.end(), tag.start()
        return tag.end()

    def _close_answer(self, tag: re.Match[str]) -> int:
        if self._answer is not None and not self._fence and not self._stack:
            line = self._text[max(0, self._tag_at - PREFIX_WINDOW) : self._tag_at]
            labelled = _LABELLED.search(line.rpartition("\n")[2])
            if not labelled and not cited_together(self._text, self._tag_at, tag.end()):
                self._answers.append((self._answer, tag.start()))
            self._answer = None
        return tag.end()
