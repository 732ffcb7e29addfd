"""A grammar as a recursive transition network over bytes, a pushdown automaton (Woods, 1970).

Each rule is a graph of states. A state has edges for bytes, for a token, into another rule (and
then to the state that waits for its end), or it splits. UTF-8 is compiled in, so a string may stop
in the middle of a character. What follows an item is known when the item is compiled, so a
repetition is a loop, and a rule at the end of a rule needs no entry on the stack (a tail call).

Counted repetitions are unrolled: `x{0,3}` is `(x (x x?)?)?`, a copy of `x` for each round, all of
the same shape. Of two states that differ in the copy alone, the one with more rounds left subsumes
the other: whatever can follow the other can follow it, too, so only that one need be tracked.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from pdl.gbnf.analysis import Shortest
from pdl.gbnf.limits_errors import Clock, limit_error
from pdl.gbnf.nodes import (
    AnyChar,
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    RuleRef,
    Sequence,
    TokenRef,
    bounded,
)
from pdl.gbnf.utf8 import ANY, Ranges, characters, encoded, of_class

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping

    from pdl.gbnf.nodes import Rule
    from pdl.gbnf.utf8 import ByteRanges
    from pdl.limits import Limits
    from pdl.source import Source, Span


_T = TypeVar("_T", bound="Hashable")

Mark: TypeAlias = tuple[int, int, int]
"""The number of a repetition, the position in its copy, and the rounds that are left there."""


class CountedRepetition(NamedTuple):
    """Copies of an optional item: how many, of how many states each, from which state on."""

    first: int
    size: int
    copies: int

    @property
    def end(self) -> int:
        """The state after the last one."""
        return self.first + self.size * self.copies


class CountedRepetitions:
    """All repetitions of a network: each is apart from another one or inside one of its copies."""

    def __init__(self, repetitions: Collection[CountedRepetition]) -> None:
        self._repetitions = sorted(repetitions, key=lambda chain: (chain.first, -chain.end))
        self._firsts = [chain.first for chain in self._repetitions]
        self._around = self._parents()
        self._known: dict[int, tuple[Mark, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self._repetitions)

    def _parents(self) -> list[int]:
        """The repetition around each, -1 if there isn't one."""
        around: list[int] = []
        for chain in self._repetitions:
            outer = len(around) - 1
            while outer >= 0 and self._repetitions[outer].end <= chain.first:
                outer = around[outer]
            around.append(outer)
        return around

    def marks(self, state: int) -> tuple[Mark, ...]:
        """The positions of a state in the repetitions around it."""
        known = self._known.get(state)
        if known is None:
            found: list[Mark] = []
            at = bisect_right(self._firsts, state) - 1
            while at >= 0:
                chain = self._repetitions[at]
                if state < chain.end:
                    index, place = divmod(state - chain.first, chain.size)
                    found.append((at, place, index))
                at = self._around[at]
            known = self._known[state] = tuple(found)
        return known

    def drop_subsumed(self, pairs: Collection[tuple[int, _T]]) -> list[tuple[int, _T]]:
        """The states that no other one subsumes that is paired with the same value."""
        marked = [(marks, other) for state, other in pairs if (marks := self.marks(state))]
        if len(marked) <= 1:
            return list(pairs)
        best: dict[tuple[int, int, _T], int] = {}
        for marks, other in marked:
            for chain, place, index in marks:
                key = (chain, place, other)
                best[key] = max(index, best.get(key, 0))
        return [
            (state, other)
            for state, other in pairs
            if all(best[chain, at, other] == index for chain, at, index in self.marks(state))
        ]


_UNWATCHED = 4096  # states that are made between two looks at the clock


class CallEdge(NamedTuple):
    """Match a rule, then continue at a state; `last`: nothing of this rule is left then."""

    rule: int
    return_state: int
    last: bool


class Origin(NamedTuple):
    """What a state represents: an item of a rule, and how many code points of it were read."""

    rule: str
    item: Item
    done: int


class CallEdges:
    """The call edges of states, each made when it is asked for.

    Large grammars have hundreds of thousands, and numbers are nothing to the garbage collector.
    """

    __slots__ = ("_backs", "_ends", "_rules")

    def __init__(self, ends: Mapping[int, int]) -> None:
        self._ends = ends
        self._rules: dict[int, int] = {}
        self._backs: dict[int, int] = {}

    def __contains__(self, state: int) -> bool:
        return state in self._rules

    def __getitem__(self, state: int) -> CallEdge:
        back = self._backs[state]
        return CallEdge(self._rules[state], back, back in self._ends)

    def get(self, state: int) -> CallEdge | None:
        """The call edge of a state, None if it has none."""
        return self[state] if state in self._rules else None

    def add(self, state: int, rule: int, back: int) -> None:
        """Let a state match a rule, then continue at another one."""
        self._rules[state] = rule
        self._backs[state] = back


class SourceMap:
    """What states represent, each made when it is asked for, as there are as many."""

    __slots__ = ("_done", "_items", "_numbers")

    def __init__(self) -> None:
        self._items: list[tuple[str, Item]] = []
        self._numbers: dict[int, int] = {}
        self._done: dict[int, int] = {}

    def __contains__(self, state: int) -> bool:
        return state in self._numbers

    def __getitem__(self, state: int) -> Origin:
        rule, item = self._items[self._numbers[state]]
        return Origin(rule, item, self._done.get(state, 0))

    def get(self, state: int) -> Origin | None:
        """What a state represents, None if it is inside a character or between items."""
        return self[state] if state in self._numbers else None

    def item(self, rule: str, item: Item) -> int:
        """A number for an item of a rule, for `add`."""
        self._items.append((rule, item))
        return len(self._items) - 1

    def add(self, state: int, number: int, done: int = 0) -> None:
        """Let a state represent an item, of which so many code points were read."""
        self._numbers[state] = number
        if done:
            self._done[state] = done


@dataclass(slots=True)
class Rtn:
    """The states of a grammar, by number; the lists run in parallel.

    `moves[state]` are byte ranges and their targets; `splits[state]` the targets of epsilon edges;
    `calls`, `tokens` the other edges, `source_map` the items of the grammar. `ends` are the states
    at which rules are complete, `starts` those at which they begin, `firsts` the lowest of each,
    `empty` the nullable rules; a rule's number is its index in `names`. `classes` numbers the
    classes of bytes that no move distinguishes.
    """

    names: list[str]
    moves: list[tuple[tuple[int, int, int], ...]] = field(default_factory=list)
    splits: dict[int, tuple[int, ...]] = field(default_factory=dict)
    tokens: dict[int, tuple[TokenRef, int]] = field(default_factory=dict)
    source_map: SourceMap = field(default_factory=SourceMap)
    ends: dict[int, int] = field(default_factory=dict)
    calls: CallEdges = field(init=False)
    starts: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    empty: frozenset[int] = frozenset()
    repetitions: CountedRepetitions = field(default_factory=lambda: CountedRepetitions(()))
    classes: bytes = bytes(range(256))

    def __post_init__(self) -> None:
        self.calls = CallEdges(self.ends)

    def rule_of(self, state: int) -> str:
        """The name of the rule that a state belongs to."""
        return self.names[bisect_right(self.firsts, state) - 1]


def compile_rtn(rules: Mapping[str, Rule], limits: Limits, source: Source | None = None) -> Rtn:
    """Compile some rules, which were read from `source`.

    Raises LimitError for more states or a longer time than `limits` has.
    """
    return _Compiler(rules, limits, source).made


class _Compiler:
    def __init__(self, rules: Mapping[str, Rule], limits: Limits, source: Source | None) -> None:
        self._most = limits.grammar_states
        self._clock = Clock(limits, "building the network")
        self._source = source
        self._numbers = {name: number for number, name in enumerate(rules)}
        self._rule = ""
        self._span: Span | None = None
        self._tails: dict[tuple[tuple[ByteRanges, ...], int], int] = {}
        self._repetitions: list[CountedRepetition] = []
        self._cuts = bytearray(257)  # at which bytes a move begins, or after which one ends
        self._shortest = Shortest(rules)
        self.made = Rtn(list(rules))
        self.made.empty = frozenset(
            number for name, number in self._numbers.items() if not self._shortest.rule(name)
        )
        for rule in rules.values():
            self._compile(rule)
        self.made.repetitions = CountedRepetitions(self._repetitions)
        self.made.classes = bytes(sum(self._cuts[1 : byte + 1]) for byte in range(256))

    def _compile(self, rule: Rule) -> None:
        self._rule = rule.name
        read = self._source is not None and rule.start >= 0
        self._span = self._source.span(rule.start, rule.named) if self._source and read else None
        self._clock.check(self._span)
        self._tails.clear()
        end = self._state()
        self.made.firsts.append(end)
        self.made.ends[end] = self._numbers[rule.name]
        self.made.starts.append(self._options(rule.options, end))

    def _state(self, moves: tuple[tuple[int, int, int], ...] = ()) -> int:
        states = self.made.moves
        if len(states) >= self._most:
            message = f"the grammar becomes more than {self._most:,} states"
            raise limit_error("grammar_states", message, self._span)
        if not len(states) % _UNWATCHED:
            self._clock.check(self._span)
        for low, high, _ in moves:
            self._cuts[low] = self._cuts[high + 1] = 1
        states.append(moves)
        return len(states) - 1

    def _split(self, states: Iterable[int]) -> int:
        state = self._state()
        self.made.splits[state] = tuple(dict.fromkeys(states))
        return state

    def _options(self, options: Iterable[Sequence], following: int) -> int:
        """The state at which alternatives begin that lead to another state."""
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
            return self._class(item, ANY, following)
        if isinstance(item, Group):
            return self._options(item.options, following)
        if isinstance(item, Repeat):
            return self._repeat(item, following)
        state = self._state()
        self._represents(state, item)
        if isinstance(item, RuleRef):
            self.made.calls.add(state, self._numbers[item.name], following)
        else:
            self.made.tokens[state] = (item, following)
        return state

    def _represents(self, state: int, item: Item) -> None:
        source_map = self.made.source_map
        source_map.add(state, source_map.item(self._rule, item))

    def _literal(self, item: Literal, following: int) -> int:
        number = self.made.source_map.item(self._rule, item)
        for done in range(len(item.codes) - 1, -1, -1):
            code = item.codes[done]
            possible = characters(((code, code),))
            bytes_ = chr(code).encode() if possible else b""
            for byte in reversed(bytes_[1:]):
                following = self._state(((byte, byte, following),))
            moves = ((bytes_[0], bytes_[0], following),) if bytes_ else ()
            following = self._state(moves)
            self.made.source_map.add(following, number, done)
        return following

    def _class(self, item: Item, ranges: Ranges, following: int) -> int:
        first: dict[tuple[int, int], list[ByteRanges]] = {}
        for low, *rest in encoded(ranges):
            first.setdefault(low, []).append(tuple(rest))
        moves = [(*low, self._tail(tuple(rests), following)) for low, rests in first.items()]
        state = self._state(tuple(moves))
        self._represents(state, item)
        return state

    def _tail(self, rests: tuple[ByteRanges, ...], following: int) -> int:
        """The state for the rest of a character, shared by all with the same continuation."""
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
        most = bounded(item)
        # A nullable item may match nothing in each round: then no round is required.
        least = 0 if self._shortest.nullable(item.item) else item.min
        if most is None:
            loop = self._state()
            body = self._item(item.item, loop)
            self.made.splits[loop] = (body, following)
            state, least = (body, least - 1) if least else (loop, 0)
        else:
            state = self._chain(item.item, most - least, following)
        for _ in range(least):
            state = self._item(item.item, state)
        return state

    def _chain(self, item: Item, count: int, following: int) -> int:
        """An item at most so many times: copies that are alike, state by state."""
        if isinstance(item, RuleRef) and count:  # of none, the rule need not be there
            return self._calls(item, count, following)
        state, first = following, len(self.made.moves)
        ends: list[int] = []
        for _ in range(count):
            self._tails.clear()
            state = self._split((self._item(item, state), following))
            ends.append(state + 1)
        size = ends[0] - first if ends else 0
        if count > 1 and ends == list(range(first + size, first + size * count + 1, size)):
            self._repetitions.append(CountedRepetition(first, size, count))
        return state

    def _calls(self, item: RuleRef, count: int, following: int) -> int:
        """A chain of calls; schemas have long ones, so each takes as little as possible."""
        made, rule, state = self.made, self._numbers[item.name], following
        number = made.source_map.item(self._rule, item)
        self._tails.clear()
        first = len(made.moves)
        for _ in range(count):
            call = self._state()
            made.source_map.add(call, number)
            made.calls.add(call, rule, state)
            state = call + 1
            made.moves.append(())
            made.splits[state] = (call, following)
        if count > 1:
            self._repetitions.append(CountedRepetition(first, 2, count))
        return state
