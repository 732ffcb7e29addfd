"""A reply that streams, put together, and watched for the first thing that is certainly wrong.

Also what is to be done next while a model is asked (`Call`, `Sleep`, `Tell`), and what came of it
(`Outcome`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from pdl.models.exchange import Delta, Reply
from pdl.models.verdict import leads_in

if TYPE_CHECKING:
    from pdl.models.exchange import Delta, Fault, Finish, Request, Usage
    from pdl.models.terms import Terms
    from pdl.reply import Partial, Stream, Violation
    from pdl.schema import Schema


@dataclass(frozen=True, slots=True)
class Call:
    """Make this call now, within so many seconds, and send its `Outcome`."""

    request: Request
    timeout: float


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: a reply, a fault, or with a fault what had come before it.

    `errors` are those for which a reply was stopped while it came.
    """

    reply: Reply | None = None
    fault: Fault | None = None
    errors: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class Tell:
    """Give this to `on_delta`: what was kept of a reply, which no call brings."""

    delta: Delta


Step: TypeAlias = Call | Sleep | Tell


_TOGETHER = 4_096  # pieces of a text that are joined


class _Growing:
    """A text that comes in pieces. A piece by itself takes fifty bytes more than its characters."""

    def __init__(self) -> None:
        self._joined: list[str] = []
        self._new: list[str] = []

    def add(self, piece: str) -> None:
        if piece:
            self._new.append(piece)
        if len(self._new) >= _TOGETHER:
            self._joined.append("".join(self._new))
            self._new.clear()

    @property
    def text(self) -> str:
        return "".join((*self._joined, *self._new))


class Gathering:
    """Takes deltas; `reply` is what they came to so far, `errors` why the rest is not wanted.

    A reply is stopped where its answer is certainly wrong and stands at its very beginning, but for
    reasoning and the line that opens a fence. Behind other words it may be an example, or another
    answer may follow, so that only the end tells.
    """

    def __init__(self, schema: Schema | None, terms: Terms, *, watch: bool) -> None:
        self._text, self._reasoning = _Growing(), _Growing()
        self._rest = Reply("")
        self._dialects = terms.dialects
        self._stream = _stream(schema, terms) if watch else None
        self._is_sure: bool | None = None
        self.errors: tuple[Violation, ...] = ()
        self.is_begun = False

    def feed(self, delta: Delta) -> bool:
        """Take a delta; whether the rest of the reply is not wanted."""
        self.is_begun = True
        self._text.add(delta.text)
        self._reasoning.add(delta.reasoning)
        usage = self._rest.usage if delta.usage is None else _newer(self._rest.usage, delta.usage)
        finish: Finish = delta.finish or self._rest.finish
        calls = self._rest.calls + delta.calls
        model = delta.model or self._rest.model
        flaw = delta.flaw or self._rest.flaw
        self._rest = Reply("", "", calls, finish, usage, model, flaw)
        if self._stream is None or not delta.text:
            return False
        return self._is_wrong(self._stream.feed(delta.text))

    @property
    def reply(self) -> Reply:
        """The reply as far as it has come."""
        return replace(self._rest, text=self._text.text, reasoning=self._reasoning.text)

    def outcome(self, fault: Fault | None = None) -> Outcome:
        """What came of the call."""
        if fault is not None:
            return Outcome(self.reply if self.is_begun else None, fault)
        return Outcome(self.reply, errors=self.errors)

    def _is_wrong(self, partial: Partial) -> bool:
        if not partial.errors:
            return False
        if partial.start is not None and not self._begins(partial.start):
            return False
        self.errors = partial.errors
        return True

    def _begins(self, start: int) -> bool:
        """Whether nothing is said before a place; asked for the first wrong bracket alone."""
        if self._is_sure is None:
            self._is_sure = leads_in(self._text.text[:start], self._dialects)
        return self._is_sure


def _stream(schema: Schema | None, terms: Terms) -> Stream:
    from pdl.reply import Coercions, Stream  # noqa: PLC0415 - large, and only for JSON that streams

    coercions = Coercions() if terms.coercions is None else terms.coercions
    return Stream(schema, coercions=coercions, dialects=terms.dialects, limits=terms.limits)


def _newer(known: Usage, told: Usage) -> Usage:
    """The counts of a stream: those that are told later take the place of earlier ones."""
    return replace(known, **told.counts())
