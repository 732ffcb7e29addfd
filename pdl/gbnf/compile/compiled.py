"""`compile`: the grammar of a schema, and the report of what it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.errors import Problem, SchemaError
from pdl.gbnf.compile.compiler import Compiler
from pdl.gbnf.compile.emission.emit import emit
from pdl.gbnf.compile.forms import form_rules
from pdl.gbnf.compile.names import wish
from pdl.gbnf.compile.options import Options
from pdl.gbnf.compile.report import Entry, Report
from pdl.gbnf.grammar import Grammar
from pdl.schema.keywords import ASSERTIONS, pointer, subschemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath
    from pdl.schema.model import Schema


@dataclass(frozen=True)
class Compiled:
    """A grammar, and what it holds of each keyword of its schema."""

    grammar: Grammar
    report: Report


def compile_schema(
    schema: Schema,
    options: Options = Options(),
    *,
    strict: bool = False,
) -> Compiled:
    """The grammar of the texts that satisfy a schema, as `options` spell them.

    It takes every value that satisfies the schema, in the spellings and orders that the options
    name, unless the report says BOUNDED; and no other, unless it says POST_HOC. Raises SchemaError
    for a schema that no value satisfies, and with `strict` for each POST_HOC; LimitError for a
    grammar of more than `options.max_rules` rules.
    """
    rules = form_rules(schema, options)
    if rules is not None:
        return Compiled(Grammar(rules), Report())
    compiler = Compiler(schema.document, options)
    goal = compiler.root
    rules = () if goal is None else emit(goal, compiler.pieces, options, wish)
    if not rules:
        raise SchemaError(Problem("schema/unsatisfiable", "no value satisfies this schema"))
    report = Report(tuple(_entries(schema.document, compiler)))
    if strict and report.post_hoc:
        raise SchemaError(*map(_left_over, report.post_hoc))
    return Compiled(Grammar(rules), report)


def _entries(document: Json, compiler: Compiler) -> Iterator[Entry]:
    """Each keyword of a document, with what was noted of it, then what has no place in it."""
    notes: dict[tuple[str, str], Entry] = {}
    for entry in compiler.entries():
        key = entry.pointer, entry.keyword
        if key not in notes or entry.level == "POST_HOC":
            notes[key] = entry
    for path, schema in _schemas(document):
        for keyword in schema:
            if keyword in ASSERTIONS:
                place = pointer(path)
                yield notes.pop((place, keyword), Entry(place, keyword))
    yield from notes.values()


def _schemas(document: Json) -> Iterator[tuple[JsonPath, dict[str, Json]]]:
    """All schemas of a document that are objects, in its order."""
    pending: list[tuple[JsonPath, Json]] = [((), document)]
    while pending:
        path, schema = pending.pop()
        if isinstance(schema, dict):
            yield path, schema
            inside = [((*path, *steps), inner) for steps, inner in subschemas(schema)]
            pending += reversed(inside)


def _left_over(entry: Entry) -> Problem:
    message = f"{entry.pointer} {entry.keyword}: {entry.why}"
    return Problem("schema/post-hoc", message, hint="without `strict` the checker holds it")
