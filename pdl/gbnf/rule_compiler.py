"""The rules of a network, compiled one by one: what `pdl.gbnf.rtn` is made of.

What follows an item is known when the item is compiled, so a repetition is a loop, and a rule at
the end of a rule needs no entry on the stack (a tail call).
"""

from __future__ import annotations

from array import array
from threading import RLock
from typing import TYPE_CHECKING, TypeAlias
from typing import Literal as OneOf

from pdl.gbnf.byte_classes import bytes_of, utf8
from pdl.gbnf.edges import (
    CALL,
    END,
    LITERAL,
    MOVES,
    REPETITION,
    SPLIT,
    CompiledRule,
    Mapped,
    Moves,
)
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
)
from pdl.gbnf.repetitions import Repetition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pdl.gbnf.byte_classes import ByteTree
    from pdl.gbnf.lexemes import Lexemes
    from pdl.gbnf.nodes import Item
    from pdl.gbnf.repetitions import Repetitions
    from pdl.limits import Limits
    from pdl.source import Source, Span

Parts: TypeAlias = OneOf["", "loops", "lexemes"]
"""Which parts of rules are to be rules of their own."""
_UNWATCHED = 4096  # states that are made between two looks at the clock
_STATES = (1 << 31) - 1  # numbers of them, in records
_SHARED = (RuleRef, CharClass, AnyChar)


class Starts(dict[int, int]):
    """The states at which rules begin: each is compiled when it is asked for.

    Threads may ask for the same one.
    """

    def __init__(
        self,
        rules: Mapping[str, Rule],
        is_nullable: Callable[[Item], bool],
        limits: Limits,
        source: Source | None,
    ) -> None:
        self.moves = Moves()
        self._rules = list(rules.values())
        self.names = list(rules)
        self.empty: set[int] = set()
        self.lexemes: Lexemes | None = None
        self.parts: Parts = ""
        self._parts: dict[Item, int] = {}
        self._whole: Item | None = None
        self._in_lexeme = False
        self._numbers = {name: number for number, name in enumerate(rules)}
        self._is_nullable = is_nullable
        self._edges = self.moves.edges
        self._limits = limits
        self._most = min(limits.grammar_states, _STATES)
        self._source = source
        self._lock = RLock()
        self._next = self._stop = 0
        self._rule = Rule("", ())
        self._clock = Clock(limits, "building the network")
        self._records: list[int] = []
        self._mapped: list[Mapped] = []
        self._tails: dict[tuple[int, int], tuple[int, ByteTree]] = {}  # by identity of the rest
        self._repetitions: list[Repetition] = []
        self._level: Repetitions

    def place(self, state: int) -> tuple[int, int]:
        """The number of the rule that a state belongs to, and the position in it."""
        rule = self.moves.rule_at(state)
        return rule.number, state - rule.states.start

    def states(self, rule: int) -> range:
        """The states of a rule."""
        return self.moves.rule_at(self[rule]).states

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
                    self._edges.drop(first)
                    self._next = first
                    raise
                states, records = range(first, self._next), array("i", self._records)
                self.moves.add(CompiledRule(number, states, records, self._mapped))
                self[number] = start
            return self[number]

    @within_stack
    def _compile(self, rule: Rule, number: int) -> int:
        self._rule = rule
        self._clock = Clock(self._limits, "building the network")
        self._stop = min(self._next + _UNWATCHED, self._most)
        self._records = []
        self._mapped = []
        self._tails.clear()
        self._repetitions.clear()
        self._level = self._edges.repetitions.outer
        is_part = number >= len(self._numbers)
        self._whole = rule.options[0].items[0] if is_part else None
        self._in_lexeme = self.is_lexeme(number)
        end = self._state(END)
        self._edges.ends[end] = number
        start = self._options(rule.options, end)
        for one in self._repetitions:
            if one.size:
                held = one.size, one.copies, one.entry, one.following, int(one.optional)
                self._record(one.first, REPETITION, *held)
        return start

    def _span(self) -> Span | None:
        """Where the rule is that is compiled now."""
        rule = self._rule
        read = self._source is not None and rule.start >= 0
        return self._source.span(rule.start, rule.named) if self._source and read else None

    def _take(self, states: int) -> int:
        """The first of some new states."""
        first = self._next
        self._next += states
        if self._next > self._stop:
            self._look()
        return first

    def _look(self) -> None:
        """Raise LimitError if the states are too many, or take too long."""
        if self._next > self._most:
            message = f"the grammar becomes more than {self._most:,} states"
            raise limit_error("grammar_states", message, self._span())
        self._clock.check(self._span())
        self._stop = min(self._next + _UNWATCHED, self._most)

    def _record(self, state: int, kind: int, *data: int) -> None:
        self._records += (state, kind, len(data), *data)

    def _state(self, kind: int, *data: int) -> int:
        state = self._next  # written out, as nearly all states are made here
        self._next = state + 1
        if state >= self._stop:
            self._look()
        self._records += (state, kind, len(data), *data)
        return state

    def _options(self, options: Iterable[Sequence], following: int) -> int:
        """The state at which alternatives begin that lead to another state."""
        starts = dict.fromkeys([self._sequence(option, following) for option in options])
        return next(iter(starts)) if len(starts) == 1 else self._state(SPLIT, *starts)

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
        if isinstance(item, Group):
            return self._call(item, following) or self._options(item.options, following)
        if isinstance(item, Repeat):
            return self._call(item, following) or self._repeat(item, following)
        if isinstance(item, RuleRef):
            state = self._state(CALL, self._numbers[item.name], following)
        elif isinstance(item, TokenRef):
            state = self._state(MOVES)
            self._edges.tokens[state] = item, following
        elif isinstance(item, CharClass) and not item.ranges:
            return following
        else:
            state = self._of_bytes(bytes_of(item), following)
        self._mapped.append((state, 1, 0, item))
        return state

    def _call(self, item: Group | Repeat, following: int) -> int | None:
        """The state that enters a part, never 0, if that is a rule of its own."""
        if self.lexemes is None or not self._is_part(item, self.lexemes):
            return None
        return self._state(CALL, self._part(item), following)

    def _is_part(self, item: Group | Repeat, lexemes: Lexemes) -> bool:
        """Whether a part of a rule is to be a rule of its own: a repetition in lexemes, too."""
        if item is self._whole:
            return False
        is_loop = isinstance(item, Repeat) and item.max != 1
        return (is_loop or not self._in_lexeme) and lexemes.is_wide(item)

    def _part(self, item: Item) -> int:
        """The number of the rule that a part is."""
        found = self._parts.get(item)
        if found is None:
            found = len(self._rules)
            name = self._rule.name
            self.names[found:] = [name]
            if self._is_nullable(item):
                self.empty.add(found)
            self._rules.append(Rule(name, (Sequence((item,)),)))
            self._parts[item] = found
        return found

    def _literal(self, item: Literal, following: int) -> int:
        data = utf8(item.codes)
        size = len(data)
        if size < len(item.codes) and len(data.decode()) < len(item.codes):
            following = self._state(MOVES)  # to nowhere
            self._mapped.append((following, 1, size, item))
        if not size:
            return following
        first = self._take(size)
        self._records += (first, LITERAL, size + 1, following, *data[::-1])
        self._mapped.append((first, size, size - 1, item))
        return first + size - 1

    def _of_bytes(self, tree: ByteTree, following: int) -> int:
        """The state that takes some bytes, and what may follow each."""
        moves: list[int] = []
        for low, high, rest in tree:
            moves += low, high, self._tail(rest, following) if rest else following
        return self._state(MOVES, *moves)

    def _tail(self, rest: ByteTree, following: int) -> int:
        """The state for the rest of a character, shared by all with the same continuation."""
        known = self._tails.get((id(rest), following))
        if known is None:
            known = self._tails[id(rest), following] = self._of_bytes(rest, following), rest
        return known[0]

    def _repeat(self, item: Repeat, following: int) -> int:
        most = bounded(item)
        # A nullable item may match nothing in each round: then no round is required.
        least = 0 if self._is_nullable(item.item) else item.min
        if most is None:
            state, least = self._loop(item, following, least)
        else:
            state = self._copies(item.item, most - least, following, optional=True)
        return self._copies(item.item, least, state, optional=False)

    def _loop(self, item: Repeat, following: int, least: int) -> tuple[int, int]:
        """Rounds without end, and how many are to come before them."""
        if self.parts == "loops" and item is not self._whole and isinstance(item.item, _SHARED):
            endless = item if not item.min else Repeat(item.item, 0)
            return self._state(CALL, self._part(endless), following), least
        loop = self._take(1)
        body = self._item(item.item, loop)
        self._record(loop, SPLIT, *dict.fromkeys((body, following)))
        return (body, least - 1) if least else (loop, 0)

    def _copies(self, item: Item, count: int, following: int, *, optional: bool) -> int:
        """An item so many times, or at most so many times."""
        if count <= 1:
            return self._round(item, following, optional=optional) if count == 1 else following
        around, found = self._level, Repetition(self._next, following)
        self._repetitions.append(found)
        self._level = found.inner
        self._tails.clear()
        state = self._round(item, following, optional=optional)
        self._tails.clear()
        self._level = around
        if state == following:
            return state
        found.repeat(count, self._next - found.first, state, optional=optional)
        self._take(found.end - self._next)
        around.add(found)
        return state + found.size * (count - 1)

    def _round(self, item: Item, following: int, *, optional: bool) -> int:
        """An item once, or at most once."""
        state = self._item(item, following)
        is_split = optional and state != following
        return self._state(SPLIT, state, following) if is_split else state
