"""Rules written by hand: `x-gbnf` in a JSON Schema, `str { gbnf: '…' }` in the notation.

The keyword says how a value is written: it holds GBNF whose `root` is the value's JSON text, or
the right-hand side of that rule alone. It is an annotation: `pdl.check` passes it over, so only
what is made with the grammar is held to it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl.errors import GrammarError, Problem
from pdl.gbnf.compiling.claims import Claim
from pdl.gbnf.compiling.names import wish
from pdl.gbnf.compiling.renaming import free_name, renamed
from pdl.gbnf.compiling.starting import starts
from pdl.gbnf.grammar import parse
from pdl.gbnf.linting.json_proof import JsonProof
from pdl.gbnf.linting.json_texts import NO_VALUE
from pdl.gbnf.nodes import Group, Rule, Sequence
from pdl.gbnf.walk import reachable
from pdl.source import Anchor, Source

if TYPE_CHECKING:
    from pdl._types import JsonSchema
    from pdl.gbnf.grammar import Grammar

KEYWORD = "x-gbnf"
_HEAD = "root ::= "
_RULE = re.compile(r"^[ \t]*[A-Za-z0-9-]+[ \t]*::=", re.MULTILINE)
_STRING = r"""write it with its quotes, such as '"\"" [A-Z]{3} "\""'"""


Kind: TypeAlias = Literal["string", "value"]


def rule_kind(schema: JsonSchema) -> Kind:
    """What the rule of a schema is for: its strings if `type` names them, else the whole value.

    Beside `"type": ["string", "null"]` a rule leaves null as it is, as `pattern` does.
    """
    types = schema.get("type", ())
    return "string" if types == "string" or "string" in types else "value"


@lru_cache(maxsize=256)
def handwritten(pointer: str, text: str, kind: Kind) -> tuple[Rule, ...]:
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
    entry = f"{wish((Claim(pointer),))}-gbnf"
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


def _told(problem: Problem, source: Source, kind: Kind) -> Problem:
    """A problem with a place in the keyword's text, which is all of it for what has none there."""
    place = problem.location
    is_here = place is not None and place.source == source
    unquoted = problem.hint == NO_VALUE or (not is_here and "json" in problem.code)
    advice = _STRING if kind == "string" and unquoted else problem.hint
    span = problem.span if is_here else source.span(0, len(source.text))
    return replace(problem, span=span, hint=advice)


def _prove(grammar: Grammar, kind: Kind) -> None:
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
