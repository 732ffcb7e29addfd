"""Whether a JSON value satisfies a goal, straight from its shapes: a second opinion for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.gbnf.compiling.claims import Claim
from pdl.gbnf.compiling.document import exact, kind_of, stored
from pdl.gbnf.compiling.figures import satisfies
from pdl.reply.validation.formats import FORMATS
from pdl.schema.patterns import matches

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.gbnf.compiling.claims import ArrayShape, Goal, Keys, ObjectShape, Shape, TextAtom

    Shapes = Callable[[Goal], tuple[Shape, ...]]


def satisfied(value: Any, goal: Goal, shapes: Shapes) -> bool:
    """Whether one of the shapes of a goal has the value."""
    return any(_shape(value, one, shapes) for one in shapes(goal))


def _shape(value: Any, shape: Shape, shapes: Shapes) -> bool:
    kind = kind_of(value)
    if kind not in shape.kinds:
        return False
    if kind == "boolean":
        return value in shape.booleans
    if kind == "number":
        return all(
            satisfies((exact if atom.keyword == "multipleOf" else stored)(value), atom)
            for atom in shape.numbers
        )
    if kind == "string":
        return all(_text(value, atom) for atom in shape.texts)
    if kind == "array":
        return _array(value, shape.arrays, shapes)
    return kind == "null" or _object(value, shape.objects, shapes)


def _text(value: str, atom: TextAtom) -> bool:
    tests: dict[str, Callable[[Any], bool]] = {
        "minLength": lambda bound: len(value) >= bound,
        "maxLength": lambda bound: len(value) <= bound,
        "pattern": lambda pattern: matches(pattern, value),
        "format": lambda name: name not in FORMATS or FORMATS[name](value),
        "enum": lambda texts: value in texts,
    }
    return tests[atom.keyword](atom.value) == atom.holds


def _array(value: list[Any], shape: ArrayShape, shapes: Shapes) -> bool:
    if not shape.least <= len(value) <= (len(value) if shape.most is None else shape.most):
        return False
    for rule in shape.rules:
        for item in value[rule.start : rule.stop]:
            if rule.claim is None or not satisfied(item, (rule.claim,), shapes):
                return False
    for one in shape.contains:
        count = sum(satisfied(item, (one.claim,), shapes) for item in value[one.start :])
        if count < one.least or (one.most is not None and count > one.most):
            return False
    return not shape.unique or all(
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


def _object(value: dict[str, Any], shape: ObjectShape, shapes: Shapes) -> bool:
    if not shape.least <= len(value) <= (len(value) if shape.most is None else shape.most):
        return False
    for clause in shape.clauses:
        if not any((key in value) == there for key, there in clause):
            return False
    for key, one in value.items():
        for rule in shape.rules:
            if _among(key, rule.keys, shapes):
                goal = None if rule.claim is None else (rule.claim,)
                if goal is None or not satisfied(one, goal, shapes):
                    return False
    return all(
        any(
            _among(key, some.keys, shapes) and satisfied(one, some.goal, shapes)
            for key, one in value.items()
        )
        for some in shape.some
    )


def _among(key: str, keys: Keys, shapes: Shapes) -> bool:
    found = key in keys.names or any(matches(pattern, key) for pattern in keys.patterns)
    if keys.unlike is not None:
        found = found or not satisfied(key, keys.unlike, shapes)
    return found == keys.among


__all__ = ["Claim", "satisfied"]
