"""What other engines are given: pdl's own grammar, so that they hold what pdl holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.errors import GrammarError, Problem
from pdl.gbnf.compiling.compiled import Compiled, compile_schema
from pdl.gbnf.compiling.options import Options
from pdl.gbnf.grammar import Grammar
from pdl.gbnf.nodes import TokenRef
from pdl.gbnf.walk import items, reachable
from pdl.gbnf.write import item_text
from pdl.schema import Schema

if TYPE_CHECKING:
    from pdl.gbnf.compiling.report import Entry

Given: TypeAlias = "Schema | Compiled | Grammar"

_FOR_MODELS = Options.generate()


def compiled(given: Given) -> tuple[Grammar, tuple[Entry, ...]]:
    """The grammar, and what it leaves to the checker; of a schema, the one that is for a model.

    Raises TypeError for anything else.
    """
    if isinstance(given, Schema):
        given = compile_schema(given, _FOR_MODELS)
    if isinstance(given, Compiled):
        return given.grammar, given.report.post_hoc
    if isinstance(given, Grammar):
        return given, ()
    raise TypeError(f"this must be a Schema, a Compiled or a Grammar, not {type(given).__name__}")


def refuse_tokens(engine: str, grammar: Grammar) -> None:
    """Raise GrammarError for the tokens that a grammar names.

    llguidance looks either at a token or at its text, never at both; and what is special, as most
    tokens are that a grammar names, is kept from xgrammar.
    """
    reached = (grammar.rule[name] for name in reachable(grammar.rule, grammar.root))
    problems = [
        Problem(
            "gbnf/token-reference",
            f"`{item_text(item)}` stands for a token, and {engine} is given texts only",
            grammar.source.span(item.start, item.end) if item.start >= 0 else None,
            "pdl.masks.Masker takes grammars that name tokens",
        )
        for rule in reached
        for item in items(rule.options)
        if isinstance(item, TokenRef)
    ]
    if problems:
        raise GrammarError(*problems)


def unfit(engine: str, reason: object, does: str = "does not take") -> GrammarError:
    """The error for a grammar that an engine does not take, or gives up amid a text."""
    text = str(reason).strip().partition("\n")[0]
    return GrammarError(Problem("gbnf/engine", f"{engine} {does} this grammar: {text}"))
