"""A streaming reply, accumulated, and watched for the first certain error."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.models.ask_loop import Outcome
from pdl.models.exchange import Reply
from pdl.models.verdict import is_preamble
from pdl.reply import Coercions, Stream

if TYPE_CHECKING:
    from pdl.models.exchange import Delta, Fault
    from pdl.models.options import AskOptions
    from pdl.reply import Partial, Violation
    from pdl.schema import Schema

_CHUNK = 4_096  # pieces of text that are joined


class _TextBuffer:
    """Text that arrives in pieces. A separate piece costs 50 bytes besides its characters."""

    def __init__(self) -> None:
        self._joined: list[str] = []
        self._new: list[str] = []

    def add(self, piece: str) -> None:
        if piece:
            self._new.append(piece)
        if len(self._new) >= _CHUNK:
            self._joined.append("".join(self._new))
            self._new.clear()

    @property
    def text(self) -> str:
        return "".join((*self._joined, *self._new))


class StreamAccumulator:
    """Takes deltas; `reply` is what they add up to so far, `errors` why the rest is not needed.

    A reply is stopped where its answer is certainly invalid and starts at the very beginning, apart
    from reasoning and the line that opens a code block. After other words it might be an example,
    or another answer might follow, so only the end decides.
    """

    def __init__(self, schema: Schema | None, options: AskOptions, *, watch: bool) -> None:
        self._text, self._reasoning = _TextBuffer(), _TextBuffer()
        self._rest = Reply("")
        self._dialects = options.dialects
        self._stream: Stream | None = None
        if watch:
            coercions = Coercions() if options.coercions is None else options.coercions
            dialects, limits = options.dialects, options.limits
            self._stream = Stream(schema, coercions=coercions, dialects=dialects, limits=limits)
        self._is_sure: bool | None = None
        self.errors: tuple[Violation, ...] = ()
        self._has_begun = False

    def feed(self, delta: Delta) -> bool:
        """Take a delta, and return whether the rest of the reply is not needed."""
        self._has_begun = True
        self._text.add(delta.text)
        self._reasoning.add(delta.reasoning)
        rest, usage = self._rest, self._rest.usage
        if delta.usage is not None:  # later counts replace earlier ones
            usage = replace(usage, **delta.usage.counts())
        self._rest = Reply(
            text="",
            calls=rest.calls + delta.calls,
            finish=delta.finish or rest.finish,
            usage=usage,
            model=delta.model or rest.model,
            flaw=delta.flaw or rest.flaw,
        )
        if self._stream is None or not delta.text:
            return False
        return self._is_wrong(self._stream.feed(delta.text))

    @property
    def reply(self) -> Reply:
        """The reply as far as it has arrived."""
        return replace(self._rest, text=self._text.text, reasoning=self._reasoning.text)

    def outcome(self, fault: Fault | None = None) -> Outcome:
        """Return the outcome of the call."""
        if fault is not None:
            return Outcome(self.reply if self._has_begun else None, fault)
        return Outcome(self.reply, errors=self.errors)

    def _is_wrong(self, partial: Partial) -> bool:
        if not partial.errors:
            return False
        if partial.start is not None and not self._begins(partial.start):
            return False
        self.errors = partial.errors
        return True

    def _begins(self, start: int) -> bool:
        """Whether nothing is said before an offset; computed only for the first invalid bracket."""
        if self._is_sure is None:
            self._is_sure = is_preamble(self._text.text[:start], self._dialects)
        return self._is_sure
