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
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from pdl.models.answer import Answer
from pdl.models.arguments import loop_of
from pdl.models.faults import Fault
from pdl.models.model_loop import ModelCall, Outcome, Sleep
from pdl.models.options import NOT_AWAITED, AskKwargs

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from pdl._types import T
    from pdl.models.accumulator import StreamAccumulator
    from pdl.models.arguments import Models
    from pdl.models.ask_loop import AskLoop
    from pdl.models.exchange import Delta
    from pdl.models.model_loop import Step
    from pdl.prompt import Rendered
    from pdl.schema import Schema

V = TypeVar("V")


@overload
def ask(
    rendered: Rendered,
    model: Models | None,
    schema: Schema[V] | type[V],
    **options: Unpack[AskKwargs],
) -> Answer[V]: ...
@overload
def ask(
    rendered: Rendered,
    model: Models | None = None,
    *,
    schema: Schema[V] | type[V],
    **options: Unpack[AskKwargs],
) -> Answer[V]: ...
@overload
def ask(
    rendered: Rendered[T],
    model: Models | None = None,
    schema: None = None,
    **options: Unpack[AskKwargs],
) -> Answer[T]: ...
@overload
def ask(
    rendered: Rendered,
    model: Models | None = None,
    schema: Any = None,
    **options: Unpack[AskKwargs],
) -> Answer[Any]: ...
def ask(
    rendered: Rendered,
    model: Models | None = None,
    schema: Any = None,
    **options: Unpack[AskKwargs],
) -> Answer:
    """Ask a model until it returns a valid answer, within the bounds of the options.

    Without `model` it is the one that the prompt's config turn names, or else the environment
    variable `PDL_MODEL`. Of a list of models, each is asked if the one before it failed. `schema`,
    a Schema or a Python type, replaces that of the prompt; of a type, the value is an instance.

    The model is constrained to the schema by the strongest method that its provider supports. An
    invalid reply goes back to the model without its reasoning, together with what is wrong with
    it; after a transport error the same request is sent again, after a pause. The keyword options:

    - `retries` (int, 3): attempts after the first of a model, whatever the cause.
    - `default` (JSON or an instance, none): the value if no attempt succeeds; `is_default` is then
      true. It must match the schema, or be None.
    - `validate` (function, None): a rule for the value; if it takes two arguments, the second one
      is the rendered prompt. It refuses the value as a `pdl.Rule` does, and the model is told why.
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
    loop = loop_of(rendered, model, schema, options, is_async=False)
    answer = _run(loop)
    for delta in loop.cached_deltas():
        _emit(loop, delta)
    return answer


@overload
async def ask_async(
    rendered: Rendered,
    model: Models | None,
    schema: Schema[V] | type[V],
    **options: Unpack[AskKwargs],
) -> Answer[V]: ...
@overload
async def ask_async(
    rendered: Rendered,
    model: Models | None = None,
    *,
    schema: Schema[V] | type[V],
    **options: Unpack[AskKwargs],
) -> Answer[V]: ...
@overload
async def ask_async(
    rendered: Rendered[T],
    model: Models | None = None,
    schema: None = None,
    **options: Unpack[AskKwargs],
) -> Answer[T]: ...
@overload
async def ask_async(
    rendered: Rendered,
    model: Models | None = None,
    schema: Any = None,
    **options: Unpack[AskKwargs],
) -> Answer[Any]: ...
async def ask_async(
    rendered: Rendered,
    model: Models | None = None,
    schema: Any = None,
    **options: Unpack[AskKwargs],
) -> Answer:
    """Do the same as `ask` in an asynchronous program.

    `on_delta`, `validate`, and the methods of hooks can be asynchronous here, too.
    """
    loop = loop_of(rendered, model, schema, options, is_async=True)
    answer = await _run_async(loop)
    for delta in loop.cached_deltas():
        await _emit_async(loop, delta)
    return answer


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
    if inspect.isawaitable(result) or inspect.isasyncgen(result):
        close = getattr(result, "close", None)
        if close is not None:
            close()
        raise TypeError(NOT_AWAITED.format(name))
    return result


async def _called_async(function: Callable[..., object], *arguments: object) -> object:
    result = function(*arguments)
    if inspect.isasyncgen(result):
        return [one async for one in result]
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
