"""Satisfiability: which keys an object can have, and which goals have no values, or few.

Which keys an object has is a formula in conjunctive normal form (CNF): a literal is a key with
whether it is there; a clause is true if one of its literals is. `presence_formula` finds what
alternatives of the tableau ask of keys alone: `anyOf: [{required: [a]}, {required: [b]}]` is a
clause, a or b; so is most of what is written with `oneOf`, `not`, `if` and `dependentSchemas`
around `required`. `Assignment` finds what is left of a formula when one key after another is known,
by unit propagation and the splitting rule (Davis, Logemann and Loveland, A machine program for
theorem-proving, 1962).

`Satisfiability` looks for values of goals a few levels deep.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

from pdl.automata.dfa import Dfa
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
from pdl.gbnf.compiling.number_language import satisfies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.gbnf.compiling.constraints import (
        ArrayConjunct,
        Conjunct,
        Conjunction,
        NumberAtom,
        ObjectConjunct,
        StringAtom,
    )
    from pdl.gbnf.compiling.machine import Lengths

    Meaning = Callable[[SchemaLiteral], tuple[Constraints, ...]]
    Strings = Callable[[tuple[StringAtom, ...]], Dfa | Lengths | None]

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


_DEEPEST_GOAL = 8
_MOST_ITEMS = 16


class Satisfiability:
    """Finds goals without values. What it finds is right; it does not find all of them.

    `conjuncts` expands a goal, `joined` makes one of literals; `numbers` and `strings` say
    whether any number or string satisfies some atoms.
    """

    def __init__(
        self,
        conjuncts: Callable[[Conjunction], tuple[Conjunct, ...]],
        joined: Callable[[Iterable[SchemaLiteral | None]], Conjunction | None],
        numbers: Callable[[tuple[NumberAtom, ...]], bool],
        strings: Callable[[tuple[StringAtom, ...]], bool],
    ) -> None:
        self._conjuncts = conjuncts
        self._joined = joined
        self._numbers = numbers
        self._strings = strings
        self._known: dict[Conjunction, bool] = {}
        self._depth = 0

    def is_unsatisfiable(self, goal: Conjunction | None) -> bool:
        """Whether it is known that no value satisfies a goal."""
        if goal is None:
            return True
        if goal not in self._known:
            if self._depth >= _DEEPEST_GOAL:
                return False
            self._known[goal] = False  # where a goal comes up inside itself, nothing is known
            self._depth += 1
            self._known[goal] = not any(map(self.has_value, self._conjuncts(goal)))
            self._depth -= 1
        return self._known[goal]

    def has_value(self, conjunct: Conjunct) -> bool:
        """Whether a value may satisfy a conjunct."""
        kinds = conjunct.kinds
        return bool(
            "null" in kinds
            or ("boolean" in kinds and conjunct.booleans)
            or ("number" in kinds and self._numbers(conjunct.numbers))
            or ("string" in kinds and self._strings(conjunct.strings))
            or ("array" in kinds and self._array(conjunct.arrays))
            or ("object" in kinds and self._object(conjunct.objects))
        )

    def _array(self, conjunct: ArrayConjunct) -> bool:
        """Whether there may be such arrays."""
        if conjunct.most is not None and conjunct.least > conjunct.most:
            return False
        for index in range(min(conjunct.least, _MOST_ITEMS)):
            rules = (
                rule.literal
                for rule in conjunct.rules
                if rule.start <= index and (rule.stop is None or index < rule.stop)
            )
            if self.is_unsatisfiable(self._joined(rules)):
                return False
        wanted = (one for one in conjunct.contains if one.least)
        return not any(self.is_unsatisfiable(self._joined((one.literal,))) for one in wanted)

    def _object(self, conjunct: ObjectConjunct) -> bool:
        """Whether there may be such objects."""
        units = {
            key: there for clause in conjunct.clauses if len(clause) == 1 for key, there in clause
        }
        needed = [key for key, there in units.items() if there]
        if any(frozenset({(key, False)}) in conjunct.clauses for key in needed):
            return False
        if conjunct.most is not None and max(len(needed), conjunct.least) > conjunct.most:
            return False
        for key in needed:
            rules = (rule.literal for rule in conjunct.rules if _is_about(rule, key))
            if self.is_unsatisfiable(self._joined(rules)):
                return False
        return True


def _is_about(rule: KeyRule, key: str) -> bool:
    """Whether a rule is known to be about a key, without a look at patterns."""
    keys = rule.keys
    if keys.among:
        return key in keys.names
    return key not in keys.names and not keys.patterns and keys.unlike is None


MOST = 8
"""Values of a goal that are listed: their subsets become states."""


def values(conjuncts: Iterable[Conjunct], strings: Strings) -> list[Any] | None:
    """All values of some conjuncts; None for arrays and objects, and for more than `MOST`."""
    found: dict[tuple[str, Any], Any] = {}
    for conjunct in conjuncts:
        some = _values(conjunct, strings)
        if some is None:
            return None
        found.update({(type(one).__name__, one): one for one in some})
        if len(found) > MOST:
            return None
    return list(found.values())


def _values(conjunct: Conjunct, strings: Strings) -> list[Any] | None:
    if conjunct.kinds & {"array", "object"}:
        return None
    found: list[Any] = [None] if "null" in conjunct.kinds else []
    if "boolean" in conjunct.kinds:
        found += sorted(conjunct.booleans)
    numbers = _numbers(conjunct.numbers) if "number" in conjunct.kinds else []
    listed = _listed(strings(conjunct.strings)) if "string" in conjunct.kinds else []
    if numbers is None or listed is None:
        return None
    return [*found, *numbers, *listed]


def _numbers(atoms: tuple[NumberAtom, ...]) -> list[float] | None:
    """The numbers of a conjunct; None if they are too many, or none that are listed."""
    if any(atom.keyword == "digits" for atom in atoms):
        return None  # of which it matters how they are written
    listed = [atom for atom in atoms if atom.keyword == "enum" and atom.positive]
    candidates = sorted(cast("frozenset[Fraction]", listed[0].value)) if listed else _range(atoms)
    if candidates is None:
        return None
    kept = [one for one in candidates if all(satisfies(one, atom) for atom in atoms)]
    return [int(one) if one.denominator == 1 else float(one) for one in kept]


def _range(atoms: tuple[NumberAtom, ...]) -> list[Fraction] | None:
    """The integers between two bounds, if both are there and close to each other."""
    bounds = {atom.keyword: cast("Fraction", atom.value) for atom in atoms if atom.positive}
    low = bounds.get("minimum", bounds.get("exclusiveMinimum"))
    high = bounds.get("maximum", bounds.get("exclusiveMaximum"))
    if "integer" not in bounds or low is None or high is None or high - low > 4 * MOST:
        return None
    return [Fraction(one) for one in range(int(low) - 1, int(high) + 2)]


def _listed(language: Dfa | Lengths | None) -> list[str] | None:
    if language is None:
        return []
    if not isinstance(language, Dfa) or not language.is_finite:
        return None
    some = list(language.texts(MOST + 1))
    return some if len(some) <= MOST else None
