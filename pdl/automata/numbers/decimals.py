"""Numbers without an exponent."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from pdl.automata.numbers.walk import DIGITS, MINUS, POINT, ZERO

if TYPE_CHECKING:
    from collections.abc import Callable


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
        """See `walk.Machine`."""
        return Phase.START, 0, ()

    def row(self, state: _State) -> dict[int, _State]:
        """See `walk.Machine`."""
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
        """See `walk.Machine`."""
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
