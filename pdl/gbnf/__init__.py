"""GBNF, the grammars of llama.cpp: read, check, match, generate, rewrite and compile them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.gbnf.compiling.compiled import Compiled, to_gbnf
    from pdl.gbnf.compiling.compiled import compile_schema as compile  # noqa: A004
    from pdl.gbnf.compiling.options import Entry, Options, Report
    from pdl.gbnf.grammar import Grammar, lint, parse
    from pdl.gbnf.linting.finding import Finding
    from pdl.gbnf.state import Match, State, Vocabulary
    from pdl.gbnf.validation import TARGETS

__all__ = [
    "TARGETS",
    "Compiled",
    "Entry",
    "Finding",
    "Grammar",
    "Match",
    "Options",
    "Report",
    "State",
    "Vocabulary",
    "compile",
    "lint",
    "parse",
    "to_gbnf",
]

__getattr__ = lazy(
    __name__,
    {
        "TARGETS": "pdl.gbnf.validation",
        "Compiled": "pdl.gbnf.compiling.compiled",
        "Entry": "pdl.gbnf.compiling.options",
        "Finding": "pdl.gbnf.linting.finding",
        "Grammar": "pdl.gbnf.grammar",
        "Match": "pdl.gbnf.state",
        "Options": "pdl.gbnf.compiling.options",
        "Report": "pdl.gbnf.compiling.options",
        "State": "pdl.gbnf.state",
        "Vocabulary": "pdl.gbnf.state",
        "compile": "pdl.gbnf.compiling.compiled:compile_schema",
        "lint": "pdl.gbnf.grammar",
        "parse": "pdl.gbnf.grammar",
        "to_gbnf": "pdl.gbnf.compiling.compiled",
    },
)
