"""`compile_calls`: the grammar of calls, or of text or calls, for a set of tools."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from pdl.errors import SchemaError
from pdl.gbnf.compiling.byhand import check_all, placed
from pdl.gbnf.compiling.claims import Claim
from pdl.gbnf.compiling.compiled import Compiled, compile_schema, entries, few, left_over
from pdl.gbnf.compiling.compiler import Compiler
from pdl.gbnf.compiling.emission.explore import every, explored
from pdl.gbnf.compiling.emission.finish import finish
from pdl.gbnf.compiling.emission.goals import Goals
from pdl.gbnf.compiling.emission.parts import Draft, joined
from pdl.gbnf.compiling.emission.written import Writer
from pdl.gbnf.compiling.names import wish
from pdl.gbnf.compiling.report import Entry, Report
from pdl.gbnf.grammar import Grammar
from pdl.schema.keywords import ANNOTATIONS
from pdl.schema.origins import Origins
from pdl.schema.references import schemas
from pdl.tools.grammar.document import document, place
from pdl.tools.grammar.merged import merged
from pdl.tools.grammar.rows import Rows, text_or
from pdl.tools.names import of_parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.errors import Problem
    from pdl.gbnf.compiling.emission.parts import Rows as Alternatives
    from pdl.gbnf.compiling.options import Options
    from pdl.schema import Schema
    from pdl.tools.formats import Format

Calls: TypeAlias = Literal["one", "several", "any"]
"""Exactly one call; one or more; a text, or one or more calls with or without a text in front."""

Signatures: TypeAlias = "tuple[tuple[str, Schema], ...]"
"""Names of tools with the schemas of their arguments: all that a grammar depends on."""

ANSWER = "@answer"
"""The rule that stands for an answer until its own rules are there."""


@lru_cache(maxsize=64)
def compile_calls(  # noqa: PLR0913 - each is a part of what is asked for
    tools: Signatures,
    form: Format,
    calls: Calls,
    schema: Schema | None,
    options: Options,
    *,
    strict: bool,
) -> Compiled:
    """The grammar of replies that call tools, kept for the next time (the last 64 of them).

    With a `schema` a reply may also be an answer that fits it. Raises ValueError for another word
    than those of `Calls`, SchemaError for a tool whose arguments nothing satisfies and with
    `strict` for what is left to the checker, and what `pdl.gbnf.compile` raises.
    """
    if calls not in get_args(Calls):
        known = ", ".join(map(repr, get_args(Calls)))
        raise ValueError(f"calls must be one of {known}, not {calls!r}")
    whole = document(tools)
    check_all(schemas(whole), Origins())
    compiler = Compiler(whole, options)
    answer = None if schema is None or _is_free(schema) else compile_schema(schema, options)
    if options.key_order == "any":
        compiler.note("#", "properties", "BOUNDED", "the name of a tool precedes its arguments")
    root = Draft("root", _replies(tools, form, calls, compiler, answered=answer is not None))
    finish(root, options.max_rules)
    rules = placed(Writer(options.max_rules).rules(root), compiler.document)
    if answer is not None:
        rules = merged(rules, ANSWER, answer.grammar)
    rules = few(rules, options)
    report = Report((*_told(entries(whole, compiler)), *(answer.report if answer else ())))
    if strict and report.post_hoc:
        raise SchemaError(*map(left_over, report.post_hoc))
    return Compiled(Grammar(rules), report)


def _is_free(schema: Schema) -> bool:
    """Whether a schema takes any text."""
    return schema.form == "text" and schema.document.keys() - ANNOTATIONS <= {"type"}


def _replies(
    tools: Signatures, form: Format, calls: Calls, compiler: Compiler, *, answered: bool
) -> Alternatives:
    """The alternatives of a whole reply."""
    goals, drafts = _arguments(tools, compiler)
    rows = Rows(form, goals.spacing, drafts)
    around = goals.spacing.around if form.name_key else ()
    if answered:
        answer = Draft(ANSWER, ((f"\0{ANSWER}",),), fixed=True)
        made = rows.calls(several=calls != "one")
        return (joined(around, made, around), (answer,))
    if calls == "any":
        behind = joined(rows.after_trigger(), around)
        return ((text_or(rows.trigger(), behind, on_line=not form.trigger),),)
    return (joined(around, rows.calls(several=calls == "several"), around),)


def _arguments(
    tools: Signatures, compiler: Compiler
) -> tuple[Goals, tuple[tuple[str, Draft], ...]]:
    """The rules of each tool's arguments. Raises SchemaError where nothing satisfies them."""
    targets = {name: compiler.document.joined([Claim(place(name))]) for name, _ in tools}
    root = compiler.root
    found = {} if root is None else explored(root, compiler.pieces, every(compiler.options.numbers))
    if root not in found:
        raise SchemaError(*_unsatisfiable(tools, compiler))
    goals = Goals(found, compiler.options, wish)
    drafts = []
    for name, goal in targets.items():
        assert goal is not None, "the root would have no values"
        drafts.append((name, goals.drafted(goal)))
    return goals, tuple(drafts)


def _unsatisfiable(tools: Signatures, compiler: Compiler) -> Iterator[Problem]:
    """The tools whose arguments have no values."""
    for name, schema in tools:
        try:
            compile_schema(schema, compiler.options)
        except SchemaError as error:
            yield from of_parameters(name, error.problems)


def _told(found: Iterator[Entry]) -> Iterator[Entry]:
    """What was said of the tools, without the array that holds them together."""
    return (entry for entry in found if entry.level != "EXACT" or not _is_ours(entry.pointer))


def _is_ours(pointer: str) -> bool:
    return pointer == "#" or pointer.startswith("#/prefixItems/")
