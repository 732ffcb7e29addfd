"""Which keys an object has, as formulas in conjunctive normal form (CNF).

A literal is a key with whether it is there; a clause is true if one of its literals is.
`presence_formula` finds what alternatives of the tableau ask of keys alone:
`anyOf: [{required: [a]}, {required: [b]}]` is a clause, a or b; so is most of what is written with
`oneOf`, `not`, `if` and `dependentSchemas` around `required`. `Assignment` tells what is left of a
formula when one key after another is known: unit propagation, and the splitting rule of Davis,
Logemann and Loveland, A machine program for theorem-proving, 1962.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from pdl.gbnf.compiling.constraints import (
    Clause,
    Constraint,
    Constraints,
    Declares,
    Disjunction,
    KeyRule,
    Limit,
    Presence,
    SchemaLiteral,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Meaning = Callable[[SchemaLiteral], tuple[Constraints, ...]]

Key = TypeVar("Key")

Cnf: TypeAlias = "frozenset[frozenset[tuple[Key, bool]]]"

_MOST = 64  # clauses of one formula
_DEEPEST = 12  # literals inside literals

_OBJECT = frozenset({"object"})
_FALSE: frozenset[Clause] = frozenset({frozenset()})


@dataclass(frozen=True, slots=True)
class PresenceFormula:
    """What is asked of objects, and whether values of other kinds satisfy it."""

    others: bool
    clauses: frozenset[Clause]


def presence_formula(
    alternatives: Iterable[Constraints], meaning: Meaning, depth: int = _DEEPEST
) -> PresenceFormula | None:
    """What alternatives ask of keys; None if they ask for anything else, or for too much.

    `meaning` returns the alternatives of a literal.
    """
    others = False
    found: list[frozenset[Clause]] = []
    for constraints in alternatives:
        one = _conjunction(constraints, meaning, depth)
        if one is None:
            return None
        others |= one.others
        found.append(one.clauses)
    clauses = _disjunction(found)
    return None if clauses is None else PresenceFormula(others, clauses)


def _conjunction(constraints: Constraints, meaning: Meaning, depth: int) -> PresenceFormula | None:
    others = True
    clauses: frozenset[Clause] = frozenset()
    for constraint in constraints:
        one = _formula(constraint, meaning, depth)
        if one is None:
            return None
        others &= one.others
        clauses |= one.clauses
    return PresenceFormula(others, drop_subsumed(clauses)) if len(clauses) <= _MOST else None


def _formula(constraint: Constraint, meaning: Meaning, depth: int) -> PresenceFormula | None:
    match constraint:
        case SchemaLiteral():
            return presence_formula(meaning(constraint), meaning, depth - 1) if depth else None
        case Disjunction(alternatives):
            return presence_formula(alternatives, meaning, depth - 1) if depth else None
        case Limit("kinds", kinds) if kinds <= _OBJECT:
            return PresenceFormula(others=False, clauses=frozenset() if kinds else _FALSE)
        case Declares():
            clauses = frozenset[Clause]()
        case Presence(clause):
            clauses = frozenset({clause})
        case KeyRule(keys, None) if keys.are_listed:
            clauses = frozenset(frozenset({(name, False)}) for name in keys.names)
        case _:
            return None
    return PresenceFormula(others=True, clauses=clauses)


def _disjunction(parts: list[frozenset[Clause]]) -> frozenset[Clause] | None:
    """The conjunctive normal form of one or the other; None if it has too many clauses."""
    if not parts:
        return _FALSE
    result = parts[0]
    for part in parts[1:]:
        if len(result) * len(part) > _MOST * _MOST:
            return None
        joined = (one | other for one, other in product(result, part))
        result = drop_subsumed(clause for clause in joined if not _is_true(clause))
        if len(result) > _MOST:
            return None
    return result


def _is_true(clause: Clause) -> bool:
    return any((key, not there) in clause for key, there in clause)


def drop_subsumed(clauses: Iterable[frozenset[tuple[Key, bool]]]) -> Cnf[Key]:
    """Drop the clauses that a shorter one implies."""
    kept: list[frozenset[tuple[Key, bool]]] = []
    for clause in sorted(clauses, key=len):
        if not any(one <= clause for one in kept):
            kept.append(clause)
    return frozenset(kept)


class Assignment(Generic[Key]):
    """Assigns keys, and remembers what was left."""

    def __init__(self) -> None:
        self._known: dict[tuple[Cnf[Key], Key, bool], Cnf[Key] | None] = {}

    def assign(self, formula: Cnf[Key], key: Key, *, there: bool) -> Cnf[Key] | None:
        """What is left when a key is there, or is not and will not be; None for a contradiction."""
        decision = (formula, key, there)
        if decision not in self._known:
            met, unmet = (key, there), (key, not there)
            kept = {clause - {unmet} for clause in formula if met not in clause}
            self._known[decision] = None if frozenset() in kept else drop_subsumed(kept)
        return self._known[decision]


def unit_propagate(formula: Cnf[Key]) -> tuple[dict[Key, bool], Cnf[Key]] | None:
    """The keys that single literals decide, and what is left then; None for a contradiction."""
    known: dict[Key, bool] = {}
    while True:
        if frozenset() in formula:
            return None
        units = [literal for clause in formula if len(clause) == 1 for literal in clause]
        if not units:
            return known, formula
        for key, there in units:
            if known.setdefault(key, there) != there:
                return None
        kept = [clause for clause in formula if not any(known.get(key) is it for key, it in clause)]
        formula = frozenset(
            frozenset(literal for literal in clause if literal[0] not in known) for clause in kept
        )


def satisfied_by_absence(formula: Cnf[Key]) -> bool:
    """Whether all clauses are true if none of the keys that are left is there."""
    return all(any(not there for _, there in clause) for clause in formula)


def implies(one: Cnf[Key], other: Cnf[Key]) -> bool:
    """Whether each clause of the other is one of the first, or longer than one: a sure sign."""
    return all(any(ours <= theirs for ours in one) for theirs in other)
