"""An automaton over the characters of numbers, from states that are made as they are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from pdl.automata.minimal import minimal

if TYPE_CHECKING:
    from collections.abc import Hashable

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
