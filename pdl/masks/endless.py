"""Counted repetitions without an end, as a network beside that of a grammar.

Where more rounds of a counted repetition are left than the longest token has bytes, a token can't
tell it from an endless one. So each repetition gets one more copy, which leads to itself where
others lead to the next one: its states are numbers from `_BASE` on, and its edges are derived from
those of the copy with most rounds. A mask takes a state to that copy where that is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

from pdl.gbnf.edges import CallEdge

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.gbnf.edges import ByteEdges, CallEdges, Moves
    from pdl.gbnf.nodes import TokenRef
    from pdl.gbnf.rtn import Rtn

_BASE = 1 << 32
_T = TypeVar("_T")
NEVER = 1 << 30
"""More rounds than any token has bytes."""


Rounds: TypeAlias = tuple[int, int, bool]
"""How many rounds are left of a repetition, its endless copy, and whether rounds are optional.

Of two states with the same endless copy and optional rounds, the one with more left subsumes the
other.
"""


class _Copies(NamedTuple):
    """The copies of one repetition, in one copy of those around it."""

    first: int
    size: int
    copies: int
    optional: bool


class _Overlay(Generic[_T]):
    """The edges of one kind, of the network and of the endless copies."""

    def __init__(
        self, network: EndlessRtn, held: Callable[[int], _T | None], moved: Callable[[_T, int], _T]
    ) -> None:
        self._network = network
        self._held = held
        self._moved = moved
        self._known: dict[int, _T | None] = {}

    def get(self, state: int, default: _T | None = None) -> _T | None:
        """The edges of a state, if it has any."""
        found = self._held(state) if state < _BASE else self._endless(state)
        return default if found is None else found

    def __contains__(self, state: int) -> bool:
        return self.get(state) is not None

    def __getitem__(self, state: int) -> _T:
        found = self.get(state)
        if found is None:
            raise KeyError(state)
        return found

    def _endless(self, state: int) -> _T | None:
        if state not in self._known:
            original = self._network.original(state)
            self._network.touch(original)
            real = self._held(original)
            self._known[state] = None if real is None else self._moved(real, state)
        return self._known[state]


class EndlessRtn:
    """A network with an endless copy of each counted repetition; read like an `Rtn`."""

    def __init__(self, rtn: Rtn) -> None:
        self._rtn = rtn
        self.names = rtn.names
        self.ends = rtn.ends
        self.starts = rtn.starts
        self.empty = rtn.empty
        self.repetitions = rtn.repetitions
        self.classes = rtn.classes
        self.moves = _Overlay(self, rtn.moves.__getitem__, self._moved_bytes)
        self.splits = _Overlay(self, rtn.splits.get, self._moved_states)
        self.calls = _Overlay(self, rtn.calls.get, self._moved_call)
        self.tokens = _Overlay(self, rtn.tokens.get, self._moved_token)
        self._rounds: dict[int, Rounds] = {}
        self._real = rtn.moves.get
        self._copies: list[_Copies] = []
        self._numbers: dict[_Copies, int] = {}

    @property
    def has_tokens(self) -> bool:
        """Whether a state reads a token, as far as rules were reached."""
        return bool(self._rtn.tokens)

    def of(self, state: int) -> Rtn | EndlessRtn:
        """The network that has the edges of a state."""
        return self._rtn if state < _BASE else self

    @property
    def tables(
        self,
    ) -> tuple[Moves, dict[int, tuple[int, ...]], CallEdges, dict[int, int]]:
        """The edges of all states but endless copies: for bytes, splits, calls, and the ends."""
        rtn = self._rtn
        return rtn.moves, rtn.splits, rtn.calls, rtn.ends

    def moves_of(self, state: int) -> ByteEdges:
        """The edges of a state for bytes, after which all others are known as well."""
        found = self._real(state)
        if found is None:
            found = self._rtn.moves[state] if state < _BASE else self.moves[state]
        return found

    def touch(self, state: int) -> None:
        """Let all edges of a state be known: they are derived with those for bytes."""
        self._rtn.moves[state]

    def rule_of(self, state: int) -> str:
        """The name of the rule that a state belongs to."""
        return self._rtn.rule_of(state if state < _BASE else self.original(state))

    def original(self, state: int) -> int:
        """The state of the copy with most rounds of which one in an endless copy is derived."""
        number, place = divmod(state, _BASE)
        held = self._copies[number - 1]
        return held.first + held.size * (held.copies - 1) + place

    def rounds(self, state: int) -> Rounds | None:
        """What is left of the innermost repetition of a state; None if it is in none."""
        known = self._rounds.get(state)
        if known is None:
            if not 0 <= state < _BASE or self.repetitions.outer.at(state) is None:
                return None
            found, path = self.repetitions.path(state)
            inmost, copy = path[-1]
            place = found - inmost.first
            first = state - place - copy * inmost.size
            held = _Copies(first, inmost.size, inmost.copies, inmost.optional)
            number = self._numbers.get(held, -1)
            if number < 0:
                number = len(self._copies)
                self._copies.append(held)
                self._numbers[held] = number
            endless = (number + 1) * _BASE + place
            known = self._rounds[state] = (copy, endless, inmost.optional)
        return known

    def _toward(self, state: int, target: int) -> int:
        """A target of a copy's edge, in the endless copy if it is in another one of the same."""
        number = state // _BASE
        held = self._copies[number - 1]
        place = target - held.first
        if 0 <= place < held.size * held.copies:
            return number * _BASE + place % held.size
        return target

    def _moved_bytes(
        self, moves: tuple[tuple[int, int, int], ...], state: int
    ) -> tuple[tuple[int, int, int], ...]:
        return tuple((low, high, self._toward(state, target)) for low, high, target in moves)

    def _moved_states(self, targets: tuple[int, ...], state: int) -> tuple[int, ...]:
        return tuple(self._toward(state, target) for target in targets)

    def _moved_call(self, call: CallEdge, state: int) -> CallEdge:
        back = self._toward(state, call.return_state)
        return CallEdge(call.rule, back, back in self.ends)

    def _moved_token(self, token: tuple[TokenRef, int], state: int) -> tuple[TokenRef, int]:
        return token[0], self._toward(state, token[1])
