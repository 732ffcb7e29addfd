"""Rules in a notation that differs from GBNF in how names, characters and single items are written.

`plain` gives a grammar without what other notations know nothing of, for the same texts. Rules that
are never reached and alternatives that match nothing are gone, as are NUL and surrogates in
classes, which no text holds; `.` and negated classes are lists of ranges in order; a maximum that
llama.cpp takes for none is none; nothing is repeated no times.

`recursive_groups` finds the rules that lead back to themselves; `spelled` gives each name of a rule a
spelling of its own, as another notation writes it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from pdl.errors import GrammarError, Problem, error_from
from pdl.gbnf.analysis import NEVER, Shortest
from pdl.gbnf.nodes import (
    LAST,
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
    is_nothing,
    item_text,
    items,
    reachable,
    references,
    suffix,
)
from pdl.gbnf.utf8 import ANY, characters, complement, normal, of_class
from pdl.graphs import strongly_connected_components
from pdl.trampoline import gather, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pdl.gbnf.nodes import Rule, Sequence
    from pdl.gbnf.utf8 import Ranges
    from pdl.source import Source, Span
    from pdl.trampoline import Recur


def groups(rules: Mapping[str, Rule]) -> list[tuple[list[str], bool]]:
    """Rules that lead to each other, in the order of the grammar, each group behind those it needs.

    The second value tells whether a rule of the group leads back to itself.
    """
    graph = {name: [ref.name for ref in references(rule.options)] for name, rule in rules.items()}
    place = {name: number for number, name in enumerate(rules)}
    return [
        (
            sorted(component, key=place.__getitem__),
            bool(component[1:]) or component[0] in graph[component[0]],
        )
        for component in strongly_connected_components(graph)
    ]


def recursive_groups(rules: Mapping[str, Rule]) -> list[list[str]]:
    """The groups of rules that lead back to themselves."""
    return [names for names, recursive in groups(rules) if recursive]


PLAIN = {ord("\t"): "\\t", ord("\r"): "\\r", ord("\n"): "\\n", ord("\\"): "\\\\"}
_FOUR = 0xFFFF  # the last code point of four hexadecimal digits


def escaped(code: int, special: Mapping[int, str]) -> str:
    r"""A code point as itself where one sees what it is, else as `\uHHHH` or `\UHHHHHHHH`."""
    if code in special:
        return special[code]
    if chr(code).isprintable():
        return chr(code)
    return f"\\u{code:04X}" if code <= _FOUR else f"\\U{code:08X}"


def bracketed(ranges: Ranges, spell: Callable[[int], str]) -> str:
    """`[a-z_]`."""
    return f"[{_written(ranges, spell)}]"


def shortest(ranges: Ranges, spell: Callable[[int], str]) -> str:
    """`[a-z]` or `[^a-z]`, whatever has fewer ranges.

    NUL is among those left out, surrogates are not: no UTF-8 has them.
    """
    if ranges[-1][1] < LAST:
        return bracketed(ranges, spell)
    first, *rest = normal(((0, 0), *characters(complement(ranges))))
    if len(rest) >= len(ranges):
        return bracketed(ranges, spell)
    return f"[^{_written((first, *rest), spell)}]"


def _written(ranges: Ranges, spell: Callable[[int], str]) -> str:
    return "".join(
        f"{spell(low)}{'-' if high > low + 1 else ''}{spell(high) if high > low else ''}"
        for low, high in ranges
    )


def spelled(
    names: Iterable[str], spell: Callable[[str], str], taken: Mapping[str, str], mark: str
) -> dict[str, str]:
    """Each name in its new spelling; those that would be alike get numbers behind a mark.

    `taken` are the spellings of some names that stand already.
    """
    found = dict(taken)
    used = set(taken.values())
    numbers: dict[str, int] = {}
    for name in names:
        if name in found:
            continue
        base = one = spell(name)
        while one in used:
            numbers[base] = numbers.get(base, 1) + 1
            one = f"{base}{mark}{numbers[base]}"
        used.add(one)
        found[name] = one
    return found


def plain(rules: Mapping[str, Rule], root: str, source: Source) -> dict[str, Rule]:
    """The rules that count, the root first. Raises GrammarError if it matches no text."""
    shortest = Shortest(rules)
    if shortest.rule(root) >= NEVER:
        message = f"the rule `{root}` matches no text, which no other notation can say"
        raise GrammarError(Problem("gbnf/matches-nothing", message, named(rules.get(root), source)))
    made = {
        name: replace(rule, options=run(_options(shortest, rule.options)))
        for name, rule in rules.items()
        if shortest.rule(name) < NEVER
    }
    reached = set(reachable(made, root))
    rest = {name: rule for name, rule in made.items() if name in reached}
    return {root: rest.pop(root), **rest}


def named(rule: Rule | None, source: Source) -> Span | None:
    """Where the name of a rule stands, if it was read from a text."""
    return source.span(rule.start, rule.named) if rule and rule.start >= 0 else None


def _options(shortest: Shortest, options: tuple[Sequence, ...]) -> Recur[tuple[Sequence, ...]]:
    """Alternatives without those that match nothing."""
    found: list[Sequence] = []
    for option in options:
        if not all(map(shortest.productive, option.items)):
            continue
        items: list[tuple[Item, ...]] = yield gather(_item(shortest, item) for item in option.items)
        found.append(replace(option, items=tuple(chain.from_iterable(items))))
    return tuple(found)


def _item(shortest: Shortest, item: Item) -> Recur[tuple[Item, ...]]:
    """An item that some text matches; none if that is only the empty one."""
    if is_nothing(item):
        return ()
    if isinstance(item, AnyChar | CharClass):
        ranges = ANY if isinstance(item, AnyChar) else of_class(item)
        return (CharClass(ranges, start=item.start, end=item.end),)
    if isinstance(item, Group):
        options: tuple[Sequence, ...] = yield _options(shortest, item.options)
        return (replace(item, options=options),) if any(one.items for one in options) else ()
    if isinstance(item, Repeat):
        if not shortest.productive(item.item):
            return ()
        inner: tuple[Item, ...] = yield _item(shortest, item.item)
        return tuple(replace(item, item=one, max=bounded(item)) for one in inner)
    return (item,)


NOTHING = '""'
"""The empty text."""


@dataclass(frozen=True)
class Notation:
    """How each kind of item is written."""

    names: Mapping[str, str]
    define: str
    comment: str
    literal: Callable[[tuple[int, ...]], str]
    char_class: Callable[[Ranges], str]
    token: Callable[[TokenRef], str] = item_text

    def rules(self, rules: Iterable[Rule]) -> str:
        """A line for each rule, its comments above it."""
        return "".join(f"{line}\n" for rule in rules for line in self._rule(rule))

    def _rule(self, rule: Rule) -> Iterator[str]:
        for comment in rule.comments:
            shown = "".join(char if char.isprintable() else " " for char in comment)
            yield f"{self.comment} {shown}".rstrip()
        yield f"{self.names[rule.name]}{self.define} {run(self._options(rule.options))}"

    def _options(self, options: Iterable[Sequence]) -> Recur[str]:
        written: list[str] = []
        for option in options:
            items: list[str] = yield gather(map(self._item, option.items))
            written.append(" ".join(items) or NOTHING)
        return " | ".join(written)

    def _item(self, item: Item) -> Recur[str]:
        if isinstance(item, Group):
            inner: str = yield self._options(item.options)
            return f"({inner})"
        if isinstance(item, Repeat):
            repeated: str = yield self._item(item.item)
            return (repeated if _is_one(item.item) else f"({repeated})") + suffix(
                item.min, item.max
            )
        return self._leaf(item)

    def _leaf(self, item: Literal | CharClass | AnyChar | RuleRef | TokenRef) -> str:
        if isinstance(item, RuleRef):
            return self.names[item.name]
        if isinstance(item, Literal):
            return self.literal(item.codes)
        if isinstance(item, TokenRef):
            return self.token(item)
        return self.char_class(item.ranges if isinstance(item, CharClass) else ANY)


def _is_one(item: Item) -> bool:
    """Whether what is written for an item can be repeated as it stands."""
    if isinstance(item, Literal):
        return len(item.codes) == 1
    return not isinstance(item, Repeat)


def refuse_tokens(
    rules: Mapping[str, Rule], source: Source, target: str, known: Callable[[TokenRef], bool]
) -> None:
    """Raise GrammarError for the references to tokens that a notation has not."""
    problems = [
        Problem(
            "gbnf/token-reference",
            f"{target} cannot say `{item_text(item)}`",
            source.span(item.start, item.end) if item.start >= 0 else None,
            "only texts can be exported, and for xgrammar tokens by number",
        )
        for rule in rules.values()
        for item in items(rule.options)
        if isinstance(item, TokenRef) and not known(item)
    ]
    if problems:
        raise error_from(problems)
