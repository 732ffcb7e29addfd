"""The cases as the script of the page reads them, within what a page can have."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pdl.evaluation.report import figures, views
from pdl.evaluation.report.replies import LONGEST, attempt_json
from pdl.markup import clipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pdl._types import Json
    from pdl.evaluation.records import Run, Trial
    from pdl.evaluation.report.views import CaseView

MOST_BYTES = 10_000_000
"""How large the cases of a page can be before some of them have their verdicts only."""

_WORDS = 4_000  # characters of the words of a failure
_BRIEF = 200  # characters of a text of a case whose trials are left out

_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def inlined(value: Json) -> str:
    r"""Return JSON that a script element can contain: `<` is written as `\u003c`.

    So are the other characters of markup, and lone surrogates, which UTF-8 doesn't have.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def page_data(run: Run, ordered: Sequence[CaseView]) -> tuple[str, int]:
    """Return the cases as JSON for a script element, and how many have their verdicts only.

    The first ones, which are the worst, are whole as long as there is room for the verdicts of the
    others.
    """
    brief = [inlined(_case(view, run, is_brief=True)) for view in ordered]
    left = MOST_BYTES - sum(len(text.encode()) for text in brief)
    found, cut = [], 0
    for view, short in zip(ordered, brief, strict=True):
        whole = inlined(_case(view, run))
        more = len(whole.encode()) - len(short.encode())
        fits = more <= left
        left -= more if fits else 0
        cut += not fits
        found.append(whole if fits else short)
    columns = [[letter, str(column)] for column, letter in views.letters(run).items()]
    return f'{{"columns":{inlined(columns)},"cases":[{",".join(found)}]}}', cut


def _case(view: CaseView, run: Run, *, is_brief: bool = False) -> Json:
    case, longest = view.case, _BRIEF if is_brief else LONGEST
    by_column = [view.trials.get(column, []) for column in run.columns]
    different = {words: at for at, words in enumerate(_answers(by_column))}
    made = _brief_trial if is_brief else _trial
    exact = None if case.exact is None else views.json_text(case.exact[0], 2)
    return {
        "at": view.at,
        "name": case.name,
        "place": case.place,
        "data": clipped(views.json_text(case.data, 2), longest),
        "expect": clipped(case.expect, longest),
        "judges": case.judges,
        "exact": None if exact is None else clipped(exact, longest),
        "failed": round(view.failed, 6),
        "answers": view.answers,
        "cells": [views.cell_words(trials) for trials in by_column],
        "trials": [
            [{**made(one), "answer": different[views.answer(one)]} for one in trials]
            for trials in by_column
        ],
    }


def _answers(by_column: Iterable[Iterable[Trial]]) -> dict[str, None]:
    """The different answers of a case, in their order."""
    return dict.fromkeys(views.answer(one) for trials in by_column for one in trials)


def _brief_trial(trial: Trial) -> dict[str, Json]:
    """The verdict on a trial, and the words of its first failure."""
    failures = [(kind, place, clipped(words, _BRIEF)) for kind, place, words in trial.failures[:1]]
    return {
        "repeat": trial.cell.repeat,
        "status": trial.status,
        "ok": trial.ok,
        "outcome": views.outcome(trial),
        "value": None,
        "judged": [],
        "accepted": [],
        "failures": failures,
        "seconds": figures.figure(trial.seconds, "seconds"),
        "cost": "" if trial.cost is None else figures.figure(trial.cost, "cost"),
        "attempts": [],
        "repaired": any(one.repairs for one in trial.attempts),
        "retried": len(trial.attempts) > 1,
        "brief": True,
    }


def _trial(trial: Trial) -> dict[str, Json]:
    is_valid = trial.status == "valid"
    return {
        **_brief_trial(trial),
        "value": clipped(views.json_text(trial.value, 2), LONGEST) if is_valid else None,
        "judged": [clipped(views.json_text(answer, 2), LONGEST) for answer in trial.judged],
        "accepted": trial.accepted,
        "failures": [
            (kind, place, clipped(words, _WORDS)) for kind, place, words in trial.failures
        ],
        "attempts": [attempt_json(attempt) for attempt in trial.attempts],
        "brief": False,
    }
