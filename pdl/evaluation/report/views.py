"""What the page and the Markdown show of results: letters of columns, and cases in their order."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pdl._types import format_path
from pdl.errors import count, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import Json
    from pdl.evaluation.records import CaseRecord, Column, Run, Trial
    from pdl.evaluation.results import Difference, Estimate, Metric, Results

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WRONG = {
    "case": "bad case",
    "render": "not rendered",
    "reply": "reply",
    "expect": "not as expected",
    "assert": "assertion",
    "messages": "other messages",
    "judge": "judged wrong",
}


def letters(run: Run) -> dict[Column, str]:
    """Return a short name of each column: A to Z, then A2 and so on."""
    names = {}
    for at, column in enumerate(run.columns):
        round_, letter = divmod(at, len(_ALPHABET))
        names[column] = _ALPHABET[letter] + (str(round_ + 1) if round_ else "")
    return names


def metrics(results: Results) -> tuple[Metric, ...]:
    """Return the metrics that results have estimates of, in their order."""
    return tuple(dict.fromkeys(one.metric for one in results.estimates))


def estimates_by_place(results: Results) -> dict[tuple[Column, str], Estimate]:
    """Return the estimates by column and name of the metric."""
    return {(one.column, one.metric.name): one for one in results.estimates}


SAMPLES = (
    "n is how many cases a value is from, where not all have one; "
    "of all cases, how many trials, where some are left out."
)


def sample(found: Estimate, run: Run) -> str:
    """Return how many cases or trials a value is from: `n = 40 of 60`; empty if from all."""
    cases, trials = len(run.cases), len(run.cases) * run.repeats
    if found.value is None:
        return ""
    if found.cases < cases:
        return f"n = {found.cases:,} of {cases:,}"
    is_by_case = found.trials == found.cases  # such as whether all repeats agree
    if is_by_case or found.trials == trials:
        return ""
    return f"n = {found.trials:,} of {trials:,} trials"


def outcome(trial: Trial) -> str:
    """Return how a trial ended, in one or two words: `ok`, `refusal`, `not as expected`."""
    if trial.status != "valid":
        return trial.status
    right = "ok" if trial.ok else "not judged"
    return _WRONG[trial.failures[0].kind] if trial.failures else right


def head(results: Results) -> str:
    """Return the size of a run in one line."""
    run = results.run
    repeats = f" × {count(run.repeats, 'repeat')}" if run.repeats > 1 else ""
    sizes = f"{count(len(run.columns), 'column')}, {count(len(run.cases), 'case')}{repeats}"
    return f"{sizes}, {results.level * 100:g}% intervals"


def short_fingerprint(fingerprint: str) -> str:
    """Return the first characters of a fingerprint, without the name of its algorithm."""
    return fingerprint.rpartition(":")[2][:12]


def sentence(words: str) -> str:
    """Return words that say something as a sentence."""
    return f"{capital(words)}." if words else ""


def capital(words: str) -> str:
    """Return words with a capital letter at their begin."""
    return words[:1].upper() + words[1:]


_METHODS = {
    "wilson": "Wilson for shares",
    "bootstrap": "bootstrap by case for means",
    "order-statistics": "order statistics for quantiles",
    "bonett-price": "Bonett and Price for paired shares",
}


def methods(found: Iterable[Estimate | Difference]) -> str:
    """Return which methods intervals are from: `Wilson for shares, …`."""
    used = dict.fromkeys(one.interval.method for one in found if one.interval is not None)
    return ", ".join(_METHODS[method] for method in used)


@dataclass(frozen=True)
class CaseView:
    """A case with its trials by column, and what orders cases: the worst ones first.

    `failed` adds up the shares of failed trials over the columns, and `answers` is how many
    different outcomes there are.
    """

    case: CaseRecord
    at: int
    trials: dict[Column, list[Trial]] = field(default_factory=dict)
    failed: float = 0.0
    answers: int = 0


def cases(run: Run) -> list[CaseView]:
    """Return the cases, the worst first: by failing columns, then by disagreement.

    A case that trials name and the run does not list is made up, so that no trial is lost.
    """
    from pdl.evaluation.records import CaseRecord  # noqa: PLC0415 - only here

    by_case: dict[str, dict[Column, list[Trial]]] = defaultdict(lambda: defaultdict(list))
    for trial in sorted(run.trials, key=lambda trial: trial.cell.repeat):
        by_case[trial.cell.case][trial.cell.column].append(trial)
    known = {case.name: case for case in run.cases}
    for name in by_case.keys() - known.keys():
        known[name] = CaseRecord(name, "")
    views = [_view(case, at, by_case[case.name]) for at, case in enumerate(known.values())]
    return sorted(views, key=lambda view: (-view.failed, -view.answers, view.at))


def _view(case: CaseRecord, at: int, trials: dict[Column, list[Trial]]) -> CaseView:
    failed = sum(
        sum(trial.ok is False for trial in ended) / len(ended) for ended in trials.values() if ended
    )
    answers = {answer(trial) for ended in trials.values() for trial in ended}
    return CaseView(case, at, dict(trials), failed, len(answers))


def answer(trial: Trial) -> str:
    """Return words that are the same for the same answer: its JSON, or how the trial ended."""
    return f"valid {json_text(trial.value)}" if trial.status == "valid" else trial.status


def json_text(value: Json, indent: int | None = None) -> str:
    """Return the JSON of a value; one that is nested too deeply for Python is described."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, sort_keys=indent is None)
    except RecursionError:
        return "(nested too deeply to be shown)"


def cell_words(trials: list[Trial]) -> str:
    """Return what became of a case in a column: `ok`, `invalid`, `2 of 3 ok, refusal`."""
    if not trials:
        return "not run"
    wrong = list(dict.fromkeys(outcome(trial) for trial in trials if not trial.ok))
    if len(trials) == 1:
        return wrong[0] if wrong else "ok"
    passed = f"{len(trials) - sum(not trial.ok for trial in trials)} of {len(trials)} ok"
    return ", ".join([passed, *wrong[:1]])


def first_failure(view: CaseView) -> str:
    """Return the cause of the first failure of a case, on one line."""
    for ended in view.trials.values():
        for trial in ended:
            if trial.failures:
                return visible(cause(trial).replace("\n", " "))
    return ""


def cause(trial: Trial) -> str:
    """Return why a trial failed; of one without an answer, what is wrong with the last attempt.

    The failure itself begins with the model and the number of its attempts.
    """
    last = trial.attempts[-1] if trial.attempts else None
    if last is None or trial.failures[0].kind != "reply" or not (last.reason or last.fault):
        return trial.failures[0].message
    kind = last.reason or last.fault
    if not last.errors:
        return kind
    path, _, message = last.errors[0]
    if message == kind:
        return kind
    return f"{kind}: {format_path(path)}: {message}" if path else f"{kind}: {message}"
