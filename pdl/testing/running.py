"""Running a case: its replies on record, or a model, against what it expects."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pdl.errors import PdlError, Problem
from pdl.models.answer import AskError
from pdl.models.faults import Fault
from pdl.models.runner import ask
from pdl.prompt import load
from pdl.reply import violations
from pdl.testing.outcome import Failure, Outcome
from pdl.testing.parts import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.models.exchange import Model, Reply
    from pdl.prompt import Prompt, Rendered
    from pdl.testing.cases import Case, Parts, Recording


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
        rendered = (prompt or load(case.file.prompt)).render(parts.data or {})
    except PdlError as error:
        return Outcome(case, tuple(Failure("render", one) for one in error.problems))
    if options.model is None and not parts.recordings:
        return Outcome(case, skipped="there is no reply on record", rendered=rendered)
    outcome = _asked(case, parts, rendered, options)
    return replace(outcome, seconds=time.monotonic() - began)


def _asked(case: Case, parts: Parts, rendered: Rendered, options: RunOptions) -> Outcome:
    recordings = parts.recordings
    replies = _replies(recordings)
    model = options.model or (lambda request: next(replies))  # noqa: ARG005
    retries = options.retries if options.model else len(recordings) - 1
    try:
        answer = ask(rendered, model, retries=retries)
    except AskError as error:
        failure = Failure("reply", Problem("test/reply", str(error), case.span))
        return Outcome(case, (failure,), rendered=rendered, error=error)
    expectation = parts.expectation
    failures = []
    if expectation is not None:
        for one in violations(expectation.schema, answer.data):
            span = expectation.source.span(0, len(expectation.source.text))
            failures.append(Failure("expect", Problem("test/expect", str(one), span)))
    return Outcome(case, tuple(failures), rendered=rendered, answer=answer)


def _replies(recordings: tuple[Recording, ...]) -> Iterator[Reply]:
    for one in recordings:
        if one.reply is None:
            raise Fault("refusal", one.refused)
        yield one.reply
