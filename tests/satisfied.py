"""Whether a JSON value satisfies a goal, straight from its conjuncts: a second opinion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.gbnf.compiling.constraints import SchemaLiteral
from pdl.gbnf.compiling.document import exact, kind_of, stored
from pdl.gbnf.compiling.number_language import satisfies
from pdl.reply.validation.formats import FORMATS
from pdl.schema.patterns import matches

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.gbnf.compiling.constraints import (
        ArrayConjunct,
        Conjunct,
        Conjunction,
        Keys,
        ObjectConjunct,
        StringAtom,
    )

    Conjuncts = Callable[[Conjunction], tuple[Conjunct, ...]]


def satisfied(value: Any, goal: Conjunction, conjuncts: Conjuncts) -> bool:
    """Whether one of the conjuncts of a goal has the value."""
    return any(_conjunct(value, one, conjuncts) for one in conjuncts(goal))


def _conjunct(value: Any, conjunct: Conjunct, conjuncts: Conjuncts) -> bool:
    kind = kind_of(value)
    if kind not in conjunct.kinds:
        return False
    if kind == "boolean":
        return value in conjunct.booleans
    if kind == "number":
        return all(
            satisfies((exact if atom.keyword == "multipleOf" else stored)(value), atom)
            for atom in conjunct.numbers
        )
    if kind == "string":
        return all(_text(value, atom) for atom in conjunct.strings)
    if kind == "array":
        return _array(value, conjunct.arrays, conjuncts)
    return kind == "null" or _object(value, conjunct.objects, conjuncts)


def _text(value: str, atom: StringAtom) -> bool:
    tests: dict[str, Callable[[Any], bool]] = {
        "minLength": lambda bound: len(value) >= bound,
        "maxLength": lambda bound: len(value) <= bound,
        "pattern": lambda pattern: matches(pattern, value),
        "format": lambda name: name not in FORMATS or FORMATS[name](value),
        "enum": lambda texts: value in texts,
    }
    return tests[atom.keyword](atom.value) == atom.positive


def _array(value: list[Any], conjunct: ArrayConjunct, conjuncts: Conjuncts) -> bool:
    if not conjunct.least <= len(value) <= (len(value) if conjunct.most is None else conjunct.most):
        return False
    for rule in conjunct.rules:
        for item in value[rule.start : rule.stop]:
            if rule.literal is None or not satisfied(item, (rule.literal,), conjuncts):
                return False
    for one in conjunct.contains:
        count = sum(satisfied(item, (one.literal,), conjuncts) for item in value[one.start :])
        if count < one.least or (one.most is not None and count > one.most):
            return False
    return not conjunct.unique or all(
        not _equal(one, other) for at, one in enumerate(value) for other in value[:at]
    )


def _equal(one: Any, other: Any) -> bool:
    if kind_of(one) != kind_of(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    return bool(one == other)


def _object(value: dict[str, Any], conjunct: ObjectConjunct, conjuncts: Conjuncts) -> bool:
    if not conjunct.least <= len(value) <= (len(value) if conjunct.most is None else conjunct.most):
        return False
    for clause in conjunct.clauses:
        if not any((key in value) == there for key, there in clause):
            return False
    for key, one in value.items():
        for rule in conjunct.rules:
            if _among(key, rule.keys, conjuncts):
                goal = None if rule.literal is None else (rule.literal,)
                if goal is None or not satisfied(one, goal, conjuncts):
                    return False
    return all(
        any(
            _among(key, some.keys, conjuncts) and satisfied(one, some.goal, conjuncts)
            for key, one in value.items()
        )
        for some in conjunct.some
    )


def _among(key: str, keys: Keys, conjuncts: Conjuncts) -> bool:
    found = key in keys.names or any(matches(pattern, key) for pattern in keys.patterns)
    if keys.unlike is not None:
        found = found or not satisfied(key, keys.unlike, conjuncts)
    return found == keys.among


__all__ = ["SchemaLiteral", "satisfied"]
