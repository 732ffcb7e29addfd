"""Functions of batches for the engines of a cluster: check, render, ask, compile grammars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:  # mypy and the pages of the API read these
    from pdl.batch.asker import Asker
    from pdl.batch.auditing import audit, joined
    from pdl.batch.checker import Checker
    from pdl.batch.columns import ColumnError
    from pdl.batch.grammars import GrammarCompiler
    from pdl.batch.renderer import Renderer

__all__ = [
    "Asker",
    "Checker",
    "ColumnError",
    "GrammarCompiler",
    "Renderer",
    "audit",
    "joined",
]

__getattr__ = lazy(
    __name__,
    {
        "Asker": "pdl.batch.asker",
        "Checker": "pdl.batch.checker",
        "ColumnError": "pdl.batch.columns",
        "GrammarCompiler": "pdl.batch.grammars",
        "Renderer": "pdl.batch.renderer",
        "audit": "pdl.batch.auditing",
        "joined": "pdl.batch.auditing",
    },
)
