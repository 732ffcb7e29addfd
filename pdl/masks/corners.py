"""Which rules may begin where another one begins: its left corners (Rosenkrantz, Lewis, 1970)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl.gbnf.kernels import Kernels
    from pdl.gbnf.stack import Node


class Corners:
    """The left corners of the rules of an automaton, by their numbers."""

    def __init__(self, starts: list[int], kernels: Kernels) -> None:
        self._starts = starts
        self._kernels = kernels
        self._known: dict[int, frozenset[int]] = {}
        self._begun: dict[tuple[int, int], bool] = {}

    def follows(self, rule: int, node: Node) -> bool:
        """Whether a rule may begin where the rule of a node ends; True if that is not sure."""
        if node.links:
            return True
        return any(self._begins(rule, back) for back, below in node.waiting if below is not None)

    def _begins(self, rule: int, state: int) -> bool:
        known = self._begun.get((rule, state))
        if known is None:
            kernel = self._kernels.of(state)
            known = kernel.ends or any(rule in self._of(call.rule) for call in kernel.calls)
            self._begun[rule, state] = known
        return known

    def _of(self, rule: int) -> frozenset[int]:
        known = self._known.get(rule)
        if known is None:
            found = {rule}
            pending = [rule]
            while pending:
                calls = self._kernels.of(self._starts[pending.pop()]).calls
                fresh = {call.rule for call in calls} - found
                found |= fresh
                pending += fresh
            known = self._known[rule] = frozenset(found)
        return known
