"""What is wrong with rules that are well-formed, and what to do about it.

`validate` finds undefined names, left recursion and too many copies; `refused` what an older
llama.cpp does not support; `hinted` adds a hint to a problem for which a grammar is refused.

`Symbols` counts the symbols that llama.cpp makes of a grammar as it counts them: each group and
each step of a repetition becomes a rule of its own. Their numbers decide which repetitions it
refuses (`MAX_REPETITION_THRESHOLD`) and which undefined names it notices. Source: `parse_sequence`
and `parse` in llama.cpp's `src/llama-grammar.cpp`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.errors import Problem, did_you_mean
from pdl.gbnf.left_recursion import cycles, format_cycle, hidden_recursion
from pdl.gbnf.nodes import (
    CURRENT,
    MOST,
    AnyChar,
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    Rule,
    RuleRef,
    Sequence,
    TokenRef,
    bounded,
    items,
    reachable,
    references,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.nodes import GrammarRules
    from pdl.source import Source


HIDDEN = "hidden left recursion"
"""How the message of left recursion begins where llama.cpp does not notice it."""

_HINTS = {
    "gbnf/syntax": "write rules as `name ::= item item | item`, each on a line of its own",
    "gbnf/bad-escape": r"a backslash itself is written `\\`",
    "gbnf/min-over-max": "swap the two numbers; llama.cpp would count down forever",
    "gbnf/undefined-rule": "define it, or correct the name",
    "gbnf/too-many-repetitions": "repeat a rule that is itself a repetition",
    "gbnf/stray-character": "remove it, or put it in double quotes if it is a literal",
    "gbnf/unclosed-group": "close it, or put it in double quotes if it is a literal",
    "gbnf/stray-closer": "remove it, or put it in double quotes if it is a literal",
    "gbnf/nothing-to-repeat": "write an item before it, or put it in double quotes if it is text",
    "gbnf/token-number": "look up the token ID in the vocabulary",
    "gbnf/target": "avoid it, or use a newer llama.cpp",
    "gbnf/left-recursion": 'use right recursion, such as `a ::= "x" a | "x"`, or write `"x"+`',
}
_UNHIDE = "make the preceding items match at least one character, or use right recursion"


def hinted(problem: Problem) -> Problem:
    """Return a problem with a hint, a general one if it lacks its own."""
    if problem.hint:
        return problem
    return replace(problem, hint=_hint(problem))


def _hint(problem: Problem) -> str:
    if problem.message.startswith(HIDDEN):
        return f"{_UNHIDE}; llama.cpp would run out of memory"
    return _HINTS.get(problem.code, "write it as llama.cpp reads it")


_COMPARED = 100_000
"""Names that are compared to find what may have been meant; each takes about 10 µs."""


def validate(grammar: GrammarRules, names: set[str]) -> Iterator[Problem]:
    """Find the problems of a grammar, by kind; `names` are those of all rules, even broken ones."""
    source = grammar.source
    if not names:
        hint = 'write at least `root ::= "…"`'
        yield Problem("gbnf/no-root", "the grammar has no rules", source.span(0), hint)
    elif grammar.root not in names:
        hint = _Meant(names).hint(grammar.root) or f"define `{grammar.root}`, the root rule"
        message = f"undefined rule `{grammar.root}`"
        yield Problem("gbnf/no-root", message, source.span(0), hint)
    symbols = Symbols(grammar.rules)
    for repeat, times in symbols.excessive:
        message = f"nested repetitions multiply to {times}, which exceeds {MOST}"
        hint = "put the repeated item into a separate rule"
        yield _at(source, "too-many-repetitions", message, repeat, hint)
    yield from _undefined(grammar, names, symbols)
    yield from _recursive(grammar)


def _recursive(grammar: GrammarRules) -> Iterator[Problem]:
    """Left recursion: what llama.cpp notices, or else what it overlooks."""
    source = grammar.source
    seen = False
    for cycle, node in cycles(grammar.rule, grammar.rules):
        seen = True
        message = "left recursion: the repeated item can be empty"
        if cycle:
            message = f"left-recursive rule: {format_cycle([*cycle, cycle[0]])}"
        hint = "" if cycle else "repeat an item that always matches at least one character"
        yield _at(source, "left-recursion", message, node, hint)
    reached = {name: grammar.rule[name] for name in reachable(grammar.rule, grammar.root)}
    for cycle in () if seen else hidden_recursion(reached):
        message = f"{HIDDEN}: {format_cycle(cycle)}"
        yield _at(source, "left-recursion", message, grammar.rule[cycle[0]])


def _undefined(grammar: GrammarRules, names: set[str], symbols: Symbols) -> Iterator[Problem]:
    """Names of undefined rules; some that llama.cpp never looks at do no harm."""
    meant = _Meant(names)
    for rule in grammar.rules:
        counts = grammar.rule[rule.name] is rule
        unseen = frozenset(map(id, _dropped(rule)))
        for ref in references(rule.options):
            seen = counts and id(ref) not in unseen
            if ref.name not in names and (seen or symbols.ids[ref.name] < symbols.defined):
                message = f"undefined rule `{ref.name}`"
                yield _at(grammar.source, "undefined-rule", message, ref, meant.hint(ref.name))


def _dropped(rule: Rule) -> Iterator[Item]:
    """Items that are repeated zero times without a separate rule, which llama.cpp drops."""
    for item in items(rule.options):
        inner: Item = item
        while isinstance(inner, Repeat) and inner.min == inner.max:
            inner = inner.item
        if isinstance(item, Repeat) and item.max == 0:
            yield inner


class _Meant:
    """Says which name may have been meant, as long as that takes little time."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted(names)
        self._left = _COMPARED
        self._known: dict[str, str] = {}

    def hint(self, name: str) -> str:
        """A hint, or an empty string."""
        if name not in self._known and self._left > 0:
            self._left -= len(self._names) + 1
            self._known[name] = did_you_mean(name, self._names[:_COMPARED])
        return self._known.get(name, "")


def _at(
    source: Source, code: str, message: str, node: Rule | Group | Repeat | RuleRef, hint: str = ""
) -> Problem:
    end = node.named if isinstance(node, Rule) else node.end
    return Problem(f"gbnf/{code}", message, source.span(node.start, end), hint)


class Symbols:
    """The symbols of some rules, in the order in which they are met.

    `ids` are those with a name, `size` counts all; `defined` is one more than the highest that has
    a definition; `excessive` are the repetitions that multiply to too many rules.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.ids: dict[str, int] = {}
        self.size = 0
        self.defined = 0
        self.excessive: list[tuple[Repeat, int]] = []
        for rule in rules:
            number = self._named(rule.name)
            self._options(rule.options)
            self.defined = max(self.defined, number + 1)

    def _named(self, name: str) -> int:
        number = self.ids.setdefault(name, self.size)
        self.size = max(self.size, number + 1)
        return number

    def _made(self, count: int) -> None:
        self.size += count
        self.defined = max(self.defined, self.size) if count else self.defined

    def _options(self, options: tuple[Sequence, ...]) -> None:
        for option in options:
            for item in option.items:
                self._item(item)

    def _item(self, item: Item) -> int:
        """Count an item; the result is how many rules its repetition multiplies."""
        if isinstance(item, RuleRef):
            self._named(item.name)
        elif isinstance(item, Group):
            before = self.size
            self._made(1)
            self._options(item.options)
            return max(1, self.size - before)
        elif isinstance(item, Repeat):
            return self._repeat(item)
        return 1

    def _repeat(self, item: Repeat) -> int:
        known = len(self.excessive)
        inner = self._item(item.item)
        most = bounded(item)
        times = most or item.min or 1
        if inner * times > MOST:
            if len(self.excessive) == known:
                self.excessive.append((item, inner * times))
            return 1
        self._made(1 if most is None else most - item.min)
        return inner * times


TARGETS = ("2023-07", "2024-06", "2025-11", "2025-12", "2026-08", CURRENT)
"""The months in which the language changed, from the first one on."""

_SUFFIXES = {(0, None), (1, None), (0, 1)}
_HYPHEN = re.compile(r"(?<!\\)(?>(?:\\\\)*)\\-")


def refused(rules: Iterable[Rule], source: Source, target: str) -> Iterator[Problem]:
    """Find what a version of llama.cpp refuses although the current one supports it.

    Raises ValueError for a month that is not one of `TARGETS`.
    """
    if target not in TARGETS:
        raise ValueError(f"target must be one of {', '.join(TARGETS)}, not {target!r}")
    for rule in rules:
        for item in items(rule.options):
            for since, what in _needs(item, source):
                if since > target:
                    message = f"llama.cpp supports {what} since {since}, but the target is {target}"
                    yield Problem("gbnf/target", message, source.span(item.start, item.end))


def _needs(item: Item, source: Source) -> Iterator[tuple[str, str]]:
    if isinstance(item, AnyChar):
        yield "2024-06", "`.`"  # 6467
    elif isinstance(item, TokenRef):
        yield "2025-12", "token references"  # 17816
    elif isinstance(item, Repeat):
        yield from _counts(item)
    elif isinstance(item, Literal | CharClass) and _HYPHEN.search(
        source.text, item.start, item.end
    ):
        yield "2026-08", "the escape `\\-`"  # 27591


def _counts(item: Repeat) -> Iterator[tuple[str, str]]:
    if (item.min, item.max) in _SUFFIXES:
        return
    yield "2024-06", "`{m,n}`"  # 6640
    if item.max is not None and item.max > MOST:
        yield "2026-08", f"a maximum over {MOST}"  # limited by 17381, unbounded since 26613
    elif MOST in {item.min, item.max}:
        yield CURRENT, f"{MOST} repetitions"  # 28469
