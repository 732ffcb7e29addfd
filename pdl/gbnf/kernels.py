"""What the states of an automaton come to without a byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pdl.gbnf.automaton import Automaton, Call


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
        machine = self._machine
        if self.is_still(state):
            return Kernel((state,), (), ends=False)
        takes: dict[int, None] = {}
        calls: dict[Call, None] = {}
        ends = False
        seen: set[int] = set()
        rounds: dict[tuple[int, int], int] = {}
        pending = self._fresh([state], seen, rounds)
        while pending:
            one = pending.pop()
            following = list(machine.splits.get(one, ()))
            if one in machine.calls:
                call = machine.calls[one]
                calls[call] = None
                following += [call.back] if call.rule in machine.empty else []
            elif one in machine.ends:
                ends = True
            elif one not in machine.splits:
                takes[one] = None  # also what nothing matches, which llama.cpp keeps as well
            pending += self._fresh(following, seen, rounds)
        return Kernel(tuple(takes), tuple(calls), ends)

    def _fresh(
        self, steps: list[int], seen: set[int], rounds: dict[tuple[int, int], int]
    ) -> list[int]:
        """Steps that were not seen, and for which no round of a repetition stands that was."""
        found = [step for step in dict.fromkeys(steps) if step not in seen]
        seen.update(found)
        if not self._machine.chains:
            return found
        return [step for step in found if self._leads_on(step, rounds)]

    def _leads_on(self, step: int, rounds: dict[tuple[int, int], int]) -> bool:
        marks = self._machine.chains.marks(step)
        if not marks:
            return True
        if any(rounds.get((chain, place), -1) > index for chain, place, index in marks):
            return False
        rounds.update(((chain, place), index) for chain, place, index in marks)
        return True
