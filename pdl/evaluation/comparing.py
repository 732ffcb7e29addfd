"""Two runs beside each other: what differs between them, over the cases that both have."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from pdl.evaluation.analysis import results_between
from pdl.evaluation.records import Run
from pdl.evaluation.resampling import SEED
from pdl.reply.validation.json_types import equal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.evaluation.records import CaseRecord
    from pdl.evaluation.results import Results


def compare_runs(first: Run, second: Run, *, level: float = 0.95, seed: int = SEED) -> Results:
    """Return what differs between two runs, over the cases that both have.

    Each column is compared with the one of the same prompt and model; if no column is in both runs,
    every one with all of the other run. Prompts have the names of their runs before their own.
    Cases are the same if name, data, expectation, and judges are; all others are left out, and
    named in `Results.changed`. Raises ValueError for a level that is not between 0 and 1.
    """
    kept = _same(first.cases, second.cases)
    names = _names(first, second)
    old, new = (
        _restricted(run, f"{name}: ", kept)
        for run, name in zip((first, second), names, strict=True)
    )
    pairs = list(
        product(
            zip(first.columns, old.columns, strict=True),
            zip(second.columns, new.columns, strict=True),
        )
    )
    matched = [(a, b) for (one, a), (other, b) in pairs if one == other]
    found = results_between(
        _merged(old, new, " → ".join(names)),
        matched or [(a, b) for (_, a), (_, b) in pairs],
        level=level,
        seed=seed,
    )
    shared = {case.name for case in kept}
    every = dict.fromkeys(case.name for run in (first, second) for case in run.cases)
    changed = tuple(name for name in every if name not in shared)
    notes = (*_differing(first, second), *([_left_out(len(changed))] if changed else ()))
    return replace(found, changed=changed, notes=(*notes, *found.notes))


def _differing(first: Run, second: Run) -> Iterator[str]:
    """What was asked otherwise, which may explain a difference."""
    old, new = ({**run.options, "repeats": run.repeats} for run in (first, second))
    names = [name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)]
    told = (f"{name} {_shown(old.get(name))} / {_shown(new.get(name))}" for name in names)
    if names:
        yield f"the runs differ in: {', '.join(told)}"


def _shown(value: Json) -> str:
    return "not set" if value is None else json.dumps(value, ensure_ascii=False)


def _left_out(number: int) -> str:
    cases = f"{number:,} case{'' if number == 1 else 's'}"
    return f"{cases} left out: changed between the runs, or only in one of them"


def _names(first: Run, second: Run) -> tuple[str, str]:
    """The names of both runs, which differ."""
    if first.name != second.name:
        return first.name, second.name
    return f"{first.name} (1)", f"{second.name} (2)"


def _merged(first: Run, second: Run, name: str) -> Run:
    """One run of the columns of two, which have the same cases."""
    return Run(
        name,
        first.columns + second.columns,
        second.cases,
        first.trials + second.trials,
        planned=first.planned + second.planned,
        repeats=first.repeats if first.repeats == second.repeats else 0,
        started=" → ".join(dict.fromkeys(filter(None, (first.started, second.started)))),
        fingerprints={**first.fingerprints, **second.fingerprints},
        schemas={**first.schemas, **second.schemas},
        invalid=tuple(dict.fromkeys((*first.invalid, *second.invalid))),
        timeouts=tuple(dict.fromkeys((*first.timeouts, *second.timeouts))),
    )


def _same(one: tuple[CaseRecord, ...], other: tuple[CaseRecord, ...]) -> tuple[CaseRecord, ...]:
    """The cases that two runs share, as the second one has them."""
    known = {case.name: _identity(case) for case in one}
    return tuple(
        case for case in other if case.name in known and equal(known[case.name], _identity(case))
    )


def _identity(case: CaseRecord) -> Json:
    """What makes a case the same as another of its name."""
    return [case.data, case.expect, case.exact, case.judges]


def _restricted(run: Run, prefix: str, cases: tuple[CaseRecord, ...]) -> Run:
    """A run of some of its cases only, with a prefix to the names of its prompts."""
    names = {case.name for case in cases}
    columns = tuple(one._replace(prompt=prefix + one.prompt) for one in run.columns)
    return replace(
        run,
        columns=columns,
        cases=cases,
        trials=tuple(
            replace(one, cell=one.cell._replace(prompt=prefix + one.cell.prompt))
            for one in run.trials
            if one.cell.case in names
        ),
        planned=len(columns) * len(cases) * run.repeats,
        fingerprints={prefix + name: one for name, one in run.fingerprints.items()},
        schemas={prefix + name: one for name, one in run.schemas.items()},
    )
