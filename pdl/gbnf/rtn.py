"""A grammar as a recursive transition network over bytes, a pushdown automaton (Woods, 1970).

Each rule is a graph of states. A state has edges for bytes, for a token, into another rule (and
then to the state that waits for its end), or it splits. UTF-8 is compiled in, so a string may stop
in the middle of a character. What follows an item is known when the item is compiled, so a
repetition is a loop, and a rule at the end of a rule needs no entry on the stack (a tail call).

A rule is compiled when its start is first asked for, and of a repetition only the first copy
(`pdl.gbnf.repetitions`): a text reaches few of the states that a large grammar has.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from threading import RLock
from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.analysis import Shortest, possible
from pdl.gbnf.edges import Moves
from pdl.gbnf.limits_errors import Clock, limit_error, within_stack
from pdl.gbnf.nodes import (
    AnyChar,
    CharClass,
    Group,
    Literal,
    Repeat,
    RuleRef,
    TokenRef,
    bounded,
    is_nothing,
)
from pdl.gbnf.repetitions import Repetition
from pdl.gbnf.utf8 import ANY, encoded, of_class

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from pdl.gbnf.edges import ByteEdges, CallEdges, SourceMap
    from pdl.gbnf.nodes import Item, Rule, Sequence
    from pdl.gbnf.repetitions import CountedRepetitions, Repetitions
    from pdl.gbnf.utf8 import ByteRanges
    from pdl.limits import Limits
    from pdl.source import Source, Span


@dataclass(slots=True)
class Rtn:
    """The states of a grammar, by number.

    `moves[state]` are byte ranges and their targets; `splits[state]` the targets of epsilon edges;
    `calls`, `tokens` the other edges, `source_map` the items of the grammar: these know a state
    once its `moves` have been asked for. `ends` are the states at which rules are complete,
    `starts` those at which they begin; asking for one compiles the rule. `empty` are the nullable
    rules; a rule's number is its index in `names`. `classes` numbers the classes of bytes that no
    move distinguishes.
    """

    names: list[str]
    empty: frozenset[int]
    classes: bytes
    moves: Moves
    starts: Starts
    splits: dict[int, tuple[int, ...]] = field(init=False)
    tokens: dict[int, tuple[TokenRef, int]] = field(init=False)
    ends: dict[int, int] = field(init=False)
    calls: CallEdges = field(init=False)
    source_map: SourceMap = field(init=False)
    repetitions: CountedRepetitions = field(init=False)

    def __post_init__(self) -> None:
        edges = self.moves.edges
        self.splits = edges.splits
        self.tokens = edges.tokens
        self.ends = edges.ends
        self.calls = edges.calls
        self.source_map = edges.source_map
        self.repetitions = edges.repetitions

    def place(self, state: int) -> tuple[int, int]:
        """The number of the rule that a state belongs to, and the position in it."""
        return self.starts.place(state)

    def states(self, rule: int) -> range:
        """The states of a rule."""
        return self.starts.states(rule)

    def rule_of(self, state: int) -> str:
        """The name of the rule that a state belongs to."""
        return self.names[self.place(state)[0]]


def compile_rtn(rules: Mapping[str, Rule], limits: Limits, source: Source | None = None) -> Rtn:
    """Return the network of some rules, which were read from `source`.

    Asking for the start of a rule raises LimitError for more states, with those of the rules before
    it, or a longer time than `limits` has.
    """
    nullable = _nullable(rules)
    empty = frozenset(number for number, name in enumerate(rules) if name in nullable)
    moves = Moves()
    starts = Starts(rules, nullable, moves, limits, source)
    return Rtn(list(rules), empty, _byte_classes(rules), moves, starts)


_LOOKS = 4  # at all rules


def _nullable(rules: Mapping[str, Rule]) -> frozenset[str]:
    """The names of the rules that match the empty string.

    Mostly, those that do because of some others, and those that would if all others did, are soon
    the same.
    """
    found: set[str] = set()
    held = set(rules)
    for _ in range(_LOOKS):
        for name in reversed(list(rules)):  # rules mostly refer to later ones
            if name in held and name not in found:
                if _has_empty(rules[name].options, found):
                    found.add(name)
                elif not _has_empty(rules[name].options, held):
                    held.remove(name)
        if len(found) == len(held):
            return frozenset(found)
    shortest = Shortest({name: rules[name] for name in held})
    return frozenset(name for name in held if not shortest.rule(name))


def _has_empty(options: Iterable[Sequence], nullable: Container[str]) -> bool:
    """Whether an alternative matches the empty string, if some rules do."""
    return any(all(_is_nullable(one, nullable) for one in option.items) for option in options)


def _is_nullable(item: Item, nullable: Container[str]) -> bool:
    """Whether an item matches the empty string, if some rules do."""
    if isinstance(item, RuleRef):
        return item.name in nullable
    if isinstance(item, Repeat):
        return not item.min or _is_nullable(item.item, nullable)
    if isinstance(item, Group):
        return _has_empty(item.options, nullable)
    return is_nothing(item)


def _byte_classes(rules: Mapping[str, Rule]) -> bytes:
    """The number of the class of each byte, in the order of the bytes."""
    codes: set[int] = set()
    classes: dict[int, Item] = {}  # by identity: many rules share a node
    pending = [option for rule in rules.values() for option in rule.options]
    for option in pending:  # which grows
        for repeated in option.items:
            item = repeated
            while isinstance(item, Repeat):
                item = item.item
            if isinstance(item, Literal):
                codes.update(item.codes)
            elif isinstance(item, Group):
                pending += item.options
            elif not isinstance(item, RuleRef | TokenRef):
                classes[id(item)] = item
    text = "".join(map(chr, filter(possible, codes)))
    bytes_ = set(text.encode())
    cuts = bytes_.union(byte + 1 for byte in bytes_).union(*map(_cuts, classes.values()))
    number, found = 0, bytearray()
    for byte in range(256):
        number += byte in cuts and byte > 0
        found.append(number)
    return bytes(found)


_KNOWN = 200  # classes, and parts of them, of which the bytes are kept

ByteTree: TypeAlias = "tuple[tuple[int, int, tuple[ByteRanges, ...]], ...]"
"""The ranges of a byte of a character, each with what may follow: the ranges of further bytes."""


@lru_cache(_KNOWN)
def _bytes_of(item: Item) -> ByteTree:
    """The bytes of the characters of a class."""
    return _grouped(tuple(encoded(of_class(item) if isinstance(item, CharClass) else ANY)))


@lru_cache(_KNOWN)
def _grouped(ranges: tuple[ByteRanges, ...]) -> ByteTree:
    """The same of some characters that are of one byte at least."""
    first: dict[tuple[int, int], list[ByteRanges]] = {}
    for low, *rest in ranges:
        first.setdefault(low, []).append(tuple(rest))
    return tuple((*low, tuple(rests)) for low, rests in first.items())


@lru_cache(_KNOWN)
def _cuts(item: Item) -> frozenset[int]:
    """The bytes at which the ranges of a class begin, and those after which they end."""
    ranges = encoded(of_class(item) if isinstance(item, CharClass) else ANY)
    return frozenset(cut for held in ranges for low, high in held for cut in (low, high + 1))


_ASCII = 0x80  # codes below are of one byte
_UNWATCHED = 4096  # states that are made between two looks at the clock


class Starts(dict[int, int]):
    """The states at which rules begin: each is compiled when it is asked for.

    Threads may ask for the same one.
    """

    def __init__(
        self,
        rules: Mapping[str, Rule],
        nullable: frozenset[str],
        moves: Moves,
        limits: Limits,
        source: Source | None,
    ) -> None:
        self._rules = list(rules.values())
        self._numbers = {name: number for number, name in enumerate(rules)}
        self._nullable = nullable
        self._moves = moves
        self._edges = moves.edges
        self._limits = limits
        self._source = source
        self._lock = RLock()
        self._firsts: list[int] = []
        self._numbered: dict[int, int] = {}
        self._extents: dict[int, range] = {}
        self._next = 0
        self._rule = ""
        self._span: Span | None = None
        self._clock = Clock(limits, "building the network")
        self._tails: dict[tuple[tuple[ByteRanges, ...], int], int] = {}
        self._level: Repetitions

    def place(self, state: int) -> tuple[int, int]:
        """The number of the rule that a state belongs to, and the position in it."""
        at = bisect_right(self._firsts, state) - 1
        first = self._firsts[at]
        return self._numbered[first], state - first

    def states(self, rule: int) -> range:
        """The states of a rule."""
        self[rule]
        return self._extents[rule]

    def __missing__(self, number: int) -> int:
        """Compile a rule."""
        with self._lock:
            if number not in self:
                first = self._next
                try:
                    start = self._compile(self._rules[number], number)
                except BaseException:
                    self._undo(first)
                    raise
                self._numbered[first] = number
                self._firsts.append(first)  # an interrupt before it leaves a rule unknown
                self._extents[number] = range(first, self._next)
                self[number] = start
            return self[number]

    def _undo(self, first: int) -> None:
        """Forget the states from one on."""
        for state in range(first, self._next):
            self._moves.pop(state, None)
        self._edges.drop(first)
        self._next = first

    @within_stack
    def _compile(self, rule: Rule, number: int) -> int:
        self._rule = rule.name
        read = self._source is not None and rule.start >= 0
        self._span = self._source.span(rule.start, rule.named) if self._source and read else None
        self._clock = Clock(self._limits, "building the network")
        self._tails.clear()
        self._level = self._edges.repetitions.outer
        end = self._state()
        self._edges.ends[end] = number
        return self._options(rule.options, end)

    def _state(self, moves: ByteEdges = ()) -> int:
        state = self._next
        if state < self._limits.grammar_states:
            self._next += 1
        else:
            self._reserve(1)
        self._moves[state] = moves
        if not state % _UNWATCHED:
            self._clock.check(self._span)
        return state

    def _reserve(self, states: int) -> None:
        """Take the numbers of some states."""
        most = self._limits.grammar_states
        if self._next + states > most:
            message = f"the grammar becomes more than {most:,} states"
            raise limit_error("grammar_states", message, self._span)
        self._next += states

    def _split(self, states: Iterable[int]) -> int:
        state = self._state()
        self._edges.splits[state] = tuple(dict.fromkeys(states))
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
        if isinstance(item, CharClass) and not item.ranges:
            return following
        if isinstance(item, Group):
            return self._options(item.options, following)
        if isinstance(item, Repeat):
            return self._repeat(item, following)
        if isinstance(item, CharClass | AnyChar):
            state = self._of_bytes(_bytes_of(item), following)
        else:
            state = self._state()
            if isinstance(item, RuleRef):
                self._edges.calls.add(state, self._numbers[item.name], following)
            else:
                self._edges.tokens[state] = (item, following)
        source_map = self._edges.source_map
        source_map.add(state, source_map.item(self._rule, item))
        return state

    def _literal(self, item: Literal, following: int) -> int:
        source_map = self._edges.source_map
        number = source_map.item(self._rule, item)
        for done in range(len(item.codes) - 1, -1, -1):
            code = item.codes[done]
            if 0 < code < _ASCII:
                following = self._state(((code, code, following),))
            elif possible(code):
                first, *rest = chr(code).encode()
                for byte in reversed(rest):
                    following = self._state(((byte, byte, following),))
                following = self._state(((first, first, following),))
            else:
                following = self._state()
            source_map.add(following, number, done)
        return following

    def _of_bytes(self, tree: ByteTree, following: int) -> int:
        """The state that takes some bytes, and what may follow each."""
        moves = [(low, high, self._tail(rests, following)) for low, high, rests in tree]
        return self._state(tuple(moves))

    def _tail(self, rests: tuple[ByteRanges, ...], following: int) -> int:
        """The state for the rest of a character, shared by all with the same continuation."""
        if rests == ((),):
            return following
        known = self._tails.get((rests, following))
        if known is None:
            known = self._tails[rests, following] = self._of_bytes(_grouped(rests), following)
        return known

    def _repeat(self, item: Repeat, following: int) -> int:
        most = bounded(item)
        # A nullable item may match nothing in each round: then no round is required.
        least = 0 if _is_nullable(item.item, self._nullable) else item.min
        if most is None:
            loop = self._state()
            body = self._item(item.item, loop)
            self._edges.splits[loop] = (body, following)
            state, least = (body, least - 1) if least else (loop, 0)
        else:
            state = self._copies(item.item, most - least, following, optional=True)
        return self._copies(item.item, least, state, optional=False)

    def _copies(self, item: Item, count: int, following: int, *, optional: bool) -> int:
        """An item so many times, or at most so many times."""
        if count <= 1:
            return self._round(item, following, optional=optional) if count == 1 else following
        around, found = self._level, Repetition(self._next, following)
        self._level = found.inner
        self._tails.clear()
        state = self._round(item, following, optional=optional)
        self._tails.clear()
        self._level = around
        if state == following:
            return state
        found.repeat(count, self._next - found.first, state, optional=optional)
        self._reserve(found.end - self._next)
        around.add(found)
        return state + found.size * (count - 1)

    def _round(self, item: Item, following: int, *, optional: bool) -> int:
        """An item once, or at most once."""
        state = self._item(item, following)
        return self._split((state, following)) if optional and state != following else state
