"""Running a case: its replies on record, or a model, against what it expects."""

from __future__ import annotations

import logging
import time
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pdl.errors import PdlError
from pdl.models.answer import Answer, AskError
from pdl.models.runner import ask
from pdl.testing.cases import Recording
from pdl.testing.content import with_place
from pdl.testing.judges import render_judge, rule
from pdl.testing.judging import judge_outcome, messages_failures
from pdl.testing.outcome import Failure, Outcome
from pdl.testing.parts import parts_of
from pdl.testing.rendering import render_case
from pdl.testing.replies import RecordedModel

if TYPE_CHECKING:
    from pdl.models.arguments import Models
    from pdl.models.exchange import Model
    from pdl.prompt import Prompt, Rendered
    from pdl.testing.cases import Case, Parts


_IS_REPLAYED: ContextVar[bool] = ContextVar("is_replayed", default=False)
"""Whether replies on record are asked just now."""

_NO_JUDGE = "there is no reply of it on record, and no model"


@dataclass(frozen=True)
class RunOptions:
    """How cases are run.

    Without `model`, replies on record answer, and nothing is asked; with one, it is asked, with at
    most `retries` retries. `judge` is the model that judges (None: `model`).
    """

    model: Model | None = None
    judge: Model | None = None
    retries: int = 3


def run_case(
    case: Case, options: RunOptions | None = None, *, prompt: Prompt | None = None
) -> Outcome:
    """Run a case and return its outcome; nothing is raised for what is wrong with the case.

    `prompt` is that of the case's file, if it is loaded already.
    """
    began = time.monotonic()
    outcome = _run(case, options or RunOptions(), prompt)
    return replace(outcome, seconds=time.monotonic() - began)


def _run(case: Case, options: RunOptions, prompt: Prompt | None) -> Outcome:
    parts = parts_of(case)
    if parts.problems:
        return Outcome(case, tuple(Failure("case", one) for one in parts.problems))
    try:
        rendered = render_case(case, parts, prompt or case.file.load())
    except PdlError as error:
        return Outcome(case, tuple(Failure("render", one) for one in error.problems))
    skipped = skip_reason(parts, has_model=options.model is not None)
    if skipped is not None:
        failures = tuple(messages_failures(parts, rendered))
        return Outcome(case, failures, skipped=skipped, rendered=rendered)
    try:
        outcome = _asked(case, parts, rendered, options)
    except PdlError as error:  # the model can't be asked this at all
        failures = tuple(Failure("reply", one) for one in with_place(error, case.span))
        return Outcome(case, failures, rendered=rendered)
    if outcome.answer is None or not parts.judges:
        return outcome
    return _judged(outcome, parts, outcome.answer, options)


def skip_reason(parts: Parts, *, has_model: bool) -> str | None:
    """Return why a case isn't asked; None if it is.

    The reason is empty for a case that only has golden messages, which are compared nevertheless.
    """
    if has_model:
        told = "its last reply must be refused, which shows what the check does, not the model"
        return told if parts.must_be_refused else None
    if parts.recordings:
        return None
    is_rendering = parts.messages is not None and not (parts.expectation or parts.assertions)
    return "" if is_rendering else "there is no reply on record, and no model"


def _asked(case: Case, parts: Parts, rendered: Rendered, options: RunOptions) -> Outcome:
    """The outcome of a case that is asked of a model, or of its replies on record."""
    records = RecordedModel(parts.recordings)
    is_live = options.model is not None
    retries = options.retries if is_live else len(parts.recordings) - 1
    result = _result(rendered, options.model if is_live else records, retries)
    recorded = None if is_live else records.used
    judged = judge_outcome(case, parts, rendered, result, recorded=recorded)
    return Outcome(
        case,
        judged.failures,
        rendered=rendered,
        answer=result if isinstance(result, Answer) else None,
        error=result if isinstance(result, AskError) else None,
        exact=judged.exact,
        expected=judged.expected,
    )


def _result(rendered: Rendered, model: Models | None, retries: int) -> Answer | AskError:
    token = _IS_REPLAYED.set(isinstance(model, RecordedModel))
    try:
        return ask(rendered, model, retries=retries)
    except AskError as error:
        return error
    finally:
        _IS_REPLAYED.reset(token)


def _is_logged(_: logging.LogRecord) -> bool:
    """Whether a line of the log is kept: what replies on record bring is in the outcome."""
    return not _IS_REPLAYED.get()


logging.getLogger("pdl").addFilter(_is_logged)


def _judged(outcome: Outcome, parts: Parts, answer: Answer, options: RunOptions) -> Outcome:
    """The outcome with what the judges say; those that can't be asked are noted."""
    rulings, notes = [], []
    failures = list(outcome.failures)
    model = options.judge or options.model
    for judge in parts.judges:
        recording = Recording(judge.span, judge.recording)
        assert outcome.rendered is not None  # there is an answer
        try:
            asked = render_judge(outcome.case, judge, parts, outcome.rendered, answer)
            if model is None and recording.reply is None:
                notes.append(f"the judge `{judge.prompt.name}` was not asked: {_NO_JUDGE}")
                continue
            if model is None:
                result = _result(asked, RecordedModel([recording]), 0)
            else:
                result = _result(asked, model, options.retries)
        except PdlError as error:
            failures += [Failure("judge", one) for one in with_place(error, judge.span)]
            continue
        ruling = rule(judge, result)
        rulings.append(ruling)
        failures += ruling.failures
    return replace(outcome, failures=tuple(failures), rulings=tuple(rulings), notes=tuple(notes))
