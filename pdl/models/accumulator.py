"""What a streaming reply adds up to, and where it is certain that the rest is not needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.models.exchange import ReplyBuilder
from pdl.models.faults import Fault
from pdl.models.model_loop import Outcome
from pdl.models.verdict import is_preamble

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Iterator

    from pdl.models.ask_partial import AskPartial
    from pdl.models.exchange import Delta, Reply
    from pdl.models.model_loop import ModelCall
    from pdl.models.options import AskOptions
    from pdl.models.request import Request
    from pdl.reply import Partial, Stream, Violation


class StreamAccumulator:
    """Takes deltas; `reply` is what they add up to so far, `errors` why the rest is not needed.

    A reply is stopped where its answer is certainly invalid and starts at the very beginning, apart
    from reasoning and the line that opens a code block. After other words it might be an example,
    or another answer might follow, so only the end decides.
    """

    def __init__(
        self, request: Request, options: AskOptions, *, has_partials: bool = False
    ) -> None:
        schema = request.schema
        self._whole = ReplyBuilder()
        self._dialects = options.dialects
        # With tools nothing is certainly invalid before the end: a call looks like an answer.
        self._stops = schema is not None and schema.form == "json" and request.tools is None
        self._stream: Stream | None = None
        self._last: Partial | None = None
        self._shown: Partial | None = None
        if self._stops or has_partials:
            from pdl.reply import Coercions, Stream  # noqa: PLC0415 - not for plain text

            coercions = Coercions() if options.coercions is None else options.coercions
            dialects, limits = options.dialects, options.limits
            self._stream = Stream(schema, coercions=coercions, dialects=dialects, limits=limits)
        self._is_sure: bool | None = None
        self.errors: tuple[Violation, ...] = ()
        self._has_begun = False

    def feed(self, delta: Delta) -> bool:
        """Take a delta, and return whether the rest of the reply is not needed."""
        self._has_begun = True
        self._whole.add(delta)
        if self._stream is None or not delta.text:
            return False
        self._last = self._stream.feed(delta.text)
        return self._stops and self._is_wrong(self._last)

    def partials(self, attempt: int) -> Iterator[AskPartial]:
        """Yield the partial of an attempt with this number, if it is news."""
        if self._last is not None and self._last.started and self._last is not self._shown:
            from pdl.models.ask_partial import AskPartial  # noqa: PLC0415 - only where it is shown

            self._shown = self._last
            yield AskPartial.of(self._last, attempt)

    @property
    def reply(self) -> Reply:
        """The reply as far as it has arrived."""
        return self._whole.reply

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
            self._is_sure = is_preamble(self._whole.text[:start], self._dialects)
        return self._is_sure


def deltas_of(call: ModelCall) -> Generator[Delta | Fault]:
    """Yield what a model streams, and its fault, which is not one of the program's functions."""
    deltas = call.model.stream(call.request, timeout=call.timeout)
    try:
        yield from deltas
    except Fault as fault:
        yield fault
    finally:
        close = getattr(deltas, "close", None)
        if close is not None:
            close()


async def deltas_of_async(call: ModelCall) -> AsyncGenerator[Delta | Fault]:
    """Do the same as `deltas_of` asynchronously."""
    deltas = call.model.stream_async(call.request, timeout=call.timeout)
    try:
        async for delta in deltas:
            yield delta
    except Fault as fault:
        yield fault
    finally:
        close = getattr(deltas, "aclose", None)
        if close is not None:
            await close()
