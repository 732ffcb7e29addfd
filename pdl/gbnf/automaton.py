"""A grammar as a pushdown automaton over bytes.

Each rule is a graph of states. A state goes on by bytes, by a token, into another rule (and then to
the state that waits for its end), or splits. UTF-8 is compiled in, so that a text may stop amid a
character. What follows an item is known when the item is compiled, so a repetition is a loop, and a
rule at the end of a rule needs no place on the stack (a tail call).
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pdl.errors import LimitError, Problem
from pdl.gbnf.empty import Emptiness
from pdl.gbnf.nodes import (
    LAST,
    AnyChar,
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    RuleRef,
    Sequence,
    TokenRef,
)
from pdl.gbnf.symbols import bounded
from pdl.gbnf.utf8 import Ranges, characters, encoded, of_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.gbnf.nodes import Rule
    from pdl.gbnf.utf8 import ByteRanges
    from pdl.limits import Limits

_ANY = characters(((0, LAST),))


class Call(NamedTuple):
    """Match a rule, then go on at a state; `last`: nothing of this rule is left then."""

    rule: int
    back: int
    last: bool


class Origin(NamedTuple):
    """What a state stands for: an item of a rule, and how many code points of it are behind."""

    rule: str
    item: Item
    done: int


@dataclass(slots=True)
class Automaton:
    """The states of a grammar, by number; the lists run in parallel.

    `moves[state]` are byte ranges and where they lead; `splits[state]` other states that stand in
    the same place; `calls`, `tokens`, `origins` what else a state does. `ends` are the states at
    which rules are complete, `starts` those at which they begin, `firsts` the lowest of each,
    `empty` the rules that may match nothing; a rule's number is its place in `names`.
    """

    names: list[str]
    moves: list[tuple[tuple[int, int, int], ...]] = field(default_factory=list)
    splits: dict[int, tuple[int, ...]] = field(default_factory=dict)
    calls: dict[int, Call] = field(default_factory=dict)
    tokens: dict[int, tuple[TokenRef, int]] = field(default_factory=dict)
    origins: dict[int, Origin] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    empty: frozenset[int] = frozenset()

    def rule_of(self, state: int) -> str:
        """The name of the rule that a state belongs to."""
        return self.names[bisect_right(self.firsts, state) - 1]


def automaton(rules: Mapping[str, Rule], limits: Limits) -> Automaton:
    """The automaton of some rules. Raises LimitError for more states than `limits` has."""
    return _Compiler(rules, limits).made


class _Compiler:
    def __init__(self, rules: Mapping[str, Rule], limits: Limits) -> None:
        self._limits = limits
        self._numbers = {name: number for number, name in enumerate(rules)}
        self._rule = ""
        self._tails: dict[tuple[tuple[ByteRanges, ...], int], int] = {}
        self.made = Automaton(list(rules))
        found = Emptiness(rules).found
        self.made.empty = frozenset(self._numbers[name] for name in rules if name in found)
        for name, rule in rules.items():
            self._rule = name
            self._tails.clear()
            end = self._state()
            self.made.firsts.append(end)
            self.made.ends[end] = self._numbers[name]
            self.made.starts.append(self._options(rule.options, end))

    def _state(self, moves: tuple[tuple[int, int, int], ...] = ()) -> int:
        states = self.made.moves
        if len(states) >= self._limits.grammar_states:
            message = f"the grammar becomes more than {self._limits.grammar_states:,} states"
            raise LimitError(Problem("limit/grammar-states", message))
        states.append(moves)
        return len(states) - 1

    def _split(self, states: Iterable[int]) -> int:
        state = self._state()
        self.made.splits[state] = tuple(dict.fromkeys(states))
        return state

    def _options(self, options: Iterable[Sequence], following: int) -> int:
        """The state at which alternatives begin that lead to a state."""
        starts = [self._sequence(option, following) for option in options]
        return starts[0] if len(starts) == 1 else self._split(starts)

    def _sequence(self, sequence: Sequence, following: int) -> int:
        for item in reversed(sequence.items):
            following = self._item(item, following)
        return following

    def _item(self, item: Item, following: int) -> int:
        if isinstance(item, Literal):
            return self._literal(item, following)
        if isinstance(item, CharClass):
            return self._class(item, of_class(item), following) if item.ranges else following
        if isinstance(item, AnyChar):
            return self._class(item, _ANY, following)
        if isinstance(item, Group):
            return self._options(item.options, following)
        if isinstance(item, Repeat):
            return self._repeat(item, following)
        state = self._state()
        self.made.origins[state] = Origin(self._rule, item, 0)
        if isinstance(item, RuleRef):
            last = following in self.made.ends
            self.made.calls[state] = Call(self._numbers[item.name], following, last)
        else:
            self.made.tokens[state] = (item, following)
        return state

    def _literal(self, item: Literal, following: int) -> int:
        for done in range(len(item.codes) - 1, -1, -1):
            code = item.codes[done]
            possible = characters(((code, code),))
            bytes_ = chr(code).encode() if possible else b""
            for byte in reversed(bytes_[1:]):
                following = self._state(((byte, byte, following),))
            moves = ((bytes_[0], bytes_[0], following),) if bytes_ else ()
            following = self._state(moves)
            self.made.origins[following] = Origin(self._rule, item, done)
        return following

    def _class(self, item: Item, ranges: Ranges, following: int) -> int:
        first: dict[tuple[int, int], list[ByteRanges]] = {}
        for low, *rest in encoded(ranges):
            first.setdefault(low, []).append(tuple(rest))
        moves = [(*low, self._tail(tuple(rests), following)) for low, rests in first.items()]
        state = self._state(tuple(moves))
        self.made.origins[state] = Origin(self._rule, item, 0)
        return state

    def _tail(self, rests: tuple[ByteRanges, ...], following: int) -> int:
        """The state for the rest of a character, shared by all that go on in the same way."""
        if rests == ((),):
            return following
        known = self._tails.get((rests, following))
        if known is not None:
            return known
        grouped: dict[tuple[int, int], list[ByteRanges]] = {}
        for low, *rest in rests:
            grouped.setdefault(low, []).append(tuple(rest))
        moves = [(*low, self._tail(tuple(found), following)) for low, found in grouped.items()]
        state = self._state(tuple(moves))
        self._tails[rests, following] = state
        return state

    def _repeat(self, item: Repeat, following: int) -> int:
        most, least = bounded(item), item.min
        if most is None:
            loop = self._state()
            body = self._item(item.item, loop)
            self.made.splits[loop] = (body, following)
            state, least = (body, least - 1) if least else (loop, 0)
        else:
            state = following
            for _ in range(most - least):
                state = self._split((self._item(item.item, state), following))
        for _ in range(least):
            state = self._item(item.item, state)
        return state
