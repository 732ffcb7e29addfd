"""Goals that only a few values satisfy, each of them as a goal of its own."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from pdl.automata.dfa import Dfa
from pdl.gbnf.compiling.claims import Claim
from pdl.gbnf.compiling.figures import satisfies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.gbnf.compiling.claims import Goal, NumberAtom, Shape, TextAtom
    from pdl.gbnf.compiling.document import Document
    from pdl.gbnf.compiling.pieces import Lengths

    Texts = Callable[[tuple[TextAtom, ...]], Dfa | Lengths | None]

MOST = 8
"""Values of a goal that are told apart: their subsets become states."""


def values(shapes: Iterable[Shape], texts: Texts) -> list[Any] | None:
    """All values of some shapes; None for arrays and objects, and for more than `MOST`."""
    found: dict[tuple[str, Any], Any] = {}
    for shape in shapes:
        some = _values(shape, texts)
        if some is None:
            return None
        found.update({(type(one).__name__, one): one for one in some})
        if len(found) > MOST:
            return None
    return list(found.values())


def goals(found: Iterable[Any], document: Document) -> tuple[Goal, ...]:
    """A goal for each of some values."""
    return tuple((Claim(document.add("#/const", {"const": one})),) for one in found)


def _values(shape: Shape, texts: Texts) -> list[Any] | None:
    if shape.kinds & {"array", "object"}:
        return None
    found: list[Any] = [None] if "null" in shape.kinds else []
    if "boolean" in shape.kinds:
        found += sorted(shape.booleans)
    numbers = _numbers(shape.numbers) if "number" in shape.kinds else []
    strings = _strings(texts(shape.texts)) if "string" in shape.kinds else []
    if numbers is None or strings is None:
        return None
    return [*found, *numbers, *strings]


def _numbers(atoms: tuple[NumberAtom, ...]) -> list[float] | None:
    """The numbers of a shape; None if they are too many, or none that are listed."""
    if any(atom.keyword == "digits" for atom in atoms):
        return None  # of which it matters how they are written
    listed = [atom for atom in atoms if atom.keyword == "enum" and atom.holds]
    candidates = sorted(cast("frozenset[Fraction]", listed[0].value)) if listed else _range(atoms)
    if candidates is None:
        return None
    kept = [one for one in candidates if all(satisfies(one, atom) for atom in atoms)]
    return [int(one) if one.denominator == 1 else float(one) for one in kept]


def _range(atoms: tuple[NumberAtom, ...]) -> list[Fraction] | None:
    """The integers between two bounds, if both are there and close to each other."""
    bounds = {atom.keyword: cast("Fraction", atom.value) for atom in atoms if atom.holds}
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
