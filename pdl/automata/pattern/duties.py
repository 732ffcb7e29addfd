"""Sets of states with obligations: what is left to match, by number, in a normal form."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

Duties: TypeAlias = frozenset[int]
"""What must hold of the text that follows: the number of a set that must succeed, or, as
`~number`, one that must not."""
Config: TypeAlias = tuple[int, Duties]
"""A state, and the obligations that were met on the way to it."""
Configs: TypeAlias = frozenset[Config]

FREE: Duties = frozenset()
END = -1
"""A state that accepts at the end of a text, and reads nothing."""
_SUCCESS = -2  # a state that accepts whatever follows

FAILURE, SUCCESS, ENDED = 0, 1, 2
"""The numbers of the set that never succeeds, of the one that has, and of the end of the text."""


class Sets:
    """All sets that have come up; `full` are the states that accept whatever follows."""

    def __init__(self, full: AbstractSet[int]) -> None:
        self._full = full | {_SUCCESS}
        self.known: list[Configs] = []
        self._numbers: dict[Configs, int] = {}
        self._ended: dict[int, bool] = {}
        for configs in ([], [(_SUCCESS, FREE)], [(END, FREE)]):
            self.number(configs)

    def number(self, configs: Iterable[Config]) -> int:
        """The number of a set, which is `SUCCESS` as soon as one of its states has succeeded."""
        least = lightest(configs)
        if any(state in self._full and not duties for state, duties in least):
            least = frozenset([(_SUCCESS, FREE)])
        if least not in self._numbers:
            self._numbers[least] = len(self.known)
            self.known.append(least)
        return self._numbers[least]

    def ends(self, number: int) -> bool:
        """Whether a set succeeds if the text ends here.

        Sets are in the obligations of others only as lookarounds stand in others, so deep and no
        deeper does this call itself.
        """
        if number not in self._ended:
            self._ended[number] = any(
                (state == END or state in self._full) and all(map(self._holds, duties))
                for state, duties in self.known[number]
            )
        return self._ended[number]

    def _holds(self, duty: int) -> bool:
        return self.ends(duty) if duty >= 0 else not self.ends(~duty)


def lightest(configs: Iterable[Config]) -> Configs:
    """Without those whose state is there with fewer obligations."""
    by_state: dict[int, list[Duties]] = {}
    for state, duties in set(configs):
        by_state.setdefault(state, []).append(duties)
    return frozenset(
        (state, duties)
        for state, several in by_state.items()
        for duties in several
        if len(several) == 1 or not any(other < duties for other in several)
    )


def joined(one: Duties, other: Duties) -> Duties | None:
    """Both obligations; None if they contradict each other."""
    both = one | other
    if one and other and any(~duty in both for duty in other):
        return None
    return both


def owed(number: int, *, positive: bool) -> Duties | None:
    """The obligation that a set succeeds, or does not; None if it cannot be met."""
    if number in {FAILURE, SUCCESS}:
        return FREE if (number == SUCCESS) == positive else None
    return frozenset([number if positive else ~number])
