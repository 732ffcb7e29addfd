"""Goals that few values satisfy, each value as a goal of its own, and goals that none satisfies.

That no value satisfies a goal is found as far as one can see a few levels deep.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from pdl.automata.dfa import Dfa
from pdl.gbnf.compiling.constraints import SchemaLiteral
from pdl.gbnf.compiling.number_language import satisfies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl.gbnf.compiling.constraints import (
        ArrayConjunct,
        Conjunct,
        Conjunction,
        KeyRule,
        NumberAtom,
        ObjectConjunct,
        StringAtom,
    )


_DEEPEST = 8
_MOST_ITEMS = 16


class Satisfiability:
    """Finds goals without values. What it finds is right; it does not find all of them.

    `conjuncts` expands a goal, `joined` makes one of literals; `numbers` and `texts` say whether
    any number or string satisfies some atoms.
    """

    def __init__(
        self,
        conjuncts: Callable[[Conjunction], tuple[Conjunct, ...]],
        joined: Callable[[Iterator[SchemaLiteral | None]], Conjunction | None],
        numbers: Callable[[tuple[NumberAtom, ...]], bool],
        texts: Callable[[tuple[StringAtom, ...]], bool],
    ) -> None:
        self._conjuncts = conjuncts
        self._joined = joined
        self._numbers = numbers
        self._texts = texts
        self._known: dict[Conjunction, bool] = {}
        self._depth = 0

    def is_empty(self, goal: Conjunction | None) -> bool:
        """Whether it is known that no value satisfies a goal."""
        if goal is None:
            return True
        if goal not in self._known:
            if self._depth >= _DEEPEST:
                return False
            self._known[goal] = False  # where a goal comes up inside itself, nothing is known
            self._depth += 1
            self._known[goal] = all(map(self.is_unsatisfiable, self._conjuncts(goal)))
            self._depth -= 1
        return self._known[goal]

    def is_unsatisfiable(self, conjunct: Conjunct) -> bool:
        """Whether it is known that no value is of a conjunct."""
        kinds = conjunct.kinds
        return not (
            "null" in kinds
            or ("boolean" in kinds and conjunct.booleans)
            or ("number" in kinds and self._numbers(conjunct.numbers))
            or ("string" in kinds and self._texts(conjunct.strings))
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
            if self.is_empty(self._joined(rules)):
                return False
        wanted = (one for one in conjunct.contains if one.least)
        return not any(self.is_empty(self._joined(iter((one.literal,)))) for one in wanted)

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
            rules = (rule.literal for rule in conjunct.rules if names(rule, key))
            if self.is_empty(self._joined(rules)):
                return False
        return True


def names(rule: KeyRule, key: str) -> bool:
    """Whether a rule is known to be about a key, without a look at patterns."""
    keys = rule.keys
    if keys.among:
        return key in keys.names
    return key not in keys.names and not keys.patterns and keys.unlike is None


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.gbnf.compiling.constraints import Conjunct, Conjunction, NumberAtom, StringAtom
    from pdl.gbnf.compiling.context import Lengths
    from pdl.gbnf.compiling.document import Document

    Texts = Callable[[tuple[StringAtom, ...]], Dfa | Lengths | None]

MOST = 8
"""Values of a goal that are told apart: their subsets become states."""


def values(conjuncts: Iterable[Conjunct], texts: Texts) -> list[Any] | None:
    """All values of some conjuncts; None for arrays and objects, and for more than `MOST`."""
    found: dict[tuple[str, Any], Any] = {}
    for conjunct in conjuncts:
        some = _values(conjunct, texts)
        if some is None:
            return None
        found.update({(type(one).__name__, one): one for one in some})
        if len(found) > MOST:
            return None
    return list(found.values())


def goals(found: Iterable[Any], document: Document) -> tuple[Conjunction, ...]:
    """A goal for each of some values."""
    return tuple((SchemaLiteral(document.add("#/const", {"const": one})),) for one in found)


def _values(conjunct: Conjunct, texts: Texts) -> list[Any] | None:
    if conjunct.kinds & {"array", "object"}:
        return None
    found: list[Any] = [None] if "null" in conjunct.kinds else []
    if "boolean" in conjunct.kinds:
        found += sorted(conjunct.booleans)
    numbers = _numbers(conjunct.numbers) if "number" in conjunct.kinds else []
    strings = _strings(texts(conjunct.strings)) if "string" in conjunct.kinds else []
    if numbers is None or strings is None:
        return None
    return [*found, *numbers, *strings]


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


def _strings(language: Dfa | Lengths | None) -> list[str] | None:
    if language is None:
        return []
    if not isinstance(language, Dfa) or not language.is_finite:
        return None
    some = list(language.texts(MOST + 1))
    return some if len(some) <= MOST else None
