"""`compile_calls`: the grammar of calls, or of text or calls, for a set of tools.

The arguments of all tools are one JSON Schema (`document`): their grammars share rules and names.
The rules of an answer can be added to those of calls (`merged`).

The alternatives of a format's calls are drafts of rules (`CallAlternatives`). Only the name
distinguishes one tool from another, so names are a trie, and everything before them is written
once: a model that writes a call has a single parse stack.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata import build
from pdl.automata.charset import EVERY, CharSet
from pdl.errors import SchemaError
from pdl.gbnf.compiling.compiled import (
    Compiled,
    check_custom_rules,
    compile_schema,
    entries,
    limited,
    post_hoc_problem,
    with_custom_rules,
)
from pdl.gbnf.compiling.compiler import Compiler
from pdl.gbnf.compiling.constraints import SchemaLiteral
from pdl.gbnf.compiling.dfa_rules import product_rules
from pdl.gbnf.compiling.drafts import Choice, ProductionDraft, Repeat, joined
from pdl.gbnf.compiling.options import Entry, Report
from pdl.gbnf.compiling.productions import Productions
from pdl.gbnf.compiling.to_nodes import free_name, renamed, to_nodes, wish
from pdl.gbnf.compiling.trim import every, trim
from pdl.gbnf.grammar import Grammar
from pdl.gbnf.nodes import reachable
from pdl.schema.json_schema import Bundle
from pdl.schema.keywords import ANNOTATIONS, pointer
from pdl.schema.parts import SourceMap
from pdl.tools.tool import check_number, of_parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.automata.dfa import Dfa
    from pdl.errors import Problem
    from pdl.gbnf.compiling.drafts import Alternative, Alternatives
    from pdl.gbnf.compiling.options import Options
    from pdl.gbnf.compiling.productions import Spacing
    from pdl.gbnf.nodes import Rule
    from pdl.schema import Schema
    from pdl.tools.formats import Format
    from pdl.tools.tool import Calls


def arguments_pointer(name: str) -> str:
    """The JSON pointer of a tool's arguments in `document`."""
    return pointer(("$defs", name))


def document(tools: tuple[tuple[str, Schema], ...]) -> dict[str, Json]:
    """Return an array with the arguments of the tools, in order, as its items.

    They are in `$defs` under the names of the tools, with the definitions that they use.
    """
    bundle = Bundle()
    bundle.definitions.update({name: {} for name, _ in tools})
    for name, schema in tools:
        bundle.definitions[name] = bundle.add(schema.document, ("$defs", name))
    return {
        "type": "array",
        "prefixItems": [{"$ref": arguments_pointer(name)} for name, _ in tools],
        "items": False,
        "minItems": len(tools),
        "$defs": bundle.definitions,
    }


def merged(rules: tuple[Rule, ...], stand_in: str, other: Grammar) -> tuple[Rule, ...]:
    """Return the rules with the root of another grammar instead of the rule `stand_in`.

    Rules that are equal in both, including everything they refer to, are written once; the others
    get unique names.
    """
    ours = {rule.name: rule for rule in rules if rule.name != stand_in}
    shared = _shared(ours, other)
    taken = set(ours)
    names = {other.root: free_name("answer", taken)}
    for name in other.rule:
        if name not in shared and name != other.root:
            names[name] = free_name(name, taken)
    kept = (renamed(rule, {stand_in: names[other.root]}) for rule in ours.values())
    added = (renamed(rule, names) for name, rule in other.rule.items() if name not in shared)
    return (*kept, *added)


def _shared(ours: dict[str, Rule], other: Grammar) -> set[str]:
    same = {name for name, rule in other.rule.items() if ours.get(name) == rule}
    same.discard(other.root)
    return {name for name in same if same.issuperset(reachable(other.rule, name))}


_WHITESPACE = CharSet.of("\t\n\r ")


@dataclass(frozen=True)
class CallAlternatives:
    """The alternatives of one set of tools in one format, with the rules of their arguments."""

    form: Format
    spacing: Spacing
    arguments: tuple[tuple[str, ProductionDraft], ...]

    def calls(self, *, several: bool) -> Alternative:
        """One call or several."""
        return joined(self.form.opener, self._head(), *self._from_head(several=several))

    def after_trigger(self) -> Alternative:
        """Several calls, after the trigger."""
        if self.form.trigger:
            rest = self.form.opener.removeprefix(self.form.trigger)
            return joined(rest, self._head(), *self._from_head(several=True))
        return joined(self._from_head(several=True))

    def trigger(self) -> Dfa:
        """The strings that begin calls, which free text does not contain."""
        if self.form.trigger:
            return build.literal(self.form.trigger)
        whitespace = build.star(build.chars(_WHITESPACE))
        return build.concat(build.literal("{"), whitespace, build.literal(_key(self.form.name_key)))

    def _head(self) -> Alternative:
        """The beginning of a call, up to the key of its name."""
        if not self.form.name_key:
            return ()
        return joined("{", self.spacing.opened, _key(self.form.name_key))

    def _from_head(self, *, several: bool) -> Alternative:
        tail = ProductionDraft("call", (self._tail(),), whole=True)
        if not several:
            return joined(tail, self.form.closer)
        another = Choice((joined(self.form.between, self._head(), tail),))
        return joined(tail, Repeat(another, 0, None), self.form.closer)

    def _tail(self) -> Alternative:
        """A call after its head."""
        names = [(build.literal(name), self._after_name(draft)) for name, draft in self.arguments]
        trie = product_rules(names, "call", None)
        assert trie is not None, "names of 64 characters at most have few states"
        return joined(self.spacing.colon, '"', trie) if self.form.name_key else (trie,)

    def _after_name(self, arguments: ProductionDraft) -> Alternative:
        """A call after its name."""
        if not self.form.name_key:
            return joined(self.form.named, arguments)
        space = self.spacing
        key = joined('"', space.after, space.comma, _key(self.form.arguments_key), space.colon)
        return joined(key, arguments, space.after, space.closing, "}")


def text_or(trigger: Dfa, after: Alternative, *, on_line: bool) -> ProductionDraft:
    """Text that does not contain a trigger; or such a text, the trigger, and what follows it.

    `on_line`: the trigger begins a line. The checker takes a call without an opener for one that is
    only mentioned if it is in a sentence.
    """
    up_to = build.concat(build.ANYTHING, trigger)
    beyond = build.concat(up_to, build.chars(EVERY), build.ANYTHING)
    free = build.difference(build.complement(build.union(up_to, beyond)), build.EPSILON)
    front = build.union(build.EPSILON, build.concat(build.ANYTHING, build.literal("\n")))
    begun = build.concat(front, trigger) if on_line else up_to
    found = product_rules([(free, ()), (build.difference(begun, beyond), after)], "text", None)
    assert found is not None, "a trigger has few states"
    return found


def _key(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


Signatures: TypeAlias = "tuple[tuple[str, Schema], ...]"
"""Names of tools with the schemas of their arguments: everything a grammar depends on."""

ANSWER = "@answer"
"""The placeholder rule of an answer until its own rules are added."""


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
    """Return the grammar of replies that call tools (the last 64 are cached).

    With a `schema` a reply can also be an answer that matches it. Raises ValueError for a word that
    is not in `Calls`, SchemaError for a tool whose arguments nothing satisfies and, with `strict`,
    for constraints that are checked after generation, and what `pdl.gbnf.compile` raises.
    """
    check_number(calls)
    whole = document(tools)
    check_custom_rules(whole, SourceMap())
    compiler = Compiler(whole, options)
    answer = None if schema is None or _is_free(schema) else compile_schema(schema, options)
    if options.key_order == "any":
        compiler.note("#", "properties", "BOUNDED", "the name of a tool precedes its arguments")
    root = ProductionDraft(
        "root", _replies(tools, form, calls, compiler, answered=answer is not None)
    )
    rules = with_custom_rules(to_nodes(root, options.max_rules), compiler)
    if answer is not None:
        rules = merged(rules, ANSWER, answer.grammar)
    rules = limited(rules, options)
    report = Report((*_of_tools(entries(whole, compiler)), *(answer.report if answer else ())))
    if strict and report.post_hoc:
        raise SchemaError(*map(post_hoc_problem, report.post_hoc))
    return Compiled(Grammar(rules), report)


def _is_free(schema: Schema) -> bool:
    """Whether a schema accepts any text."""
    return schema.form == "text" and schema.document.keys() - ANNOTATIONS <= {"type"}


def _replies(
    tools: Signatures, form: Format, calls: Calls, compiler: Compiler, *, answered: bool
) -> Alternatives:
    """The alternatives of a whole reply."""
    goals, drafts = _arguments(tools, compiler)
    rows = CallAlternatives(form, goals.spacing, drafts)
    around = goals.spacing.around if form.name_key else ()
    if answered:
        answer = ProductionDraft(ANSWER, ((f"\0{ANSWER}",),), fixed=True)
        made = rows.calls(several=calls != "one")
        return (joined(around, made, around), (answer,))
    if calls == "any":
        after = joined(rows.after_trigger(), around)
        return ((text_or(rows.trigger(), after, on_line=not form.trigger),),)
    return (joined(around, rows.calls(several=calls == "several"), around),)


def _arguments(
    tools: Signatures, compiler: Compiler
) -> tuple[Productions, tuple[tuple[str, ProductionDraft], ...]]:
    """The rules of each tool's arguments. Raises SchemaError if nothing satisfies them."""
    targets = {
        name: compiler.document.joined([SchemaLiteral(arguments_pointer(name))])
        for name, _ in tools
    }
    root = compiler.root
    found = {} if root is None else trim(root, compiler.languages, every(compiler.options.numbers))
    if root not in found:
        raise SchemaError(*_unsatisfiable(tools, compiler))
    goals = Productions(found, compiler.options, wish)
    drafts = []
    for name, goal in targets.items():
        assert goal is not None, "the root would have no values"
        drafts.append((name, goals.drafted(goal)))
    return goals, tuple(drafts)


def _unsatisfiable(tools: Signatures, compiler: Compiler) -> Iterator[Problem]:
    """The problems of tools whose arguments nothing satisfies."""
    for name, schema in tools:
        try:
            compile_schema(schema, compiler.options)
        except SchemaError as error:
            yield from of_parameters(name, error.problems)


def _of_tools(found: Iterator[Entry]) -> Iterator[Entry]:
    """The entries of the tools, without those of the array around them."""
    return (entry for entry in found if entry.level != "EXACT" or not _is_ours(entry.pointer))


def _is_ours(pointer: str) -> bool:
    return pointer == "#" or pointer.startswith("#/prefixItems/")
