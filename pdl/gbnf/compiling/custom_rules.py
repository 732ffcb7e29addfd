"""Rules written by hand (`x-gbnf`), and the names of rules.

Rules by hand are `x-gbnf` in a JSON Schema, `str { gbnf: '…' }` in the notation. The keyword says
how a value is written: it holds GBNF whose `root` is the value's JSON text, or the right-hand side
of that rule alone. It is an annotation: `pdl.check` passes it over, so only what is made with the
grammar is held to it. What kinds of JSON values a grammar has is told by their first characters.

Names of rules are made from the paths of the schemas that they are for: what they would like to be
called, as GBNF allows it, each once. `renamed` puts rules under other names, so that those of
several grammars can stand together.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl.errors import GrammarError, Problem
from pdl.gbnf.compiling.constraints import SchemaLiteral
from pdl.gbnf.grammar import parse
from pdl.gbnf.linting.json_proof import JsonProof
from pdl.gbnf.linting.json_texts import NO_VALUE
from pdl.gbnf.nodes import Group, Repeat, Rule, RuleRef, Sequence, reachable
from pdl.schema.keywords import steps
from pdl.source import Anchor, Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import JsonSchema
    from pdl.gbnf.compiling.constraints import Conjunction, Kind
    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.nodes import Item
    from pdl.gbnf.state import State


GENERIC = (
    "root", "value", "object", "array", "string", "number", "integer", "boolean", "null", "ws",
    "char", "escape", "hex",
)  # fmt: skip
"""Names that mean the same in each grammar."""

_OTHER = re.compile(r"[^A-Za-z0-9]+")
_LONGEST_NAME = 60


def valid(wish: str) -> str:
    """A name that is like a wish: encoder, digits and hyphens, not too many; first a letter.

    A digit may begin a name in llama.cpp, but not in xgrammar.
    """
    name = _OTHER.sub("-", wish).strip("-")
    if not name[:1].isalpha():
        name = f"rule-{name}"
    return name[:_LONGEST_NAME].rstrip("-")


def short(wish: str) -> str:
    """The last word of a wish: what the parts of a rule are called like."""
    return valid(wish).rpartition("-")[2]


class Names:
    """Gives names: a number is added to those that are taken."""

    def __init__(self) -> None:
        self._taken = set(GENERIC)
        self._next: dict[str, int] = {}

    def give(self, wish: str) -> str:
        """A name that nothing else has."""
        name = base = valid(wish)
        while name in self._taken:
            number = self._next.get(base, 2)
            self._next[base] = number + 1
            name = f"{base}-{number}"
        self._taken.add(name)
        return name


_SILENT = frozenset(
    {"properties", "$defs", "allOf", "anyOf", "oneOf", "prefixItems", "patternProperties"}
)
_SAID = {"items": "item", "additionalProperties": "value", "unevaluatedProperties": "value"}
_KEPT = 3  # steps of a path that a name has
_ODD = re.compile(r"[^A-Za-z0-9]+")


def wish(goal: Conjunction) -> str:
    """What a rule for a goal may be called: `person-age`."""
    if not goal:
        return "value"
    path = [str(step) for step in steps(goal[0].pointer)]
    said: list[str] = []
    at = 0
    while at < len(path):
        step = path[at]
        if step in _SILENT and at + 1 < len(path):
            at += 1
            if step == "$defs":
                said.clear()
            said.append(path[at])
        else:
            said.append(_SAID.get(step, step))
        at += 1
    words = (_ODD.sub("-", word).strip("-") for word in said[-_KEPT:])
    return "-".join(word for word in words if word) or "root"


def free_name(wish: str, taken: set[str]) -> str:
    """A name that is like a wish and not taken; now it is."""
    name = base = valid(wish)
    number = 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    taken.add(name)
    return name


def renamed(rule: Rule, names: Mapping[str, str]) -> Rule:
    """A rule in which some rules have other names; it has no place any more."""
    options = tuple(_sequence(option, names) for option in rule.options)
    return Rule(names.get(rule.name, rule.name), options, rule.comments)


def _sequence(sequence: Sequence, names: Mapping[str, str]) -> Sequence:
    return Sequence(tuple(_item(item, names) for item in sequence.items))


def _item(item: Item, names: Mapping[str, str]) -> Item:
    """An item; groups nest no deeper than `Limits.grammar_depth`."""
    if isinstance(item, RuleRef):
        return RuleRef(names.get(item.name, item.name))
    if isinstance(item, Repeat):
        return Repeat(_item(item.item, names), item.min, item.max)
    if isinstance(item, Group):
        return Group(tuple(_sequence(option, names) for option in item.options))
    return item


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


def starts(grammar: Grammar) -> dict[str, Kind] | None:
    """The first characters of a grammar's texts, blanks aside, in a fixed order, with their kinds.

    All its texts are JSON. None if that is too much to tell.
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
    """The states that some characters lead to, each once; None if these are too many."""
    found = {state.configuration: state for state in begun}
    pending = list(found.values())
    while pending:
        state = pending.pop()
        for char in chars:
            behind = state.accept(char)
            if not behind.is_dead and behind.configuration not in found:
                if len(found) >= _MOST:
                    return None
                found[behind.configuration] = behind
                pending.append(behind)
    return list(found.values())


KEYWORD = "x-gbnf"
_HEAD = "root ::= "
_RULE = re.compile(r"^[ \t]*[A-Za-z0-9-]+[ \t]*::=", re.MULTILINE)
_STRING = r"""write it with its quotes, such as '"\"" [A-Z]{3} "\""'"""


RuleKind: TypeAlias = Literal["string", "value"]


def rule_kind(schema: JsonSchema) -> RuleKind:
    """What the rule of a schema is for: its strings if `type` names them, else the whole value.

    Beside `"type": ["string", "null"]` a rule leaves null as it is, as `pattern` does.
    """
    types = schema.get("type", ())
    return "string" if types == "string" or "string" in types else "value"


@lru_cache(maxsize=256)
def custom_rules(pointer: str, text: str, kind: RuleKind) -> tuple[Rule, ...]:
    """The rules of an `x-gbnf` at a JSON pointer, of which the first is that of the value.

    They have names of their own, after the pointer: `person-code-gbnf`, `person-code-gbnf-digit`.
    All their texts are proved to be JSON, and those of the kind `string` to be JSON strings. Raises
    GrammarError, with places in the text, for what llama.cpp refuses, for what matches nothing, for
    texts that are no JSON, and where it is not proved that they are.
    """
    source = Source(text, f"{pointer}/{KEYWORD}")
    try:
        grammar = _read(source)
        _prove(grammar, kind)
    except GrammarError as error:
        raise GrammarError(*(_told(one, source, kind) for one in error.problems)) from error
    taken: set[str] = set()
    entry = f"{wish((SchemaLiteral(pointer),))}-gbnf"
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
        return parse(_behind(_HEAD, source, "\n"))
    # Alternatives may stand on lines of their own, which only parentheses allow.
    grammar = parse(_behind(f"{_HEAD}(", source, "\n)\n"))
    match grammar.rules:
        case (Rule(options=(Sequence(items=(Group(options=options),)),)) as rule,):
            return replace(grammar, rules=(replace(rule, options=options),))
    return grammar


def _behind(head: str, source: Source, tail: str) -> Source:
    anchor = Anchor(len(head), len(source.text), source, 0)
    return Source(f"{head}{source.text}{tail}", source.name, (anchor,))


def _told(problem: Problem, source: Source, kind: RuleKind) -> Problem:
    """A problem with a place in the keyword's text, which is all of it for what has none there."""
    place = problem.location
    is_here = place is not None and place.source == source
    unquoted = problem.hint == NO_VALUE or (not is_here and "json" in problem.code)
    advice = _STRING if kind == "string" and unquoted else problem.hint
    span = problem.span if is_here else source.span(0, len(source.text))
    return replace(problem, span=span, hint=advice)


def _prove(grammar: Grammar, kind: RuleKind) -> None:
    """Raise GrammarError unless all texts are JSON, and of that kind."""
    errors = [one.problem for one in grammar.lint() if one.severity == "error"]
    if not errors and not JsonProof(grammar.rule, grammar.root).holds():
        found = [one.problem for one in grammar.lint(json=True) if "json" in one.problem.code]
        errors = [one for one in found if one.code == "gbnf/not-json"] or [_unproved(found)]
    if errors:
        raise GrammarError(*errors)
    if kind == "string":
        _prove_string(grammar)


def _prove_string(grammar: Grammar) -> None:
    found = starts(grammar)
    if found is None:
        raise GrammarError(
            Problem("gbnf/json-unproved", "too much may stand in front of its value")
        )
    other = [char for char in found if char != '"']
    if other:
        message = f"this rule has texts that begin with `{other[0]}`, and its value is a string"
        raise GrammarError(Problem("gbnf/not-a-json-string", message))


def _unproved(found: list[Problem]) -> Problem:
    message = "it is not certain that all texts of this rule are JSON"
    if not found:
        return Problem("gbnf/json-unproved", message)
    first = found[0]
    return Problem("gbnf/json-unproved", f"{message}: {first.message}", first.span, first.hint)
