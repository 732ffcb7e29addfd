"""Systems of equations over regular expressions, such as `x = a x | b y | c`."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from pdl.gbnf.export.pattern import Pattern, options, repeat, row

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(slots=True)
class Equation:
    """What stands before each unknown on the right side; that before `""` is the end."""

    before: dict[str, list[Pattern]] = field(default_factory=dict)

    def add(self, pattern: Pattern, name: str) -> None:
        """One more alternative."""
        self.before.setdefault(name, []).append(pattern)

    def terms(self) -> Iterator[tuple[str, Pattern]]:
        """All alternatives."""
        return ((name, one) for name, found in self.before.items() for one in found)

    def take(self, name: str) -> Pattern:
        """All that stands before an unknown as one pattern, which leaves the equation."""
        return options(self.before.pop(name))


def solved(equations: dict[str, Equation]) -> dict[str, Pattern]:
    """The pattern that each unknown is.

    The unknown that is linked with the fewest others goes first, so that sparse systems stay
    short; the first one goes last. Each must lead to an end.
    """
    order = _eliminated(equations)
    found: dict[str, Pattern] = {}
    for name in reversed(order):
        terms = [
            row([pattern, found[other]] if other else [pattern])
            for other, pattern in equations[name].terms()
        ]
        found[name] = options(terms)
    return found


def _eliminated(equations: dict[str, Equation]) -> list[str]:
    """Put each unknown into the others, in an order in which each has only later ones left."""
    users: dict[str, set[str]] = {name: set() for name in equations}
    for name, equation in equations.items():
        for other in equation.before:
            if other:
                users[other].add(name)
    first = next(iter(equations))
    heap = [(name == first, _weight(name, equations, users), name) for name in equations]
    heapify(heap)
    order: list[str] = []
    while heap:
        _, weight, name = heappop(heap)
        now = _weight(name, equations, users)
        if now != weight:
            heappush(heap, (name == first, now, name))
            continue
        _put(name, equations, users)
        order.append(name)
    return order


def _weight(name: str, equations: dict[str, Equation], users: dict[str, set[str]]) -> int:
    return len(users[name]) * len(equations[name].before)


def _put(name: str, equations: dict[str, Equation], users: dict[str, set[str]]) -> None:
    """Solve an equation for its own unknown, and put it into those that are not solved yet."""
    equation = equations[name]
    own = [repeat(equation.take(name), 0, None)] if name in equation.before else []
    for other in list(equation.before):
        equation.before[other] = [row([*own, equation.take(other)])]
        if other:
            users[other].discard(name)
    for user in sorted(users[name] - {name}):
        before = equations[user].take(name)
        for other, pattern in equation.terms():
            equations[user].add(row([before, pattern]), other)
            if other:
                users[other].add(user)
