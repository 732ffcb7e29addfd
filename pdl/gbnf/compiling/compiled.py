"""`compile`: the grammar of a schema, and the report of what it enforces.

`emit` goes from goals and their languages to rules.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pdl.errors import LimitError, Problem, SchemaError, visible
from pdl.gbnf.compiling.compiler import Compiler, TooManyEdgesError
from pdl.gbnf.compiling.document import (
    KEYWORD,
    TELLING,
    Document,
    lone_surrogates,
    surrogate_problem,
)
from pdl.gbnf.compiling.drafts import ProductionDraft, joined
from pdl.gbnf.compiling.inlining import too_many
from pdl.gbnf.compiling.options import Entry, Options, Report
from pdl.gbnf.compiling.productions import Productions
from pdl.gbnf.compiling.to_nodes import to_nodes, wish
from pdl.gbnf.compiling.trim import every, trim
from pdl.gbnf.grammar import Grammar
from pdl.gbnf.limits_errors import Clock, uncollected
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.schema.keywords import pointer, schemas
from pdl.schema.model import schema_of, schema_type_error

# Most schemas are JSON, satisfiable, without custom rules: what the others need is imported late.
# ruff: noqa: PLC0415

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pdl._types import Json
    from pdl.gbnf.compiling.constraints import Conjunction
    from pdl.gbnf.compiling.machine import ValueLanguages
    from pdl.gbnf.nodes import Rule
    from pdl.schema import Schema
    from pdl.schema.parts import SourceMap


def emit(
    root: Conjunction,
    languages: Callable[[Conjunction], ValueLanguages],
    options: Options,
    name: Callable[[Conjunction], str],
) -> tuple[Rule, ...]:
    """The rules for the values of a goal, `root` first; none if no value satisfies it.

    `name` suggests a name for the rule of a goal; `languages` is called once for each goal except
    `()`. Raises LimitError (`limit/grammar-rules`) for more rules than `options.max_rules`.
    """
    found = trim(root, languages, every(options.numbers))
    if root not in found:
        return ()
    goals = Productions(found, options, name)
    draft = goals.drafted(root)
    around = goals.spacing.around
    if around or not root:
        draft = ProductionDraft("root", (joined(around, draft, around),))
    return to_nodes(draft, options.max_rules)


UNCHECKED = "the rule is followed; the checker ignores it"

_DEFAULT = Options()
_GENERATE = Options.generate()


_QUICK = Limits(grammar_seconds=1.0)
"""For each part of a schema that nothing satisfies."""

_FEW_RULES = 10_000
"""More rules than these, where keys come in any order, are worth another attempt."""

_FEW_EDGES = 8_000
"""Members in all states of all objects, likewise."""

_FEWER_REQUIRED = (4, 0)
"""Of how many required keys each order is tracked, where tracking more takes too many rules."""


@dataclass(frozen=True)
class Compiled:
    """A grammar, and how it covers each keyword of its schema."""

    grammar: Grammar
    report: Report


def compile_schema(
    schema: Schema | type[Any],
    options: Options = _DEFAULT,
    *,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Compiled:
    """Return the grammar of the JSON that satisfies a schema or a Python type.

    `options` say how the JSON is spelled.

    It accepts every value that satisfies the schema, in the spellings and orders that the options
    name, unless the report says BOUNDED; and no other, unless it says POST_HOC. Duplicate keys of
    an object are not excluded.

    Raises:
        SchemaError: if no value satisfies the schema, with the keywords that contradict each
            other; with `strict`, for each keyword that is POST_HOC.
        GrammarError: for an `x-gbnf` that might match anything but JSON.
        LimitError: if the grammar needs more than `options.max_rules` rules, or takes longer than
            `limits.grammar_seconds`.
        TypeError: if `schema` is neither a Schema nor a type, or `options` are not Options.
    """
    known = schema_of(schema, "a pdl.Schema or a Python type")
    if known is None:
        raise schema_type_error(schema)
    schema = known
    if not isinstance(options, Options):
        raise TypeError(f"options must be gbnf.Options, not {type(options).__name__}")
    source_map = schema.source_map
    custom = check_custom_rules(schema.document, source_map)
    with uncollected():
        rules, report = _told(schema, options, Clock(limits, "compiling the schema"))
    if not rules:
        raise SchemaError(*source_map.located([_nothing(schema, options)]))
    if strict and report.post_hoc:
        raise SchemaError(*source_map.located(map(post_hoc_problem, report.post_hoc)))
    return Compiled(Grammar(rules) if custom else Grammar.productive(rules), report)


def to_gbnf(
    schema: Schema | type[Any],
    options: Options = _GENERATE,
    *,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> str:
    """Return the text of the grammar that `compile` returns, by default one to send to a model.

    Raises what `compile` raises.
    """
    return str(compile_schema(schema, options, strict=strict, limits=limits).grammar)


def _told(schema: Schema, options: Options, clock: Clock) -> tuple[tuple[Rule, ...], Report]:
    """The rules of a schema, none if nothing satisfies it, and what they enforce of it.

    Nothing else of the compilation is left, for the collector to look at.
    """
    compiler, rules = _small(schema, options, clock)
    found = _original(entries(schema.document, compiler), schema.source_map)
    report = Report(tuple(dict.fromkeys(found)))
    compiler.release()
    return rules, report


def _small(schema: Schema, options: Options, clock: Clock) -> tuple[Compiler, tuple[Rule, ...]]:
    """The rules of a schema, with fewer orders of its keys where all of them are too many."""
    if options.key_order == "declared":
        return _rules(schema, options, clock)
    found = _attempt(schema, options, clock)
    if found:
        return found
    declared = _rules(schema, replace(options, key_order="declared"), clock)
    if len(declared[1]) <= _FEW_RULES:
        for number in (number for number in _FEWER_REQUIRED if number < options.max_required):
            found = _attempt(schema, replace(options, max_required=number), clock)
            if found:
                return found
    why = "keys come only in the order of the schema: other orders would take too many rules"
    declared[0].note("#", "properties", "BOUNDED", why)
    return declared


def _attempt(
    schema: Schema, options: Options, clock: Clock
) -> tuple[Compiler, tuple[Rule, ...]] | None:
    """The rules of a schema, if they are few."""
    bounded = replace(options, max_rules=min(options.max_rules, _FEW_RULES))
    try:
        return _rules(schema, bounded, clock, _FEW_EDGES)
    except (LimitError, TooManyEdgesError):
        return None


def _rules(
    schema: Schema, options: Options, clock: Clock, most_edges: int | None = None
) -> tuple[Compiler, tuple[Rule, ...]]:
    compiler = Compiler(schema.document, options, clock, most_edges)
    if schema.form != "json":
        from pdl.gbnf.compiling.forms import form_rules

        return compiler, form_rules(schema, options, compiler)
    return compiler, with_custom_rules(_emitted(compiler), compiler)


def check_custom_rules(document: Json, source_map: SourceMap) -> bool:
    """Whether a document has custom rules.

    Raises GrammarError, with all problems, if one is not to be used.
    """
    found = [(path, schema) for path, schema in schemas(document) if KEYWORD in schema]
    if found:
        from pdl.gbnf.compiling.custom_rules import check

        check(found, source_map)
    return bool(found)


def with_custom_rules(rules: tuple[Rule, ...], compiler: Compiler) -> tuple[Rule, ...]:
    """Rules with the custom ones in place of their placeholders. Raises LimitError."""
    if any(rule.name.startswith("#") for rule in rules):
        from pdl.gbnf.compiling.custom_rules import insert_custom_rules

        rules = insert_custom_rules(rules, compiler.document)
    return limited(rules, compiler.options)


def limited(rules: tuple[Rule, ...], options: Options) -> tuple[Rule, ...]:
    """The same rules. Raises LimitError if they are more than the options allow."""
    if len(rules) > options.max_rules:
        raise LimitError(too_many(options.max_rules))
    return rules


def _nothing(schema: Schema, options: Options) -> Problem:
    """Why no grammar has a value of a schema."""
    spec = replace(options, objects="spec")
    if options != spec and not _is_empty(schema.document, spec):
        message = "no value satisfies this schema without keys that it does not declare"
        hint = 'declare them in `properties`, or use `Options(objects="spec")`'
        return Problem("schema/unsatisfiable", message, hint=hint)
    from pdl.gbnf.compiling.unsat_core import unsat_core

    return unsat_core(schema.document, lambda rest: _is_empty(rest, options), schema.source_map)


def _is_empty(document: Json, options: Options) -> bool:
    """Whether a grammar has no value of a document: none satisfies it, or none can be written."""
    from pdl.gbnf.compiling.emptiness import Empty, find_value

    clock = Clock(_QUICK, "looking for a conflict")
    try:
        if isinstance(find_value(Document(document), options, clock), Empty):
            return True
        return not _emitted(Compiler(document, options, clock))
    except LimitError:
        return False


def _emitted(compiler: Compiler) -> tuple[Rule, ...]:
    """The rules of a whole document; none if nothing satisfies it."""
    goal = compiler.root
    return () if goal is None else emit(goal, compiler.languages, compiler.options, wish)


def entries(document: Json, compiler: Compiler) -> Iterator[Entry]:
    """Each keyword of a document, with what was noted of it, then what has no place in it."""
    notes: dict[tuple[str, str], Entry] = {}
    for entry in compiler.entries():
        key = entry.pointer, entry.keyword
        if key not in notes or entry.level == "POST_HOC":
            notes[key] = entry
    for path, schema in schemas(document):
        place = pointer(path)
        halves = dict(lone_surrogates(schema))
        for keyword in schema:
            if keyword in TELLING:
                yield notes.pop((place, keyword), _unnoted(place, keyword, halves.get(keyword)))
    yield from notes.values()


def _unnoted(place: str, keyword: str, half: str | None) -> Entry:
    """A keyword of which nothing was noted while the grammar was made."""
    if half is not None:
        return Entry(place, keyword, "BOUNDED", surrogate_problem(half))
    return Entry(place, keyword, why=UNCHECKED if keyword == KEYWORD else "")


def _original(entries: Iterable[Entry], source_map: SourceMap) -> Iterator[Entry]:
    """Entries as the author wrote their pointers and keywords."""
    for entry in entries:
        place, keyword = source_map.named(entry.pointer, entry.keyword)
        same = (place, keyword) == (entry.pointer, entry.keyword)
        yield entry if same else replace(entry, pointer=place, keyword=keyword)


def post_hoc_problem(entry: Entry) -> Problem:
    """The problem of a keyword that a grammar must enforce, and doesn't."""
    message = f"`{entry.keyword}` at {visible(entry.pointer)}: {entry.why}"
    where = f"{entry.pointer}/{entry.keyword}"
    hint = "without `strict` (`--strict`), it is checked after generation"
    return Problem("schema/post-hoc", message, None, hint, where)
