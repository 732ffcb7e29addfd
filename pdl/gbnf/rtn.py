"""A grammar as a recursive transition network over bytes, a pushdown automaton (Woods, 1970).

Each rule is a graph of states. A state has edges for bytes, for a token, into another rule (and
then to the state that waits for its end), or it splits. UTF-8 is compiled in, so a string may stop
in the middle of a character. What follows an item is known when the item is compiled, so a
repetition is a loop, and a rule at the end of a rule needs no entry on the stack (a tail call).

A rule is compiled when its start is first asked for, and of a repetition only the first copy
(`pdl.gbnf.repetitions`): a text reaches few of the states that a large grammar has. Parts of rules
that are lexemes (`pdl.gbnf.lexemes`) become rules of their own, if that is asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING

from pdl.gbnf.analysis import Shortest, possible
from pdl.gbnf.byte_classes import byte_classes, bytes_of, grouped
from pdl.gbnf.edges import Moves
from pdl.gbnf.lexemes import Lexemes
from pdl.gbnf.limits_errors import Clock, limit_error, within_stack
from pdl.gbnf.nodes import (
    AnyChar,
    CharClass,
    Group,
    Literal,
    Repeat,
    Rule,
    RuleRef,
    Sequence,
    TokenRef,
    bounded,
    is_nothing,
)
from pdl.gbnf.repetitions import Repetition

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from pdl.gbnf.byte_classes import ByteTree
    from pdl.gbnf.edges import ByteEdges, CallEdges, SourceMap
    from pdl.gbnf.nodes import Item
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
    empty: set[int]
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


def compile_rtn(
    rules: Mapping[str, Rule],
    limits: Limits,
    source: Source | None = None,
    *,
    lexemes: bool = False,
) -> Rtn:
    """Return the network of some rules, which were read from `source`.

    With `lexemes`, wide parts of rules become rules of their own, after the others.

    Asking for the start of a rule raises LimitError for more states, with those of the rules before
    it, or a longer time than `limits` has.
    """
    nullable = _nullable(rules)
    moves = Moves()
    starts = Starts(rules, nullable, moves, limits, source)
    if lexemes:
        starts.lexemes = Lexemes(rules, nullable)
    return Rtn(starts.names, starts.empty, byte_classes(rules), moves, starts)


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
        self.names = list(rules)
        self.empty = {number for number, name in enumerate(rules) if name in nullable}
        self.lexemes: Lexemes | None = None
        self._parts: dict[Item, int] = {}
        self._whole: Item | None = None
        self._in_lexeme = False
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

    def is_lexeme(self, number: int) -> bool:
        """Whether a rule is a lexeme."""
        if self.lexemes is None:
            return False
        return number >= len(self._numbers) or self.lexemes.is_lexeme(self.names[number])

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
        is_part = number >= len(self._numbers)
        self._whole = rule.options[0].items[0] if is_part else None
        self._in_lexeme = self.is_lexeme(number)
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
        held = sequence.items
        if self.lexemes is not None and not self._in_lexeme and len(held) > 1:
            held = self.lexemes.joined(held)
        for item in reversed(held):
            following = self._item(item, following)
        return following

    def _item(self, item: Item, following: int) -> int:
        if isinstance(item, Literal):
            return self._literal(item, following)
        if isinstance(item, CharClass) and not item.ranges:
            return following
        if isinstance(item, Group | Repeat) and self._is_part(item):
            state = self._state()
            self._edges.calls.add(state, self._part(item), following)
            return state
        if isinstance(item, Group):
            return self._options(item.options, following)
        if isinstance(item, Repeat):
            return self._repeat(item, following)
        if isinstance(item, CharClass | AnyChar):
            state = self._of_bytes(bytes_of(item), following)
        else:
            state = self._state()
            if isinstance(item, RuleRef):
                self._edges.calls.add(state, self._numbers[item.name], following)
            else:
                self._edges.tokens[state] = (item, following)
        source_map = self._edges.source_map
        source_map.add(state, source_map.item(self._rule, item))
        return state

    def _is_part(self, item: Group | Repeat) -> bool:
        """Whether a part of a rule is to be a rule of its own: a repetition in lexemes, too."""
        if self.lexemes is None or item is self._whole:
            return False
        is_loop = isinstance(item, Repeat) and item.max != 1
        return (is_loop or not self._in_lexeme) and self.lexemes.is_wide(item)

    def _part(self, item: Item) -> int:
        """The number of the rule that a part is."""
        found = self._parts.get(item)
        if found is None:
            found = len(self._rules)
            self.names[found:] = [self._rule]
            if _is_nullable(item, self._nullable):
                self.empty.add(found)
            self._rules.append(Rule(self._rule, (Sequence((item,)),)))
            self._parts[item] = found
        return found

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
            known = self._tails[rests, following] = self._of_bytes(grouped(rests), following)
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
