"""The attempts with one model, without I/O: which call comes next, and what its outcome means.

Its generators yield what is to be done (`ModelCall`, `Callback`) and receive what came of it
("sans-IO"), so that `ask` and `ask_async` share them.
"""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.errors import FileError
from pdl.models.answer import Answer, Attempt, total, total_cost
from pdl.models.exchange import TOKEN_LIMITS, Dropped, Ignored
from pdl.models.faults import AFTER_REFUSAL, Fault, in_words, shown
from pdl.models.ledger import log_without
from pdl.models.options import CacheWarning
from pdl.models.verdict import (
    Verdict,
    filtered,
    judge,
    judge_stopped,
    spoken,
    used_up,
    verdict_of,
    with_complaint,
    with_reply,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from pdl._types import Json
    from pdl.models.answer import Ending
    from pdl.models.cache import Cache
    from pdl.models.exchange import Model, Reply
    from pdl.models.ledger import Ledger
    from pdl.models.options import AskOptions
    from pdl.models.request import Request
    from pdl.reply import Violation

_SHOWN = 500  # characters of a refusal that are shown
_CACHE_SHARE = 0.1  # the part of the time that a locked cache may take: most is the model's


@dataclass(frozen=True, slots=True)
class ModelCall:
    """Make this call now, within so many seconds, and send its `Outcome`."""

    model: Model
    request: Request
    timeout: float


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Callback:
    """Call a function of the program, and send its result, awaited; or throw what it raises.

    Where the time is up before the result is there, throw `OutOfTime`.
    """

    name: str
    function: Callable[..., object]
    arguments: tuple[Any, ...]


class OutOfTime(Exception):  # noqa: N818 - `fault` says what is wrong
    """A function of the program did not end within the time that was left; `fault` says so."""

    def __init__(self, name: str, seconds: float) -> None:
        told = f"`{name}` did not end within the {in_words(max(seconds, 0.0))} that were left"
        super().__init__(told)
        self.fault = Fault("timeout", told, hint="raise `timeout`, or the seconds of the budget")


Step: TypeAlias = ModelCall | Sleep | Callback


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call: a reply, a fault, or a fault with the part of the reply before it.

    `errors` are those for which a reply was stopped while it streamed.
    """

    reply: Reply | None = None
    fault: Fault | None = None
    errors: tuple[Violation, ...] = ()


@dataclass
class ModelLoop:
    """The attempts with one model; `ledger` has those with all models of the same ask."""

    model: Model
    request: Request
    options: AskOptions
    ledger: Ledger
    made: int = 0
    """Attempts with this model."""
    faults: int = 0
    """Consecutive faults since the last reply."""
    rejected: dict[str, str] = field(default_factory=dict)
    """Settings that the model turned out to reject, and why."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Settings that the model turned out to know by another name."""
    form_rejected: str = ""
    """Why the model turned out to reject the provider's form of the schema, if it did."""
    raised: int | None = None
    """The limit of tokens that replaced one that no setting asks for."""

    def __post_init__(self) -> None:
        """Begin with the request as it was given."""
        self._next = self.request

    @property
    def next_request(self) -> Request:
        """The request of the next attempt."""
        return self._as_accepted(self._next)

    def attempt(self, request: Request) -> Generator[Step, Any, Verdict]:
        """Make an attempt with a request, and return the verdict on its reply."""
        began = self.ledger.seconds
        outcome = yield from self._called(request)
        while outcome.fault is not None and self._can_do_without(outcome.fault, request):
            request = self.next_request
            outcome = yield from self._called(request)
        seconds = self.ledger.seconds - began
        attempt, verdict = yield from self._judged(request, outcome)
        self.ledger.record(replace(attempt, seconds=seconds))
        self.made += 1
        self.faults = self.faults + 1 if outcome.fault else 0
        return verdict

    def _called(self, request: Request) -> Generator[Step, Any, Outcome]:
        with self.ledger.held(self.model.name, request):
            outcome: Outcome = yield ModelCall(self.model, request, self._timeout())
        return outcome

    def _timeout(self) -> float:
        left = self.ledger.seconds_left
        return max(min(left, self.options.call_timeout or left), 0.001)

    def _can_do_without(self, fault: Fault, request: Request) -> bool:
        """Whether to send the request again immediately, without what the model rejected.

        That is a setting, or the form of the schema, which a description replaces. A limit of
        tokens is sent under the name that the error names, if it names one.
        """
        name, why = fault.setting, fault.problem.message
        known = {*self.rejected, *self.renamed}
        if fault.is_of_form and not request.describe and self.ledger.seconds_left > 0:
            self.form_rejected = why
            log_without(self.model.name, "the form of the schema")
            return True
        if name not in request.config or name in known or self.ledger.seconds_left <= 0:
            return False
        log_without(self.model.name, f"the setting `{name}`")
        others = {one for one in TOKEN_LIMITS if re.search(rf"\b{one}\b", why)} - {name, *known}
        if name in TOKEN_LIMITS and others - request.config.keys():
            self.renamed[name] = min(others - request.config.keys())
        else:
            self.rejected[name] = why
        return True

    def _judged(
        self, request: Request, outcome: Outcome
    ) -> Generator[Step, Any, tuple[Attempt, Verdict]]:
        reply, fault, errors = outcome.reply, outcome.fault, outcome.errors
        if fault is None and reply is not None:
            fault = self._refusal(reply)
        if fault is not None or reply is None:
            return Attempt(request, reply, fault, model=self.model.name), Verdict()
        verdict = (
            judge_stopped(request, reply, errors) if errors else judge(request, reply, self.options)
        )
        try:
            verdict = yield from self._validated(verdict)
        except OutOfTime as late:
            return Attempt(request, reply, late.fault, model=self.model.name), Verdict()
        attempt = Attempt(
            request=request,
            reply=reply,
            model=self.model.name,
            check=verdict.check,
            complaint=verdict.complaint,
            is_stopped=bool(errors),
            told=verdict.told,
            calls=verdict.calls,
        )
        reason = attempt.reason
        redacted = self.redacted(reason)
        return replace(attempt, told=redacted) if redacted != reason else attempt, verdict

    def _validated(self, verdict: Verdict) -> Generator[Step, Any, Verdict]:
        """The verdict after the rule of the program, if there is an answer and a rule."""
        rule, check = self.options.validate, verdict.check
        if rule is None or check is None or verdict.complaint:
            return verdict
        from pdl.reply.typed import validated  # noqa: PLC0415 - only for rules

        try:
            said = yield Callback("validate", rule, (check.value,))
            again = partial(_again, said, None)
        except ValueError as error:
            again = partial(_again, None, error)
        return verdict_of(validated(check, self.request.schema, again))

    def _refusal(self, reply: Reply) -> Fault | None:
        """The fault that the model, or a filter of its provider, declined to answer, if so."""
        dialects = self.options.dialects
        words = reply.flaw.words if reply.flaw is not None else ""
        if reply.flaw is not None and reply.flaw.kind == "refusal":
            said = words or " ".join(spoken(reply.text, dialects).split())
            who = "the model refused"
            told = said or "it gives no reason"
        elif filtered(reply, dialects):
            who = "a filter of the provider removed the whole reply"
            told = words
        else:
            return None
        told = f"{told[:_SHOWN]}…" if len(told) > _SHOWN else told
        message = shown(self.redacted(f"{who}: {told}" if told else who))
        return Fault("refusal", message, hint=AFTER_REFUSAL)

    def after(self, *, is_last: bool) -> tuple[Ending | None, float | None]:
        """Why this model gets no other attempt, if so, and how long to wait before the next one.

        Unless it is the last model, a failed connection is not tried again, and a server that asks
        for a pause beyond the longest one of the backoff is not waited for.
        """
        last = self.ledger.attempts[-1]
        if last.ok:
            return None, None
        pause = self.options.backoff.pause(last.fault, self.faults) if last.fault else 0.0
        self._advance(last)
        bounds: tuple[tuple[Ending, bool], ...] = (
            ("time", self.ledger.is_over),
            ("fault", last.fault is not None and not self._is_retried(last.fault, is_last=is_last)),
            ("length", self._thinks_too_long(last)),
            ("attempts", self.made > self.options.retries),
        )
        ending = next((name for name, is_met in bounds if is_met), None)
        ending = ending or self.ledger.reached(self.model.name, self._next, pause)
        return ending, pause if ending is None else None

    def _is_retried(self, fault: Fault, *, is_last: bool) -> bool:
        if is_last or not fault.is_transient:
            return fault.is_transient
        is_soon = (fault.retry_after or 0.0) <= self.options.backoff.most
        return is_soon and fault.kind != "connection"

    def _thinks_too_long(self, last: Attempt) -> bool:
        """Whether an attempt under the same limit would end within the reasoning again."""
        if last.reply is None or last.fault is not None:
            return False
        is_stuck = used_up(last.reply, self.options.dialects) and self.ledger.output_left > 0
        return is_stuck and self._more_tokens(last.request) is None

    def _advance(self, last: Attempt) -> None:
        """Make the next request after an attempt: the same one after a fault.

        It is also the same, with a higher limit, after a reply that was cut off by a limit that no
        setting asks for.
        """
        if last.fault is not None or last.reply is None:
            return
        more = self._more_tokens(last.request) if last.reply.finish == "length" else None
        if more is not None:
            self.raised = more
            return
        messages = with_complaint(
            self._next.messages, last.reply, last.complaint, self.options.dialects
        )
        self._next = replace(self._next, messages=messages)

    def answer(self, verdict: Verdict) -> Answer:
        """Return the answer of the last attempt, after storing its reply."""
        last, made = self.ledger.attempts[-1], tuple(self.ledger.attempts)
        assert last.reply is not None
        if not last.is_cached:
            self._store(last.reply)
        return Answer(
            value=None if verdict.calls or verdict.check is None else verdict.check.value,
            check=None if verdict.calls else verdict.check,
            attempts=made,
            usage=total(made),
            cost=total_cost(made),
            origin=self.request.origin,
            model=self.model.name,
            seconds=self.ledger.seconds,
            calls=verdict.calls,
            dropped=self._dropped(),
            ignored=(
                *self._ignored(last.request),
                *(Ignored(name, why) for name, why in self.rejected.items()),
            ),
            messages=with_reply(
                self.request.messages, last.reply, verdict.calls, self.options.dialects
            ),
        )

    def _dropped(self) -> tuple[Dropped, ...]:
        why = f"the model rejects it, so it is only described: {self.form_rejected}"
        unsupported = (Dropped("#", "", why),) if self.form_rejected else ()
        return (*unsupported, *self.model.dropped(self.ledger.attempts[-1].request))

    def stored(self) -> Generator[Step, Any, Answer | None]:
        """Return the answer of a stored reply, if it is still valid; it is then an attempt.

        Its key is the first request, whatever a budget leaves of its tokens.
        """
        if self.options.cache is None:
            return None
        most = self.options.max_output_tokens
        config = self._config(math.inf if most is None else most)
        self._identity = self.model.identity(replace(self.request, config=config))
        reply = self._looked_up(self.options.cache, self._identity)
        if reply is None:
            return None
        attempt, verdict = yield from self._judged(self.request, Outcome(reply))
        if attempt.ok or self.ledger.is_over:
            self.ledger.record(replace(attempt, is_cached=True))
        return self.answer(verdict) if attempt.ok else None

    def _looked_up(self, cache: Cache, identity: Json) -> Reply | None:
        """The stored reply to a request, if any; there is none without an identity.

        The cache is opened in any case: one that cannot be opened at all is an error.
        """
        try:
            return cache.get(identity, wait=self.ledger.seconds_left * _CACHE_SHARE)
        except FileError as error:
            if error.problem.code == "file/cache":
                raise
            _warn(error)
            return None

    def _store(self, reply: Reply) -> None:
        """Store the good reply under the first request, however many it took.

        One that repeats the key is not stored, as the key would be.
        """
        if self.options.cache is None or self.redacted(reply.text) != reply.text:
            return
        if self._identity is None:
            return
        try:
            self.options.cache.put(self._identity, reply, wait=max(0.0, self.ledger.seconds_left))
        except FileError as error:  # the answer is there, and matters more
            _warn(error)

    # What only some models have.

    def _more_tokens(self, request: Request) -> int | None:
        more = getattr(self.model, "more_tokens", None)
        limit: int | None = None if more is None else more(request)
        return limit

    def _ignored(self, request: Request) -> tuple[Ignored, ...]:
        declared = getattr(self.model, "ignored", None)
        found: tuple[Ignored, ...] = () if declared is None else declared(request)
        return found

    def redacted(self, text: str) -> str:
        """Return a text without the key of the model."""
        key = getattr(self.model, "key", None)
        return text if key is None else str(key.redact(text))

    def _as_accepted(self, request: Request) -> Request:
        """A request without what the model turned out to reject."""
        cap = self.ledger.output_cap(self.model.name, request)
        return replace(request, config=self._config(cap), describe=bool(self.form_rejected))

    def _config(self, left: float) -> dict[str, Json]:
        """The settings of the next call, whose limit of tokens is no more than what is left."""
        config = {self.renamed.get(key, key): one for key, one in self.request.config.items()}
        if self.raised is not None:
            config[TOKEN_LIMITS[0]] = self.raised
        if left != math.inf:
            keys = [key for key in TOKEN_LIMITS if isinstance(config.get(key), int)]
            for key in keys or [self.renamed.get(TOKEN_LIMITS[0], TOKEN_LIMITS[0])]:
                config[key] = min(config.get(key, left), int(left))
        return {key: one for key, one in config.items() if key not in self.rejected}


def _again(said: object, error: ValueError | None, _value: object) -> object:
    """What a rule has said or raised already, where somebody could await it."""
    if error is not None:
        raise error
    return said


def _warn(error: FileError) -> None:
    warnings.warn(error.problem.message, CacheWarning, stacklevel=2)
