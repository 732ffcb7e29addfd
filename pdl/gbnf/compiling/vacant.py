"""Goals that no value satisfies, as far as one can see a few levels deep."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl.gbnf.compiling.claims import (
        ArrayShape,
        Claim,
        Goal,
        KeyRule,
        NumberAtom,
        ObjectShape,
        Shape,
        TextAtom,
    )

_DEEPEST = 8
_MOST_ITEMS = 16


class Vacancy:
    """Finds goals without values. What it finds is right; it does not find all of them.

    `shapes` expands a goal, `joined` makes one of claims; `numbers` and `texts` say whether any
    number or string satisfies some atoms.
    """

    def __init__(
        self,
        shapes: Callable[[Goal], tuple[Shape, ...]],
        joined: Callable[[Iterator[Claim | None]], Goal | None],
        numbers: Callable[[tuple[NumberAtom, ...]], bool],
        texts: Callable[[tuple[TextAtom, ...]], bool],
    ) -> None:
        self._shapes = shapes
        self._joined = joined
        self._numbers = numbers
        self._texts = texts
        self._known: dict[Goal, bool] = {}
        self._depth = 0

    def is_empty(self, goal: Goal | None) -> bool:
        """Whether it is known that no value satisfies a goal."""
        if goal is None:
            return True
        if goal not in self._known:
            if self._depth >= _DEEPEST:
                return False
            self._known[goal] = False  # where a goal comes up inside itself, nothing is known
            self._depth += 1
            self._known[goal] = all(map(self.is_vacant, self._shapes(goal)))
            self._depth -= 1
        return self._known[goal]

    def is_vacant(self, shape: Shape) -> bool:
        """Whether it is known that no value is of a shape."""
        kinds = shape.kinds
        return not (
            "null" in kinds
            or ("boolean" in kinds and shape.booleans)
            or ("number" in kinds and self._numbers(shape.numbers))
            or ("string" in kinds and self._texts(shape.texts))
            or ("array" in kinds and self._array(shape.arrays))
            or ("object" in kinds and self._object(shape.objects))
        )

    def _array(self, shape: ArrayShape) -> bool:
        """Whether there may be such arrays."""
        if shape.most is not None and shape.least > shape.most:
            return False
        for index in range(min(shape.least, _MOST_ITEMS)):
            rules = (
                rule.claim
                for rule in shape.rules
                if rule.start <= index and (rule.stop is None or index < rule.stop)
            )
            if self.is_empty(self._joined(rules)):
                return False
        wanted = (one for one in shape.contains if one.least)
        return not any(self.is_empty(self._joined(iter((one.claim,)))) for one in wanted)

    def _object(self, shape: ObjectShape) -> bool:
        """Whether there may be such objects."""
        units = {
            key: there for clause in shape.clauses if len(clause) == 1 for key, there in clause
        }
        needed = [key for key, there in units.items() if there]
        if any(frozenset({(key, False)}) in shape.clauses for key in needed):
            return False
        if shape.most is not None and max(len(needed), shape.least) > shape.most:
            return False
        for key in needed:
            rules = (rule.claim for rule in shape.rules if names(rule, key))
            if self.is_empty(self._joined(rules)):
                return False
        return True


def names(rule: KeyRule, key: str) -> bool:
    """Whether a rule is known to be about a key, without a look at patterns."""
    keys = rule.keys
    if keys.among:
        return key in keys.names
    return key not in keys.names and not keys.patterns and keys.unlike is None
