"""Evaluation: prompts and models on cases, with metrics, statistics, and a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.evaluation.analysis import results_of
    from pdl.evaluation.comparing import compare_runs
    from pdl.evaluation.evaluating import evaluate, evaluate_async
    from pdl.evaluation.journal import read_run
    from pdl.evaluation.options import EvaluationOptions
    from pdl.evaluation.records import Run, Trial
    from pdl.evaluation.results import Results

_HOMES = {
    "EvaluationOptions": "pdl.evaluation.options",
    "Results": "pdl.evaluation.results",
    "Run": "pdl.evaluation.records",
    "Trial": "pdl.evaluation.records",
    "compare_runs": "pdl.evaluation.comparing",
    "evaluate": "pdl.evaluation.evaluating",
    "evaluate_async": "pdl.evaluation.evaluating",
    "read_run": "pdl.evaluation.journal",
    "results_of": "pdl.evaluation.analysis",
}

__all__ = [
    "EvaluationOptions",
    "Results",
    "Run",
    "Trial",
    "compare_runs",
    "evaluate",
    "evaluate_async",
    "read_run",
    "results_of",
]

__getattr__ = lazy(__name__, _HOMES)
