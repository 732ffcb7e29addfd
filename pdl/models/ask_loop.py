"""The ask loop, without I/O: the attempts with each model, in order, until one of them answers.

`AskLoop.ask_steps` yields what is to be done (`ModelCall`, `Sleep`, `Callback`) and receives what
came of it ("sans-IO"), so that one loop serves `ask` and `ask_async`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pdl.models.answer import Answer, ask_error, total, total_cost
from pdl.models.exchange import Delta
from pdl.models.ledger import Ledger
from pdl.models.model_loop import Callback, ModelLoop, OutOfTime, Sleep

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from pdl.models.answer import Ending
    from pdl.models.defaults import Default
    from pdl.models.exchange import Model
    from pdl.models.model_loop import Step
    from pdl.models.options import AskOptions
    from pdl.models.request import Request


@dataclass
class AskLoop:
    """One run of `ask`; every model but the first is asked only if those before it failed."""

    models: tuple[Model, ...]
    request: Request
    options: AskOptions
    default: Default | None = None
    clock: Callable[[], float] = time.monotonic
    ledger: Ledger = field(init=False)

    def ask_steps(self) -> Generator[Step, Any, Answer]:
        """Yield the calls and pauses, and return the answer. Raises AskError."""
        self.ledger = Ledger(self.options, self.clock)
        answer, left = None, self.models
        while answer is None:
            model, *others = left
            left = tuple(others)
            loop = ModelLoop(model, self.request, self.options, self.ledger)
            try:
                answer = yield from self._asked(loop, left[0] if left else None)
            except OutOfTime:  # a hook took too long
                return self.failed("time")
        return answer

    def cached_deltas(self) -> Iterator[Delta]:
        """Yield what `on_delta` is given of a cached reply, which no call brings."""
        for last in self.ledger.attempts[-1:]:
            if last.is_cached and last.reply is not None:
                yield Delta.whole(last.reply)

    def _asked(
        self, loop: ModelLoop, following: Model | None
    ) -> Generator[Step, Any, Answer | None]:
        """The answer of a model, or the failure; None if the following model is to be asked."""
        stored = yield from loop.stored()
        if stored is not None:
            yield from self._after(loop, None)
            return stored
        ending = self.ledger.reached(loop.model.name, self.request)
        while ending is None:
            request = loop.next_request
            yield from self._before(loop, request)
            verdict = yield from loop.attempt(request)
            ending, pause = loop.after(is_last=following is None)
            falls_back = following is not None and ending is not None and self._falls_back(ending)
            yield from self._after(loop, 0.0 if falls_back else pause)
            if ending is None and pause is None:
                return loop.answer(verdict)
            if following is not None and falls_back:
                self.ledger.log_fallback(following.name)
                return None
            if ending is None and pause is not None:
                self.ledger.log_retry(pause)
                if pause:
                    yield Sleep(pause)
        return self.failed(ending)

    def _before(self, loop: ModelLoop, request: Request) -> Generator[Step, Any, None]:
        self.ledger.log_call(loop.model.name, request, loop.redacted)
        number = len(self.ledger.attempts) + 1
        for hook in self.options.hooks:
            yield Callback("hooks", hook.before, (number, request))

    def _after(self, loop: ModelLoop, pause: float | None) -> Generator[Step, Any, None]:
        self.ledger.log_attempt(loop.redacted)
        attempts = self.ledger.attempts
        for hook in self.options.hooks:
            yield Callback("hooks", hook.after, (len(attempts), attempts[-1], pause))

    def _falls_back(self, ending: Ending) -> bool:
        """Whether the failure of a model is one after which the next model is asked."""
        fault = self.ledger.attempts[-1].fault
        if self.ledger.seconds_left <= 0 or ending in {"tokens", "cost"}:
            return False
        if fault is None:
            return "answers" in self.options.fallback
        return fault.kind != "refusal" or "refusals" in self.options.fallback

    def failed(self, ending: Ending) -> Answer:
        """Return the answer without a valid attempt: the default. Raises AskError without one."""
        made = tuple(self.ledger.attempts)
        names = ", ".join(dict.fromkeys(one.model for one in made)) or self.models[0].name
        default = self.default
        self.ledger.log_failure(names, ending, has_default=default is not None)
        if default is None:
            fault = made[-1].fault if made else None
            raise ask_error(names, made, ending, self.ledger.seconds) from fault
        return Answer(
            default.value, None, made, total(made), self.ledger.seconds, is_default=True,
            messages=self.request.messages, cost=total_cost(made), origin=self.request.origin,
            _json=(default.data,),
        )  # fmt: skip
