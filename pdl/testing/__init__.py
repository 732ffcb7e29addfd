"""Cases beside prompts: replies on record, what they must be, and how that is found out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.testing.cases import Case, CaseFile
    from pdl.testing.outcome import Failure, Outcome
    from pdl.testing.reader import parse_cases, read_cases
    from pdl.testing.running import RunOptions, run_case

_HOMES = {
    "Case": "pdl.testing.cases",
    "CaseFile": "pdl.testing.cases",
    "Failure": "pdl.testing.outcome",
    "Outcome": "pdl.testing.outcome",
    "RunOptions": "pdl.testing.running",
    "parse_cases": "pdl.testing.reader",
    "read_cases": "pdl.testing.reader",
    "run_case": "pdl.testing.running",
}

__all__ = [
    "Case",
    "CaseFile",
    "Failure",
    "Outcome",
    "RunOptions",
    "parse_cases",
    "read_cases",
    "run_case",
]

__getattr__ = lazy(__name__, _HOMES)
