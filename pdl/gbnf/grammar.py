"""`Grammar`: the rules of a GBNF text, and what can be done with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from pdl.errors import LimitError, Problem, did_you_mean, error_from
from pdl.gbnf.automaton import automaton
from pdl.gbnf.build import MOST
from pdl.gbnf.empty import hidden_recursion
from pdl.gbnf.left import cycles
from pdl.gbnf.matcher import Matcher
from pdl.gbnf.nodes import Group, Repeat, Rule, RuleRef
from pdl.gbnf.read import Read
from pdl.gbnf.state import Match, State, match
from pdl.gbnf.symbols import Symbols
from pdl.gbnf.walk import reachable, references
from pdl.gbnf.write import write
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True)
class Grammar:
    """Rules, the name of the one that a text must match, and the comments behind the last rule.

    Of several rules of one name the last counts (`rule`), as in llama.cpp; `rules` has them all.
    Grammars compare by rules, root and comments, not by spelling.
    """

    rules: tuple[Rule, ...]
    root: str = "root"
    comments: tuple[str, ...] = ()
    source: Source = field(default=Source(""), compare=False, repr=False)
    limits: Limits = field(default=DEFAULT_LIMITS, compare=False, repr=False)

    @cached_property
    def rule(self) -> Mapping[str, Rule]:
        """The rules that count, by their names, in the order in which the names come first."""
        return {rule.name: rule for rule in self.rules}

    @cached_property
    def matcher(self) -> Matcher:
        """The automaton of the grammar, with all that it has learned."""
        machine = automaton(self.rule, self.limits)
        return Matcher(machine, machine.names.index(self.root))

    def start(self) -> State:
        """The state in front of all texts."""
        return State(self.matcher, self.matcher.start)

    def match(self, text: bytes | str, *, prefix: bool = False) -> Match:
        """Whether a text is one of the grammar's, or with `prefix` the beginning of one."""
        return match(self.start(), text, prefix=prefix)

    def __str__(self) -> str:
        return write(self.rules, self.comments)


def parse(
    text: str | Source,
    *,
    name: str = "<grammar>",
    root: str = "root",
    limits: Limits = DEFAULT_LIMITS,
) -> Grammar:
    """The grammar that a GBNF text holds, in the language of llama.cpp.

    `name` is what errors call a text that is no `Source`; `root` the rule to begin with. Raises
    GrammarError with all problems and their places: whatever llama.cpp refuses, hangs or crashes
    on. Raises LimitError for more characters, rules or brackets in brackets than `limits` has, and
    TypeError for what is no text.
    """
    grammar, problems = examine(text, name=name, root=root, limits=limits)
    if problems:
        raise error_from(problems)
    return grammar


def examine(
    text: str | Source, *, name: str = "<grammar>", root: str = "root", limits: Limits
) -> tuple[Grammar, list[Problem]]:
    """What could be read of a grammar, and all problems for which `parse` would refuse it."""
    if not isinstance(text, str | Source):
        raise TypeError(f"text must be a str or a pdl Source, not {type(text).__name__}")
    source = text if isinstance(text, Source) else Source(text, name)
    if len(source.text) > limits.source_chars:
        message = f"longer than {limits.source_chars:,} characters"
        raise LimitError(Problem("limit/source-chars", message, source.span(0)))
    read = Read(source, limits)
    grammar = Grammar(tuple(read.rules), root, read.comments, source, limits)
    problems = [*read.problems, *_problems(grammar, read.names)]
    problems.sort(key=lambda problem: problem.span.start if problem.span else 0)
    return grammar, problems


def _problems(grammar: Grammar, names: set[str]) -> Iterator[Problem]:
    """What is wrong with rules that are well written."""
    source = grammar.source
    if not names:
        hint = 'the least is `root ::= "…"`'
        yield Problem("gbnf/no-root", "the grammar has no rules", source.span(0), hint)
    elif grammar.root not in names:
        hint = did_you_mean(grammar.root, names) or f"a text must match the rule `{grammar.root}`"
        message = f"there is no rule `{grammar.root}`"
        yield Problem("gbnf/no-root", message, source.span(0), hint)
    symbols = Symbols(grammar.rules)
    for repeat, times in symbols.excessive:
        message = f"repetitions inside this one multiply to {times}, over the {MOST} allowed"
        hint = "put what is repeated into a rule of its own"
        yield _at(source, "too-many-repetitions", message, repeat, hint)
    yield from _undefined(grammar, names, symbols)
    yield from _recursive(grammar)


def _recursive(grammar: Grammar) -> Iterator[Problem]:
    """Left recursion: what llama.cpp sees of it, or else what it overlooks."""
    source = grammar.source
    seen = False
    for circle, node in cycles(grammar.rule, grammar.rules):
        seen = True
        way = " -> ".join([*circle, circle[0]]) if circle else "what it repeats may be empty"
        message = f"left recursion: {way}"
        hint = "let the recursion come last: `list ::= item list | item`, or write `item+`"
        if not circle:
            hint = "repeat something that is never empty"
        yield _at(source, "left-recursion", message, node, hint)
    reached = {name: grammar.rule[name] for name in reachable(grammar.rule, grammar.root)}
    for circle in () if seen else hidden_recursion(reached):
        message = f"hidden left recursion: {' -> '.join(circle)}"
        hint = "what stands in front of the recursion may be empty: llama.cpp runs out of memory"
        yield _at(source, "left-recursion", message, grammar.rule[circle[0]], hint)


def _undefined(grammar: Grammar, names: set[str], symbols: Symbols) -> Iterator[Problem]:
    """Names of no rule; in a rule that another one replaces some of them do no harm."""
    for rule in grammar.rules:
        counts = grammar.rule[rule.name] is rule
        for ref in references(rule.options):
            if ref.name not in names and (counts or symbols.ids[ref.name] < symbols.defined):
                message = f"there is no rule `{ref.name}`"
                hint = did_you_mean(ref.name, names)
                yield _at(grammar.source, "undefined-rule", message, ref, hint)


def _at(
    source: Source, code: str, message: str, node: Rule | Group | Repeat | RuleRef, hint: str
) -> Problem:
    end = node.named if isinstance(node, Rule) else node.end
    return Problem(f"gbnf/{code}", message, source.span(node.start, end), hint)
