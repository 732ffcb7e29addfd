"""Custom rules: `x-gbnf` in a JSON Schema, `str { gbnf: '…' }` in the schema DSL.

The keyword says how a value is written: it contains GBNF whose `root` is the JSON text of the
value, or the right-hand side of that rule alone. It is an annotation: `pdl.check` ignores it, so
only what is generated with the grammar follows it. The first characters of a rule's values tell
their kinds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from pdl.errors import GrammarError, Problem, visible
from pdl.gbnf.compiling.constraints import SchemaLiteral
from pdl.gbnf.compiling.document import KEYWORD, OF_NUMBERS, OF_STRINGS, kinds_named, rule_kind
from pdl.gbnf.compiling.to_nodes import free_name, renamed, wish
from pdl.gbnf.grammar import Grammar, parse
from pdl.gbnf.linting.json_proof import JsonProof
from pdl.gbnf.linting.json_texts import NO_VALUE
from pdl.gbnf.nodes import Group, Rule, Sequence, reachable
from pdl.schema.keywords import pointer
from pdl.source import Anchor, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from pdl._types import JsonPath, JsonSchema
    from pdl.gbnf.compiling.constraints import Conjunct, CustomRule, Kind
    from pdl.gbnf.compiling.document import Document, RuleKind
    from pdl.gbnf.state import State
    from pdl.schema.parts import SourceMap


_BLANKS = " \t\n\r"
_DIGITS = "0123456789"
KINDS: dict[str, Kind] = {
    "{": "object",
    "[": "array",
    '"': "string",
    **dict.fromkeys(f"-{_DIGITS}", "number"),
    "t": "boolean",
    "f": "boolean",
    "n": "null",
}
"""The first characters of JSON values, and their kinds."""

_MOST = 3_000
"""States that are looked at."""


def first_set(grammar: Grammar) -> dict[str, Kind] | None:
    """The first characters of a grammar's JSON, without whitespace, in order, with their kinds.

    None if that takes too many states.
    """
    states = _reached([grammar.start()], _BLANKS)
    if states is None:
        return None
    return {
        char: kind
        for char, kind in KINDS.items()
        if any(not state.accept(char).is_dead for state in states)
    }


def has_whole_numbers(grammar: Grammar) -> bool:
    """Whether it is certain that no number of a grammar has a point or an exponent."""
    before = _reached([grammar.start()], _BLANKS)
    if before is None:
        return False
    first = [state.accept(char) for state in before for char in f"-{_DIGITS}"]
    states = _reached([state for state in first if not state.is_dead], _DIGITS)
    return states is not None and all(
        state.accept(mark).is_dead for state in states for mark in ".eE"
    )


def _reached(begun: list[State], chars: str) -> list[State] | None:
    """The states that some characters reach, each once; None if these are too many."""
    found = {state.configuration: state for state in begun}
    pending = list(found.values())
    while pending:
        state = pending.pop()
        for char in chars:
            after = state.accept(char)
            if not after.is_dead and after.configuration not in found:
                if len(found) >= _MOST:
                    return None
                found[after.configuration] = after
                pending.append(after)
    return list(found.values())


_HEAD = "root ::= "
_RULE = re.compile(r"^[ \t]*[A-Za-z0-9-]+[ \t]*::=", re.MULTILINE)
_STRING = r"""write it with its quotes, such as '"\"" [A-Z]{3} "\""'"""


@lru_cache(maxsize=256)
def custom_rules(place: str, text: str, kind: RuleKind) -> tuple[Rule, ...]:
    """The rules of an `x-gbnf` at a JSON pointer, of which the first is that of the value.

    Their names begin with the pointer: `person-code-gbnf`, `person-code-gbnf-digit`. All strings
    that they match are proved to be JSON, and those of the kind `string` to be JSON strings. Raises
    GrammarError, with positions in the text, for what llama.cpp refuses, for what matches nothing,
    for strings that are not JSON, and if the proof fails.
    """
    source = Source(text, f"{place}/{KEYWORD}")
    try:
        grammar = _read(source)
        _prove(grammar, kind)
    except GrammarError as error:
        raise GrammarError(*(_told(one, source, kind) for one in error.problems)) from error
    taken: set[str] = set()
    entry = f"{wish((SchemaLiteral(place),))}-gbnf"
    names = {grammar.root: free_name(entry, taken)}
    used = reachable(grammar.rule, grammar.root)
    for name in used[1:]:
        names[name] = free_name(f"{entry}-{name}", taken)
    return tuple(renamed(grammar.rule[name], names) for name in used)


@lru_cache(maxsize=256)
def _read(source: Source) -> Grammar:
    """The grammar of a keyword's text."""
    text = source.text
    if _RULE.search(text):
        return parse(source)
    if "\n" not in text.strip():
        return parse(_wrapped(_HEAD, source, "\n"))
    # Alternatives may be on lines of their own, which only parentheses allow.
    grammar = parse(_wrapped(f"{_HEAD}(", source, "\n)\n"))
    match grammar.rules:
        case (Rule(options=(Sequence(items=(Group(options=options),)),)) as rule,):
            return replace(grammar, rules=(replace(rule, options=options),))
    return grammar


def _wrapped(head: str, source: Source, tail: str) -> Source:
    anchor = Anchor(len(head), len(source.text), source, 0)
    return Source(f"{head}{source.text}{tail}", source.name, (anchor,))


def _told(problem: Problem, source: Source, kind: RuleKind) -> Problem:
    """A problem with a position in the keyword's text, which is all of it if it has none there."""
    place = problem.location
    is_here = place is not None and place.source == source
    unquoted = problem.hint == NO_VALUE or (not is_here and "json" in problem.code)
    advice = _STRING if kind == "string" and unquoted else problem.hint
    span = problem.span if is_here else source.span(0, len(source.text))
    return replace(problem, span=span, hint=advice)


def _prove(grammar: Grammar, kind: RuleKind) -> None:
    """Raise GrammarError unless the grammar matches only JSON, and of that kind."""
    errors = [one.problem for one in grammar.lint() if one.severity == "error"]
    if not errors and not JsonProof(grammar.rule, grammar.root).holds():
        found = [one.problem for one in grammar.lint(json=True) if "json" in one.problem.code]
        errors = [one for one in found if one.code == "gbnf/not-json"] or [_unproved(found)]
    if errors:
        raise GrammarError(*errors)
    if kind == "string":
        _prove_string(grammar)


def _prove_string(grammar: Grammar) -> None:
    found = first_set(grammar)
    if found is None:
        raise GrammarError(Problem("gbnf/json-unproved", "too much may precede its value"))
    other = [char for char in found if char != '"']
    if other:
        message = (
            f"this rule matches text that begins with `{other[0]}`, but its value must be a string"
        )
        raise GrammarError(Problem("gbnf/not-a-json-string", message))


def _unproved(found: list[Problem]) -> Problem:
    message = "it can't be proved that this rule matches only JSON"
    if not found:
        return Problem("gbnf/json-unproved", message)
    first = found[0]
    return Problem("gbnf/json-unproved", f"{message}: {first.message}", first.span, first.hint)


_UNCHECKED = "the custom rule might not satisfy it"
_ANOTHER = "another custom rule is followed here, and the checker ignores both"

_ABOUT: dict[Kind, tuple[str, ...]] = {
    "string": OF_STRINGS,
    "number": OF_NUMBERS,
    "array": (
        *("prefixItems", "items", "contains", "minItems", "maxItems", "uniqueItems"),
        "unevaluatedItems",
    ),
    "object": (
        *("properties", "patternProperties", "additionalProperties", "propertyNames", "required"),
        *("dependentRequired", "dependentSchemas", "minProperties", "maxProperties"),
        *("unevaluatedProperties",),
    ),
}
_VALUES = frozenset({"enum", "const"})
_AROUND = frozenset({"anyOf", "oneOf", "if", "not"})
"""Keywords that only their schemas explain, which are literals of their own, unless all that they
ask is which keys are there."""


@dataclass(frozen=True)
class CustomGrammar:
    """The rules of one `x-gbnf`, the first of which is the value's, and the kinds of its values.

    `whole`: its numbers are certain to be integers.
    """

    rules: tuple[Rule, ...]
    kinds: frozenset[Kind]
    whole: bool


def custom_grammar(place: str, document: Document) -> CustomGrammar:
    """The rules of the schema at a JSON pointer. Raises what `custom_rules` raises."""
    schema = document.at(place)
    return _analyzed(custom_rules(place, schema[KEYWORD], rule_kind(schema)))


@lru_cache(maxsize=256)
def _analyzed(rules: tuple[Rule, ...]) -> CustomGrammar:
    grammar = Grammar(rules, rules[0].name)
    kinds = frozenset((first_set(grammar) or KINDS).values())
    return CustomGrammar(rules, kinds, has_whole_numbers(grammar))


def rule_of(conjunct: Conjunct) -> CustomRule | None:
    """The rule by which values of a conjunct are written: the first with the most kinds."""
    return max(conjunct.custom, key=lambda one: len(one.kinds), default=None)


def check(schemas: Iterable[tuple[JsonPath, JsonSchema]], source_map: SourceMap) -> None:
    """Raise GrammarError, with all problems, if there is a rule that is not to be used.

    They name the file, if that is known, and the pointer of the author.
    """
    problems: list[Problem] = []
    for path, schema in schemas:
        try:
            custom_rules(pointer(path), schema[KEYWORD], rule_kind(schema))
        except GrammarError as error:
            file = source_map.source.name if source_map.source else ""
            name = f"{file}{visible(source_map.pointer(pointer(path)))}/{KEYWORD}"
            problems += [_renamed(problem, name) for problem in error.problems]
    if problems:
        raise GrammarError(*problems)


def _renamed(problem: Problem, name: str) -> Problem:
    """A problem whose position is in a source of that name."""
    if problem.span is None:
        return problem
    place = problem.span.origin()
    return replace(problem, span=place._replace(source=replace(place.source, name=name)))


def unenforced(conjunct: Conjunct, document: Document) -> Iterator[tuple[str, str, str]]:
    """What the rule of a conjunct doesn't enforce: pointer, keyword and why."""
    rule = rule_of(conjunct)
    assert rule is not None
    found = custom_grammar(rule.pointer, document)
    found = replace(found, kinds=found.kinds & rule.kinds)
    words = {word for kind in found.kinds for word in _ABOUT.get(kind, ())} | _VALUES
    if "object" in found.kinds and conjunct.objects.clauses:
        words |= _AROUND
    for literal in conjunct.literals:
        schema = document.at(literal.pointer)
        if not isinstance(schema, dict):
            continue
        find = _asserted if literal.positive else _denied
        yield from ((literal.pointer, word, _UNCHECKED) for word in find(schema, words, found))
        if literal.positive and KEYWORD in schema and literal.pointer != rule.pointer:
            yield literal.pointer, KEYWORD, _ANOTHER


def _asserted(schema: JsonSchema, words: AbstractSet[str], found: CustomGrammar) -> Iterator[str]:
    """The keywords that some value of a rule may not satisfy."""
    yield from (word for word in schema if word in words)
    if "type" in schema:
        named, integers = kinds_named(schema["type"])
        whole = found.whole or not integers or "number" not in found.kinds
        if not (found.kinds <= named and whole):
            yield "type"


def _denied(schema: JsonSchema, words: AbstractSet[str], found: CustomGrammar) -> Iterator[str]:
    """The keywords of a schema that some value of a rule may satisfy, which none is to satisfy.

    There are none if its `type` keeps them all out, which counts only if it is alone.
    """
    if "type" in schema and not found.kinds & kinds_named(schema["type"])[0]:
        return
    others = [word for word in schema if word in words]
    yield from others or (word for word in schema if word == "type" and KEYWORD not in schema)


def insert_custom_rules(rules: tuple[Rule, ...], document: Document) -> tuple[Rule, ...]:
    """Rules with the custom ones in place of each rule that has a JSON pointer as its name.

    Other names never begin with `#`.
    """
    taken = {rule.name for rule in rules}
    names: dict[str, str] = {}
    made: list[Rule] = []
    for rule in rules:
        if not rule.name.startswith("#"):
            made.append(rule)
            continue
        own = custom_grammar(rule.name, document).rules
        inner = {one.name: free_name(one.name, taken) for one in own}
        names[rule.name] = inner[own[0].name]
        made += [renamed(one, inner) for one in own]
    return tuple(renamed(rule, names) for rule in made) if names else rules
