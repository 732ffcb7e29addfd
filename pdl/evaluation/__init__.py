"""Evaluation: prompts and models on cases, with metrics, statistics, and a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.evaluation.journal import read_run
    from pdl.evaluation.records import Run, Trial

_HOMES = {
    "Run": "pdl.evaluation.records",
    "Trial": "pdl.evaluation.records",
    "read_run": "pdl.evaluation.journal",
}

__all__ = ["Run", "Trial", "read_run"]

__getattr__ = lazy(__name__, _HOMES)
