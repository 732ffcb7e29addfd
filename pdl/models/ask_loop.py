"""The ask loop, without I/O: which call comes next, and what its outcome means.

`AskLoop.ask_steps` yields what is to be done (`ModelCall`, `Sleep`) and receives the `Outcome`
("sans-IO"), so that one loop serves `ask` and `ask_async`.
"""

from __future__ import annotations

import math
import re
import time
import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from pdl.errors import FileError
from pdl.models.answer import Answer, Attempt, Ending, ask_error, total
from pdl.models.exchange import TOKEN_LIMITS, DeclaresIgnored, Delta, Dropped, Ignored
from pdl.models.faults import AFTER_REFUSAL, Fault, shown
from pdl.models.options import CacheWarning, NoDefault
from pdl.models.verdict import (
    Verdict,
    filtered,
    judge,
    judge_stopped,
    spoken,
    used_up,
    with_complaint,
    with_reply,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from pdl._types import Json
    from pdl.models.cache import Cache
    from pdl.models.exchange import Model, Reply
    from pdl.models.options import AskOptions
    from pdl.models.request import Request
    from pdl.reply import Violation

_CHARS_PER_TOKEN = 4  # where a provider does not count
_SHOWN = 500  # characters of a refusal that are shown
_CACHE_SHARE = 0.1  # the part of the time that a locked cache may take: most is the model's


@dataclass(frozen=True, slots=True)
class ModelCall:
    """Make this call now, within so many seconds, and send its `Outcome`."""

    request: Request
    timeout: float


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait so many seconds."""

    seconds: float


Step: TypeAlias = ModelCall | Sleep


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call: a reply, a fault, or a fault with the part of the reply before it.

    `errors` are those for which a reply was stopped while it streamed.
    """

    reply: Reply | None = None
    fault: Fault | None = None
    errors: tuple[Violation, ...] = ()


@dataclass
class AskLoop:
    """One run of `ask` with one model."""

    model: Model
    request: Request
    options: AskOptions
    clock: Callable[[], float] = time.monotonic
    attempts: list[Attempt] = field(default_factory=list)
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

    def ask_steps(self) -> Generator[Step, Outcome | None, Answer]:
        """Yield the calls and pauses, and return the answer. Raises AskError."""
        self._started = self.clock()
        self._first = replace(self.request, config=self._config())
        stored = self._stored()
        if stored is not None:
            return stored
        request = self.request
        while True:
            request = self._as_accepted(request)
            verdict = yield from self._attempt(request)
            ending, pause = self._after()
            for hook in self.options.hooks:
                hook.after(len(self.attempts), self.attempts[-1], pause)
            if self.attempts[-1].ok:
                return self._answer(verdict)
            if ending is not None:
                return self._failed(ending)
            if pause:
                yield Sleep(pause)
            request = self._next(request)

    def cached_deltas(self) -> Iterator[Delta]:
        """Yield what `on_delta` is given of a cached reply, which no call brings."""
        if self.attempts and self.attempts[-1].is_cached and self.attempts[-1].reply is not None:
            yield Delta.whole(self.attempts[-1].reply)

    def _attempt(self, request: Request) -> Generator[Step, Outcome | None, Verdict]:
        for hook in self.options.hooks:
            hook.before(len(self.attempts) + 1, request)
        began = self.clock()
        outcome = yield ModelCall(request, self._timeout())
        assert outcome is not None
        while outcome.fault is not None and self._can_do_without(outcome.fault, request):
            request = self._as_accepted(request)
            outcome = yield ModelCall(request, self._timeout())
            assert outcome is not None
        seconds = self.clock() - began
        attempt, verdict = self._judged(request, outcome)
        self.attempts.append(replace(attempt, seconds=seconds))
        self.faults = self.faults + 1 if outcome.fault else 0
        return verdict

    def _timeout(self) -> float:
        return max(min(self._left(), self.options.call_timeout or math.inf), 0.001)

    def _can_do_without(self, fault: Fault, request: Request) -> bool:
        """Whether to send the request again immediately, without what the model rejected.

        That is a setting, or the form of the schema, which a description replaces. A limit of
        tokens is sent under the name that the error names, if it names one.
        """
        name, why = fault.setting, fault.problem.message
        known = {*self.rejected, *self.renamed}
        if fault.is_of_form and not request.describe and self._left() > 0:
            self.form_rejected = why
            return True
        if name not in request.config or name in known or self._left() <= 0:
            return False
        others = {one for one in TOKEN_LIMITS if re.search(rf"\b{one}\b", why)} - {name, *known}
        if name in TOKEN_LIMITS and others - request.config.keys():
            self.renamed[name] = min(others - request.config.keys())
        else:
            self.rejected[name] = why
        return True

    def _judged(self, request: Request, outcome: Outcome) -> tuple[Attempt, Verdict]:
        reply, fault, errors = outcome.reply, outcome.fault, outcome.errors
        if fault is None and reply is not None:
            fault = self._refusal(reply)
        if fault is not None or reply is None:
            return Attempt(request, reply, fault), Verdict()
        verdict = (
            judge_stopped(request, reply, errors) if errors else judge(request, reply, self.options)
        )
        attempt = Attempt(
            request=request,
            reply=reply,
            check=verdict.check,
            complaint=verdict.complaint,
            is_stopped=bool(errors),
            told=verdict.told,
        )
        reason = attempt.reason
        redacted = self._redacted(reason)
        return replace(attempt, told=redacted) if redacted != reason else attempt, verdict

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
        message = shown(self._redacted(f"{who}: {told}" if told else who))
        return Fault("refusal", message, hint=AFTER_REFUSAL)

    def _after(self) -> tuple[Ending | None, float | None]:
        """Why there is no other attempt, if so, and how long to wait before the next one."""
        last = self.attempts[-1]
        if last.ok:
            return None, None
        pause = self.options.backoff.pause(last.fault, self.faults) if last.fault else 0.0
        bounds: tuple[tuple[Ending, bool], ...] = (
            ("fault", last.fault is not None and not last.fault.is_transient),
            ("length", self._thinks_too_long(last)),
            ("attempts", len(self.attempts) > self.options.retries),
            ("time", self._left() <= pause),
            ("tokens", self._tokens_left() <= 0),
        )
        ending = next((name for name, is_met in bounds if is_met), None)
        return ending, pause if ending is None else None

    def _thinks_too_long(self, last: Attempt) -> bool:
        """Whether an attempt under the same limit would end within the reasoning again."""
        if last.reply is None or last.fault is not None:
            return False
        is_stuck = used_up(last.reply, self.options.dialects) and self._tokens_left() > 0
        return is_stuck and self._more_tokens(last.request) is None

    def _next(self, request: Request) -> Request:
        """The request after the last attempt: the same one after a fault.

        It is also the same, with a higher limit, after a reply that was cut off by a limit that no
        setting asks for.
        """
        last = self.attempts[-1]
        if last.fault is not None or last.reply is None:
            return request
        more = self._more_tokens(last.request) if last.reply.finish == "length" else None
        if more is not None:
            self.raised = more
            return request
        messages = with_complaint(
            request.messages, last.reply, last.complaint, self.options.dialects
        )
        return replace(request, messages=messages)

    def _answer(self, verdict: Verdict) -> Answer:
        last = self.attempts[-1]
        assert last.reply is not None
        made = tuple(self.attempts)
        if not last.is_cached:
            self._store(last.reply)
        return Answer(
            value=None if verdict.calls or verdict.check is None else verdict.check.value,
            check=None if verdict.calls else verdict.check,
            attempts=made,
            usage=total(made),
            seconds=self.clock() - self._started,
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

    def _failed(self, ending: Ending) -> Answer:
        made, seconds = tuple(self.attempts), self.clock() - self._started
        if isinstance(self.options.default, NoDefault):
            raise ask_error(self.model.name, made, ending, seconds) from made[-1].fault
        return Answer(
            self.options.default, None, made, total(made), seconds, is_default=True,
            messages=self.request.messages,
        )  # fmt: skip

    def _dropped(self) -> tuple[Dropped, ...]:
        why = f"the model rejects it, so it is only described: {self.form_rejected}"
        unsupported = (Dropped("#", "", why),) if self.form_rejected else ()
        return (*unsupported, *self.model.dropped(self.attempts[-1].request))

    def _stored(self) -> Answer | None:
        """The answer of a stored reply, if it is still valid."""
        if self.options.cache is None:
            return None
        identity = self.model.identity(self._first)
        reply = self._looked_up(self.options.cache, identity)
        if reply is None:
            return None
        attempt, verdict = self._judged(self.request, Outcome(reply))
        if not attempt.ok:
            return None
        self.attempts.append(replace(attempt, is_cached=True))
        for hook in self.options.hooks:
            hook.after(1, self.attempts[-1], None)
        return self._answer(verdict)

    def _looked_up(self, cache: Cache, identity: Json) -> Reply | None:
        """The stored reply to a request, if any; there is none without an identity.

        The cache is opened in any case: one that cannot be opened at all is an error.
        """
        try:
            return cache.get(identity, wait=self._left() * _CACHE_SHARE)
        except FileError as error:
            if error.problem.code == "file/cache":
                raise
            _warn(error)
            return None

    def _store(self, reply: Reply) -> None:
        """Store the good reply under the first request, however many it took.

        One that repeats the key is not stored, as the key would be.
        """
        if self.options.cache is None or self._redacted(reply.text) != reply.text:
            return
        identity = self.model.identity(self._first)
        if identity is None:
            return
        try:
            self.options.cache.put(identity, reply, wait=max(0.0, self._left()))
        except FileError as error:  # the answer is there, and matters more
            _warn(error)

    # What only some models have.

    def _more_tokens(self, request: Request) -> int | None:
        more = getattr(self.model, "more_tokens", None)
        limit: int | None = None if more is None else more(request)
        return limit

    def _ignored(self, request: Request) -> tuple[Ignored, ...]:
        return self.model.ignored(request) if isinstance(self.model, DeclaresIgnored) else ()

    def _redacted(self, text: str) -> str:
        """A text without the key of the model."""
        key = getattr(self.model, "key", None)
        return text if key is None else str(key.redact(text))

    def _left(self) -> float:
        return self.options.timeout - (self.clock() - self._started)

    def _tokens_left(self) -> float:
        most = self.options.max_output_tokens
        return math.inf if most is None else most - sum(map(_written, self.attempts))

    def _as_accepted(self, request: Request) -> Request:
        """A request without what the model turned out to reject."""
        return replace(request, config=self._config(), describe=bool(self.form_rejected))

    def _config(self) -> dict[str, Json]:
        """The settings of the next call, whose limit of tokens is no more than what is left."""
        config = {self.renamed.get(key, key): one for key, one in self.request.config.items()}
        if self.raised is not None:
            config[TOKEN_LIMITS[0]] = self.raised
        left = self._tokens_left()
        if left != math.inf:
            keys = [key for key in TOKEN_LIMITS if isinstance(config.get(key), int)]
            for key in keys or [self.renamed.get(TOKEN_LIMITS[0], TOKEN_LIMITS[0])]:
                config[key] = min(config.get(key, left), int(left))
        return {key: one for key, one in config.items() if key not in self.rejected}


def _warn(error: FileError) -> None:
    warnings.warn(error.problem.message, CacheWarning, stacklevel=2)


def _written(attempt: Attempt) -> int:
    """Output tokens of an attempt, as the provider counted them or by the length of the text."""
    reply = attempt.reply
    if reply is None:
        return 0
    if reply.usage.output_tokens is not None:
        return reply.usage.output_tokens
    return math.ceil((len(reply.text) + len(reply.reasoning)) / _CHARS_PER_TOKEN)
