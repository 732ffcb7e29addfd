"""A reply that streams, put together, and watched for the first thing that is certainly wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.models.exchange import Delta, Reply
from pdl.models.outcome import Outcome
from pdl.models.spoken import leads_in
from pdl.reply import Coercions, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.models.exchange import Finish, Usage
    from pdl.models.faults import Fault
    from pdl.models.terms import Terms
    from pdl.reply import Partial, Violation
    from pdl.schema import Schema


class Gathering:
    """Takes deltas; `reply` is what they came to so far, `errors` why the rest is not wanted.

    A reply is stopped where its answer is certainly wrong and stands at its very beginning, but for
    reasoning and the line that opens a fence. Behind other words it may be an example, or another
    answer may follow, so that only the end tells.
    """

    def __init__(self, schema: Schema | None, terms: Terms, *, watch: bool) -> None:
        self._texts: list[str] = []
        self._reasoning: list[str] = []
        self._rest = Reply("")
        self._on_delta: Callable[[Delta], object] | None = terms.on_delta
        self._dialects = terms.dialects
        coercions = Coercions() if terms.coercions is None else terms.coercions
        self._stream = (
            Stream(schema, coercions=coercions, dialects=terms.dialects, limits=terms.limits)
            if watch
            else None
        )
        self._is_sure: bool | None = None
        self.errors: tuple[Violation, ...] = ()
        self.is_begun = False

    def feed(self, delta: Delta) -> bool:
        """Take a delta; whether the rest of the reply is not wanted."""
        self.is_begun = True
        self._texts.append(delta.text)
        self._reasoning.append(delta.reasoning)
        usage = self._rest.usage if delta.usage is None else _newer(self._rest.usage, delta.usage)
        finish: Finish = delta.finish or self._rest.finish
        calls = self._rest.calls + delta.calls
        model = delta.model or self._rest.model
        flaw = delta.flaw or self._rest.flaw
        self._rest = Reply("", "", calls, finish, usage, model, flaw)
        if self._on_delta is not None:
            self._on_delta(delta)
        if self._stream is None or not delta.text:
            return False
        return self._is_wrong(self._stream.feed(delta.text))

    @property
    def reply(self) -> Reply:
        """The reply as far as it has come."""
        text, reasoning = "".join(self._texts), "".join(self._reasoning)
        return replace(self._rest, text=text, reasoning=reasoning)

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
            self._is_sure = leads_in("".join(self._texts)[:start], self._dialects)
        return self._is_sure


def _newer(known: Usage, told: Usage) -> Usage:
    """The counts of a stream: those that are told later take the place of earlier ones."""
    return replace(known, **told.counts())
