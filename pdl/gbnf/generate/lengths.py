"""How many characters a place of a text is away from the nearest end.

Lengths are those of the plan: what is known of the rules is carried to the states of the automaton,
to the stacks, and to whole configurations, each when it is first asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from pdl.gbnf.generate.plan import MOST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl.gbnf.generate.plan import Choice
    from pdl.gbnf.matcher import Configuration, Matcher
    from pdl.gbnf.stack import Node

NEVER = 2 * MOST
"""The distance from where no text ends; all others are below."""
_KEPT = 200_000  # configurations and stacks of which the distance is remembered
_CONTINUATION = (0x80, 0xBF)


def weight(byte: int) -> int:
    """Whether a byte begins a character."""
    return not _CONTINUATION[0] <= byte <= _CONTINUATION[1]


class Lengths:
    """The distances of one matcher's configurations, with all that has been found of them."""

    def __init__(self, matcher: Matcher, choices: Mapping[str, Choice]) -> None:
        self._machine = matcher.automaton
        self._rules = [_known(choices[name].least) for name in self._machine.names]
        self._states: dict[int, list[int]] = {}
        self._nodes: dict[Node | None, int] = {None: 0}
        self._configurations: dict[Configuration, int] = {}

    def of(self, here: Configuration) -> int:
        """The characters that must follow at least; NEVER if no text ends there."""
        if here.complete:
            return 0
        known = self._configurations.get(here)
        if known is None:
            if len(self._configurations) + len(self._nodes) > _KEPT:
                self._configurations.clear()
                self._nodes = {None: 0}
            ways = (_sum(self._state(state), self._node(node)) for state, node in here.items)
            known = self._configurations[here] = min(ways, default=NEVER)
        return known

    def _node(self, node: Node | None) -> int:
        """The least behind the end of a rule; stacks may be as deep as the text is long."""
        known = self._nodes.get(node)
        if known is not None:
            return known
        pending = [node]
        while pending:
            one = pending[-1]
            assert one is not None
            missing = [below for below in _below(one) if below not in self._nodes]
            if missing:
                pending += missing
                continue
            ways = [_sum(self._state(back), self._nodes[below]) for back, below in one.waiting]
            ways += [self._nodes[link] for link in one.links]
            self._nodes[one] = min(ways, default=NEVER)
            pending.pop()
        return self._nodes[node]

    def _state(self, state: int) -> int:
        """The least from a state to the end of its rule."""
        if state < 0:
            return 0  # behind the root rule
        machine = self._machine
        rule = bisect_right(machine.firsts, state) - 1
        found = self._states.get(rule)
        if found is None:
            found = self._states[rule] = self._of_rule(rule)
        return found[state - machine.firsts[rule]]

    def _of_rule(self, rule: int) -> list[int]:
        """The distances of a rule's states.

        A state leads to lower ones only, which are known then, but for the start of a loop's body,
        from where the way is longer than past the loop.
        """
        firsts = self._machine.firsts
        first = firsts[rule]
        end = firsts[rule + 1] if rule + 1 < len(firsts) else len(self._machine.moves)
        found: list[int] = []
        for state in range(first, end):
            ways = (_sum(cost, found[to - first]) for cost, to in self._ways(state) if to < state)
            found.append(0 if state in self._machine.ends else min(ways, default=NEVER))
        return found

    def _ways(self, state: int) -> Iterator[tuple[int, int]]:
        """Where a state leads, each with the characters on the way."""
        machine = self._machine
        for low, _, target in machine.moves[state]:
            yield weight(low), target
        for target in machine.splits.get(state, ()):
            yield 0, target
        call = machine.calls.get(state)
        if call:
            yield self._rules[call.rule], call.back


def _known(least: int | None) -> int:
    return NEVER if least is None else least


def _sum(one: int, other: int) -> int:
    """Lengths that are too large stay apart from those that there are not."""
    if NEVER in {one, other}:
        return NEVER
    return min(MOST, one + other)


def _below(node: Node) -> Iterator[Node]:
    yield from node.links
    yield from (below for _, below in node.waiting if below is not None)
