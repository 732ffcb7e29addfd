"""`Place`: one schema of a document, for the functions that say what its keywords mean."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pdl.gbnf.compiling.claims import Claim, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl.gbnf.compiling.document import Document


OF_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
"""Keywords that compare numbers with one of their own."""

OF_STRINGS = ("minLength", "maxLength", "pattern", "format")
"""Keywords that say what a string looks like."""


@dataclass(frozen=True, slots=True)
class Place:
    """A schema that is an object, where it stands, and what a keyword there may ask for.

    `weaken` says that a keyword of this schema is not held exactly, and why; `overlap` whether two
    claims may have a value in common (True where that can't be told).
    """

    document: Document
    pointer: str
    schema: Mapping[str, Any]
    weaken: Callable[[str, str, str], None]
    overlap: Callable[[Claim, Claim], bool]

    def claim(self, *path: str | int, holds: bool = True) -> Claim:
        """A claim about a schema inside this one."""
        return Claim(self.document.inside(self.pointer, *path), holds)

    def rule(self, *path: str | int) -> Claim | None:
        """A claim for the values of keys or items; None if no value satisfies it."""
        claim = self.claim(*path)
        return None if self.document.simplified(claim) is None else claim

    def made(self, schema: Any, *, holds: bool = True) -> Claim:
        """A claim about a schema that the document does not have."""
        return Claim(self.document.add(self.pointer, schema), holds)

    def denied(self, claim: Claim) -> Claim | None:
        """The opposite of a claim; None if no value satisfies that."""
        opposite = Claim(claim.pointer, not claim.holds)
        return None if self.document.simplified(opposite) is None else opposite


def exact(number: float) -> Fraction:
    """The number that a JSON text spells, not the one that a float comes to."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def stored(number: float) -> Fraction:
    """The number that comparisons are made with: of a whole float, all the digits that it has.

    1e23 is read as the float below it, and that is no more than the integer 10**23.
    """
    if not isinstance(number, int) and not number.is_integer():
        return exact(number)
    return Fraction(number)


def compared(keyword: str, number: float) -> Fraction:
    """The number of a keyword of `OF_NUMBERS`: a divisor is what the schema's text spells."""
    return exact(number) if keyword == "multipleOf" else stored(number)


def kind_of(value: Any) -> Kind:
    """The kind of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def kinds_named(value: str | list[str]) -> tuple[frozenset[Kind], bool]:
    """The kinds that `type` names, and whether of the numbers only the integers."""
    names = {value} if isinstance(value, str) else set(value)
    integers = "integer" in names and "number" not in names
    return frozenset(_KINDS[name] for name in names), integers


_KINDS: dict[str, Kind] = {
    "null": "null",
    "boolean": "boolean",
    "integer": "number",
    "number": "number",
    "string": "string",
    "array": "array",
    "object": "object",
}
