"""The engine of an evaluation: which trial is asked when, and what ends it early."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from pdl.errors import FileError, PdlError
from pdl.evaluation.calls import Charged, Gate, RecordedCalls, StoppedError
from pdl.evaluation.journal import cells
from pdl.evaluation.outcomes import failed_trial, status_of, trial_of
from pdl.models.answer import Answer, AskError, is_unreached
from pdl.models.lanes import MOST_FAULTS, provider_of
from pdl.models.replay import ReplayModel
from pdl.models.runner import ask_async
from pdl.testing.judges import render_judge, rule
from pdl.testing.judging import judge_outcome
from pdl.testing.rendering import render_case

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdl.evaluation.journal import Call, Journal
    from pdl.evaluation.matrix import Plan
    from pdl.evaluation.options import EvaluationOptions
    from pdl.evaluation.records import Cell, Trial
    from pdl.prompt import Rendered
    from pdl.testing.outcome import Ruling


@dataclass
class Progress:
    """How far a run is.

    Of `planned` trials `ended` did, `earlier` of them in an earlier session; `valid` have a value,
    `failed` are not as their case says. `calls` are those of this session, `cost` is that of all
    sessions. `unreached` says of models that could not be asked why, `lost` of those of judges;
    `unjudged` trials lack a ruling. `is_spent`: the budget is.
    """

    planned: int
    ended: int = 0
    earlier: int = 0
    valid: int = 0
    failed: int = 0
    faults: int = 0
    calls: int = 0
    cost: float = 0.0
    unjudged: int = 0
    unreached: dict[str, str] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)
    is_spent: bool = False
    is_stopped: bool = False

    def add(self, trial: Trial) -> None:
        """Count a trial that ended."""
        self.ended += 1
        self.valid += trial.status == "valid"
        self.faults += trial.status == "fault"
        self.failed += trial.ok is False
        self.unjudged += bool(trial.unjudged)


class Engine:
    """Asks what of a plan has not ended yet; a journal has what did.

    `on_change` is called with `progress` whenever that has changed.
    """

    def __init__(
        self,
        plan: Plan,
        journal: Journal,
        options: EvaluationOptions,
        on_change: Callable[[Progress], object] | None = None,
    ) -> None:
        self.progress = Progress(plan.manifest.planned)
        self._plan = plan
        self._journal = journal
        self._options = options
        self._on_change = on_change or (lambda _: None)
        self._budget = None if options.budget is None else Charged(options.budget)
        self._gate = Gate(options.concurrency, options.rate)
        self._todo: dict[str, deque[Cell]] = defaultdict(deque)
        self._tasks: list[asyncio.Task[None]] = []
        self._consecutive: Counter[str] = Counter()
        self._consecutive_judge = 0
        self._lost: dict[str, str] = {}

    async def run(self) -> None:
        """Ask until all trials ended, the budget is spent, or `stop` was called.

        Raises FileError if the journal can't be written.
        """
        self._recall()
        self._on_change(self.progress)
        for provider, waiting in self._todo.items():
            workers = min(self._gate.lane(provider).width, len(waiting))
            self._tasks += [asyncio.create_task(self._work(waiting)) for _ in range(workers)]
        try:
            if self._tasks:
                await asyncio.wait(self._tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for task in self._tasks:
                task.cancel()
            found = await asyncio.gather(*self._tasks, return_exceptions=True)
        for one in found:
            if one is not None and not isinstance(one, asyncio.CancelledError):
                raise one

    @property
    def in_flight(self) -> int:
        """How many calls wait for their reply."""
        return len(self._gate.calling)

    def stop(self) -> None:
        """Make no other call, and wait for those that are in flight: they are written down."""
        self.progress.is_stopped = True
        self._gate.is_closed = True
        waiting = {*self._tasks} - self._gate.calling - {asyncio.current_task()}
        for task in waiting:
            task.cancel()

    def _recall(self) -> None:
        """Take the trials and calls on record into account, and queue what is left."""
        records, progress = self._journal.records, self.progress
        calls = [*records.earlier, *(one for made in records.calls.values() for one in made)]
        for call in calls:
            self._charge(call)
        for cell in cells(self._plan.manifest):
            trial = records.trials.get(cell)
            if trial is not None and trial.status == "fault" and self._options.retry_faults:
                self._journal.again(cell)
                records.calls.pop(cell, None)
                trial = None
            if trial is None or trial.status == "stopped" or self._is_unjudged(trial):
                self._todo[provider_of(cell.model)].append(cell)
                continue
            progress.add(trial)
            progress.earlier += 1
        for model in self._plan.models.values():
            if isinstance(model, ReplayModel):
                model.drop(one.reply for one in calls if one.reply and one.model == model.name)

    def _is_unjudged(self, trial: Trial) -> bool:
        """Whether a judge of a trial is to be asked again, since its server failed."""
        calls = self._journal.records.calls.get(trial.cell, ())
        for number, said in enumerate(trial.accepted, 1):
            made = [one for one in calls if one.judge == number]
            if said is None and (not made or made[-1].fault is not None):
                return True
        return False

    def _charge(self, call: Call) -> None:
        """Charge the budget for a call; one that is given again is charged once."""
        budget = self._options.budget
        if budget is None or call.reply is None:
            return
        budget.spend(call.model, call.reply.usage if call.charged is None else call.charged)
        self.progress.cost = budget.cost_spent

    async def _work(self, waiting: deque[Cell]) -> None:
        """Run trials that wait, one after the other."""
        progress = self.progress
        while waiting and not progress.is_stopped and not progress.is_spent:
            cell = waiting.popleft()
            if cell.model in progress.unreached:
                continue
            try:
                await self._trial(cell)
            except StoppedError:
                return
            except asyncio.CancelledError:
                if self._gate.is_closed:
                    return
                raise

    async def _trial(self, cell: Cell) -> None:
        planned = self._plan.cases[cell.prompt, cell.case]
        rendered = render_case(planned.case, planned.parts, self._plan.prompts[cell.prompt])
        calls = self._calls(cell, cell.model)
        result: Answer | AskError
        try:
            result = await self._asked(rendered, calls, cell)
        except AskError as error:
            result = error
        except FileError:  # of the journal, or of the cache
            raise
        except PdlError as error:
            self._end(failed_trial(cell, error.problems), ())
            return
        if is_unreached(result):
            if self._journal.records.calls.get(cell) or calls.numbers:
                self._journal.again(cell)
            self._give_up(cell.model, result.attempts[-1].reason)
            return
        if status_of(result) == "stopped":
            self.progress.is_spent = True
            if not result.attempts:
                return
        judgement = judge_outcome(planned.case, planned.parts, rendered, result)
        said = await self._judged(cell, rendered, result)
        if said is not None:
            self._end(trial_of(cell, result, calls, judgement, said), calls.numbers)

    async def _judged(
        self, cell: Cell, rendered: Rendered, result: Answer | AskError
    ) -> list[Ruling | str] | None:
        """What the judges of a case say of an answer, or why they don't; None without a budget."""
        if not isinstance(result, Answer):
            return []
        planned, model = self._plan.cases[cell.prompt, cell.case], self._plan.judge
        found: list[Ruling | str] = []
        for number, judge in enumerate(planned.parts.judges, 1):
            assert model is not None
            if model.name in self._lost:
                found.append(self._lost[model.name])
                continue
            calls = self._calls(cell, model.name, number)
            said: Answer | AskError
            try:
                question = render_judge(planned.case, judge, planned.parts, rendered, result)
                said = await ask_async(
                    question,
                    calls,
                    retries=self._options.retries,
                    timeout=self._options.timeout,
                    budget=self._budget,
                    backoff=self._options.backoff,
                    hooks=(calls,),
                )
            except AskError as error:
                said = error
            except PdlError as error:
                found.append(error.problems[0].message)
                continue
            if isinstance(said, Answer):
                self._consecutive_judge = 0
                found.append(rule(judge, said))
                continue
            if status_of(said) == "stopped":  # without its judge, the trial does not end
                self.progress.is_spent = True
                return None
            found.append(self._unjudged(judge.prompt.stem, said))
        return found

    def _unjudged(self, judge: str, error: AskError) -> str:
        """Why a judge gives no answer; its model is given up if its server never answers."""
        last = error.attempts[-1].reason if error.attempts else str(error)
        why = f"{judge} ({error.model}): {' '.join(last.split())}"
        self._consecutive_judge = self._consecutive_judge + 1 if error.is_fault else 0
        if is_unreached(error) or self._consecutive_judge >= MOST_FAULTS:
            self._lost[error.model] = why
            self.progress.lost.setdefault(error.model, last)
        return why

    async def _asked(self, rendered: Rendered, calls: RecordedCalls, cell: Cell) -> Answer:
        options = self._options
        return await ask_async(
            rendered,
            calls,
            retries=options.retries,
            timeout=options.timeout,
            seed=None if options.seed is None else options.seed + cell.repeat - 1,
            config=options.config,
            constrain=options.constrain,
            coercions=options.coercions,
            budget=self._budget,
            # What is on record comes first, whatever another trial has stored since.
            cache=None if calls.has_records else options.cache,
            backoff=options.backoff,
            hooks=(calls,),
        )

    def _calls(self, cell: Cell, name: str, judge: int = 0) -> RecordedCalls:
        """The model for a trial, or for one of its judges."""
        made = self._journal.records.calls.get(cell, ())
        found = [one for one in made if one.judge == judge and not (judge and one.fault)]
        model = self._plan.judge if judge else self._plan.models[name]
        assert model is not None
        return RecordedCalls(
            model,
            name,
            self._gate,
            found,
            partial(self._write, cell),
            judge=judge,
            variant=cell.repeat if cell.repeat > 1 else None,
        )

    def _write(self, cell: Cell, call: Call) -> None:
        self._journal.call(cell, call)
        self._charge(call)
        self.progress.calls += 1
        self._on_change(self.progress)

    def _end(self, trial: Trial, numbers: Sequence[int]) -> None:
        self._journal.ended(trial, numbers)
        if trial.status != "stopped":
            self.progress.add(trial)
            self._note_fault(trial)
        self._on_change(self.progress)

    def _note_fault(self, trial: Trial) -> None:
        """Give a model up whose last trials all ended by a transport error."""
        model = trial.cell.model
        is_fault = trial.status == "fault" and bool(trial.attempts)
        self._consecutive[model] = self._consecutive[model] + 1 if is_fault else 0
        if self._consecutive[model] >= MOST_FAULTS:
            last = trial.attempts[-1]
            self._give_up(model, f"{last.fault}: {last.errors[0].message}")

    def _give_up(self, model: str, reason: str) -> None:
        """Ask a model no more: its other trials would end the same way, and do not end now."""
        self.progress.unreached.setdefault(model, reason)
        self._on_change(self.progress)
