"""GBNF, the grammars of llama.cpp: read, check, match, generate and rewrite them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.gbnf.grammar import Grammar, lint, parse
    from pdl.gbnf.linting.finding import Finding
    from pdl.gbnf.state import Match, State
    from pdl.gbnf.targets import TARGETS
    from pdl.gbnf.vocabulary import Vocabulary

__all__ = ["TARGETS", "Finding", "Grammar", "Match", "State", "Vocabulary", "lint", "parse"]

__getattr__ = lazy(
    __name__,
    {
        "TARGETS": "pdl.gbnf.targets",
        "Finding": "pdl.gbnf.linting.finding",
        "Grammar": "pdl.gbnf.grammar",
        "Match": "pdl.gbnf.state",
        "State": "pdl.gbnf.state",
        "Vocabulary": "pdl.gbnf.vocabulary",
        "lint": "pdl.gbnf.grammar",
        "parse": "pdl.gbnf.grammar",
    },
)
