"""The record of one ask: its attempts, what its bounds leave, and its lines in the log."""

from __future__ import annotations

import logging
import math
import time
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pdl.errors import count
from pdl.models.exchange import TOKEN_LIMITS
from pdl.models.faults import tenths

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from pdl.models.answer import Attempt, Ending
    from pdl.models.exchange import Reply, Usage
    from pdl.models.options import AskOptions
    from pdl.models.request import Request

_CHARS_PER_TOKEN = 4  # where a provider does not count
_ACCEPTED = 4_096  # as a limit of output tokens, by every model

_LOG = logging.getLogger("pdl")
_LOG.addHandler(logging.NullHandler())  # a program decides what becomes of the lines


@dataclass
class Ledger:
    """The attempts of one ask, with all of its models, and what its bounds leave.

    Its lines in the log contain no text of a prompt or a reply, unless `log_contents` is set; they
    never contain a key.
    """

    options: AskOptions
    clock: Callable[[], float] = time.monotonic
    attempts: list[Attempt] = field(default_factory=list)
    is_over: bool = False
    """Whether a function of the program took the rest of the time."""

    def __post_init__(self) -> None:
        """Start the clocks."""
        self._started = self.clock()
        if self.options.budget is not None:
            self.options.budget.begin(self._started)

    @property
    def seconds(self) -> float:
        """The seconds since the start."""
        return self.clock() - self._started

    @property
    def seconds_left(self) -> float:
        """The seconds until the first of the bounds."""
        if self.is_over:
            return 0.0
        left = self.options.timeout - self.seconds
        budget = self.options.budget
        return left if budget is None else min(left, budget.seconds_left(self.clock()))

    @property
    def output_left(self) -> float:
        """The tokens that `max_output_tokens` leaves; infinite without it."""
        most = self.options.max_output_tokens
        return (
            math.inf if most is None else most - sum(_written(one.reply) for one in self.attempts)
        )

    def reached(self, model: str, request: Request, pause: float = 0.0) -> Ending | None:
        """Return the bound that allows no other call after a pause, if any."""
        bounds: tuple[tuple[Ending, float], ...] = (
            ("time", 1 if self.seconds_left > pause else 0),
            ("tokens", min(self.output_left, self._budgeted(request))),
            ("cost", self._affordable(model, request)),
        )
        return next((name for name, left in bounds if left < 1), None)

    def output_cap(self, model: str, request: Request) -> float:
        """Return the tokens that the next call may write; infinite without a bound.

        What a large budget leaves is no bound for a request without a limit of its own: models
        reject a limit that is higher than theirs.
        """
        left = min(self._budgeted(request), self._affordable(model, request))
        limits = [request.config.get(name) for name in TOKEN_LIMITS]
        if left > _ACCEPTED and not any(isinstance(limit, int) for limit in limits):
            left = math.inf
        return max(1, min(self.output_left, left))

    def held(self, model: str, request: Request) -> AbstractContextManager[None]:
        """Return a context in which a call runs, whose input is kept from other asks."""
        budget = self.options.budget
        return nullcontext() if budget is None else budget.held(model, estimated(request))

    def record(self, attempt: Attempt) -> Attempt:
        """Add an attempt with its cost, and return it."""
        budget = self.options.budget
        price = None if budget is None else budget.prices.get(attempt.model)
        if price is not None:
            is_free = attempt.reply is None or attempt.is_cached
            attempt = replace(attempt, cost=0.0 if is_free else price.of(attempt.usage))
        if budget is not None and attempt.reply is not None and not attempt.is_cached:
            budget.spend(attempt.model, counted(attempt.request, attempt.reply))
        self.attempts.append(attempt)
        return attempt

    def _budgeted(self, request: Request) -> float:
        budget = self.options.budget
        return math.inf if budget is None else budget.output_tokens_left(estimated(request))

    def _affordable(self, model: str, request: Request) -> float:
        budget = self.options.budget
        return math.inf if budget is None else budget.affordable_output(model, estimated(request))

    # What is logged.

    def log_call(self, model: str, request: Request, redacted: Callable[[str], str]) -> None:
        """Log that a model is asked."""
        if not _LOG.isEnabledFor(logging.DEBUG):
            return
        number = len(self.attempts) + 1
        messages = count(len(request.messages), "message")
        _LOG.debug("attempt %d: asking %s with %s", number, model, messages)
        if self.options.log_contents:
            said = "\n\n".join(str(message) for message in request.messages)
            _LOG.debug("attempt %d: sent:\n%s", number, redacted(said))

    def log_attempt(self, redacted: Callable[[str], str]) -> None:
        """Log the outcome of the last attempt."""
        if not _LOG.isEnabledFor(logging.DEBUG):
            return
        last, number = self.attempts[-1], len(self.attempts)
        took = "from the cache" if last.is_cached else f"in {tenths(last.seconds)}"
        counts = "".join(f", {name} {value}" for name, value in last.usage.counts().items())
        _LOG.debug("attempt %d: %s: %s %s%s", number, last.model, _outcome(last), took, counts)
        if self.options.log_contents and last.reply is not None:
            _LOG.debug("attempt %d: received:\n%s", number, redacted(last.reply.text))
        if self.options.log_contents and last.reason:
            _LOG.debug("attempt %d: reason: %s", number, redacted(last.reason))

    def log_retry(self, pause: float) -> None:
        """Log that the same model is asked again."""
        last, number = self.attempts[-1], len(self.attempts)
        when = f" in {tenths(pause)}" if pause else ""
        _LOG.info("attempt %d: %s: %s; retrying%s", number, last.model, _outcome(last), when)

    def log_fallback(self, model: str) -> None:
        """Log that another model is asked."""
        last, number = self.attempts[-1], len(self.attempts)
        _LOG.info(
            "attempt %d: %s: %s; falling back to %s", number, last.model, _outcome(last), model
        )

    def log_failure(self, models: str, ending: Ending, *, has_default: bool) -> None:
        """Log that there is no answer."""
        tried = count(len(self.attempts), "attempt")
        last = f" ({_outcome(self.attempts[-1])})" if self.attempts else ""
        then = "; using the default" if has_default else ""
        _LOG.warning(
            "%s gave no valid answer in %s%s: %s%s", models, tried, last, f"ask/{ending}", then
        )


def log_without(model: str, what: str) -> None:
    """Log that a request is sent again without what the model rejects."""
    _LOG.info("%s rejects %s; asking again without it", model, what)


def _outcome(attempt: Attempt) -> str:
    """What came of an attempt, in words of pdl: a reason may quote the reply."""
    if attempt.fault is not None:
        status = f" (status {attempt.fault.status})" if attempt.fault.status else ""
        return f"{attempt.fault.kind}{status}"
    if attempt.ok:
        return "valid"
    if attempt.check is None or attempt.check.ok:
        return "invalid"
    return f"{attempt.check.reason}, {count(len(attempt.check.errors), 'error')}"


def estimated(request: Request) -> int:
    """Return the tokens of a request, by the length of its text."""
    return math.ceil(sum(len(str(one)) for one in request.messages) / _CHARS_PER_TOKEN)


def _written(reply: Reply | None) -> int:
    """Output tokens of a reply, as the provider counted them or by the length of the text."""
    if reply is None:
        return 0
    if reply.usage.output_tokens is not None:
        return reply.usage.output_tokens
    return math.ceil((len(reply.text) + len(reply.reasoning)) / _CHARS_PER_TOKEN)


def counted(request: Request, reply: Reply) -> Usage:
    """Return the tokens of a call; what the provider did not count is estimated."""
    read = reply.usage.input_tokens
    return replace(
        reply.usage,
        input_tokens=estimated(request) if read is None else read,
        output_tokens=_written(reply),
    )
