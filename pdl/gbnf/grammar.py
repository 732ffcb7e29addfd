"""`Grammar`: the rules of a GBNF text, and what can be done with them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal

from pdl.errors import LimitError, error_from
from pdl.gbnf.limits_errors import limit_error, within_stack
from pdl.gbnf.nodes import CURRENT, GrammarRules, write
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from random import Random

    from pdl.errors import Problem
    from pdl.gbnf.linting.finding import Finding
    from pdl.gbnf.matcher import Matcher
    from pdl.gbnf.nodes import Rule
    from pdl.gbnf.rtn import Rtn
    from pdl.gbnf.rule_compiler import Parts
    from pdl.gbnf.sampler import Sampler
    from pdl.gbnf.state import Match, Pieces, State, Vocabulary

# The methods import what they need when they are called: each program needs a few of them, and all
# together take four times as long to load as the parser.
# ruff: noqa: PLC0415


class Grammar(GrammarRules):
    """Rules, the name of the one that a string must match, and the comments after the last rule.

    Of several rules of one name the last counts (`rule`), as in llama.cpp; `rules` has them all.
    Grammars compare by rules, root and comments, not by spelling.
    """

    @classmethod
    def productive(cls, rules: tuple[Rule, ...]) -> Grammar:
        """Return a grammar of which it is known that `is_productive`."""
        found = cls(rules)
        found.__dict__["is_productive"] = True
        return found

    @cached_property
    @within_stack
    def is_productive(self) -> bool:
        """Whether each item of each rule matches some text, without tokens that it names."""
        from pdl.gbnf.analysis import NEVER, Shortest
        from pdl.gbnf.nodes import items

        shortest = Shortest(self.rule, token=NEVER)
        held = (item for rule in self.rule.values() for item in items(rule.options))
        return all(map(shortest.productive, held))

    @cached_property
    def rtn(self) -> Rtn:
        """The recursive transition network of all rules."""
        return self.network()

    @within_stack
    def network(self, parts: Parts = "") -> Rtn:
        """Return a network of all rules, in which some parts of them are rules of their own, too.

        There is one for each kind of parts (`pdl.gbnf.rtn`).
        """
        from pdl.gbnf.rtn import compile_rtn

        held: dict[str, Rtn] = self.__dict__.setdefault("_networks", {})
        if parts not in held:
            held.setdefault(parts, compile_rtn(self.rule, self.limits, self.source, parts))
        return held[parts]

    @cached_property
    @within_stack
    def matcher(self) -> Matcher:
        """The network with the root rule, and everything that was learned of its strings."""
        from pdl.gbnf.matcher import Matcher

        return Matcher(self.rtn, self.rtn.names.index(self.root), self.limits)

    @within_stack
    def start(self) -> State:
        """Return the state before the first character."""
        from pdl.gbnf.state import State

        return State(self.matcher, self.matcher.start)

    @within_stack
    def match(self, text: bytes | str, *, prefix: bool = False) -> Match:
        """Match a string, or with `prefix` the beginning of one."""
        from pdl.gbnf.state import match

        return match(self.start(), text, prefix=prefix)

    @within_stack
    def match_tokens(
        self, tokens: Iterable[int], vocabulary: Pieces | Vocabulary, *, prefix: bool = False
    ) -> Match:
        """Match token IDs, without the end-of-sequence token.

        `vocabulary` has the text of each ID, as bytes or strings; a `Vocabulary` made of it once
        saves time. `<[7]>` matches token 7, `<text>` the token that has exactly that text, other
        items match the bytes of any tokens. Raises GrammarError for a `<text>` that is not a token,
        as llama.cpp refuses it, and ValueError for an unknown ID.
        """
        from pdl.gbnf.state import Vocabulary, match_tokens

        known = Vocabulary(vocabulary)
        unknown = list(known.unknown(self.rules, self.source))
        if unknown:
            raise error_from(unknown)
        return match_tokens(self.start(), tokens, known, prefix=prefix)

    @cached_property
    @within_stack
    def sampler(self) -> Sampler:
        """The rules with the lengths of their shortest strings, from which strings are made."""
        from pdl.gbnf.sampler import Sampler

        return Sampler(self)

    @within_stack
    def generate(self, rng: Random, *, size: int = 200) -> str:
        """Return a random string that matches: the same one for the same state of `rng`.

        It has at most `size` characters, or as few as possible if all have more; mostly those of
        ASCII, where the grammar has a choice. It always ends, however the rules recurse. Raises
        GrammarError if no string matches, also where each one needs a token (`<[id]>`), whose text
        only a vocabulary knows; LimitError if the shortest has more characters than
        `limits.output_chars`; ValueError for a negative size.
        """
        return self.sampler.generate(rng, size)

    @within_stack
    def shortest(self) -> str:
        """Return a shortest string. Raises what `generate` raises."""
        return self.sampler.shortest_text()

    @within_stack
    def texts(self, limit: int | None = None) -> Iterator[str]:
        """Iterate over all strings that match, by their length, then by code points.

        Each is searched for when it is asked for; `limit` is their maximum number, None for all of
        them. If no string matches, there are none. Raises LimitError when the next one has
        more characters than `limits.output_chars`.
        """
        from pdl.gbnf.enumeration import enumerated

        return enumerated(self.matcher, self.sampler.shortest, limit)

    @within_stack
    def near_misses(self, rng: Random, count: int, *, size: int = 200) -> Iterator[str]:
        """Iterate over different strings that just miss: one edit away from one that matches.

        An edit inserts, deletes or replaces a character, swaps two that are next to each other, or
        cuts off an end; `size` is that of `generate`. There are fewer than `count` where hundreds
        of consecutive tries find no other. Raises what `generate` raises.
        """

        def matches(text: str) -> bool:
            return self.start().accept(text).is_complete

        return self.sampler.near_misses(rng, count, size, matches)

    @within_stack
    def optimize(self) -> Grammar:
        """Return an equivalent grammar for which llama.cpp needs fewer parse stacks.

        Alternatives share their prefixes and suffixes (literals become tries), classes are merged,
        `x? x?` becomes `x{0,2}`, rules used once and aliases are inlined, and useless rules are
        left out. An optimized grammar stays as it is. Its nodes have no positions;
        `parse(str(...))` gives them some.
        """
        from pdl.gbnf.optimize import optimized

        rules = optimized(self.rule, self.root, self.limits)
        return Grammar(rules, self.root, self.comments, limits=self.limits)

    @within_stack
    def lint(self, *, json: bool = False) -> tuple[Finding, ...]:
        """Find what is odd, slow or not what it looks like, in the order of the positions.

        With `json`, also strings that are not valid JSON. For rules that were not read from
        `source`, positions are those in the text that `str` returns.
        """
        from pdl.gbnf.linting import findings
        from pdl.gbnf.validation import validate

        text = self.source.text
        if any(text[max(rule.start, 0) : rule.named] != rule.name for rule in self.rules):
            source = Source(str(self), self.source.name or "<grammar>")
            return lint(source, root=self.root, json=json, limits=self.limits)
        return findings(self, validate(self, set(self.rule)), json=json)

    @within_stack
    def diagram(self, format: Literal["svg", "html"] = "svg") -> str:  # noqa: A002 - as in `str.format`
        """Draw a railroad diagram of each rule that counts, one below the other.

        As an SVG file, or as an HTML page with a table of the rules; neither needs a script or
        another file. Rules link to each other, comments are shown, colors follow the reader's
        choice of light or dark. Raises ValueError for another format.
        """
        from pdl.gbnf.diagram import draw

        return draw(self.rule, self.root, self.comments, format, self.source.name)

    @within_stack
    def _repr_html_(self) -> str:
        from pdl.gbnf.notebook import grammar_html

        return grammar_html(self.rule, self.root, str(self))

    @within_stack
    def to_lark(self) -> str:
        """Export an equivalent grammar to the dialect of Lark that llguidance reads.

        Rules get names of lowercase letters, and terminals are whole strings or single characters,
        so llguidance's lexer does not change what matches. Raises GrammarError for a grammar that
        matches nothing, and for token references.
        """
        from pdl.gbnf.export import lark

        return lark(self.rule, self.root, self.source)

    @within_stack
    def to_ebnf(self) -> str:
        """Export an equivalent grammar to the EBNF that `xgrammar.Grammar.from_ebnf` reads.

        Token references by ID are kept, though xgrammar refuses tokens without text. Raises
        GrammarError for a grammar that matches nothing, and for tokens that are named by texts.
        """
        from pdl.gbnf.export import ebnf

        return ebnf(self.rule, self.root, self.source)

    @within_stack
    def to_regex(self, *, most: int = 100_000) -> str:
        """Export a regular expression that matches whole strings of the grammar.

        It is for Python's `re` and for ECMA-262 with the flag `u`. Raises GrammarError for rules
        that are recursive before their end (naming them), for token references, for a grammar that
        matches nothing, and for one that needs more than `most` characters or nests more groups
        than `re` takes.
        """
        from pdl.gbnf.regex import regex

        return regex(self.rule, self.root, self.source, most, self.limits)

    @within_stack
    def __str__(self) -> str:
        return write(self.rules, self.comments)


@within_stack
def parse(  # noqa: PLR0913 - each is independent of the others
    text: str | Source,
    *,
    name: str = "<grammar>",
    root: str = "root",
    target: str = CURRENT,
    vocabulary: Pieces | Vocabulary | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Grammar:
    """Parse a GBNF text, in the language of llama.cpp.

    `name` is what errors call a text that is not a `Source`; `root` the rule to begin with;
    `target` the month of the llama.cpp to target (`pdl.gbnf.TARGETS`): what an older one does not
    support is refused. If `vocabulary` has the texts of all tokens by their IDs, a `<text>` that is
    not one token is refused, too. Raises GrammarError with all problems and their positions:
    whatever llama.cpp refuses, hangs or crashes on. Raises LimitError for more characters, rules or
    nested brackets than `limits` allows, and for a longer time; TypeError for a value that is not
    text, ValueError for an unknown target.
    """
    grammar, problems = examine(text, name=name, root=root, limits=limits)
    problems += _unfit(grammar, target, vocabulary)
    if problems:
        raise error_from(problems)
    return grammar


@within_stack
def lint(  # noqa: PLR0913 - those of parse, and one more
    text: str | Source | Grammar,
    *,
    name: str = "<grammar>",
    root: str = "root",
    target: str = CURRENT,
    vocabulary: Pieces | Vocabulary | None = None,
    json: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Finding, ...]:
    """Return all findings about a grammar or a GBNF text, in the order of their positions.

    The arguments are those of `parse`; whatever it would refuse is among the findings, as are
    reached limits. With `json`, also strings that are not valid JSON. Raises TypeError for a value
    that is not text, and ValueError for an unknown target.
    """
    from pdl.gbnf.linting import findings
    from pdl.gbnf.linting.finding import explained

    if isinstance(text, Grammar):
        return text.lint(json=json)
    try:
        grammar, problems = examine(text, name=name, root=root, limits=limits)
    except LimitError as error:
        return tuple(map(explained, error.problems))
    problems += _unfit(grammar, target, vocabulary)
    return findings(grammar, problems, json=json)


@within_stack
def examine(
    text: str | Source, *, name: str = "<grammar>", root: str = "root", limits: Limits
) -> tuple[Grammar, list[Problem]]:
    """Return what could be read of a grammar, and all problems for which `parse` refuses it."""
    if not isinstance(text, str | Source):
        raise TypeError(f"text must be a str or a pdl Source, not {type(text).__name__}")
    if not isinstance(root, str):
        raise TypeError(f"root must be a str, not {type(root).__name__}")
    if not isinstance(limits, Limits):
        raise TypeError(f"limits must be a pdl Limits, not {type(limits).__name__}")
    from pdl.gbnf.read import Read
    from pdl.gbnf.validation import hinted, validate

    source = text if isinstance(text, Source) else Source(text, name)
    if len(source.text) > limits.source_chars:
        message = f"longer than {limits.source_chars:,} characters"
        raise limit_error("source_chars", message, source.span(0))
    read = Read(source, limits)
    grammar = Grammar(tuple(read.rules), root, read.comments, source, limits)
    problems = [hinted(one) for one in (*read.problems, *validate(grammar, read.names))]
    problems.sort(key=lambda problem: problem.span.start if problem.span else 0)
    return grammar, problems


def _unfit(
    grammar: Grammar, target: str, vocabulary: Pieces | Vocabulary | None
) -> Iterator[Problem]:
    """What an older llama.cpp or a vocabulary does not support."""
    from pdl.gbnf.validation import hinted, refused

    yield from map(hinted, refused(grammar.rules, grammar.source, target))
    if vocabulary is not None:
        from pdl.gbnf.state import Vocabulary

        yield from Vocabulary(vocabulary).unknown(grammar.rules, grammar.source)
