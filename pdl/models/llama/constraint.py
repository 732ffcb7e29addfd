"""The grammar that holds a model to a request's schema; compiled once for requests that follow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pdl.gbnf.compiling.compiled import compile_schema
from pdl.gbnf.compiling.options import Options
from pdl.gbnf.compiling.wrap import wrap
from pdl.gbnf.grammar import Grammar
from pdl.models.exchange import Dropped

if TYPE_CHECKING:
    from pdl.gbnf import Compiled
    from pdl.schema import Schema
    from pdl.tools.formats import Format
    from pdl.tools.grammar.compile import Calls
    from pdl.tools.toolset import ToolSet

_GRAMMARS = 64


@dataclass(frozen=True, slots=True)
class Constraint:
    """The text of a grammar, and what it leaves to the check."""

    grammar: str
    dropped: tuple[Dropped, ...] = ()


@lru_cache(maxsize=_GRAMMARS)
def constraint(schema: Schema, template: str | None = None) -> Constraint:
    """What holds a model to a schema, behind a `template` of reasoning if there is one.

    Raises what `pdl.gbnf.compile` raises.
    """
    return _constraint(compile_schema(schema, Options.generate()), template)


def constraint_of_tools(
    tools: ToolSet, form: Format, calls: Calls, schema: Schema | None, template: str | None = None
) -> Constraint:
    """What holds a model to calls of tools, or to an answer: one that fits a schema, or any text.

    `calls` is `any`, or `several` where there has to be one. Raises what `ToolSet.grammar` raises.
    """
    answer = schema if calls == "any" else None
    return _constraint(tools.grammar(form, calls, schema=answer), template)


def _constraint(compiled: Compiled, template: str | None) -> Constraint:
    grammar = compiled.grammar
    if template is not None:
        grammar = Grammar(wrap(grammar.rules, template, root=grammar.root), grammar.root)
    dropped = (
        Dropped(entry.pointer, entry.keyword, entry.why) for entry in compiled.report.post_hoc
    )
    return Constraint(str(grammar), tuple(dropped))
