"""Running many cases, by pytest or by `pdl test`, and what is to be written of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pdl.models.connecting import connect_at
from pdl.testing.judging import golden_text
from pdl.testing.parts import parts_of
from pdl.testing.recording import Change, said_in
from pdl.testing.replies import is_refusal
from pdl.testing.running import RunOptions, run_case

if TYPE_CHECKING:
    from pdl.models.answer import Answer, AskError
    from pdl.testing.cases import Case
    from pdl.testing.outcome import Outcome


def run_options(
    model: str | None, judge: str | None, retries: int | None, base_url: str | None = None
) -> RunOptions:
    """Return the options of a run whose models are given by name, at an address if they have one.

    Raises what `connect` raises.
    """
    options = RunOptions(
        connect_at(model, base_url) if model is not None else None,
        connect_at(judge, base_url) if judge is not None else None,
    )
    return options if retries is None else replace(options, retries=retries)


@dataclass(frozen=True)
class Session:
    """Runs cases, with `update` taking their renderings for golden, with `record` the replies."""

    options: RunOptions
    update: bool = False
    record: bool = False

    def run(self, case: Case) -> tuple[Outcome, Change | None]:
        """Run a case. Returns the outcome, and what is to be written into the case."""
        outcome = run_case(case, self.options)
        messages, said = None, None
        if self.update and outcome.rendered is not None and _differs(outcome):
            messages = golden_text(outcome.rendered)
            kept = tuple(one for one in outcome.failures if one.kind != "messages")
            outcome = replace(outcome, failures=kept)
        if self.record:
            result = outcome.error if outcome.answer is None else outcome.answer
            is_whole = outcome.error is None or not outcome.error.is_fault
            said = said_in(result) if result is not None and is_whole else None
            told = _unwanted(case, result) if result is not None and said else ""
            if told:
                outcome, said = replace(outcome, notes=(*outcome.notes, told)), None
        change = Change(case, said or None, messages)
        return outcome, change if change != Change(case) else None


def _unwanted(case: Case, result: Answer | AskError) -> str:
    """Why what a model said is not recorded: with it on record, a failed case would pass."""
    must_refuse = parts_of(case).must_refuse
    if must_refuse == is_refusal(result):
        return ""
    if must_refuse:
        return "the model answered, though it must refuse; the answer was not recorded"
    return "the model refused to answer; the refusal was not recorded"


def _differs(outcome: Outcome) -> bool:
    return any(one.kind == "messages" for one in outcome.failures)
