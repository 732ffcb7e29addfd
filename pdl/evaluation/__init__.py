"""Evaluation: prompts and models on cases, with metrics, statistics, and a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.evaluation.evaluating import evaluate, evaluate_async
    from pdl.evaluation.journal import read_run
    from pdl.evaluation.options import EvaluationOptions
    from pdl.evaluation.records import Run, Trial

_HOMES = {
    "EvaluationOptions": "pdl.evaluation.options",
    "Run": "pdl.evaluation.records",
    "Trial": "pdl.evaluation.records",
    "evaluate": "pdl.evaluation.evaluating",
    "evaluate_async": "pdl.evaluation.evaluating",
    "read_run": "pdl.evaluation.journal",
}

__all__ = ["EvaluationOptions", "Run", "Trial", "evaluate", "evaluate_async", "read_run"]

__getattr__ = lazy(__name__, _HOMES)
