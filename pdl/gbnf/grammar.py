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
    from pdl.gbnf.rtn import Rtn
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

    @cached_property
    @within_stack
    def rtn(self) -> Rtn:
        """The recursive transition network of all rules."""
        from pdl.gbnf.rtn import compile_rtn

        return compile_rtn(self.rule, self.limits, self.source)

    @cached_property
    @within_stack
    def matcher(self) -> Matcher:
        """The network with the root rule, and everything that was learned of its strings."""
        from pdl.gbnf.matcher import Matcher

        return Matcher(self.rtn, self.rtn.names.index(self.root), self.limits)

    @within_stack
    def start(self) -> State:
        """The state in front of all texts."""
        from pdl.gbnf.state import State

        return State(self.matcher, self.matcher.start)

    @within_stack
    def match(self, text: bytes | str, *, prefix: bool = False) -> Match:
        """Whether a text is one of the grammar's, or with `prefix` the beginning of one."""
        from pdl.gbnf.state import match

        return match(self.start(), text, prefix=prefix)

    @within_stack
    def match_tokens(
        self, tokens: Iterable[int], vocabulary: Pieces | Vocabulary, *, prefix: bool = False
    ) -> Match:
        """Whether some tokens are a text of the grammar, without the one that ends all texts.

        `vocabulary` has what each number stands for, as bytes or strings; a `Vocabulary` made of
        it once saves time. `<[7]>` takes token 7, `<text>` the token that has just that text, all
        else the bytes of any tokens. Raises GrammarError for a `<text>` that is no token, as
        llama.cpp refuses it, and ValueError for a number that the vocabulary has not.
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
        """A random text that `match` takes: the same one for the same state of `rng`.

        It has at most `size` characters, or as few as it can if all texts have more; mostly those
        of ASCII, where the grammar has a choice. Always ends, however the rules lead to each other.
        Raises GrammarError if no text matches, also where each one needs a token (`<[id]>`), which
        only a vocabulary could spell; LimitError if the shortest has more characters than
        `limits.output_chars`; ValueError for a negative size.
        """
        return self.sampler.generate(rng, size)

    @within_stack
    def shortest(self) -> str:
        """A text of the least number of characters. Raises what `generate` raises."""
        return self.sampler.shortest_text()

    @within_stack
    def texts(self, limit: int | None = None) -> Iterator[str]:
        """The texts in the order of their lengths in characters, then of their code points.

        Each comes once, and is looked for when it is asked for; `limit` is how many to give, None
        all of them. There is none where `match` takes none. Raises LimitError when the next one has
        more characters than `limits.output_chars`.
        """
        from pdl.gbnf.enumeration import enumerated

        return enumerated(self.matcher, self.sampler.shortest, limit)

    @within_stack
    def near_misses(self, rng: Random, count: int, *, size: int = 200) -> Iterator[str]:
        """Different texts that `match` refuses and that are one edit away from one that it takes.

        An edit inserts, deletes or replaces a character, swaps two that are next to each other, or
        cuts off an end; `size` is that of `generate`. There are fewer than `count` where hundreds
        of tries in a row find no other. Raises what `generate` raises.
        """

        def matches(text: str) -> bool:
            return self.start().accept(text).is_complete

        return self.sampler.near_misses(rng, count, size, matches)

    @within_stack
    def optimize(self) -> Grammar:
        """The same language in a form that llama.cpp has fewer live stacks for.

        Alternatives begin and end in common where they did apart (literals become tries), classes
        are merged, `x? x?` is `x{0,2}`, rules used once and other names of one thing are inlined,
        and what leads nowhere is left out. An optimized grammar stays as it is. Its nodes have no
        places; `parse(str(...))` gives them some.
        """
        from pdl.gbnf.optimize import optimized

        rules = optimized(self.rule, self.root, self.limits)
        return Grammar(rules, self.root, self.comments, limits=self.limits)

    @within_stack
    def lint(self, *, json: bool = False) -> tuple[Finding, ...]:
        """What is odd, slow or other than it looks, in the order of the places.

        With `json`, also whether there are texts that are no JSON. Rules that were not read from
        `source` are placed in the text that `str` gives.
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
        """A railroad diagram of each rule that counts, one below the other.

        As an SVG file, or as an HTML page with a table of the rules; neither needs a script or
        another file. Rules link to each other, comments are shown, colours follow the reader's
        choice of light or dark. Raises ValueError for another format.
        """
        from pdl.gbnf.diagram import draw

        return draw(self.rule, self.root, self.comments, format, self.source.name)

    @within_stack
    def to_lark(self) -> str:
        """The same language in the dialect of Lark that llguidance reads.

        Rules get names of small letters, and terminals are whole texts or single characters, so
        that llguidance's lexer does not change what matches. Raises GrammarError for a grammar that
        matches nothing, and for references to tokens.
        """
        from pdl.gbnf.export import lark

        return lark(self.rule, self.root, self.source)

    @within_stack
    def to_ebnf(self) -> str:
        """The same language in the EBNF that `xgrammar.Grammar.from_ebnf` reads.

        References to tokens by number are kept, though xgrammar takes none that has no text. Raises
        GrammarError for a grammar that matches nothing, and for tokens that are named by texts.
        """
        from pdl.gbnf.export import ebnf

        return ebnf(self.rule, self.root, self.source)

    @within_stack
    def to_regex(self, *, most: int = 100_000) -> str:
        """A regular expression that matches the texts of the grammar, whole ones only.

        It is for Python's `re` and for ECMA-262 with the flag `u`. Raises GrammarError for rules
        that lead back to themselves before their end (naming them), for references to tokens, for a
        grammar that matches nothing, and for one that needs more than `most` characters or nests
        more groups than `re` takes.
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
    """The grammar that a GBNF text holds, in the language of llama.cpp.

    `name` is what errors call a text that is no `Source`; `root` the rule to begin with; `target`
    the month of the llama.cpp that is to take it (`pdl.gbnf.TARGETS`): what an older one does not
    know is refused. Where the texts of all tokens are given, by their numbers, a `<text>` that is
    none is refused as well. Raises GrammarError with all problems and their places: whatever
    llama.cpp refuses, hangs or crashes on. Raises LimitError for more characters, rules or brackets
    in brackets than `limits` has, and for a longer time; TypeError for what is no text, ValueError
    for an unknown target.
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
    """All findings of a grammar or of a text that should be one, in the order of their places.

    The arguments are those of `parse`; whatever it would refuse is among the findings, as are
    reached limits. With `json`, also whether there are texts that are no JSON. Raises TypeError for
    what is no text, and ValueError for an unknown target.
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
    """What could be read of a grammar, and all problems for which `parse` would refuse it."""
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
    """What an older llama.cpp or a vocabulary has not."""
    from pdl.gbnf.validation import hinted, refused

    yield from map(hinted, refused(grammar.rules, grammar.source, target))
    if vocabulary is not None:
        from pdl.gbnf.state import Vocabulary

        yield from Vocabulary(vocabulary).unknown(grammar.rules, grammar.source)
