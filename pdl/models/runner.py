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
from pdl.models.ask_loop import AskLoop
from pdl.models.callables import model_of
from pdl.models.faults import Fault
from pdl.models.model_loop import ModelCall, Outcome, Sleep
from pdl.models.options import NOT_AWAITED, AskKwargs, AskOptions, NoDefault
from pdl.models.request import Request, bare_name
from pdl.prompt.config import refuse_addresses
from pdl.prompt.rendered import Rendered
from pdl.reply import violations

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from pdl._types import Json
    from pdl.models.accumulator import StreamAccumulator
    from pdl.models.callables import Function
    from pdl.models.exchange import Delta, Model
    from pdl.models.model_loop import Step
    from pdl.schema import Schema


Askable: TypeAlias = "Model | Function | str"
"""A model, its name as `connect` reads it, or a function that takes a `Request`."""
Models: TypeAlias = "Askable | list[Askable] | tuple[Askable, ...]"
"""A model, or several, each of which is asked if those before it failed."""


def ask(rendered: Rendered, model: Models | None = None, **options: Unpack[AskKwargs]) -> Answer:
    """Ask a model until it returns a valid answer, within the bounds of the options.

    Without `model` it is the one that the prompt's config turn names, or else the environment
    variable `PDL_MODEL`. Of a list of models, each is asked if the one before it failed.

    The model is constrained to the schema by the strongest method that its provider supports. An
    invalid reply goes back to the model without its reasoning, together with what is wrong with
    it; after a transport error the same request is sent again, after a pause. The keyword options:

    - `retries` (int, 3): attempts after the first of a model, whatever the cause.
    - `default` (JSON, none): the value if no attempt succeeds; `is_default` is then true. It must
      match the schema, or be None.
    - `seed` (int, None): a sampling seed for repeatable answers; overrides the prompt's own.
    - `timeout` (seconds, 600.0): for the whole run, pauses included; None for no bound.
    - `call_timeout` (seconds, None): for one attempt.
    - `max_output_tokens` (int, None): tokens that all attempts together can write.
    - `budget` (Budget, None): bounds that several runs share, and prices.
    - `fallback` (collection of str, ()): with several models, what else than a transport error
      lets the next one answer: `answers` (that stay invalid), `refusals`.
    - `tools` (ToolSet, None): used instead of the prompt's own.
    - `stream` (bool, False): read a reply as it arrives, and stop it once it is certainly invalid.
    - `on_delta` (function of a Delta, None): called with each piece of a reply; implies streaming.
    - `constrain` (bool, True): constrain the model to the schema as far as its provider can.
    - `config` (mapping of JSON, {}): settings of the call; override those of the prompt.
    - `hooks` (sequence of Hook, ()): called before and after each attempt.
    - `log_contents` (bool, False): log messages and replies, too, at the level DEBUG.
    - `cache` (Cache or path, None): stores good replies, and returns them again without a call.
    - `coercions` (Coercions, None): changes of data that may make an answer match.
    - `dialects` (Dialects, DIALECTS): the markup of reasoning and answers that models use.
    - `limits` (Limits, DEFAULT_LIMITS): bounds on the size of what is read.
    - `backoff` (Backoff, Backoff()): how long to wait after a transport error.

    Raises AskError with every attempt if none succeeded and there is no default; TypeError and
    ValueError for invalid options; ConfigError for an unknown model; what a provider cannot be
    sent raises the errors of its `ProviderApi`.
    """
    loop = _loop(rendered, model, options)
    loop.options.refuse_async()
    answer = _run(loop)
    for delta in loop.cached_deltas():
        _emit(loop, delta)
    return answer


async def ask_async(
    rendered: Rendered, model: Models | None = None, **options: Unpack[AskKwargs]
) -> Answer:
    """Do the same as `ask` in an asynchronous program; `on_delta` and hooks may be so, too."""
    loop = _loop(rendered, model, options)
    answer = await _run_async(loop)
    for delta in loop.cached_deltas():
        await _emit_async(loop, delta)
    return answer


def _loop(rendered: object, model: Models | None, given: AskKwargs) -> AskLoop:
    if not isinstance(rendered, Rendered):
        kind = type(rendered).__name__
        raise TypeError(f"rendered must be a pdl.Rendered, as Prompt.render returns it, not {kind}")
    options = AskOptions.of(given)
    models = _models(rendered, model, options)
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
    return AskLoop(models, request, options)


def _models(rendered: Rendered, given: Models | None, options: AskOptions) -> tuple[Model, ...]:
    """The models in their order. Raises ConfigError for one without a price under a bound."""
    several = given if isinstance(given, list | tuple) else [given]
    if not several:
        raise ValueError("model must not be an empty list")
    models = tuple(_model(rendered, one, options) for one in several)
    if options.budget is not None:
        options.budget.check_prices(model.name for model in models)
    return models


def _model(rendered: Rendered, given: object, options: AskOptions) -> Model:
    """A model that was given or, for None, that of the settings, the prompt, or the environment."""
    given = options.config.get("model") if given is None else given
    if given is not None:
        return model_of(given, options.limits)
    from pdl.models.connecting import model_named_by  # noqa: PLC0415 - functions need no registry

    return model_named_by(rendered, limits=options.limits)


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


def _advance(resume: Callable[[Any], Step], sent: object) -> Step | Answer:
    """The next step of a loop that is resumed with a result, or an error; its answer at the end."""
    try:
        return resume(sent)
    except StopIteration as stop:
        answer: Answer = stop.value
        return answer


def _run(loop: AskLoop) -> Answer:
    steps = loop.ask_steps()
    step = _advance(steps.send, None)
    while not isinstance(step, Answer):
        outcome: object = None
        if isinstance(step, Sleep):
            time.sleep(step.seconds)
        elif isinstance(step, ModelCall):
            outcome = _call(loop, step)
        else:
            try:
                outcome = _called(step.name, step.function, *step.arguments)
            except Exception as error:  # noqa: BLE001 - the loop decides
                step = _advance(steps.throw, error)
                continue
        step = _advance(steps.send, outcome)
    return step


async def _run_async(loop: AskLoop) -> Answer:
    steps = loop.ask_steps()
    step = _advance(steps.send, None)
    while not isinstance(step, Answer):
        outcome: object = None
        if isinstance(step, Sleep):
            await asyncio.sleep(step.seconds)
        elif isinstance(step, ModelCall):
            outcome = await _call_async(loop, step)
        else:
            try:
                outcome = await _called_async(step.function, *step.arguments)
            except Exception as error:  # noqa: BLE001 - the loop decides
                step = _advance(steps.throw, error)
                continue
        step = _advance(steps.send, outcome)
    return step


def _called(name: str, function: Callable[..., object], *arguments: object) -> object:
    """What a function of the program returns, which `ask` cannot await."""
    result = function(*arguments)
    if inspect.isawaitable(result):
        close = getattr(result, "close", None)
        if close is not None:
            close()
        raise TypeError(NOT_AWAITED.format(name))
    return result


async def _called_async(function: Callable[..., object], *arguments: object) -> object:
    result = function(*arguments)
    return await result if inspect.isawaitable(result) else result


def _call(loop: AskLoop, step: ModelCall) -> Outcome:
    with _span(step) as span:
        outcome = _streamed(loop, step) if step.request.stream else _whole(step)
        _record(span, outcome)
        return outcome


async def _call_async(loop: AskLoop, step: ModelCall) -> Outcome:
    with _span(step) as span:
        called = _streamed_async(loop, step) if step.request.stream else _whole_async(step)
        outcome = await called
        _record(span, outcome)
        return outcome


def _span(call: ModelCall) -> AbstractContextManager[Any]:
    """A span of OpenTelemetry, where the program uses it, else nothing.

    A program that traces has imported `opentelemetry` before it asks: others pay nothing.
    """
    if "opentelemetry.trace" not in sys.modules:
        return nullcontext()
    from pdl.models import telemetry  # noqa: PLC0415 - few programs trace

    return telemetry.span(call.model.name, call.request)


def _record(span: Any, outcome: Outcome) -> None:
    if span is not None:
        span.record(outcome.reply, outcome.fault)


def _accumulator(loop: AskLoop) -> StreamAccumulator:
    """What accumulates a streaming reply.

    With tools nothing is certainly invalid before the end, since a call looks like an answer.
    """
    from pdl.models.accumulator import StreamAccumulator  # noqa: PLC0415 - only for streams

    schema = loop.request.schema
    watch = schema is not None and schema.form == "json" and loop.request.tools is None
    return StreamAccumulator(schema, loop.options, watch=watch)


def _emit(loop: AskLoop, delta: Delta) -> None:
    if loop.options.on_delta is not None:
        _called("on_delta", loop.options.on_delta, delta)


async def _emit_async(loop: AskLoop, delta: Delta) -> None:
    if loop.options.on_delta is not None:
        await _called_async(loop.options.on_delta, delta)


def _whole(call: ModelCall) -> Outcome:
    try:
        return Outcome(call.model.reply(call.request, timeout=call.timeout))
    except Fault as fault:
        return Outcome(fault=fault)


def _streamed(loop: AskLoop, call: ModelCall) -> Outcome:
    accumulator = _accumulator(loop)
    deltas = call.model.stream(call.request, timeout=call.timeout)
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


async def _whole_async(call: ModelCall) -> Outcome:
    try:
        return Outcome(await call.model.reply_async(call.request, timeout=call.timeout))
    except Fault as fault:
        return Outcome(fault=fault)


async def _streamed_async(loop: AskLoop, call: ModelCall) -> Outcome:
    accumulator = _accumulator(loop)
    deltas = call.model.stream_async(call.request, timeout=call.timeout)
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
