"""`Grammar`: the rules of a GBNF text, and what can be done with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from pdl.errors import LimitError, Problem, did_you_mean, error_from
from pdl.gbnf.automaton import automaton
from pdl.gbnf.build import MOST
from pdl.gbnf.diagram.draw import draw
from pdl.gbnf.empty import hidden_recursion
from pdl.gbnf.export.ebnf import ebnf
from pdl.gbnf.export.lark import lark
from pdl.gbnf.export.regex import regex
from pdl.gbnf.generate import generate, near_misses, shortest, texts
from pdl.gbnf.generate.plan import Plan
from pdl.gbnf.left import cycles
from pdl.gbnf.linting.check import findings
from pdl.gbnf.linting.finding import explained
from pdl.gbnf.matcher import Matcher
from pdl.gbnf.nodes import Group, Repeat, Rule, RuleRef
from pdl.gbnf.optimize.checked import optimized
from pdl.gbnf.read import Read
from pdl.gbnf.state import Match, State, match
from pdl.gbnf.symbols import Symbols
from pdl.gbnf.targets import CURRENT, refused
from pdl.gbnf.walk import reachable, references
from pdl.gbnf.write import write
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from random import Random

    from pdl.gbnf.linting.finding import Finding


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

    @cached_property
    def plan(self) -> Plan:
        """The rules with the lengths of their shortest texts, from which texts are made."""
        return Plan(self.rule, self.root)

    def generate(self, rng: Random, *, size: int = 200) -> str:
        """A random text that `match` takes: the same one for the same state of `rng`.

        It has at most `size` characters, or as few as it can if all texts have more; mostly those
        of ASCII, where the grammar has a choice. Always ends, however the rules lead to each other.
        Raises GrammarError if no text matches, also where each one needs a token (`<[id]>`), which
        only a vocabulary could spell; LimitError if the shortest has more characters than
        `limits.output_chars`; ValueError for a negative size.
        """
        return generate(self, rng, size)

    def shortest(self) -> str:
        """A text of the least number of characters. Raises what `generate` raises."""
        return shortest(self)

    def texts(self, limit: int | None = None) -> Iterator[str]:
        """The texts in the order of their lengths in characters, then of their code points.

        Each comes once, and is looked for when it is asked for; `limit` is how many to give, None
        all of them. There is none where `match` takes none. Raises LimitError when the next one has
        more characters than `limits.output_chars`.
        """
        return texts(self, limit)

    def near_misses(self, rng: Random, count: int, *, size: int = 200) -> Iterator[str]:
        """Different texts that `match` refuses and that are one edit away from one that it takes.

        An edit inserts, deletes or replaces a character, swaps two that are next to each other, or
        cuts off an end; `size` is that of `generate`. There are fewer than `count` where hundreds
        of tries in a row find no other. Raises what `generate` raises.
        """
        return near_misses(self, rng, count, size)

    def optimize(self) -> Grammar:
        """The same language in a form that llama.cpp has fewer live stacks for.

        Alternatives begin and end in common where they did apart (literals become tries), classes
        are merged, `x? x?` is `x{0,2}`, rules used once and other names of one thing are inlined,
        and what leads nowhere is left out. An optimized grammar stays as it is. Its nodes have no
        places; `parse(str(...))` gives them some.
        """
        rules = optimized(self.rule, self.root, self.limits)
        return Grammar(rules, self.root, self.comments, limits=self.limits)

    def lint(self, *, json: bool = False) -> tuple[Finding, ...]:
        """What is odd, slow or other than it looks, in the order of the places.

        With `json`, also whether there are texts that are no JSON. Rules that were not read from
        `source` are placed in the text that `str` gives.
        """
        text = self.source.text
        if any(text[max(rule.start, 0) : rule.named] != rule.name for rule in self.rules):
            source = Source(str(self), self.source.name or "<grammar>")
            return lint(source, root=self.root, json=json, limits=self.limits)
        return findings(self, _problems(self, set(self.rule)), json=json)

    def diagram(self, format: Literal["svg", "html"] = "svg") -> str:  # noqa: A002 - as in `str.format`
        """A railroad diagram of each rule that counts, one below the other.

        As an SVG file, or as an HTML page with a table of the rules; neither needs a script or
        another file. Rules link to each other, comments are shown, colours follow the reader's
        choice of light or dark. Raises ValueError for another format.
        """
        return draw(self.rule, self.root, self.comments, format, self.source.name)

    def to_lark(self) -> str:
        """The same language in the dialect of Lark that llguidance reads.

        Rules get names of small letters, and terminals are whole texts or single characters, so
        that llguidance's lexer does not change what matches. Raises GrammarError for a grammar that
        matches nothing, and for references to tokens.
        """
        return lark(self.rule, self.root, self.source)

    def to_ebnf(self) -> str:
        """The same language in the EBNF that `xgrammar.Grammar.from_ebnf` reads.

        References to tokens by number are kept, though xgrammar takes none that has no text. Raises
        GrammarError for a grammar that matches nothing, and for tokens that are named by texts.
        """
        return ebnf(self.rule, self.root, self.source)

    def to_regex(self, *, most: int = 100_000) -> str:
        """A regular expression that matches the texts of the grammar, whole ones only.

        It is for Python's `re` and for ECMA-262 with the flag `u`. Raises GrammarError for rules
        that lead back to themselves before their end (naming them), for references to tokens, for a
        grammar that matches nothing, and for one that needs more than `most` characters or nests
        more groups than `re` takes.
        """
        return regex(self.rule, self.root, self.source, most)

    def __str__(self) -> str:
        return write(self.rules, self.comments)


def parse(
    text: str | Source,
    *,
    name: str = "<grammar>",
    root: str = "root",
    target: str = CURRENT,
    limits: Limits = DEFAULT_LIMITS,
) -> Grammar:
    """The grammar that a GBNF text holds, in the language of llama.cpp.

    `name` is what errors call a text that is no `Source`; `root` the rule to begin with; `target`
    the month of the llama.cpp that is to take it (`pdl.gbnf.TARGETS`): what an older one does not
    know is refused. Raises GrammarError with all problems and their places: whatever llama.cpp
    refuses, hangs or crashes on. Raises LimitError for more characters, rules or brackets in
    brackets than `limits` has, TypeError for what is no text, ValueError for an unknown target.
    """
    grammar, problems = examine(text, name=name, root=root, limits=limits)
    problems += refused(grammar.rules, grammar.source, target)
    if problems:
        raise error_from(problems)
    return grammar


def lint(  # noqa: PLR0913 - those of parse, and one more
    text: str | Source | Grammar,
    *,
    name: str = "<grammar>",
    root: str = "root",
    target: str = CURRENT,
    json: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Finding, ...]:
    """All findings of a grammar or of a text that should be one, in the order of their places.

    The arguments are those of `parse`; whatever it would refuse is among the findings, as are
    reached limits. With `json`, also whether there are texts that are no JSON. Raises TypeError for
    what is no text, and ValueError for an unknown target.
    """
    if isinstance(text, Grammar):
        return text.lint(json=json)
    try:
        grammar, problems = examine(text, name=name, root=root, limits=limits)
    except LimitError as error:
        return tuple(map(explained, error.problems))
    problems += refused(grammar.rules, grammar.source, target)
    return findings(grammar, problems, json=json)


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
