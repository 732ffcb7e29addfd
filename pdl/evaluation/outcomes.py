"""One trial: what is asked, and what is kept of its outcome."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.evaluation.records import (
    AttemptRecord,
    ErrorRecord,
    FailureRecord,
    RepairRecord,
    Status,
    Trial,
)
from pdl.models.answer import Answer
from pdl.models.exchange import Usage
from pdl.testing.judging import value_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pdl.errors import Problem
    from pdl.evaluation.calls import RecordedCalls
    from pdl.evaluation.records import Cell
    from pdl.models.answer import AskError, Attempt
    from pdl.models.budget import Price
    from pdl.testing.outcome import Failure, Judgement, Kind, Ruling


def status_of(result: Answer | AskError) -> Status:
    """Return how a trial ended."""
    if isinstance(result, Answer):
        return "valid"
    if result.ending in {"cost", "tokens"}:
        return "stopped"
    last = result.attempts[-1].fault if result.attempts else None
    if last is not None:
        return "refusal" if last.kind == "refusal" else "fault"
    return "invalid" if result.attempts else "fault"


def trial_of(
    cell: Cell,
    result: Answer | AskError,
    calls: RecordedCalls,
    judgement: Judgement,
    rulings: Sequence[Ruling | str],
) -> Trial:
    """Return what is kept of a trial; a text instead of a ruling says why there is none."""
    timed = zip(result.attempts, calls.seconds, strict=True)
    known = [None if isinstance(one, str) else one for one in rulings]
    failures = [*judgement.failures, *(one for each in known if each for one in each.failures)]
    return Trial(
        cell,
        status_of(result),
        tuple(attempt_record(at, one, seconds) for at, (one, seconds) in enumerate(timed, 1)),
        value=value_of(result) if isinstance(result, Answer) else None,
        exact=judgement.exact,
        expected=judgement.expected,
        judged=tuple(None if one is None else one.value for one in known),
        accepted=tuple(None if one is None else one.is_accepted for one in known),
        failures=tuple(failure_records(failures)),
        seconds=round(max(result.seconds - calls.waited, 0.0) + calls.recorded, 6),
        cost=result.cost,
        unjudged=tuple(one for one in rulings if isinstance(one, str)),
    )


def priced(trial: Trial, prices: Mapping[str, Price]) -> Trial:
    """Return a trial with its cost by these prices; as it is if they lack its model."""
    price = prices.get(trial.cell.model)
    if price is None:
        return trial
    attempts = tuple(replace(one, cost=_cost(one, price)) for one in trial.attempts)
    costs = [one.cost for one in attempts if one.cost is not None]
    is_known = attempts and len(costs) == len(attempts)
    return replace(trial, attempts=attempts, cost=math.fsum(costs) if is_known else None)


def _cost(attempt: AttemptRecord, price: Price) -> float | None:
    if attempt.text is None or attempt.is_cached:
        return 0.0
    return price.of(Usage(attempt.input_tokens, attempt.output_tokens, attempt.cached_tokens))


def failed_trial(cell: Cell, problems: Iterable[Problem]) -> Trial:
    """Return a trial that can't be asked: its model does not take what the prompt has."""
    return Trial(cell, "fault", (), failures=tuple(_failure("render", one) for one in problems))


def failure_records(failures: Iterable[Failure]) -> Iterable[FailureRecord]:
    """Return what is kept of failures."""
    return (_failure(one.kind, one.problem) for one in failures)


def _failure(kind: Kind, problem: Problem) -> FailureRecord:
    place = problem.location
    return FailureRecord(kind, "" if place is None else str(place), problem.message)


def attempt_record(number: int, attempt: Attempt, seconds: float) -> AttemptRecord:
    """Return what is kept of an attempt."""
    check, reply, fault = attempt.check, attempt.reply, attempt.fault
    errors = [] if check is None else [(one.path, one.span, one.message) for one in check.errors]
    if not attempt.ok and not errors:
        errors = [((), None, fault.problem.message if fault is not None else attempt.reason)]
    repairs = () if check is None else check.repairs
    return AttemptRecord(
        number,
        None if reply is None else reply.text,
        "" if check is None or check.reason is None else check.reason,
        "" if fault is None else fault.kind,
        None if check is None else check.span,
        tuple(ErrorRecord(*one) for one in errors),
        tuple(RepairRecord(one.kind, one.span, one.before, one.after) for one in repairs),
        attempt.usage.input_tokens,
        attempt.usage.output_tokens,
        round(seconds, 6),
        attempt.cost,
        is_cached=attempt.is_cached,
        cached_tokens=attempt.usage.cached_tokens,
    )
