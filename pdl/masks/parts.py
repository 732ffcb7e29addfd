"""How the tokens that follow a state are found, within its rule: the parts of a closure.

Each part has `collect(start, builder, pending)`: it adds to the builder the tokens below a position
that may follow, and the positions at which they end the rule (`TokenSetBuilder.exits`); to
`pending` it adds the closures that are to be followed from further positions.

A `BytePart` is followed byte by byte. What tokens do in many rounds of a `RepeatedLexeme` is looked
up at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.masks.lexeme_tokens import MOST
from pdl.masks.trie_index import LexemeExit

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from pdl.gbnf.edges import CallEdge
    from pdl.gbnf.repetitions import Mark
    from pdl.masks.collector import TokenCollector
    from pdl.masks.trie_index import AnyPosition, Position, TokenSetBuilder

    Pending: TypeAlias = "list[tuple[Closure, AnyPosition]]"


class BytePart:
    """A state that is followed byte by byte."""

    __slots__ = ("collector", "moves", "state")

    def __init__(self, collector: TokenCollector, state: int) -> None:
        self.collector = collector
        self.state = state
        self.moves = collector.moves[state]

    def collect(self, start: AnyPosition, builder: TokenSetBuilder, pending: Pending) -> None:
        """Add the tokens that end after one more byte, and what else must be followed."""
        index = self.collector.index
        for low, high, target in self.moves:
            if isinstance(start, int):
                kids: Iterable[Position] = index.toward(start, low, high)
            else:
                kids = start.toward(low, high)
            for kid in kids:
                if isinstance(kid, int):
                    self._along(kid, target, builder, pending)
                    continue
                builder.few += kid.few
                if kid.many is not None:
                    builder.many.append(kid.many)
                if kid.below:
                    pending.append((self.collector.closures.of(target), kid))

    def _along(self, node: int, state: int, builder: TokenSetBuilder, pending: Pending) -> None:
        """The same from a node and a state on, and along a literal while tokens match it."""
        index, moves = self.collector.index, self.collector.moves
        while node >= 0:
            low, own = index.low[node], index.own[node]
            if low != own:
                builder.few += index.order[low:own]
            start, end = index.child[node], index.child[node + 1]
            if start == end:
                return
            held = moves[state]
            if len(held) != 1 or held[0][0] != held[0][1]:
                pending.append((self.collector.closures.of(state), node))
                return
            byte, _, state = held[0]
            node = index.byte.find(byte, start, end)


class RepeatedLexeme:
    """A lexeme that is repeated, at the beginning of a round; `plain` is for a few tokens."""

    __slots__ = ("collector", "lexeme", "plain", "step")

    def __init__(
        self, collector: TokenCollector, lexeme: Hashable, step: Round, plain: Closure
    ) -> None:
        self.collector = collector
        self.lexeme = lexeme
        self.step = step
        self.plain = plain

    def collect(self, start: AnyPosition, builder: TokenSetBuilder, pending: Pending) -> None:
        """Add the tokens that end inside the rounds, and those that leave them."""
        if not self.add(start, builder, None):
            pending.append((self.plain, start))

    def add(self, start: AnyPosition, builder: TokenSetBuilder, firsts: bytes | None) -> bool:
        """Add those of which the first byte is one of some.

        Return false, and add none, if too few tokens are to be looked up, or if rounds overlap.
        """
        collector = self.collector
        if isinstance(start, LexemeExit) or collector.index.below(start) < WORTH:
            return False
        found = collector.rounds(self.lexeme, start, self.step)
        if found is None:
            return False
        runs, most = self._runs(found.most)
        found.add(builder, most, firsts)
        for low, high, others in runs:
            if others.parts:
                collector.leave(others, found.exit(low, high, firsts), builder)
        return True

    def _runs(self, longest: int) -> tuple[list[tuple[int, int, Closure]], int]:
        """What else may follow after how many rounds, and how many rounds there may be."""
        runs: list[tuple[int, int, Closure]] = []
        step = self.step
        number = 1
        while number <= longest:
            following, others = step.following()
            endless = following is step
            left = step.left()
            high = MOST if endless else number + left
            if runs and runs[-1][2] is others:
                runs[-1] = (runs[-1][0], high, others)
            else:
                runs.append((number, high, others))
            if endless:
                return runs, MOST
            if left or following is None:
                return runs, high
            step = following
            number += 1
        return runs, MOST


class Round:
    """One round, and the state after it: of a rule, or of the character class of a state."""

    __slots__ = ("_known", "back", "collector", "rule", "state")

    def __init__(self, collector: TokenCollector, rule: int | None, state: int, back: int) -> None:
        self.collector = collector
        self.rule = rule
        self.state = state
        self.back = back
        self._known: tuple[Round | None, Closure] | None = None

    def following(self) -> tuple[Round | None, Closure]:
        """Return the next round, if there is one, and what else may follow."""
        if self._known is None:
            closures = self.collector.closures
            call, state = self.next()
            step = None
            if call is not None:
                step = closures.round_of_rule(call.rule, call.return_state)
            elif state is not None:
                step = closures.round_of_class(state)
            self._known = step, closures.of(self.back, without=call or state)
        return self._known

    def next(self) -> tuple[CallEdge | None, int | None]:
        """The call, or the state of a class, with which the next round begins."""
        closures = self.collector.closures
        closure = self.collector.matcher.closures.of(self.back)
        if self.rule is not None:
            calls = [call for call in closure.calls if call.rule == self.rule]
            return (calls[0] if len(calls) == 1 else None), None
        ranges = closures.class_bytes(self.state).ranges
        for state in closure.takes:
            chars = closures.class_of(state)
            if chars is not None and chars.ranges == ranges:
                return None, state
        return None, None

    def left(self) -> int:
        """How many rounds are left, if the same may follow each of them and this one; else 0.

        The copies of a chain have one shape: if a round leads from one to the same position of the
        next, and nothing of a copy may follow instead, this is so up to the last.
        """
        mark = self.mark
        if mark is None or not mark[2]:
            return 0
        following, others = self.following()
        if following is None or following.following()[1] is not others:
            return 0
        chain, position, index = mark
        return index + 1 if following.mark == (chain, position, index - 1) else 0

    @property
    def mark(self) -> Mark | None:
        """The position after the round, in the innermost counted repetition around it."""
        return next(iter(self.collector.matcher.rtn.repetitions.marks(self.back)), None)

    def forget(self) -> None:
        """Let go of the next round, which may be this one."""
        self._known = None


class LeadingClassPart:
    """A class of characters before the rounds of a lexeme that takes them too."""

    __slots__ = ("firsts", "plain", "rounds")

    def __init__(self, plain: Closure, rounds: RepeatedLexeme, firsts: bytes) -> None:
        self.plain = plain
        self.rounds = rounds
        self.firsts = firsts

    def collect(self, start: AnyPosition, builder: TokenSetBuilder, pending: Pending) -> None:
        """Add the tokens of the rounds that begin with the class."""
        if not self.rounds.add(start, builder, self.firsts):
            pending.append((self.plain, start))


States: TypeAlias = frozenset[int]
WORTH = 12
"""Nodes below a position from which on a lexeme is looked up."""


class Closure:
    """Parts of which any may follow; there is one closure of the same parts only."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self.parts = parts


class LexemePart:
    """States in a lexeme."""

    __slots__ = ("collector", "lexeme", "plain", "states")

    def __init__(self, collector: TokenCollector, states: States, lexeme: Hashable) -> None:
        self.collector = collector
        self.lexeme = lexeme
        self.states = states
        self.plain = [BytePart(collector, state) for state in states]

    def collect(self, start: AnyPosition, builder: TokenSetBuilder, pending: Pending) -> None:
        """Add the tokens that end in the lexeme, and where others leave it."""
        if isinstance(start, LexemeExit) or self._below(start) < WORTH:
            for plain in self.plain:
                plain.collect(start, builder, pending)
            return
        found = self.collector.inside(self.lexeme, start, self.states)
        found.add(builder, MOST, None)
        if found.ends:
            builder.exits.append(found.exit(0, MOST, None))

    def _below(self, position: Position) -> int:
        """About how many nodes below it may reach."""
        index = self.collector.index
        if index.below(position) < WORTH:
            return 0
        return sum(
            1 + index.below(kid)
            for plain in self.plain
            for low, high, _ in plain.moves
            for kid in index.toward(position, low, high)
        )


class CallPart:
    """A rule that is followed for itself, whoever calls it, and the state that waits for its end.

    `inner` is the state at which it begins, or what of it is meant.
    """

    __slots__ = ("back", "collector", "inner")

    def __init__(self, collector: TokenCollector, inner: int | Closure, back: int) -> None:
        self.collector = collector
        self.inner = inner
        self.back = back

    def collect(self, start: AnyPosition, builder: TokenSetBuilder, pending: Pending) -> None:
        """Add the tokens that end in the rule, and those that continue after it."""
        collector, inner = self.collector, self.inner
        held = collector.collected(
            collector.closures.of(inner) if isinstance(inner, int) else inner, start
        )
        builder.add(held)
        if not held.exits:
            return
        collector.spend(len(held.exits))
        back = collector.closures.of(self.back)
        for position in held.exits:
            if isinstance(position, int):
                if position != start:  # what follows an empty rule is in the caller's closure
                    pending.append((back, position))
            elif position is not start:
                collector.leave(back, position, builder)


class RuleEnd:
    """The end of the rule."""

    __slots__ = ()

    def collect(self, start: AnyPosition, builder: TokenSetBuilder, pending: Pending) -> None:  # noqa: ARG002 - as of all parts
        """Note the position."""
        builder.exits.append(start)


RULE_END = RuleEnd()
Part: TypeAlias = "BytePart | LexemePart | CallPart | RepeatedLexeme | LeadingClassPart | RuleEnd"
