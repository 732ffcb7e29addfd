"""llama.cpp's stacks, followed as it follows them.

A stack is the list of elements at which the rules that were entered go on, the innermost last; a
rule that ends another one leaves nothing behind. All distinct stacks live side by side. Here they
are interned: a number for each, its last element and the number of the rest. Source:
`llama_grammar_advance_stack` and `llama_grammar_accept` in llama.cpp's `src/llama-grammar.cpp`.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.gbnf.linting.elements import Element, Symbol

Stack: TypeAlias = int
"""The number of a stack; the empty one, which completes a text, is 0."""

EMPTY: Stack = 0


class SpentError(Exception):
    """There was more to do than a search was given."""


class Stacks:
    """All stacks that were met, and what comes of them; `left` is the work that may be done.

    `unfinished`: so many live stacks were found when the work was spent.
    """

    def __init__(self, work: int) -> None:
        self.left = work
        self.unfinished = 0
        self._known: dict[tuple[int, int], Stack] = {}
        self._tops: list[Element | None] = [None]
        self._below: list[Stack] = [EMPTY]
        self._closed: dict[Stack, tuple[Stack, ...]] = {}

    def top(self, stack: Stack) -> Element:
        """The last element of a stack that is not empty."""
        element = self._tops[stack]
        assert element is not None
        return element

    def below(self, stack: Stack) -> Stack:
        """What is under the last element."""
        return self._below[stack]

    def pushed(self, below: Stack, element: Element | None) -> Stack:
        """A stack with one more element; the same stack if there is none."""
        if element is None:
            return below
        known = self._known.get((below, element.number))
        if known is None:
            known = self._known[below, element.number] = len(self._tops)
            self._tops.append(element)
            self._below.append(below)
        return known

    def entered(self, symbol: Symbol, below: Stack = EMPTY) -> set[Stack]:
        """The live stacks at the beginning of a symbol. Raises SpentError."""
        return self.union(self.pushed(below, option) for option in symbol.options)

    def union(self, stacks: Iterable[Stack]) -> set[Stack]:
        """All live stacks that some stacks come to. Raises SpentError."""
        found: set[Stack] = set()
        for stack in stacks:
            found.update(self.closed(stack))
        return found

    def closed(self, stack: Stack) -> tuple[Stack, ...]:
        """The live stacks that one comes to without a character. Raises SpentError."""
        known = self._closed.get(stack)
        if known is None:
            known = self._closed[stack] = self._close(stack)
        else:
            self.spend(len(known))
        return known

    def _close(self, stack: Stack) -> tuple[Stack, ...]:
        found = [stack] if self._takes(stack) else []
        seen = {stack}
        pending = [] if found else [stack]
        while pending:
            following = [step for step in self.opened(pending.pop()) or () if step not in seen]
            self.unfinished = len(found)
            self.spend(2 * len(following) + 1)
            for step in dict.fromkeys(following):
                # What takes text counts at once: many are found even if the work is spent soon.
                (found if self._takes(step) else pending).append(step)
            seen.update(following)
        self.unfinished = 0
        return tuple(found)

    def _takes(self, stack: Stack) -> bool:
        top = self._tops[stack]
        return top is None or top.symbol is None

    def opened(self, stack: Stack) -> list[Stack] | None:
        """The stacks that come of entering what is on top; None if that takes text."""
        top = self._tops[stack]
        if top is None or top.symbol is None:
            return None
        below = self.pushed(self._below[stack], top.following)
        return [self.pushed(below, option) for option in top.symbol.options]

    def taken(self, stack: Stack, code: int) -> Stack | None:
        """The stack behind a character, not yet followed further; None if it does not take it."""
        top = self._tops[stack]
        if top is None or not holds(top.ranges, code):
            return None
        return self.pushed(self._below[stack], top.following)

    def step(self, stacks: Iterable[Stack], code: int) -> set[Stack]:
        """The live stacks behind one more character. Raises SpentError."""
        found: set[Stack] = set()
        for stack in stacks:
            self.spend(1)
            after = self.taken(stack, code)
            if after is not None:
                found.update(self.closed(after))
        return found

    def spend(self, work: int) -> None:
        """Count some work. Raises SpentError if there was more than was given."""
        self.left -= work
        if self.left < 0:
            raise SpentError


def holds(ranges: tuple[tuple[int, int], ...], code: int) -> bool:
    """Whether ranges in order hold a code point."""
    at = bisect_right(ranges, (code, 0x7FFFFFFFF)) - 1
    return at >= 0 and ranges[at][0] <= code <= ranges[at][1]
