"""Cases beside prompts: replies on record, what they must be, and how that is found out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.testing.cases import Case, CaseFile
    from pdl.testing.judges import render_judge, rule
    from pdl.testing.judging import judge_outcome
    from pdl.testing.outcome import Failure, Judgement, Outcome, Ruling
    from pdl.testing.parts import parts_of
    from pdl.testing.reader import parse_cases, read_cases
    from pdl.testing.rendering import render_case
    from pdl.testing.running import RunOptions, run_case, skip_reason

_HOMES = {
    "Case": "pdl.testing.cases",
    "CaseFile": "pdl.testing.cases",
    "Failure": "pdl.testing.outcome",
    "Judgement": "pdl.testing.outcome",
    "Outcome": "pdl.testing.outcome",
    "Ruling": "pdl.testing.outcome",
    "judge_outcome": "pdl.testing.judging",
    "parts_of": "pdl.testing.parts",
    "render_case": "pdl.testing.rendering",
    "RunOptions": "pdl.testing.running",
    "parse_cases": "pdl.testing.reader",
    "read_cases": "pdl.testing.reader",
    "render_judge": "pdl.testing.judges",
    "rule": "pdl.testing.judges",
    "skip_reason": "pdl.testing.running",
    "run_case": "pdl.testing.running",
}

__all__ = [
    "Case",
    "CaseFile",
    "Failure",
    "Judgement",
    "Outcome",
    "Ruling",
    "RunOptions",
    "judge_outcome",
    "parse_cases",
    "parts_of",
    "read_cases",
    "render_case",
    "render_judge",
    "rule",
    "run_case",
    "skip_reason",
]

__getattr__ = lazy(__name__, _HOMES)
