"""What one shape asks of objects, over the numbered symbols of all shapes of its goal."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.compiling.clauses import Left, propagated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.gbnf.compiling.claims import Goal, Keys, ObjectShape, Some
    from pdl.gbnf.compiling.goals import Goals
    from pdl.gbnf.compiling.keyclasses import KeyClasses, Symbol

Loss: TypeAlias = tuple[str, str]
"""A keyword that is not held, and why."""


@dataclass(frozen=True)
class Demand:
    """A shape with a goal for each symbol, None for keys that must not be there.

    `order` holds the keys that are declared, `needed` those that must be there, `clauses` what else
    is asked of the presence of keys; at least one member is asked for by each of `witnesses`, which
    give the goals of the symbols that will do.
    """

    goals: tuple[Goal | None, ...]
    order: tuple[int, ...]
    needed: frozenset[int]
    clauses: Left[int]
    witnesses: tuple[tuple[tuple[int, Goal], ...], ...]
    least: int
    most: int | None

    @property
    def involved(self) -> frozenset[int]:
        """The keys whose presence matters."""
        return self.needed | {key for clause in self.clauses for key, _ in clause}


class Demanding:
    """Makes demands of shapes; `lost` says what they don't hold."""

    def __init__(self, classes: KeyClasses, goals: Goals) -> None:
        self.lost: dict[Loss, None] = {}
        self._unknown = classes.unknown
        self._symbols: tuple[Symbol, ...] = (*classes.names, *classes.classes)
        self._number = {symbol.name: index for index, symbol in enumerate(classes.names)}
        self._goals = goals

    def demand(self, shape: ObjectShape) -> Demand | None:
        """What a shape asks for; None if no object satisfies it."""
        goals = self._members(shape)
        if shape.most == 0:
            goals = [None] * len(goals)
        settled = self._presence(shape, goals)
        counts = self._counts(shape, goals)
        if settled is None or counts is None:
            return None
        needed, clauses = settled
        least, most = counts
        if most is not None and max(len(needed), least) > most:
            return None
        witnesses = tuple(self._witness(some, goals) for some in shape.some)
        if not all(witnesses):
            return None
        numbers = (self._number[name] for name in shape.order)
        order = tuple(key for key in numbers if goals[key] is not None)
        least = 0 if least <= len(needed) else least
        return Demand(tuple(goals), order, needed, clauses, witnesses, least, most)

    def _presence(
        self, shape: ObjectShape, goals: list[Goal | None]
    ) -> tuple[frozenset[int], Left[int]] | None:
        """The keys that must be there, and the clauses about others; takes the goals of some."""
        number = self._number
        clauses: Left[int] = frozenset(
            frozenset((number[name], there) for name, there in clause) for clause in shape.clauses
        )
        keys = {key for clause in clauses for key, _ in clause}
        clauses |= {frozenset({(key, False)}) for key in keys if goals[key] is None}
        settled = propagated(clauses)
        if settled is None:
            return None
        known, left = settled
        for key, there in known.items():
            if not there:
                goals[key] = None
        return frozenset(key for key, there in known.items() if there), left

    def _counts(
        self, shape: ObjectShape, goals: list[Goal | None]
    ) -> tuple[int, int | None] | None:
        """The bounds for the number of members, as far as they say something; None for no value."""
        names = len(self._number)
        if any(goal is not None for goal in goals[names:]):
            return shape.least, shape.most
        possible = sum(goal is not None for goal in goals)
        if possible < shape.least:
            return None
        return shape.least, shape.most if shape.most is not None and shape.most < possible else None

    def _members(self, shape: ObjectShape) -> list[Goal | None]:
        """The goal of each symbol."""
        rules = shape.rules
        by_name: defaultdict[str | None, list[int]] = defaultdict(list)
        general: list[int] = []
        for index, rule in enumerate(rules):
            keys = rule.keys
            if keys.among and not keys.patterns and keys.unlike is None:
                for name in keys.names:
                    by_name[name].append(index)
            else:
                general.append(index)
        found: list[Goal | None] = []
        for symbol in self._symbols:
            about = [index for index in general if self._among(symbol, rules[index].keys)]
            if symbol.name in by_name:
                about = sorted(about + by_name[symbol.name])
            claims = tuple(claim for index in about if (claim := rules[index].claim) is not None)
            found.append(self._goals.of(claims) if len(claims) == len(about) else None)
        return found

    def _among(self, symbol: Symbol, keys: Keys) -> bool:
        """Whether a symbol is known to be one of the keys of a rule."""
        among = symbol.among(keys)
        if among is None:
            self._lose(keys)
        return bool(among)

    def _witness(self, some: Some, goals: list[Goal | None]) -> tuple[tuple[int, Goal], ...]:
        """The symbols that will do for an atom, with the goals that they must satisfy then."""
        found: list[tuple[int, Goal]] = []
        for index, (symbol, goal) in enumerate(zip(self._symbols, goals, strict=True)):
            if goal is None:
                continue
            among = symbol.among(some.keys)
            if among is False:
                continue
            if among is None:
                self._lose(some.keys, "not")
            joined = self._goals.narrowed(goal, *some.goal)
            if joined is None:
                continue
            if symbol.name is None and joined != goal:
                self.lost["not", "a name that comes twice may satisfy it the first time only"] = (
                    None
                )
            found.append((index, joined))
        return tuple(found)

    def _lose(self, keys: Keys, keyword: str = "") -> None:
        """Remember that it can't be told which keys these are."""
        why = _why(keys, self._unknown)
        if not keyword and keys.unlike is not None:
            keyword = "propertyNames"
        elif not keyword:
            keyword = "patternProperties" if keys.among else "additionalProperties"
        self.lost[keyword, why] = None


def _why(keys: Keys, unknown: Mapping[str | Goal, str]) -> str:
    languages: tuple[str | Goal, ...] = keys.patterns
    if keys.unlike is not None:
        languages = (*languages, keys.unlike)
    return next(unknown[language] for language in languages if language in unknown)
