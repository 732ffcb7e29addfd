"""`ask` and `ask_async`: run the steps of an ask loop against a model.

The loop itself does no I/O (see `ask_loop`), so the two functions share it and differ only in how
they wait.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from pdl._types import format_path
from pdl.models.answer import Answer
from pdl.models.ask_loop import AskLoop, ModelCall, Outcome, Sleep
from pdl.models.callables import model_of
from pdl.models.exchange import ReplyBuilder
from pdl.models.faults import Fault
from pdl.models.options import AskKwargs, AskOptions, NoDefault, is_async
from pdl.models.request import Request, bare_name
from pdl.models.verdict import is_preamble
from pdl.prompt.config import refuse_addresses
from pdl.prompt.messages import Rendered
from pdl.reply import violations

if TYPE_CHECKING:
    from collections.abc import Generator
    from contextlib import AbstractContextManager

    from pdl._types import Json
    from pdl.models.ask_loop import Step
    from pdl.models.callables import Function
    from pdl.models.exchange import Delta, Model, Reply
    from pdl.reply import Partial, Stream, Violation
    from pdl.schema import Schema


Askable: TypeAlias = "Model | Function | str"
"""A model, its name as `connect` reads it, or a function that takes a `Request`."""

_NOT_AWAITED = "on_delta must not be async in ask: only ask_async awaits it"


def ask(rendered: Rendered, model: Askable, **options: Unpack[AskKwargs]) -> Answer:
    """Ask a model until it returns a valid answer, within the bounds of the options.

    The model is constrained to the schema by the strongest method that its provider supports. An
    invalid reply goes back to the model without its reasoning, together with what is wrong with
    it; after a transport error the same request is sent again, after a pause. The keyword options:

    - `retries` (int, 3): attempts after the first, whatever the cause.
    - `default` (JSON, none): the value if no attempt succeeds; `is_default` is then true. It must
      match the schema, or be None.
    - `seed` (int, None): a sampling seed for repeatable answers; overrides the prompt's own.
    - `timeout` (seconds, 600.0): for the whole run, pauses included; None for no bound.
    - `call_timeout` (seconds, None): for one attempt.
    - `max_output_tokens` (int, None): tokens that all attempts together can write.
    - `tools` (ToolSet, None): used instead of the prompt's own.
    - `stream` (bool, False): read a reply as it arrives, and stop it once it is certainly invalid.
    - `on_delta` (function of a Delta, None): called with each piece of a reply; implies streaming.
    - `constrain` (bool, True): constrain the model to the schema as far as its provider can.
    - `config` (mapping of JSON, {}): settings of the call; override those of the prompt.
    - `hooks` (sequence of Hook, ()): called before and after each attempt.
    - `cache` (Cache or path, None): stores good replies, and returns them again without a call.
    - `coercions` (Coercions, None): changes of data that may make an answer match.
    - `dialects` (Dialects, DIALECTS): the markup of reasoning and answers that models use.
    - `limits` (Limits, DEFAULT_LIMITS): bounds on the size of what is read.
    - `backoff` (Backoff, Backoff()): how long to wait after a transport error.

    Raises AskError with every attempt if none succeeded and there is no default; TypeError and
    ValueError for invalid options; ConfigError for an unknown model; what a provider cannot be
    sent raises the errors of its `ProviderApi`.
    """
    if is_async(options.get("on_delta")):
        raise TypeError(_NOT_AWAITED)
    loop = _loop(rendered, model, options)
    steps = loop.ask_steps()
    step = _advance(steps, None)
    while not isinstance(step, Answer):
        outcome = None
        if isinstance(step, Sleep):
            time.sleep(step.seconds)
        else:
            with _span(loop.model, step) as span:
                outcome = _streamed(loop, step) if step.request.stream else _whole(loop, step)
                _record(span, outcome)
        step = _advance(steps, outcome)
    for delta in loop.cached_deltas():
        _emit(loop, delta)
    return step


async def ask_async(rendered: Rendered, model: Askable, **options: Unpack[AskKwargs]) -> Answer:
    """Do the same as `ask` in an asynchronous program; `on_delta` may then be asynchronous too."""
    loop = _loop(rendered, model, options)
    steps = loop.ask_steps()
    step = _advance(steps, None)
    while not isinstance(step, Answer):
        outcome = None
        if isinstance(step, Sleep):
            await asyncio.sleep(step.seconds)
        else:
            call = _streamed_async if step.request.stream else _whole_async
            with _span(loop.model, step) as span:
                outcome = await call(loop, step)
                _record(span, outcome)
        step = _advance(steps, outcome)
    for delta in loop.cached_deltas():
        await _emit_async(loop, delta)
    return step


def _loop(rendered: object, model: Askable, given: AskKwargs) -> AskLoop:
    if not isinstance(rendered, Rendered):
        kind = type(rendered).__name__
        raise TypeError(f"rendered must be a pdl.Rendered, as Prompt.render returns it, not {kind}")
    options = AskOptions.of(given)
    known = model_of(model, options.limits)
    _check_default(rendered, options)
    refuse_addresses(rendered.config)
    config = {**rendered.config, **options.config}
    named = bare_name(config.pop("model", ""))
    if options.seed is not None:
        config["seed"] = options.seed
    request = Request(
        messages=rendered.messages,
        schema=rendered.schema,
        tools=rendered.tools if options.tools is None else options.tools,
        config=config,
        constrain=options.constrain,
        stream=options.streams,
        model=named,
    )
    return AskLoop(known, request, options)


def _check_default(rendered: Rendered, options: AskOptions) -> None:
    """Raise ValueError for a default that no answer could be; None means that there is none."""
    if isinstance(options.default, NoDefault) or options.default is None or rendered.schema is None:
        return
    fault = default_fault(rendered.schema, options.default)
    if fault:
        raise ValueError(f"default must match the schema, or be None: {fault}")


def default_fault(schema: Schema, default: Json) -> str:
    """Return the first error of a default, with its path; empty if it matches the schema."""
    for error in violations(schema, default):
        return f"`{format_path(error.path)}` {error.message}"
    return ""


def _advance(
    steps: Generator[Step, Outcome | None, Answer], outcome: Outcome | None
) -> Step | Answer:
    try:
        return steps.send(outcome)
    except StopIteration as stop:
        answer: Answer = stop.value
        return answer


def _span(model: Model, call: ModelCall) -> AbstractContextManager[Any]:
    """A span of OpenTelemetry, where the program uses it, else nothing.

    A program that traces has imported `opentelemetry` before it asks: others pay nothing.
    """
    if "opentelemetry.trace" not in sys.modules:
        return nullcontext()
    from pdl.models import telemetry  # noqa: PLC0415 - few programs trace

    return telemetry.span(model.name, call.request)


def _record(span: Any, outcome: Outcome) -> None:
    if span is not None:
        span.record(outcome.reply, outcome.fault)


def _accumulator(loop: AskLoop) -> StreamAccumulator:
    """What accumulates a streaming reply.

    With tools nothing is certainly invalid before the end, since a call looks like an answer.
    """
    schema = loop.request.schema
    watch = schema is not None and schema.form == "json" and loop.request.tools is None
    return StreamAccumulator(schema, loop.options, watch=watch)


def _emit(loop: AskLoop, delta: Delta) -> None:
    if loop.options.on_delta is not None:
        result = loop.options.on_delta(delta)
        if inspect.iscoroutine(result):
            result.close()
            raise TypeError(_NOT_AWAITED)


async def _emit_async(loop: AskLoop, delta: Delta) -> None:
    if loop.options.on_delta is not None:
        result = loop.options.on_delta(delta)
        if inspect.isawaitable(result):
            await result


def _whole(loop: AskLoop, call: ModelCall) -> Outcome:
    try:
        return Outcome(loop.model.reply(call.request, timeout=call.timeout))
    except Fault as fault:
        return Outcome(fault=fault)


def _streamed(loop: AskLoop, call: ModelCall) -> Outcome:
    accumulator = _accumulator(loop)
    deltas = loop.model.stream(call.request, timeout=call.timeout)
    try:
        for delta in deltas:
            is_wrong = accumulator.feed(delta)
            _emit(loop, delta)
            if is_wrong:
                break
    except Fault as fault:
        return accumulator.outcome(fault)
    finally:
        close = getattr(deltas, "close", None)
        if close is not None:
            close()
    return accumulator.outcome()


async def _whole_async(loop: AskLoop, call: ModelCall) -> Outcome:
    try:
        return Outcome(await loop.model.reply_async(call.request, timeout=call.timeout))
    except Fault as fault:
        return Outcome(fault=fault)


async def _streamed_async(loop: AskLoop, call: ModelCall) -> Outcome:
    accumulator = _accumulator(loop)
    deltas = loop.model.stream_async(call.request, timeout=call.timeout)
    try:
        async for delta in deltas:
            is_wrong = accumulator.feed(delta)
            await _emit_async(loop, delta)
            if is_wrong:
                break
    except Fault as fault:
        return accumulator.outcome(fault)
    finally:
        close = getattr(deltas, "aclose", None)
        if close is not None:
            await close()
    return accumulator.outcome()


class StreamAccumulator:
    """Takes deltas; `reply` is what they add up to so far, `errors` why the rest is not needed.

    A reply is stopped where its answer is certainly invalid and starts at the very beginning, apart
    from reasoning and the line that opens a code block. After other words it might be an example,
    or another answer might follow, so only the end decides.
    """

    def __init__(self, schema: Schema | None, options: AskOptions, *, watch: bool) -> None:
        self._whole = ReplyBuilder()
        self._dialects = options.dialects
        self._stream: Stream | None = None
        if watch:
            from pdl.reply import Coercions, Stream  # noqa: PLC0415 - only for JSON that streams

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
        return self._is_wrong(self._stream.feed(delta.text))

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
