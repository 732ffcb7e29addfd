"""Numbers without an exponent: an automaton whose states are made as they are found.

`walked` makes the minimal automaton over the characters of numbers for any `Machine`: it starts at
the first state and asks for the steps of each state that it comes to. The states of `Decimals` are
a product: what was read last, and the state of each `Part` that must hold for the digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from pdl.automata.minimize import minimal

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from pdl.automata.dfa import Budget, Dfa


PLUS, MINUS, POINT, ZERO = range(4)
DIGITS = range(10)
EXPONENT = ZERO + len(DIGITS)
_CLASSES = (*(((ord(char), ord(char)),) for char in "+-.0123456789"), ((0x45, 0x45), (0x65, 0x65)))

StateT = TypeVar("StateT", bound="Hashable")


class Machine(Protocol[StateT]):
    """States, and the steps between them."""

    @property
    def start(self) -> StateT:
        """The state before the first character."""

    def row(self, state: StateT) -> dict[int, StateT]:
        """The next state for each of the labels above that may follow."""

    def accepts(self, state: StateT) -> bool:
        """Whether the text may end."""
        ...


def walked(machine: Machine[StateT], budget: Budget) -> Dfa:
    """The minimal automaton. Raises LimitError for too many states, while they are found."""
    order = [machine.start]
    number = {machine.start: 0}
    rows: list[dict[int, int]] = []
    for state in order:
        row: dict[int, int] = {}
        for label, target in machine.row(state).items():
            if target not in number:
                number[target] = len(order)
                order.append(target)
            row[label] = number[target]
        rows.append(row)
        budget.check(len(order))
    return minimal(_CLASSES, rows, {number[state] for state in order if machine.accepts(state)})


class Part(Protocol):
    """One of the things that hold for the digits of a number; a state of None refuses them."""

    @property
    def start(self) -> Any:
        """The state before the first digit."""

    def whole(self, state: Any, digit: int, /) -> Any:
        """The state behind one more digit before the point."""

    def point(self, state: Any, /) -> Any:
        """The state where the first digits end, be it that a point follows or nothing."""

    def fraction(self, state: Any, digit: int, /) -> Any:
        """The state behind one more digit behind the point."""

    def accepts(self, state: Any, /) -> bool:
        """Whether the number may end, in a state of `point` or `fraction`."""
        ...


class Phase(IntEnum):
    """What has been read last."""

    START = 0
    SIGN = 1
    ZERO = 2
    WHOLE = 3
    POINT = 4
    FRACTION = 5


States: TypeAlias = tuple[Any, ...]
_State: TypeAlias = tuple[Phase, int, States]
"""The phase, the sign (1 for a minus), and the states of the parts."""


@dataclass(frozen=True)
class Decimals:
    r"""`-?(0|[1-9][0-9]*)(\.[0-9]+)?`, of which all parts hold.

    `parts` are those of numbers without and with a minus, None where there are none; the same
    object says that the sign makes no difference to them. With
    `fractions` a point may stand in them, and with `minus_zero` they may be `-0`.
    """

    parts: tuple[tuple[Part, ...] | None, tuple[Part, ...] | None]
    fractions: bool
    minus_zero: bool

    @property
    def start(self) -> _State:
        """See `Machine`."""
        return Phase.START, 0, ()

    def row(self, state: _State) -> dict[int, _State]:
        """See `Machine`."""
        phase, sign, inner = state
        if phase is Phase.START:
            row = self._first(0)
            if self.parts[1] is not None:
                row[MINUS] = (Phase.SIGN, 1, ())
            return row
        if phase is Phase.SIGN:
            return self._first(1)
        if phase in (Phase.POINT, Phase.FRACTION):
            return self._digits(Phase.FRACTION, sign, inner)
        row = self._digits(Phase.WHOLE, sign, inner) if phase is Phase.WHOLE else {}
        behind = self._point(sign, inner) if self.fractions else None
        if behind is not None:
            row[POINT] = (Phase.POINT, self._kept(sign), behind)
        return row

    def accepts(self, state: _State) -> bool:
        """See `Machine`."""
        phase, sign, inner = state
        if phase in (Phase.START, Phase.SIGN, Phase.POINT):
            return False
        if phase is Phase.ZERO and sign and not self.minus_zero:
            return False
        behind = inner if phase is Phase.FRACTION else self._point(sign, inner)
        return behind is not None and all(
            part.accepts(own) for part, own in zip(self._parts(sign), behind, strict=True)
        )

    def _parts(self, sign: int) -> tuple[Part, ...]:
        return self.parts[sign] or ()

    def _kept(self, sign: int) -> int:
        """The sign, as long as it makes a difference."""
        return 0 if self.parts[0] is self.parts[1] else sign

    def _first(self, sign: int) -> dict[int, _State]:
        if self.parts[sign] is None:
            return {}
        row = self._digits(Phase.WHOLE, sign, tuple(part.start for part in self._parts(sign)))
        if ZERO in row:
            row[ZERO] = (Phase.ZERO, sign, row[ZERO][2])
        return row

    def _digits(self, phase: Phase, sign: int, inner: States) -> dict[int, _State]:
        steps: list[Callable[[Any, int], Any]] = [
            part.whole if phase is Phase.WHOLE else part.fraction for part in self._parts(sign)
        ]
        row: dict[int, _State] = {}
        sign = self._kept(sign)
        for digit in DIGITS:
            states = tuple(step(own, digit) for step, own in zip(steps, inner, strict=True))
            if None not in states:
                row[ZERO + digit] = (phase, sign, states)
        return row

    def _point(self, sign: int, inner: States) -> States | None:
        states = tuple(part.point(own) for part, own in zip(self._parts(sign), inner, strict=True))
        return None if None in states else states
