"""Branches that ask only which keys are there: one formula instead of many shapes.

`anyOf: [{required: [a]}, {required: [b]}]` is a clause, a or b; so is most of what is written with
`oneOf`, `not`, `if` and `dependentSchemas` around `required`. A formula keeps one shape where
alternatives would give one for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from pdl.gbnf.compiling.claims import Claim, Clause, KeyRule
from pdl.gbnf.compiling.facts import Branch, Declares, Fact, Facts, OnlyKinds, Presence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_MOST = 64  # clauses of one formula
_DEEPEST = 12  # claims inside claims

_OBJECT = frozenset({"object"})


@dataclass(frozen=True, slots=True)
class Formula:
    """What is asked of objects, and whether values of other kinds satisfy it."""

    others: bool
    clauses: frozenset[Clause]


def formula(ways: Iterable[Facts], meaning: Callable[[Claim], tuple[Facts, ...]]) -> Formula | None:
    """What alternatives ask of keys; None if they ask for anything else, or for too much.

    `meaning` gives the alternatives of a claim.
    """
    return _either(ways, meaning, _DEEPEST)


def _either(
    ways: Iterable[Facts], meaning: Callable[[Claim], tuple[Facts, ...]], depth: int
) -> Formula | None:
    others = False
    found: list[frozenset[Clause]] = []
    for way in ways:
        one = _all(way, meaning, depth)
        if one is None:
            return None
        others |= one.others
        found.append(one.clauses)
    clauses = _disjunction(found)
    return None if clauses is None else Formula(others, clauses)


def _all(way: Facts, meaning: Callable[[Claim], tuple[Facts, ...]], depth: int) -> Formula | None:
    others = True
    clauses: frozenset[Clause] = frozenset()
    for fact in way:
        one = _fact(fact, meaning, depth)
        if one is None:
            return None
        others &= one.others
        clauses |= one.clauses
    return Formula(others, _shortest(clauses)) if len(clauses) <= _MOST else None


def _fact(fact: Fact, meaning: Callable[[Claim], tuple[Facts, ...]], depth: int) -> Formula | None:
    if isinstance(fact, Claim | Branch):
        ways = meaning(fact) if isinstance(fact, Claim) else fact.alternatives
        return _either(ways, meaning, depth - 1) if depth else None
    others, clauses = True, frozenset[Clause]()
    match fact:
        case Declares():
            pass
        case Presence():
            clauses = frozenset({fact.clause})
        case OnlyKinds() if fact.kinds == _OBJECT:
            others = False
        case OnlyKinds() if not fact.kinds:
            others, clauses = False, frozenset({frozenset()})
        case KeyRule() if fact.claim is None and _is_named(fact):
            clauses = frozenset(frozenset({(name, False)}) for name in fact.keys.names)
        case _:
            return None
    return Formula(others, clauses)


def _is_named(rule: KeyRule) -> bool:
    keys = rule.keys
    return keys.among and not keys.patterns and keys.unlike is None


def _disjunction(parts: list[frozenset[Clause]]) -> frozenset[Clause] | None:
    """The conjunctive normal form of one or the other; None if it has too many clauses."""
    if not parts:
        return frozenset({frozenset()})
    result = parts[0]
    for part in parts[1:]:
        if len(result) * len(part) > _MOST * _MOST:
            return None
        joined = (one | other for one, other in product(result, part))
        result = _shortest(frozenset(clause for clause in joined if not _is_true(clause)))
        if len(result) > _MOST:
            return None
    return result


def _is_true(clause: Clause) -> bool:
    return any((key, not there) in clause for key, there in clause)


def _shortest(clauses: frozenset[Clause]) -> frozenset[Clause]:
    """The clauses that no shorter one implies."""
    kept: list[Clause] = []
    for clause in sorted(clauses, key=len):
        if not any(one <= clause for one in kept):
            kept.append(clause)
    return frozenset(kept)
