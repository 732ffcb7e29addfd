"""What the states of an automaton come to without a byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pdl.gbnf.automaton import Automaton, Call
    from pdl.gbnf.chains import Mark


class Kernel(NamedTuple):
    """The states that take bytes or tokens, the calls, and whether the rule may end."""

    takes: tuple[int, ...]
    calls: tuple[Call, ...]
    ends: bool


class Kernels:
    """The kernels of one automaton, each made when it is first asked for."""

    def __init__(self, automaton: Automaton) -> None:
        self._machine = automaton
        self._known: dict[int, Kernel] = {}

    def of(self, state: int) -> Kernel:
        """What a state comes to by splits, and past rules that may be empty."""
        known = self._known.get(state)
        if known is None:
            known = self._known[state] = self._made(state)
        return known

    def is_still(self, state: int) -> bool:
        """Whether a state comes to itself alone."""
        machine = self._machine
        return not (state in machine.splits or state in machine.calls or state in machine.ends)

    def _made(self, state: int) -> Kernel:
        if self.is_still(state):
            return Kernel((state,), (), ends=False)
        machine = self._machine
        splits, calls, empty = machine.splits, machine.calls, machine.empty
        takes: dict[int, None] = {}
        called: dict[Call, None] = {}
        ends = False
        seen: set[int] = set()
        rounds: dict[tuple[int, int], int] = {}
        pending = self._fresh((state,), seen, rounds)
        while pending:
            one = pending.pop()
            following = splits.get(one, ())
            if one in calls:
                call = calls[one]
                called[call] = None
                if call.rule in empty:
                    following = (*following, call.back)
            elif one in machine.ends:
                ends = True
            elif one not in splits:
                takes[one] = None  # also what nothing matches, which llama.cpp keeps as well
            if following:
                pending += self._fresh(following, seen, rounds)
        return Kernel(tuple(takes), tuple(called), ends)

    def _fresh(
        self, steps: tuple[int, ...], seen: set[int], rounds: dict[tuple[int, int], int]
    ) -> list[int]:
        """Steps that were not seen, and for which no round of a repetition stands that was."""
        chains = self._machine.chains
        found: list[int] = []
        for step in steps:
            if step not in seen:
                seen.add(step)
                marks = chains.marks(step) if chains else ()
                if not marks or _leads_on(marks, rounds):
                    found.append(step)
        return found


def _leads_on(marks: tuple[Mark, ...], rounds: dict[tuple[int, int], int]) -> bool:
    """Whether no round of a repetition was seen that stands for one with some marks."""
    for chain, place, index in marks:
        if rounds.get((chain, place), -1) > index:
            return False
    for chain, place, index in marks:
        rounds[chain, place] = index
    return True
