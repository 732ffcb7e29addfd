"""Rules written by hand: which a grammar takes, what they leave over, and their names in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from pdl.errors import GrammarError, visible
from pdl.gbnf.compiling.custom_rules import (
    KEYWORD,
    KINDS,
    custom_rules,
    free_name,
    has_whole_numbers,
    renamed,
    rule_kind,
    starts,
)
from pdl.gbnf.compiling.document import OF_NUMBERS, OF_STRINGS, kinds_named
from pdl.gbnf.grammar import Grammar
from pdl.schema.keywords import pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from pdl._types import JsonPath, JsonSchema
    from pdl.errors import Problem
    from pdl.gbnf.compiling.constraints import Conjunct, CustomRule, Kind
    from pdl.gbnf.compiling.document import Document
    from pdl.gbnf.nodes import Rule
    from pdl.schema.parts import SourceMap

UNCHECKED = "the rule is followed; the checker does not look at it"
_BESIDE = "the rule written by hand is not held to it"
_ANOTHER = "another rule written by hand is followed here, and the checker looks at none"

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
"""Keywords that say nothing but through their schemas, which are literals of their own, unless all
that they ask is which keys are there."""


@dataclass(frozen=True)
class Hand:
    """The rules of one `x-gbnf`, the first of which is the value's, and what kinds it has.

    `whole`: its numbers are certain to be integers.
    """

    rules: tuple[Rule, ...]
    kinds: frozenset[Kind]
    whole: bool


def hand(place: str, document: Document) -> Hand:
    """The rules of the schema at a JSON pointer. Raises what `custom_rules` raises."""
    schema = document.at(place)
    return _hand(custom_rules(place, schema[KEYWORD], rule_kind(schema)))


@lru_cache(maxsize=256)
def _hand(rules: tuple[Rule, ...]) -> Hand:
    grammar = Grammar(rules, rules[0].name)
    return Hand(rules, frozenset((starts(grammar) or KINDS).values()), has_whole_numbers(grammar))


def rule_of(conjunct: Conjunct) -> CustomRule | None:
    """The rule by which values of a conjunct are written: the first with the most kinds."""
    return max(conjunct.custom, key=lambda one: len(one.kinds), default=None)


def check_all(schemas: Iterable[tuple[JsonPath, JsonSchema]], source_map: SourceMap) -> None:
    """Raise GrammarError, with all problems, if there is a rule that is not to be used.

    They name the file, if that is known, and the pointer of the author.
    """
    problems: list[Problem] = []
    for path, schema in schemas:
        if KEYWORD in schema:
            try:
                custom_rules(pointer(path), schema[KEYWORD], rule_kind(schema))
            except GrammarError as error:
                file = source_map.source.name if source_map.source else ""
                name = f"{file}{visible(source_map.pointer(pointer(path)))}/{KEYWORD}"
                problems += [_renamed(problem, name) for problem in error.problems]
    if problems:
        raise GrammarError(*problems)


def _renamed(problem: Problem, name: str) -> Problem:
    """A problem whose place is in a text of that name."""
    if problem.span is None:
        return problem
    place = problem.span.origin()
    return replace(problem, span=place._replace(source=replace(place.source, name=name)))


def left_over(conjunct: Conjunct, document: Document) -> Iterator[tuple[str, str, str]]:
    """What the rule of a conjunct is not held to: pointer, keyword and why."""
    rule = rule_of(conjunct)
    assert rule is not None
    found = hand(rule.pointer, document)
    found = replace(found, kinds=found.kinds & rule.kinds)
    words = {word for kind in found.kinds for word in _ABOUT.get(kind, ())} | _VALUES
    if "object" in found.kinds and conjunct.objects.clauses:
        words |= _AROUND
    for literal in conjunct.literals:
        schema = document.at(literal.pointer)
        if not isinstance(schema, dict):
            continue
        beside = _asserted if literal.positive else _denied
        yield from ((literal.pointer, word, _BESIDE) for word in beside(schema, words, found))
        if literal.positive and KEYWORD in schema and literal.pointer != rule.pointer:
            yield literal.pointer, KEYWORD, _ANOTHER


def _asserted(schema: JsonSchema, words: AbstractSet[str], found: Hand) -> Iterator[str]:
    """The keywords that some value of a rule may not satisfy."""
    yield from (word for word in schema if word in words)
    if "type" in schema:
        named, integers = kinds_named(schema["type"])
        whole = found.whole or not integers or "number" not in found.kinds
        if not (found.kinds <= named and whole):
            yield "type"


def _denied(schema: JsonSchema, words: AbstractSet[str], found: Hand) -> Iterator[str]:
    """The keywords of a schema that some value of a rule may satisfy, which none is to satisfy.

    There are none if its `type` keeps them all out, and that is one only if it stands alone.
    """
    if "type" in schema and not found.kinds & kinds_named(schema["type"])[0]:
        return
    others = [word for word in schema if word in words]
    yield from others or (word for word in schema if word == "type" and KEYWORD not in schema)


def placed(rules: tuple[Rule, ...], document: Document) -> tuple[Rule, ...]:
    """Rules with those written by hand, for each rule that has a JSON pointer as its name.

    No name that is written begins with `#`, so that these are told apart; then all names are.
    """
    taken = {rule.name for rule in rules}
    names: dict[str, str] = {}
    made: list[Rule] = []
    for rule in rules:
        if not rule.name.startswith("#"):
            made.append(rule)
            continue
        own = hand(rule.name, document).rules
        inner = {one.name: free_name(one.name, taken) for one in own}
        names[rule.name] = inner[own[0].name]
        made += [renamed(one, inner) for one in own]
    return tuple(renamed(rule, names) for rule in made) if names else rules
