"""Which parts of a grammar are lexemes, as those of a lexer: strings, numbers, blanks, names.

A lexeme is regular: it names no token, and rules in it refer back to themselves at most at their
ends. Inside it, all positions of a text are states of one finite automaton, wherever it is used. It
is either small, or many bytes may begin it, as they may begin a name that must not be one of some
others.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pdl.gbnf.analysis import possible
from pdl.gbnf.byte_classes import bytes_of
from pdl.gbnf.nodes import CharClass, Group, Literal, Repeat, RuleRef, Sequence, TokenRef
from pdl.graphs import strongly_connected_components

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pdl.gbnf.nodes import Item, Rule

WIDE = 24
"""More bytes than may come where the structure of JSON is."""
_SMALL = 120  # code points and classes
_FEW = 8  # rounds of what is no loop
_TOKEN = ""  # the name of a rule that names a token


class Lexemes:
    """The lexemes of some rules, each looked at when it is asked for."""

    def __init__(self, rules: Mapping[str, Rule], nullable: frozenset[str]) -> None:
        self._rules = rules
        self._nullable = nullable
        self._first: dict[str, int] = {}
        self._regular = {_TOKEN: False}
        self._known: dict[str, bool] = {}
        self._wide: dict[int, tuple[Item, bool]] = {}  # by identity, which is quickly had

    def is_lexeme(self, name: str) -> bool:
        """Whether a rule is one."""
        known = self._known.get(name)
        if known is None:
            known = False  # of rules that are too deep in each other
            with suppress(RecursionError):
                if self._first_of_rule(name).bit_count() > WIDE:
                    known = self._is_regular(name)
                else:
                    known = self._is_small(name)
            self._known[name] = known
        return known

    def joined(self, items: tuple[Item, ...]) -> tuple[Item, ...]:
        """Some items, of which those that make one wide lexeme together are one group."""
        found: list[Item] = []
        run: list[Item] = []
        for item in items:
            if self.is_wide(item):
                run.append(item)
                continue
            found += _as_one(run)
            found.append(item)
            run = []
        return (*found, *_as_one(run))

    def is_wide(self, item: Item) -> bool:
        """Whether an item is a lexeme that many bytes may begin."""
        if isinstance(item, Literal):
            return False
        known = self._wide.get(id(item))
        if known is None:
            found = False  # of rules that are too deep in each other
            with suppress(RecursionError):
                first, _ = self._first_of(item)
                if first.bit_count() > WIDE:
                    found = all(map(self._is_regular, self._references((Sequence((item,)),))))
            known = self._wide[id(item)] = item, found
        return known[1]

    def _first_of_rule(self, name: str) -> int:
        """The bytes that may begin a rule, as bits."""
        known = self._first.get(name)
        if known is None:
            self._first[name] = 0  # of a rule that begins with itself, until it is known
            known = self._first[name] = self._first_of_options(self._rules[name].options)
        return known

    def _first_of_options(self, options: Iterable[Sequence]) -> int:
        found = 0
        for option in options:
            for item in option.items:
                first, is_empty = self._first_of(item)
                found |= first
                if not is_empty:
                    break
        return found

    def _first_of(self, item: Item) -> tuple[int, bool]:
        """The bytes that may begin an item, as bits, and whether it may be empty."""
        if isinstance(item, Repeat):
            first, is_empty = self._first_of(item.item)
            return first, is_empty or not item.min
        if isinstance(item, RuleRef):
            return self._first_of_rule(item.name), item.name in self._nullable
        if isinstance(item, Group):
            return self._first_of_options(item.options), False  # at worst, too few bytes
        if isinstance(item, Literal):
            text = "".join(map(chr, filter(possible, item.codes[:1])))
            return sum(1 << byte for byte in text.encode()[:1]), not item.codes
        if isinstance(item, TokenRef):
            return 0, False
        first = 0
        for low, high, _ in bytes_of(item):
            first |= (1 << high + 1) - (1 << low)
        return first, isinstance(item, CharClass) and not item.ranges

    def _is_regular(self, name: str) -> bool:
        """Whether a rule and those that it refers to are regular.

        They are if none names a token, and none refers back but at the very end of the other, as it
        may in a right-linear grammar.
        """
        if name not in self._regular:
            graph: dict[str, dict[str, bool]] = {}
            pending = [name]
            while pending:
                one = pending.pop()
                if one not in graph and one not in self._regular:
                    graph[one] = self._references(self._rules[one].options)
                    pending += graph[one]
            for component in strongly_connected_components(graph):
                known = all(self._is_last(graph[one], component) for one in component)
                self._regular.update(dict.fromkeys(component, known))
        return self._regular[name]

    def _is_last(self, references: dict[str, bool], component: Collection[str]) -> bool:
        """Whether a rule is regular, if the others of its cycle are."""
        return all(
            is_last if other in component else self._regular[other]
            for other, is_last in references.items()
        )

    def _references(self, options: Iterable[Sequence]) -> dict[str, bool]:
        """The rules that some alternatives refer to, and whether only at their ends."""
        found: dict[str, bool] = {}
        pending = [(option, True) for option in options]
        for option, ends in pending:
            for at, repeated in enumerate(option.items, 1):
                item, is_last = repeated, ends and at == len(option.items)
                while isinstance(item, Repeat):
                    is_last &= item.max == 1
                    item = item.item
                if isinstance(item, RuleRef):
                    found[item.name] = found.get(item.name, True) and is_last
                elif isinstance(item, Group):
                    pending += [(inner, is_last) for inner in item.options]
                elif isinstance(item, TokenRef):
                    found[_TOKEN] = False
        return found

    def _is_small(self, name: str) -> bool:
        """Whether a rule is small, and of one loop at most, if that is one of many characters.

        A rule that refers back to itself is never small.
        """
        room = _SMALL
        loops = 0
        is_wide = False
        pending = [item for option in self._rules[name].options for item in option.items]
        while pending and room > 0:
            item = pending.pop()
            room -= len(item.codes) if isinstance(item, Literal) else 1
            if isinstance(item, Repeat):
                if item.max is None or item.max > _FEW:
                    loops += 1
                    is_wide |= self._first_of(item)[0].bit_count() > WIDE
                pending.append(item.item)
            elif isinstance(item, RuleRef | Group):
                held = self._rules[item.name] if isinstance(item, RuleRef) else item
                pending += [one for option in held.options for one in option.items]
            elif isinstance(item, TokenRef):
                return False
        return room > 0 and (loops <= 1 or not is_wide)


def _as_one(items: list[Item]) -> list[Item]:
    return [Group((Sequence(tuple(items)),))] if len(items) > 1 else items
