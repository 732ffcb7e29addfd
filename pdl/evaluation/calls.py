"""Calls of an evaluation: counted and written down as they end, and given again on resuming."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pdl.evaluation.journal import Call
from pdl.models.budget import Budget
from pdl.models.faults import Fault
from pdl.models.lanes import Lanes, Wrapped
from pdl.models.ledger import counted
from pdl.models.options import Hook

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from pdl._types import Json
    from pdl.models.answer import Attempt
    from pdl.models.exchange import Model, Reply, Usage
    from pdl.models.request import Request


class StoppedError(Exception):
    """The evaluation was asked to stop: the call is not made, and its trial does not end."""


@dataclass
class Gate(Lanes):
    """What calls pass: the lanes of their providers, until the evaluation is asked to stop.

    `calling` are the tasks that wait for a reply.
    """

    is_closed: bool = False
    calling: set[asyncio.Task[Any] | None] = field(default_factory=set)

    @asynccontextmanager
    async def passed(self, model: str) -> AsyncIterator[None]:
        """Wait until a call may start. Raises StoppedError once the evaluation is to stop."""
        async with self.lane(model).slot():
            if self.is_closed:
                raise StoppedError
            task = asyncio.current_task()
            self.calling.add(task)
            try:
                yield
            finally:
                self.calling.discard(task)


class Charged(Budget):
    """A budget, for asks whose calls are charged when they are written down, and not once more."""

    def __init__(self, budget: Budget) -> None:
        self.__dict__ = budget.__dict__  # the same bounds, and what is spent

    def spend(self, model: str, usage: Usage) -> None:
        """Charge nothing."""


class RecordedCalls(Wrapped, Hook):
    """A model, for one trial: the calls on record are given again, further ones are made.

    `write` is called with what each further call brought. As a hook it notes which call each
    attempt is: `numbers` has that for each attempt, from 1; 0 for one from a cache. `seconds` are
    those of the calls of each attempt. `waited` is how long calls waited for others, `recorded` how
    long those on record took. `has_records`: there were calls on record.
    """

    def __init__(  # noqa: PLR0913 - what is asked, how, and for what
        self,
        model: Model,
        name: str,
        gate: Gate,
        recorded: Sequence[Call],
        write: Callable[[Call], None],
        *,
        judge: int = 0,
        variant: Json = None,
    ) -> None:
        super().__init__(model, name)
        self.waited = 0.0
        self.recorded = 0.0
        self.seconds: list[float] = []
        self.numbers: list[int] = []
        self._gate = gate
        self._left = deque(recorded)
        self.has_records = bool(recorded)
        self._write = write
        self._judge = judge
        self._variant = variant
        self._made = 0
        self._spent = 0.0

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109 - of the protocol
        """Return the reply of the next call. Raises its Fault, and StoppedError."""
        if self._left:
            call = self._left.popleft()
            self.recorded += call.seconds
        else:
            call = await self._called(request, timeout)
        self._made += 1
        self._spent += call.seconds
        if call.fault is not None:
            raise call.fault
        assert call.reply is not None
        return call.reply

    async def _called(self, request: Request, timeout: float) -> Call:  # noqa: ASYNC109 - passed on
        asked = time.monotonic()
        async with self._gate.passed(self.name):
            began = time.monotonic()
            self.waited += began - asked
            call = Call(self.name, None, judge=self._judge)
            try:
                call = call._replace(reply=await self._model.reply_async(request, timeout=timeout))
            except Fault as fault:
                call = call._replace(fault=fault)
            call = self._redacted(call._replace(seconds=time.monotonic() - began))
            if call.reply is not None:
                call = call._replace(charged=counted(request, call.reply))
            self._write(call)
        if call.fault is not None and self._gate.is_closed:
            raise StoppedError  # rather than wait for another attempt
        return call

    def _redacted(self, call: Call) -> Call:
        """A call without the key, should the model repeat it."""
        key = getattr(self._model, "key", None)
        if key is None or call.reply is None:
            return call
        text, reasoning = key.redact(call.reply.text), key.redact(call.reply.reasoning)
        return call._replace(reply=replace(call.reply, text=text, reasoning=reasoning))

    def after(self, number: int, attempt: Attempt, pause: float | None) -> None:  # noqa: ARG002 - of the protocol
        """Note which call an attempt is, and how long its calls took."""
        self.numbers.append(0 if attempt.is_cached else self._made)
        self.seconds.append(attempt.seconds if attempt.is_cached else self._spent)
        self._spent = 0.0

    def identity(self, request: Request) -> Json:
        """Return that of the model, which differs by repeat, or all repeats would be the same."""
        found = super().identity(request)
        return found if found is None or self._variant is None else [found, self._variant]
