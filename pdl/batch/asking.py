"""Ask a model for many rows at once: bounded, at the provider's pace, and the same only once."""

from __future__ import annotations

import asyncio
import json
import math
import os
import threading
import time
from collections import defaultdict
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

from pdl.batch.checker import UNCHECKED
from pdl.errors import FileError, PdlError
from pdl.limits import DEFAULT_LIMITS
from pdl.models.answer import Answer, AskError, is_unreached
from pdl.models.arguments import loop_of
from pdl.models.callables import model_of
from pdl.models.connecting import connect_at, model_named_by
from pdl.models.faults import Fault
from pdl.models.lanes import MOST_FAULTS, Lanes, Wrapped
from pdl.models.ledger import counted, estimated
from pdl.models.options import check_count
from pdl.models.runner import run_async

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.models.answer import Attempt
    from pdl.models.ask_loop import AskLoop
    from pdl.models.exchange import Model, Reply, Usage
    from pdl.models.lanes import Lane
    from pdl.models.options import AskKwargs
    from pdl.models.request import Request
    from pdl.prompt import Rendered

NOT_RENDERED = "not-rendered"
"""The reason of a row with which the prompt can't be rendered."""
NOT_SENT = "not-sent"
"""The reason of a row whose prompt has what the provider can't be sent."""
TOOL_CALLS = "tool-calls"
"""The reason of a row for which the model requests tool calls, which a batch does not run."""
BOUNDS = frozenset({"tokens", "cost", "time"})
"""Endings by a bound, whatever the attempts before it brought."""


class Asked(NamedTuple):
    """What came of a row. `reply` is the text of the last one; `value` is JSON.

    `attempts` counts the calls that were made for it, so that it is 0 for a reply of the cache.
    """

    ok: bool = False
    value: Json = None
    reason: str | None = None
    reply: str | None = None
    attempts: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    error: str | None = None


def asked_of(result: Answer | AskError) -> Asked:
    """Return what a row gets of an answer, or of the error without one."""
    made = result.attempts
    last = made[-1] if made else None
    ok = isinstance(result, Answer) and not result.calls
    return Asked(
        ok=ok,
        value=result.data if ok and isinstance(result, Answer) else None,
        reason=None if ok else _reason(result, last),
        reply=None if last is None or last.reply is None else last.reply.text,
        attempts=sum(not one.is_cached for one in made),
        input_tokens=result.usage.input_tokens,
        output_tokens=result.usage.output_tokens,
        cost=result.cost,
        error=None if ok else _error(result),
    )


def _reason(result: Answer | AskError, last: Attempt | None) -> str:
    fault = None if last is None else last.fault
    if isinstance(result, AskError) and result.ending == "time" and fault is not None:
        return fault.kind.replace("_", "-")
    if isinstance(result, Answer):
        return TOOL_CALLS
    if last is None or result.ending in BOUNDS:
        return result.ending
    if last.fault is not None:
        return last.fault.kind.replace("_", "-")
    return (last.check.reason if last.check is not None else None) or "invalid"


def _error(result: Answer | AskError) -> str:
    if isinstance(result, AskError):
        return str(result)
    names = ", ".join(f"`{call.name}`" for call in result.calls)
    return f"the model called {names}, and a batch runs no tools"


class _Clock:
    """The time of one row, without what it waited for other rows."""

    def __init__(self) -> None:
        self.waited = 0.0

    def __call__(self) -> float:
        return time.monotonic() - self.waited


class _Paced(Wrapped):
    """A model, for one row: its calls keep to the lane of its provider.

    A call that the provider turns away because of its rate is not an attempt: it is made again when
    the provider allows it, if the time of the row lasts so long. Others wait, too.
    """

    def __init__(self, model: Model, lane: Lane, loop: AskLoop, clock: _Clock) -> None:
        super().__init__(model, model.name)
        self._lane = lane
        self._loop = loop
        self._clock = clock

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109 - of the protocol
        """Return the reply. Raises its Fault."""
        began = time.monotonic()
        read = estimated(request)
        turned_away = 0
        while True:
            async with self._lane.slot(read):
                if not turned_away:
                    self._clock.waited += time.monotonic() - began
                try:
                    left = min(timeout, self._left())
                    reply = await self._model.reply_async(request, timeout=max(left, 0.001))
                except Fault as fault:
                    turned_away += 1
                    if not self._is_made_again(fault, turned_away):
                        raise
                else:
                    self._lane.charge(_total(counted(request, reply)) - read)
                    return reply

    def _left(self) -> float:
        """The seconds that the row, and the budget, have left."""
        budget = self._loop.options.budget
        left = self._loop.ledger.seconds_left
        return left if budget is None else min(left, budget.seconds_left(time.monotonic()))

    def _is_made_again(self, fault: Fault, turned_away: int) -> bool:
        """Whether to make a call again, and the pause for all calls until then."""
        is_limited = fault.kind == "rate_limited"
        if not is_limited and fault.retry_after is None:
            return False
        backoff = self._loop.options.backoff
        pause = backoff.pause(fault, turned_away)
        if turned_away > 1:  # a provider that says zero does not mean it
            pause = max(pause, backoff.pause(Fault(fault.kind, ""), turned_away))
        if pause >= self._left():
            return False
        self._lane.hold(pause)
        return is_limited


def _total(usage: Usage) -> int:
    return (usage.input_tokens or 0) + (usage.output_tokens or 0)


@dataclass(frozen=True)
class Pace:
    """How many rows are asked at the same time, and how many calls and tokens there are a minute.

    Raises TypeError and ValueError for what is not a bound.
    """

    concurrency: int = 8
    rate: float | None = None
    token_rate: float | None = None

    def __post_init__(self) -> None:
        """Refuse other values."""
        check_count("concurrency", self.concurrency, 1)
        for name, rate in (("rate", self.rate), ("token_rate", self.token_rate)):
            if rate is None:
                continue
            if isinstance(rate, bool) or not isinstance(rate, int | float):
                raise TypeError(f"{name} must be a number or None, not {type(rate).__name__}")
            if not 0 < rate < math.inf:
                raise ValueError(f"{name} must be a number above 0, not {rate}")


class Desk:
    """What all copies of an `Asker` share in a process: models, lanes, and rows that are asked."""

    def __init__(self, pace: Pace) -> None:
        self.concurrency = pace.concurrency
        self.lanes = Lanes(pace.concurrency, pace.rate, pace.token_rate)
        self.models: dict[tuple[str, Any], Model] = {}
        self._places: dict[str, asyncio.Semaphore] = {}
        self._alike: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def place(self, model: str) -> AsyncIterator[None]:
        """Wait until another row of a model may be asked."""
        lane = self.lanes.lane(model)
        place = self._places.setdefault(lane.provider, asyncio.Semaphore(lane.width))
        async with place:
            yield

    @asynccontextmanager
    async def alone(self, loop: AskLoop) -> AsyncIterator[None]:
        """Wait until no other row makes the same request, whose reply will be in the cache."""
        identity = None
        if loop.options.cache is not None:
            identity = loop.models[0].identity(loop.request)
        if identity is None:
            yield
            return
        key = json.dumps(identity, sort_keys=True)
        lock = self._alike.setdefault(key, asyncio.Lock())
        async with lock:
            yield


def desk_of(token: str, pace: Pace) -> Desk:
    """Return the desk of all copies of an `Asker` in this process, which have a token.

    It outlives them: an engine makes a copy for each task, and a model would be loaded again.
    """
    with _LOCK:
        return _desk(os.getpid(), token, pace)


_LOCK = threading.Lock()


@lru_cache(maxsize=8)
def _desk(_process: int, _token: str, pace: Pace) -> Desk:
    return Desk(pace)


@dataclass(frozen=True)
class Connections:
    """The models that were given: names, functions, models; None for the prompt's own."""

    given: tuple[Any, ...] | None
    base_url: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        for one in self.given or ():
            if getattr(one, "key", None) is not None:
                hint = "pass its name, and `base_url` if it is not the provider's own"
                raise TypeError(f"the key of a model does not go to other processes: {hint}")
        return type(self), (self.given, self.base_url)

    def models(self, desk: Desk, rendered: Rendered, limits: Limits) -> list[Model]:
        """Return the models for a row, each connected once. Raises ConfigError, FileError."""
        if self.given is None:
            name = str(rendered.config.get("model") or "")
            keys: list[tuple[str, Any]] = [(name, rendered.folder)]
        else:
            keys = [("", at) for at in range(len(self.given))]
        for key in keys:
            if key not in desk.models:
                desk.models[key] = self._connected(key, rendered, limits)
        return [desk.models[key] for key in keys]

    def _connected(self, key: tuple[str, Any], rendered: Rendered, limits: Limits) -> Model:
        if self.given is None:
            return model_named_by(rendered, base_url=self.base_url, limits=limits)
        given = self.given[key[1]]
        if isinstance(given, str) and self.base_url is not None:
            return connect_at(given, self.base_url)
        return model_of(given, limits)


@dataclass
class Round:
    """One batch that is asked: the rows in their order, and why no others are asked, if so.

    `done` is called with what came of each row as soon as it ends, and with its index.
    """

    desk: Desk
    connections: Connections
    options: AskKwargs
    render: Callable[[Any], Rendered]
    done: Callable[[int, Asked], None] | None = None
    _consecutive: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    _lost: dict[str, Asked] = field(default_factory=dict)

    @property
    def _limits(self) -> Limits:
        return self.options.get("limits", DEFAULT_LIMITS)

    async def asked(self, rows: Sequence[Any]) -> list[Asked]:
        """Return what came of each row. Raises what concerns all of them."""
        found: list[Asked] = [Asked()] * len(rows)
        waiting = iter(enumerate(rows))
        workers = min(self.desk.concurrency, len(rows))
        tasks = [asyncio.create_task(self._work(waiting, found)) for _ in range(workers)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return found

    async def _work(self, waiting: Iterable[tuple[int, Any]], found: list[Asked]) -> None:
        for at, row in waiting:
            found[at] = await self._row(row)
            if self.done is not None:
                self.done(at, found[at])

    async def _row(self, row: Any) -> Asked:
        try:
            rendered = self.render(row)
        except (PdlError, TypeError, ValueError) as error:
            return Asked(reason=NOT_RENDERED, error=str(error))
        models = self.connections.models(self.desk, rendered, self._limits)
        loop = loop_of(rendered, models, None, self.options, is_async=True)
        name = models[0].name
        async with self.desk.place(name):
            if name in self._lost:
                return self._lost[name]
            try:
                result = await self._result(loop)
            except FileError:  # of the cache
                raise
            except PdlError as error:
                return Asked(reason=NOT_SENT, error=str(error))
            except Exception as error:  # noqa: BLE001 - the answers to other rows are paid for
                return Asked(reason=UNCHECKED, error=f"{type(error).__name__}: {error}")
        self._note(name, result)
        return asked_of(result)

    async def _result(self, loop: AskLoop) -> Answer | AskError:
        clock, lanes = _Clock(), self.desk.lanes
        loop.clock = clock
        loop.models = tuple(_Paced(one, lanes.lane(one.name), loop, clock) for one in loop.models)
        async with self.desk.alone(loop):
            try:
                (answer,) = [one async for one in run_async(loop)]
            except AskError as error:
                return error
        assert isinstance(answer, Answer)
        return answer

    def _note(self, model: str, result: Answer | AskError) -> None:
        """Give a model up that can't be asked, or whose last rows all ended by a fault."""
        is_fault = isinstance(result, AskError) and result.is_fault
        self._consecutive[model] = self._consecutive[model] + 1 if is_fault else 0
        if is_unreached(result) or self._consecutive[model] >= MOST_FAULTS:
            last = result.attempts[-1]
            why = f"not asked, since other rows of the batch failed: {last.reason}"
            self._lost.setdefault(model, Asked(reason=_reason(result, last), error=why))
