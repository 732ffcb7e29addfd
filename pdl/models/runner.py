"""`ask` and `ask_async`: run the steps of an ask loop against a model.

The loop itself does no I/O (see `ask_loop`), so the two functions share it and differ only in how
they wait.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import time
from contextlib import aclosing, closing, nullcontext
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, Unpack, overload

from pdl.models.answer import Answer
from pdl.models.arguments import loop_of
from pdl.models.faults import Fault
from pdl.models.model_loop import ModelCall, Outcome, OutOfTime, Sleep
from pdl.models.options import NOT_AWAITED, AskKwargs

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Iterator
    from contextlib import AbstractContextManager

    from pdl._types import T
    from pdl.models.accumulator import StreamAccumulator
    from pdl.models.arguments import Models
    from pdl.models.ask_loop import AskLoop
    from pdl.models.ask_partial import AskPartial
    from pdl.models.exchange import Delta
    from pdl.models.model_loop import Step
    from pdl.prompt import Rendered
    from pdl.schema import Schema

V = TypeVar("V")

_Report: TypeAlias = "tuple[str, Callable[..., object], object]"
"""The name of an option, its function, and what that is called with."""


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
      true. JSON must match the schema; an instance of its type is used as it is; or None.
    - `validate` (function, None): a rule for the value; if it takes two arguments, the second one
      is the rendered prompt. It refuses the value as a `pdl.Rule` does, and the model is told why.
    - `seed` (int, None): a sampling seed for repeatable answers; overrides the prompt's own.
    - `timeout` (seconds, 600.0): for the whole run, pauses and what is awaited included; None for
      no bound.
    - `call_timeout` (seconds, None): for one attempt.
    - `max_output_tokens` (int, None): tokens that all attempts together can write.
    - `budget` (Budget, None): bounds that several runs share, and prices.
    - `fallback` (collection of str, ()): with several models, what else than a transport error
      lets the next one answer: `answers` (that stay invalid), `refusals`.
    - `tools` (ToolSet, None): used instead of the prompt's own.
    - `stream` (bool, False): read a reply as it arrives, and stop it once it is certainly invalid.
    - `on_delta` (function of a Delta, None): called with each piece of a reply; implies streaming.
    - `on_partial` (function of an AskPartial, None): called with what `stream` yields: the answer
      so far when it has changed, and the answer at the end; implies streaming.
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
    return _answer_of([*run(loop)])


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

    `on_delta`, `on_partial`, `validate`, and the methods of hooks can be asynchronous here, too.
    One that is not done when the time is up is cancelled, and the run fails: the `ending` of its
    AskError is `time`. A function that is not asynchronous is never interrupted.
    """
    loop = loop_of(rendered, model, schema, options, is_async=True)
    return _answer_of([one async for one in run_async(loop)])


def _advance(resume: Callable[[Any], Step], sent: object) -> Step | Answer:
    """The next step of a loop that is resumed with a result, or an error; its answer at the end."""
    try:
        return resume(sent)
    except StopIteration as stop:
        answer: Answer = stop.value
        return answer


def run(loop: AskLoop, *, to_program: bool = False) -> Generator[AskPartial | Answer]:
    """Run a loop, and yield its answer at the end; `to_program`: and each partial before it.

    Closing the generator stops the call. Raises what `ask` raises.
    """
    steps = loop.ask_steps()
    step = _advance(steps.send, None)
    while not isinstance(step, Answer):
        outcome: object = None
        if isinstance(step, Sleep):
            time.sleep(step.seconds)
        elif isinstance(step, ModelCall):
            outcome = yield from _call(loop, step, to_program=to_program)
        else:
            try:
                outcome = _called(step.name, step.function, *step.arguments)
            except Exception as error:  # noqa: BLE001 - the loop decides
                step = _advance(steps.throw, error)
                continue
        step = _advance(steps.send, outcome)
    for name, function, argument in _reports(loop, step):
        _called(name, function, argument)
    yield step


async def run_async(
    loop: AskLoop, *, to_program: bool = False
) -> AsyncGenerator[AskPartial | Answer]:
    """Do the same as `run` asynchronously."""
    steps = loop.ask_steps()
    step = _advance(steps.send, None)
    while not isinstance(step, Answer):
        outcome: object = None
        if isinstance(step, Sleep):
            await asyncio.sleep(step.seconds)
        elif isinstance(step, ModelCall):
            async with aclosing(_call_async(loop, step, to_program=to_program)) as found:
                async for one in found:
                    if isinstance(one, Outcome):
                        outcome = one
                    else:
                        yield one
        else:
            try:
                outcome = await _called_async(loop, step.name, step.function, *step.arguments)
            except Exception as error:  # noqa: BLE001 - the loop decides
                step = _advance(steps.throw, error)
                continue
        step = _advance(steps.send, outcome)
    try:
        for name, function, argument in _reports(loop, step):
            await _called_async(loop, name, function, argument)
    except OutOfTime:
        step = loop.failed("time")
    yield step


def _answer_of(found: list[AskPartial | Answer]) -> Answer:
    answer = found[-1]
    assert isinstance(answer, Answer)
    return answer


def _reports(loop: AskLoop, answer: Answer) -> Iterator[_Report]:
    """What the functions of the program are called with at the end."""
    options = loop.options
    if options.on_delta is not None:
        for delta in loop.cached_deltas():
            yield "on_delta", options.on_delta, delta
    if options.on_partial is not None:
        from pdl.models.ask_partial import AskPartial  # noqa: PLC0415 - only for streams

        yield "on_partial", options.on_partial, AskPartial.last(answer)


def _called(name: str, function: Callable[..., object], *arguments: object) -> object:
    """What a function of the program returns, which `ask` cannot await."""
    result = function(*arguments)
    if inspect.isawaitable(result) or inspect.isasyncgen(result):
        close = getattr(result, "close", None)
        if close is not None:
            close()
        raise TypeError(NOT_AWAITED.format(name))
    return result


async def _called_async(
    loop: AskLoop, name: str, function: Callable[..., object], *arguments: object
) -> object:
    """What a function of the program returns, awaited. Raises OutOfTime if no time is left."""
    result: Any = function(*arguments)
    is_generator = inspect.isasyncgen(result)
    if not is_generator and not inspect.isawaitable(result):
        return result
    left = loop.ledger.seconds_left
    try:
        async with asyncio.timeout(left) as bound:
            return [one async for one in result] if is_generator else await result
    except TimeoutError:
        if not bound.expired():  # it is the function's own
            raise
        loop.ledger.is_over = True
        raise OutOfTime(name, left) from None


def _call(
    loop: AskLoop, step: ModelCall, *, to_program: bool
) -> Generator[AskPartial, None, Outcome]:
    with _span(step, is_current=not to_program) as span:
        if step.request.stream:
            outcome = yield from _streamed(loop, step, to_program=to_program)
        else:
            outcome = _whole(step)
        _record(span, outcome)
        return outcome


async def _call_async(
    loop: AskLoop, step: ModelCall, *, to_program: bool
) -> AsyncGenerator[AskPartial | Outcome]:
    with _span(step, is_current=not to_program) as span:
        if not step.request.stream:
            outcome = await _whole_async(step)
            _record(span, outcome)
            yield outcome
            return
        async with aclosing(_streamed_async(loop, step, to_program=to_program)) as found:
            async for one in found:
                if isinstance(one, Outcome):
                    _record(span, one)
                yield one


def _span(call: ModelCall, *, is_current: bool) -> AbstractContextManager[Any]:
    """A span of OpenTelemetry, where the program uses it, else nothing.

    A program that traces has imported `opentelemetry` before it asks: others pay nothing. Where the
    program goes on during a call, the span is not the current one.
    """
    if "opentelemetry.trace" not in sys.modules:
        return nullcontext()
    from pdl.models import telemetry  # noqa: PLC0415 - few programs trace

    return telemetry.span(call.model.name, call.request, is_current=is_current)


def _record(span: Any, outcome: Outcome) -> None:
    if span is not None:
        span.record(outcome.reply, outcome.fault)


def _accumulator(loop: AskLoop, *, to_program: bool) -> StreamAccumulator:
    """What accumulates a streaming reply."""
    from pdl.models.accumulator import StreamAccumulator  # noqa: PLC0415 - only for streams

    has_partials = to_program or loop.options.on_partial is not None
    return StreamAccumulator(loop.request, loop.options, has_partials=has_partials)


def _news(loop: AskLoop, accumulator: StreamAccumulator, delta: Delta) -> Iterator[_Report]:
    """What the functions of the program are called with for a delta."""
    options = loop.options
    if options.on_delta is not None:
        yield "on_delta", options.on_delta, delta
    if options.on_partial is not None:
        for partial in accumulator.partials(len(loop.ledger.attempts) + 1):
            yield "on_partial", options.on_partial, partial


def _whole(call: ModelCall) -> Outcome:
    try:
        return Outcome(call.model.reply(call.request, timeout=call.timeout))
    except Fault as fault:
        return Outcome(fault=fault)


def _streamed(
    loop: AskLoop, call: ModelCall, *, to_program: bool
) -> Generator[AskPartial, None, Outcome]:
    from pdl.models.accumulator import deltas_of  # noqa: PLC0415 - only for streams

    accumulator = _accumulator(loop, to_program=to_program)
    with closing(deltas_of(call)) as deltas:
        for delta in deltas:
            if isinstance(delta, Fault):
                return accumulator.outcome(delta)
            is_wrong = accumulator.feed(delta)
            for name, function, argument in _news(loop, accumulator, delta):
                _called(name, function, argument)
            if to_program:
                yield from accumulator.partials(len(loop.ledger.attempts) + 1)
            if is_wrong:
                break
    return accumulator.outcome()


async def _whole_async(call: ModelCall) -> Outcome:
    try:
        return Outcome(await call.model.reply_async(call.request, timeout=call.timeout))
    except Fault as fault:
        return Outcome(fault=fault)


async def _streamed_async(
    loop: AskLoop, call: ModelCall, *, to_program: bool
) -> AsyncGenerator[AskPartial | Outcome]:
    from pdl.models.accumulator import deltas_of_async  # noqa: PLC0415 - only for streams

    accumulator = _accumulator(loop, to_program=to_program)
    fault: Fault | None = None
    async with aclosing(deltas_of_async(call)) as deltas:
        async for delta in deltas:
            if isinstance(delta, Fault):
                fault = delta
                break
            is_wrong = accumulator.feed(delta)
            try:
                for name, function, argument in _news(loop, accumulator, delta):
                    await _called_async(loop, name, function, argument)
            except OutOfTime as late:
                fault = late.fault
                break
            if to_program:
                for partial in accumulator.partials(len(loop.ledger.attempts) + 1):
                    yield partial
            if is_wrong:
                break
    yield accumulator.outcome(fault)
