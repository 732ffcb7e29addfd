"""Running a case: its replies on record, or a model, against what it expects."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pdl.errors import PdlError
from pdl.models.answer import Answer, AskError
from pdl.models.runner import ask
from pdl.prompt import load
from pdl.testing.judging import judge_outcome
from pdl.testing.outcome import Failure, Outcome
from pdl.testing.parts import parts_of
from pdl.testing.rendering import render_case
from pdl.testing.replies import RecordedModel

if TYPE_CHECKING:
    from pdl.models.exchange import Model
    from pdl.prompt import Prompt, Rendered
    from pdl.testing.cases import Case, Parts


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
    options = options or RunOptions()
    began = time.monotonic()
    parts = parts_of(case)
    if parts.problems:
        return Outcome(case, tuple(Failure("case", one) for one in parts.problems))
    try:
        rendered = render_case(case, parts, prompt or load(case.file.prompt))
    except PdlError as error:
        return Outcome(case, tuple(Failure("render", one) for one in error.problems))
    if options.model is None and not parts.recordings:
        return Outcome(case, skipped="there is no reply on record", rendered=rendered)
    outcome = _asked(case, parts, rendered, options)
    return replace(outcome, seconds=time.monotonic() - began)


def _asked(case: Case, parts: Parts, rendered: Rendered, options: RunOptions) -> Outcome:
    """The outcome of a case that is asked of a model, or of its replies on record."""
    records = RecordedModel(parts.recordings)
    is_live = options.model is not None
    retries = options.retries if is_live else len(parts.recordings) - 1
    result: Answer | AskError
    try:
        result = ask(rendered, options.model if is_live else records, retries=retries)
    except AskError as error:
        result = error
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
