"""The schemas of one document by their JSON pointers, and those that are made on the way."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any

from pdl.gbnf.compiling.claims import Claim, Goal
from pdl.gbnf.compiling.handwritten import KEYWORD
from pdl.schema.keywords import ASSERTIONS, DIGITS, pointer
from pdl.schema.references import lookup, steps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import Json

TELLING = ASSERTIONS | {KEYWORD, DIGITS}
"""Keywords that say what a value is; one of them is our own."""


class Document:
    """Finds schemas, and brings conjunctions of claims to one form.

    `made` has the pointers of schemas that are not in the document.
    """

    def __init__(self, root: Json) -> None:
        self._root: Any = root
        self._known: dict[str, Json] = {"#": root}
        self.made: set[str] = set()
        self._made: dict[tuple[str, str], str] = {}
        self._simple: dict[Claim, Goal | None] = {}

    def at(self, place: str) -> Any:
        """The schema at a JSON pointer."""
        known = self._known
        if place not in known:
            known[place] = lookup(self._root, place)
        return known[place]

    def add(self, place: str, schema: Json) -> str:
        """Give a schema that is not in the document a pointer, which nothing in it has.

        The same schema has the same one at a place, or goals that come up again would be new ones.
        """
        key = place, dumps(schema)
        if key not in self._made:
            self._made[key] = made = f"{place}/{len(self._known)}"
            self._known[made] = schema
            self.made.add(made)
        return self._made[key]

    def inside(self, place: str, *path: str | int) -> str:
        """The pointer to a schema inside another one."""
        if place in self._known and not path:
            return place
        found = place + pointer(path)[1:]
        if found not in self._known:
            value: Any = self.at(place)
            for step in path:
                value = value[step]
            self._known[found] = value
        return found

    def target(self, reference: str) -> str:
        """The pointer of what a `$ref` names, spelled as all pointers are."""
        return pointer(steps(reference))

    def joined(self, claims: Iterable[Claim | None]) -> Goal | None:
        """A goal of some claims; None if they contradict each other, or one is None.

        What every value satisfies is left out, and references are followed.
        """
        found: dict[Claim, None] = {}
        for claim in claims:
            simple = None if claim is None else self.simplified(claim)
            if simple is None:
                return None
            found.update(dict.fromkeys(simple))
        if any(Claim(one.pointer, not one.holds) in found for one in found):
            return None
        return tuple(found)

    def simplified(self, claim: Claim) -> Goal | None:
        """A claim without what says nothing: `()` if all values satisfy it, None if none does."""
        if claim not in self._simple:
            self._simple[claim] = self._simplify(claim)
        return self._simple[claim]

    def _simplify(self, claim: Claim) -> Goal | None:
        seen: set[Claim] = set()
        while claim not in seen:
            seen.add(claim)
            schema = self.at(claim.pointer)
            if isinstance(schema, bool):
                return () if schema == claim.holds else None
            said = [key for key in schema if key in TELLING]
            if not said:
                return () if claim.holds else None
            if said == ["$ref"]:
                claim = Claim(self.target(schema["$ref"]), claim.holds)
            elif said == ["not"]:
                claim = Claim(self.inside(claim.pointer, "not"), not claim.holds)
            elif (
                len(said) == 1 and said[0] in ("allOf", "anyOf", "oneOf") and _lone(schema[said[0]])
            ):
                claim = Claim(self.inside(claim.pointer, said[0], 0), claim.holds)
            else:
                break
        return (claim,)


def _lone(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1
