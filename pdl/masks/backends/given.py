"""What other engines are given: pdl's own grammar, so that they hold what pdl holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.errors import GrammarError, Problem
from pdl.gbnf.compiling.compiled import Compiled, compile_schema
from pdl.gbnf.grammar import Grammar
from pdl.schema import Schema

if TYPE_CHECKING:
    from pdl.gbnf.compiling.report import Entry

Given: TypeAlias = "Schema | Compiled | Grammar"


def compiled(given: Given) -> tuple[Grammar, tuple[Entry, ...]]:
    """The grammar, and what it leaves to the checker. Raises TypeError for anything else."""
    if isinstance(given, Schema):
        given = compile_schema(given)
    if isinstance(given, Compiled):
        return given.grammar, given.report.post_hoc
    if isinstance(given, Grammar):
        return given, ()
    raise TypeError(f"this must be a Schema, a Compiled or a Grammar, not {type(given).__name__}")


def unfit(engine: str, reason: object, does: str = "does not take") -> GrammarError:
    """The error for a grammar that an engine does not take, or gives up amid a text."""
    text = str(reason).strip().partition("\n")[0]
    return GrammarError(Problem("gbnf/engine", f"{engine} {does} this grammar: {text}"))
