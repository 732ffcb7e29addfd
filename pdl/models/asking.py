"""How a model is asked: which call comes next, and what its outcome means. Nothing is sent here."""

from __future__ import annotations

import math
import re
import time
import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pdl.errors import ConfigError, FileError, Problem
from pdl.models.answer import Answer, Attempt, Ending, ask_error, total
from pdl.models.exchange import (
    AFTER_REFUSAL,
    Choosy,
    Delta,
    Dropped,
    Fault,
    Ignored,
    Request,
    shown,
)
from pdl.models.gather import Call, Outcome, Sleep, Step, Tell
from pdl.models.payloads.family import TOKEN_LIMITS
from pdl.models.secret import NO_MASK, Mask, Secret
from pdl.models.terms import CacheWarning, NoDefault
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
from pdl.reply import violations

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from pdl._types import Json
    from pdl.models.cache import Cache
    from pdl.models.exchange import Model, Reply
    from pdl.models.gather import Gathering
    from pdl.models.terms import Terms
    from pdl.prompt.messages import Rendered

_ADDRESSES = frozenset({"api_base", "api_key", "base_url"})
_CHARS_PER_TOKEN = 4  # where a provider does not count
_SAID = 500  # characters of a refusal that are told
_WAITED = 0.1  # the part of the time that a locked cache may take: most is the model's


@dataclass
class Asking:
    """One asking of one model: `steps` says what is to be done, and is told what came of it."""

    name: str
    request: Request
    terms: Terms
    dropped: Callable[[Request], tuple[Dropped, ...]] = lambda _: ()
    ignored: Callable[[Request], tuple[Ignored, ...]] = lambda _: ()
    identity: Callable[[Request], Json] = lambda _: None
    more_tokens: Callable[[Request], int | None] = lambda _: None
    clock: Callable[[], float] = time.monotonic
    mask: Mask = NO_MASK
    attempts: list[Attempt] = field(default_factory=list)
    faults: int = 0
    """Faults since the last reply."""
    untaken: dict[str, str] = field(default_factory=dict)
    """Settings that the model turned out not to take, and why."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Settings that the model turned out to call otherwise."""
    unheld: str = ""
    """Why the model turned out not to take the form of the schema, if it did not."""
    raised: int | None = None
    """The limit of tokens that took the place of one that nobody had asked for."""

    def steps(self) -> Generator[Step, Outcome | None, Answer]:
        """The calls and pauses; it returns the answer. Raises AskError."""
        self._started = self.clock()
        self._first = replace(self.request, config=self._config())
        stored = self._stored()
        if stored is not None:
            if self.terms.on_delta is not None and self.attempts[-1].reply is not None:
                yield Tell(Delta.whole(self.attempts[-1].reply))
            return stored
        request = self.request
        while True:
            request = self._as_taken(request)
            verdict = yield from self._attempt(request)
            ending, pause = self._after()
            for hook in self.terms.hooks:
                hook.after(len(self.attempts), self.attempts[-1], pause)
            if self.attempts[-1].ok:
                return self._answer(verdict)
            if ending is not None:
                return self._failed(ending)
            if pause:
                yield Sleep(pause)
            request = self._next(request)

    def gathering(self) -> Gathering:
        """What puts a reply together that streams.

        With tools nothing is certainly wrong before the end, since a call looks like an answer.
        """
        from pdl.models.gather import Gathering  # noqa: PLC0415  (slow, and streams alone need it)

        schema = self.request.schema
        watch = schema is not None and schema.form == "json" and self.request.tools is None
        return Gathering(schema, self.terms, watch=watch)

    def _attempt(self, request: Request) -> Generator[Step, Outcome | None, Verdict]:
        for hook in self.terms.hooks:
            hook.before(len(self.attempts) + 1, request)
        began = self.clock()
        outcome = yield Call(request, self._timeout())
        assert outcome is not None
        while outcome.fault is not None and self._gives_up(outcome.fault, request):
            request = self._as_taken(request)
            outcome = yield Call(request, self._timeout())
            assert outcome is not None
        seconds = self.clock() - began
        attempt, verdict = self._judged(request, outcome)
        self.attempts.append(replace(attempt, seconds=seconds))
        self.faults = self.faults + 1 if outcome.fault else 0
        return verdict

    def _timeout(self) -> float:
        return max(min(self._left(), self.terms.call_timeout or math.inf), 0.001)

    def _gives_up(self, fault: Fault, request: Request) -> bool:
        """Whether the request goes again at once, without what the model refused.

        That is a setting, or the form of the schema, which words take the place of. A limit of
        tokens goes under the name that the error tells, if it tells one.
        """
        name, why = fault.setting, fault.problem.message
        known = {*self.untaken, *self.renamed}
        if fault.is_of_form and not request.describe and self._left() > 0:
            self.unheld = why
            return True
        if name not in request.config or name in known or self._left() <= 0:
            return False
        others = {one for one in TOKEN_LIMITS if re.search(rf"\b{one}\b", why)} - {name, *known}
        if name in TOKEN_LIMITS and others - request.config.keys():
            self.renamed[name] = min(others - request.config.keys())
        else:
            self.untaken[name] = why
        return True

    def _judged(self, request: Request, outcome: Outcome) -> tuple[Attempt, Verdict]:
        reply, fault, errors = outcome.reply, outcome.fault, outcome.errors
        if fault is None and reply is not None:
            fault = self._refusal(reply)
        if fault is not None or reply is None:
            return Attempt(request, reply, fault, mask=self.mask), Verdict()
        verdict = (
            judge_stopped(request, reply, errors) if errors else judge(request, reply, self.terms)
        )
        complaint, is_stopped = verdict.complaint, bool(errors)
        attempt = Attempt(request, reply, None, verdict.check, complaint, is_stopped=is_stopped)
        return replace(attempt, mask=self.mask, told=verdict.told), verdict

    def _refusal(self, reply: Reply) -> Fault | None:
        """That the model, or a filter of its provider, declined to answer, if so."""
        dialects = self.terms.dialects
        words = reply.flaw.words if reply.flaw is not None else ""
        if reply.flaw is not None and reply.flaw.kind == "refusal":
            said = words or " ".join(spoken(reply.text, dialects).split())
            who = "the model refused"
            told = said or "it gives no reason"
        elif filtered(reply, dialects):
            who = "a filter of the provider left nothing of the reply"
            told = words
        else:
            return None
        told = f"{told[:_SAID]}…" if len(told) > _SAID else told
        message = shown(self.mask.hide(f"{who}: {told}" if told else who))
        return Fault("refusal", message, hint=AFTER_REFUSAL)

    def _after(self) -> tuple[Ending | None, float | None]:
        """Why there is no other attempt, if so, and how long to wait before the next one."""
        last = self.attempts[-1]
        if last.ok:
            return None, None
        pause = self.terms.backoff.pause(last.fault, self.faults) if last.fault else 0.0
        bounds: tuple[tuple[Ending, bool], ...] = (
            ("fault", last.fault is not None and not last.fault.is_transient),
            ("length", self._thinks_too_long(last)),
            ("attempts", len(self.attempts) > self.terms.retries),
            ("time", self._left() <= pause),
            ("tokens", self._tokens_left() <= 0),
        )
        ending = next((name for name, is_met in bounds if is_met), None)
        return ending, pause if ending is None else None

    def _thinks_too_long(self, last: Attempt) -> bool:
        """Whether an attempt under the same limit would end within the reasoning again."""
        if last.reply is None or last.fault is not None:
            return False
        is_stuck = used_up(last.reply, self.terms.dialects) and self._tokens_left() > 0
        return is_stuck and self.more_tokens(last.request) is None

    def _next(self, request: Request) -> Request:
        """The request after the last attempt: the same one after a fault.

        So it is after a reply that was cut off by a limit which nobody asked for: a higher one is.
        """
        last = self.attempts[-1]
        if last.fault is not None or last.reply is None:
            return request
        more = self.more_tokens(last.request) if last.reply.finish == "length" else None
        if more is not None:
            self.raised = more
            return request
        messages = with_complaint(request.messages, last.reply, last.complaint, self.terms.dialects)
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
                *self.ignored(last.request),
                *(Ignored(name, why) for name, why in self.untaken.items()),
            ),
            messages=with_reply(
                self.request.messages, last.reply, verdict.calls, self.terms.dialects
            ),
        )

    def _failed(self, ending: Ending) -> Answer:
        made, seconds = tuple(self.attempts), self.clock() - self._started
        if isinstance(self.terms.default, NoDefault):
            raise ask_error(self.name, made, ending, seconds) from made[-1].fault
        return Answer(
            self.terms.default, None, made, total(made), seconds, is_default=True,
            messages=self.request.messages,
        )  # fmt: skip

    def _dropped(self) -> tuple[Dropped, ...]:
        constrained = self.request.constrain and self.request.schema is not None
        if not constrained:
            return ()
        why = f"the model does not take it, so it is only described: {self.unheld}"
        unheld = (Dropped("#", "", why),) if self.unheld else ()
        return (*unheld, *self.dropped(self.attempts[-1].request))

    def _stored(self) -> Answer | None:
        """The answer that a stored reply gives, if it still checks."""
        if self.terms.cache is None:
            return None
        identity = self.identity(self._first)
        reply = None if identity is None else self._looked_up(self.terms.cache, identity)
        if reply is None:
            return None
        attempt, verdict = self._judged(self.request, Outcome(reply))
        if not attempt.ok:
            return None
        self.attempts.append(replace(attempt, is_cached=True))
        for hook in self.terms.hooks:
            hook.after(1, self.attempts[-1], None)
        return self._answer(verdict)

    def _looked_up(self, cache: Cache, identity: Json) -> Reply | None:
        """What a cache has. One that cannot be opened at all is an error of the caller's."""
        try:
            return cache.get(identity, wait=self._left() * _WAITED)
        except FileError as error:
            if error.problem.code == "file/cache":
                raise
            _warn(error)
            return None

    def _store(self, reply: Reply) -> None:
        """Keep the good reply as the one to the first request, however many it took.

        One that repeats the key is not kept, as the key would be.
        """
        if self.terms.cache is None or self.mask.hide(reply.text) != reply.text:
            return
        identity = self.identity(self._first)
        if identity is None:
            return
        try:
            self.terms.cache.put(identity, reply, wait=max(0.0, self._left()))
        except FileError as error:  # the answer is there, and counts for more
            _warn(error)

    def _left(self) -> float:
        return self.terms.timeout - (self.clock() - self._started)

    def _tokens_left(self) -> float:
        most = self.terms.max_output_tokens
        return math.inf if most is None else most - sum(map(_written, self.attempts))

    def _as_taken(self, request: Request) -> Request:
        """A request without what the model turned out not to take."""
        return replace(request, config=self._config(), describe=bool(self.unheld))

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
        return {key: one for key, one in config.items() if key not in self.untaken}


def asking(rendered: Rendered, model: Model, terms: Terms) -> Asking:
    """The asking of what a prompt renders to."""
    _check_default(rendered, terms)
    _refuse_addresses(rendered)
    config = {**rendered.config, **terms.config}
    config.pop("model", None)
    if terms.seed is not None:
        config["seed"] = terms.seed
    request = Request(
        messages=rendered.messages,
        schema=rendered.schema,
        tools=rendered.tools if terms.tools is None else terms.tools,
        config=config,
        constrain=terms.constrain,
        stream=terms.streams,
    )
    known = Asking(model.name, request, terms, model.dropped, identity=model.identity)
    known.more_tokens = getattr(model, "more_tokens", known.more_tokens)
    key = getattr(model, "key", None)
    if isinstance(key, Secret):
        known = replace(known, mask=key.mask)
    return replace(known, ignored=model.ignored) if isinstance(model, Choosy) else known


def _check_default(rendered: Rendered, terms: Terms) -> None:
    """Raise ValueError for a default that no answer could be; None says that there is none."""
    if isinstance(terms.default, NoDefault) or terms.default is None or rendered.schema is None:
        return
    errors = violations(rendered.schema, terms.default)
    if errors:
        raise ValueError(f"default must fit the schema, or be None: {errors[0].message}")


def _refuse_addresses(rendered: Rendered) -> None:
    """A prompt file may be a stranger's: it says neither where to send a request nor with what key.

    pdl would heed neither, but some proxies heed both in the body of a request.
    """
    for key in _ADDRESSES.intersection(rendered.config):
        message = f"`{key}` must not be in a config turn: a prompt file names no server and no key"
        hint = "give it as `--base-url`, in the environment, or to `pdl.models.connect`"
        raise ConfigError(Problem("config/address", message, hint=hint))


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
