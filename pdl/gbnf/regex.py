"""A grammar as one regular expression, where its rules are recursive only at their ends.

Such rules are equations over regular expressions, such as `x = a x | b y | c`, each the
alternatives of what precedes another rule; they are solved in sequence with Arden's lemma (Delayed
reducibility, 1961): `x = a x | b` is `a* b`. Source of the condition: Mohri and Nederhof, Regular
approximation of context-free grammars, 2001.

Regular expressions are values: they share parts, and know how long they would be when written. The
notation is what Python's `re` and ECMA-262 with the flag `u` read alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from pdl.errors import GrammarError, Problem
from pdl.gbnf.export import PLAIN, bracketed, components, escaped, named, plain, refuse_tokens
from pdl.gbnf.limits_errors import Clock
from pdl.gbnf.nodes import (
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    Rule,
    RuleRef,
    Sequence,
    references,
    suffix,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdl.gbnf.utf8 import Ranges
    from pdl.limits import Limits
    from pdl.source import Source


_SYNTAX = {**PLAIN, **{ord(mark): f"\\{mark}" for mark in "^$.*+?()[]{}|/"}}
_IN_CLASS = {**PLAIN, **{ord(mark): f"\\{mark}" for mark in "[]^-"}}
_MOST = 10**15  # sizes beyond it are not told apart
_SIMPLE = ("?", "*", "+")
_GROUP = 4  # characters of `(?:)`


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A regular expression: a string that can be repeated without a group, or parts.

    `kind` is `one` (a character or a class), `row` (parts one after the other), `options` or
    `repeat`. `size` is at least the length that it has when written, `depth` how deep its groups
    nest; `empty` tells whether it may match nothing.
    """

    kind: str
    text: str = ""
    parts: tuple[Pattern, ...] = ()
    size: int = 0
    depth: int = 0
    empty: bool = False


EMPTY = Pattern("row", empty=True)


@lru_cache(maxsize=1024)
def character(code: int) -> Pattern:
    """One character."""
    return _one(_spelled(code, _SYNTAX))


def char_class(ranges: Ranges) -> Pattern:
    """One character of some ranges."""
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return character(ranges[0][0])
    return _one(bracketed(ranges, lambda code: _spelled(code, _IN_CLASS)))


def _one(text: str) -> Pattern:
    return Pattern("one", text, size=len(text))


def _spelled(code: int, special: dict[int, str]) -> str:
    """A code point; beyond U+FFFF the two notations share no escape."""
    return chr(code) if code > 0xFFFF else escaped(code, special)  # noqa: PLR2004


def row(parts: Iterable[Pattern]) -> Pattern:
    """Patterns one after the other."""
    kept = tuple(part for part in parts if part is not EMPTY)
    if len(kept) == 1:
        return kept[0]
    if not kept:
        return EMPTY
    size = sum(part.size + _GROUP * (part.kind == "options") for part in kept)
    depth = max(part.depth + (part.kind == "options") for part in kept)
    return Pattern("row", "", kept, min(size, _MOST), depth, all(part.empty for part in kept))


def options(parts: Iterable[Pattern]) -> Pattern:
    """Patterns of which one is taken; each part counts once."""
    kept = tuple(dict.fromkeys(parts))
    if len(kept) == 1:
        return kept[0]
    if EMPTY in kept:
        return repeat(options(part for part in kept if part is not EMPTY), 0, 1)
    size = sum(part.size + 1 for part in kept)
    depth = max(part.depth for part in kept)
    return Pattern("options", "", kept, min(size, _MOST), depth, any(part.empty for part in kept))


def repeat(part: Pattern, least: int, most: int | None) -> Pattern:
    """A pattern several times.

    What may be empty is repeated no times at least, as it does not matter: engines that track back
    would try each way in which the empty text is made of empty texts.
    """
    least = 0 if part.empty else least
    if part is EMPTY or most == 1 == least + part.empty:
        return part
    said = suffix(least, most)
    if part.kind == "repeat" and part.text in _SIMPLE and (said in _SIMPLE or not least):
        if part.text != "?":
            said = "+" if said == part.text == "+" else "*"
        part = part.parts[0]
    grouped = part.kind != "one"
    size = part.size + _GROUP * grouped + len(said)
    empty = part.empty or said in {"?", "*"} or not least
    return Pattern("repeat", said, (part,), min(size, _MOST), part.depth + grouped, empty)


def written(pattern: Pattern) -> str:
    """The text of a pattern, without recursion, as parts may nest in long rows."""
    found: list[str] = []
    pending: list[Pattern | str] = [pattern]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            found.append(one)
        elif one.kind == "one":
            found.append(one.text)
        else:
            pending += reversed(_pieces(one))
    return "".join(found)


def _pieces(pattern: Pattern) -> list[Pattern | str]:
    pieces: list[Pattern | str] = []
    if pattern.kind == "repeat":
        part = pattern.parts[0]
        return [*(_grouped(part) if part.kind != "one" else [part]), pattern.text]
    for part in pattern.parts:
        if pattern.kind == "options":
            pieces += ["|", part] if pieces else [part]
        else:
            pieces += _grouped(part) if part.kind == "options" else [part]
    return pieces


def _grouped(part: Pattern) -> list[Pattern | str]:
    return ["(?:", part, ")"]


@dataclass(slots=True)
class Equation:
    """What precedes each unknown on the right side; what precedes `""` is the end."""

    before: dict[str, list[Pattern]] = field(default_factory=dict)

    def add(self, pattern: Pattern, name: str) -> None:
        """One more alternative."""
        self.before.setdefault(name, []).append(pattern)

    def terms(self) -> Iterator[tuple[str, Pattern]]:
        """All alternatives."""
        return ((name, one) for name, found in self.before.items() for one in found)

    def take(self, name: str) -> Pattern:
        """Everything that precedes an unknown as one pattern, which leaves the equation."""
        return options(self.before.pop(name))


def solved(equations: dict[str, Equation]) -> dict[str, Pattern]:
    """The pattern that each unknown is.

    The unknown that is linked with the fewest others goes first, so that sparse systems stay
    short; the first one goes last. Each must lead to an end.
    """
    order = _eliminated(equations)
    found: dict[str, Pattern] = {}
    for name in reversed(order):
        terms = [
            row([pattern, found[other]] if other else [pattern])
            for other, pattern in equations[name].terms()
        ]
        found[name] = options(terms)
    return found


def _eliminated(equations: dict[str, Equation]) -> list[str]:
    """Put each unknown into the others, in an order in which each has only later ones left."""
    users: dict[str, set[str]] = {name: set() for name in equations}
    for name, equation in equations.items():
        for other in equation.before:
            if other:
                users[other].add(name)
    first = next(iter(equations))
    heap = [(name == first, _weight(name, equations, users), name) for name in equations]
    heapify(heap)
    order: list[str] = []
    while heap:
        _, weight, name = heappop(heap)
        now = _weight(name, equations, users)
        if now != weight:
            heappush(heap, (name == first, now, name))
            continue
        _put(name, equations, users)
        order.append(name)
    return order


def _weight(name: str, equations: dict[str, Equation], users: dict[str, set[str]]) -> int:
    return len(users[name]) * len(equations[name].before)


def _put(name: str, equations: dict[str, Equation], users: dict[str, set[str]]) -> None:
    """Solve an equation for its own unknown, and put it into those that are not solved yet."""
    equation = equations[name]
    own = [repeat(equation.take(name), 0, None)] if name in equation.before else []
    for other in list(equation.before):
        equation.before[other] = [row([*own, equation.take(other)])]
        if other:
            users[other].discard(name)
    for user in sorted(users[name] - {name}):
        before = equations[user].take(name)
        for other, pattern in equation.terms():
            equations[user].add(row([before, pattern]), other)
            if other:
                users[other].add(user)


_DEEPEST = 80
"""Groups inside groups; Python's `re` needs about ten levels of its stack for each."""
_NAMED = 8  # rules that a message names


class _NotRegularError(Exception):
    """A rule of the component is followed by something."""


def regex(rules: Mapping[str, Rule], root: str, source: Source, most: int, limits: Limits) -> str:
    """The regular expression for whole texts.

    Raises GrammarError for rules that lead back to themselves before their end, for tokens, for a
    grammar that matches nothing, and for more than `most` characters or 80 groups in each other.
    """
    found = plain(rules, root, source)
    refuse_tokens(found.values(), source, "a regular expression cannot express `{}`")
    pattern = _Patterns(found, source, Clock(limits, "the export")).of(root)
    if pattern.size > most:
        message = f"the regular expression would have more than {most:,} characters"
        raise GrammarError(Problem("gbnf/regex-too-long", message))
    if pattern.depth > _DEEPEST:
        message = f"the regular expression would nest {pattern.depth:,} groups, over {_DEEPEST}"
        raise GrammarError(Problem("gbnf/regex-too-deep", message))
    return rf"^(?:{written(pattern)})(?![\s\S])"


class _Patterns:
    """The patterns of all rules, each made when those that it needs are there."""

    def __init__(self, rules: Mapping[str, Rule], source: Source, clock: Clock) -> None:
        self._made: dict[str, Pattern] = {}
        self._component: frozenset[str] = frozenset()
        bad: list[Problem] = []
        for names, recursive in components(rules):
            clock.check()
            self._component = frozenset(names) if recursive else frozenset()
            try:
                found = {name: self._rule(rules[name]) for name in names}
            except _NotRegularError:
                bad.append(_not_regular(names, rules, source))
                self._made.update(dict.fromkeys(names, EMPTY))
                continue
            self._made.update(solved(found))
        if bad:
            bad.sort(key=lambda problem: problem.span.start if problem.span else 0)
            raise GrammarError(*bad)

    def of(self, name: str) -> Pattern:
        return self._made[name]

    def _rule(self, rule: Rule) -> Equation:
        if self._component:
            return self._tail(rule.options)
        return self._end(Group(rule.options))

    def _tail(self, alternatives: Iterable[Sequence]) -> Equation:
        """Alternatives at the end of a rule, which may lead into a rule of its component."""
        found = Equation()
        for option in alternatives:
            parts = [self._whole(item) for item in option.items[:-1]]
            ends = Equation({"": [EMPTY]})
            for item in option.items[-1:]:
                ends = self._end(item)
            for name, pattern in ends.terms():
                found.add(row([*parts, pattern]), name)
        return found

    def _end(self, item: Item) -> Equation:
        """An item after which its rule ends."""
        if isinstance(item, RuleRef) and item.name in self._component:
            return Equation({item.name: [EMPTY]})
        if self._leads_back(item):
            if isinstance(item, Group):
                return self._tail(item.options)
            if isinstance(item, Repeat) and item.max == 1:
                once = self._end(item.item)
                if not item.min:
                    once.add(EMPTY, "")
                return once
        return Equation({"": [self._whole(item)]})

    def _leads_back(self, item: Item) -> bool:
        """Whether an item contains a rule of the component."""
        if not self._component:
            return False
        return any(ref.name in self._component for ref in references((Sequence((item,)),)))

    def _whole(self, item: Item) -> Pattern:
        """An item that contains no rule of the component."""
        if isinstance(item, RuleRef):
            if item.name in self._component:
                raise _NotRegularError
            return self._made[item.name]
        if isinstance(item, Literal):
            return row(map(character, item.codes))
        if isinstance(item, CharClass):
            return char_class(item.ranges)
        if isinstance(item, Repeat):
            return repeat(self._whole(item.item), item.min, item.max)
        assert isinstance(item, Group)
        return options(row(map(self._whole, option.items)) for option in item.options)


def _not_regular(names: list[str], rules: Mapping[str, Rule], source: Source) -> Problem:
    shown = ", ".join(f"`{name}`" for name in names[:_NAMED])
    if names[_NAMED:]:
        shown += f" and {len(names) - _NAMED:,} more"
    rule = rules[names[0]]
    what = f"the rules {shown} are recursive" if names[1:] else f"the rule {shown} is recursive"
    return Problem(
        "gbnf/not-regular",
        f"{what} before the end, which no regular expression can express",
        named(rule, source),
        "use right recursion, or write `*`",
    )
