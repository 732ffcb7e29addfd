"""`ask`: from a rendered prompt to an answer that was checked."""

from __future__ import annotations

import asyncio
import inspect
import time
from typing import TYPE_CHECKING, TypeAlias, Unpack

from pdl.models import telemetry
from pdl.models.answer import Answer
from pdl.models.asking import asking
from pdl.models.connecting import model_of
from pdl.models.exchange import Fault
from pdl.models.gather import Call, Outcome, Sleep, Tell
from pdl.models.terms import Given, Terms, is_async
from pdl.prompt.messages import Rendered

if TYPE_CHECKING:
    from collections.abc import Generator

    from pdl.models.asking import Asking
    from pdl.models.callables import Function
    from pdl.models.exchange import Delta, Model
    from pdl.models.gather import Step

Askable: TypeAlias = "Model | Function | str"
"""A model, its name as `connect` reads it, or a function that is given the messages."""


_NOT_AWAITED = "on_delta must not be async in ask: only ask_async awaits it"


def ask(rendered: Rendered, model: Askable, **terms: Unpack[Given]) -> Answer:
    """Ask a model until an answer checks, within the bounds of the options.

    The model is held to the schema by the strongest thing that its provider has. A reply that does
    not check goes back to it without its reasoning, together with what is wrong with it; behind a
    fault of the transport the same request is sent again, after a pause. The options, by keyword:

    - `retries` (int, 3): attempts behind the first, whatever went wrong with one.
    - `default` (JSON, none): the value if no attempt gave one; `is_default` then tells so. It fits
      the schema, or is None.
    - `seed` (int, None): ask for the same answer each time; over the prompt's own.
    - `timeout` (seconds, 600.0): for everything together, pauses included; None for no bound.
    - `call_timeout` (seconds, None): for one attempt.
    - `max_output_tokens` (int, None): tokens that all attempts together may write.
    - `tools` (ToolSet, None): instead of the prompt's own.
    - `stream` (bool, False): read a reply as it comes, and stop it where it is certainly wrong.
    - `on_delta` (function of a Delta, None): given each piece of a reply; it makes replies stream.
    - `constrain` (bool, True): hold the model to the schema by whatever its provider has.
    - `config` (mapping of JSON, {}): settings of the call, over those of the prompt.
    - `hooks` (sequence of Hook, ()): told before and after each attempt.
    - `cache` (Cache or path, None): keeps good replies, and gives them again without a call.
    - `coercions` (Coercions, None): changes of data that may make an answer fit.
    - `dialects` (Dialects, DIALECTS): the marks that models put around reasoning and answers.
    - `limits` (Limits, DEFAULT_LIMITS): bounds on the size of what is read.
    - `backoff` (Backoff, Backoff()): how long to wait behind a fault.

    Raises AskError with every attempt if none gave an answer and no default was given; TypeError
    and ValueError for options of other kinds; ConfigError for a model that there is not; what a
    provider cannot be sent raises the errors of its `Family`.
    """
    if is_async(terms.get("on_delta")):
        raise TypeError(_NOT_AWAITED)
    asked, known = _asking(rendered, model, terms)
    steps = asked.steps()
    step = _advance(steps, None)
    while not isinstance(step, Answer):
        if isinstance(step, Sleep):
            time.sleep(step.seconds)
            step = _advance(steps, None)
        elif isinstance(step, Tell):
            _tell(asked, step.delta)
            step = _advance(steps, None)
        else:
            step = _advance(steps, _call(asked, known, step))
    return step


async def ask_async(rendered: Rendered, model: Askable, **terms: Unpack[Given]) -> Answer:
    """The same as `ask`, in a program that is asynchronous; `on_delta` may be so too."""
    asked, known = _asking(rendered, model, terms)
    steps = asked.steps()
    step = _advance(steps, None)
    while not isinstance(step, Answer):
        if isinstance(step, Sleep):
            await asyncio.sleep(step.seconds)
            step = _advance(steps, None)
        elif isinstance(step, Tell):
            await _tell_async(asked, step.delta)
            step = _advance(steps, None)
        else:
            step = _advance(steps, await _call_async(asked, known, step))
    return step


def _asking(rendered: object, model: Askable, given: Given) -> tuple[Asking, Model]:
    if not isinstance(rendered, Rendered):
        kind = type(rendered).__name__
        raise TypeError(f"rendered must be a pdl.Rendered, as Prompt.render gives it, not {kind}")
    terms = Terms.of(given)
    known = model_of(model, terms.limits)
    return asking(rendered, known, terms), known


def _advance(
    steps: Generator[Step, Outcome | None, Answer], outcome: Outcome | None
) -> Step | Answer:
    try:
        return steps.send(outcome)
    except StopIteration as stop:
        answer: Answer = stop.value
        return answer


def _call(asked: Asking, model: Model, call: Call) -> Outcome:
    with telemetry.span(model.name, call.request) as span:
        outcome = _streamed(asked, model, call) if call.request.stream else _whole(model, call)
        span.tell(outcome.reply, outcome.fault)
        return outcome


def _tell(asked: Asking, delta: Delta) -> None:
    if asked.terms.on_delta is not None:
        result = asked.terms.on_delta(delta)
        if inspect.iscoroutine(result):
            result.close()
            raise TypeError(_NOT_AWAITED)


async def _tell_async(asked: Asking, delta: Delta) -> None:
    if asked.terms.on_delta is not None:
        result = asked.terms.on_delta(delta)
        if inspect.isawaitable(result):
            await result


def _whole(model: Model, call: Call) -> Outcome:
    try:
        return Outcome(model.reply(call.request, timeout=call.timeout))
    except Fault as fault:
        return Outcome(fault=fault)


def _streamed(asked: Asking, model: Model, call: Call) -> Outcome:
    gathering = asked.gathering()
    deltas = model.stream(call.request, timeout=call.timeout)
    try:
        for delta in deltas:
            is_wrong = gathering.feed(delta)
            _tell(asked, delta)
            if is_wrong:
                break
    except Fault as fault:
        return gathering.outcome(fault)
    finally:
        close = getattr(deltas, "close", None)
        if close is not None:
            close()
    return gathering.outcome()


async def _call_async(asked: Asking, model: Model, call: Call) -> Outcome:
    with telemetry.span(model.name, call.request) as span:
        streams = call.request.stream
        outcome = await (
            _streamed_async(asked, model, call) if streams else _whole_async(model, call)
        )
        span.tell(outcome.reply, outcome.fault)
        return outcome


async def _whole_async(model: Model, call: Call) -> Outcome:
    try:
        return Outcome(await model.reply_async(call.request, timeout=call.timeout))
    except Fault as fault:
        return Outcome(fault=fault)


async def _streamed_async(asked: Asking, model: Model, call: Call) -> Outcome:
    gathering = asked.gathering()
    deltas = model.stream_async(call.request, timeout=call.timeout)
    try:
        async for delta in deltas:
            is_wrong = gathering.feed(delta)
            await _tell_async(asked, delta)
            if is_wrong:
                break
    except Fault as fault:
        return gathering.outcome(fault)
    finally:
        close = getattr(deltas, "aclose", None)
        if close is not None:
            await close()
    return gathering.outcome()
