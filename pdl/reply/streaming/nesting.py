"""Where a bracket stands in the schema, and what may stand outside of it as well as in it.

In a fence that is closed an object may lack its closer, so that what seems to be in it belongs to
the object around it: `{"a": {"b": 1, "c": 2}`. Which one it is shows in the schema, or at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.reply.validation.references import Document, branches
from pdl.reply.validation.schema_walk import ALL_KINDS, root_kinds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl._types import Json


class Seat:
    """The subschemas that may hold for a value, by any branch of a union."""

    def __init__(self, document: Document, schemas: Iterable[Json]) -> None:
        self._document = document
        parts = [part for schema in schemas for part in branches(document, schema)]
        self._parts = list({id(part): part for part in parts}.values())
        self._seats: dict[str | int, Seat] = {}
        self.names = frozenset(name for part in self._parts for name in part.get("properties", ()))
        self._prefix = max([len(part.get("prefixItems", ())) for part in self._parts], default=0)

    def at(self, step: str | int) -> Seat:
        """The seat of a part."""
        known = step if isinstance(step, str) else min(step, self._prefix)
        found = self._seats.get(known)
        if found is None:
            schemas = [sub for part in self._parts for sub in _subs(part, known)]
            found = self._seats[known] = Seat(self._document, schemas)
        return found

    def kinds(self) -> frozenset[str]:
        """The kinds of the first item; all if the schema does not say."""
        subs = [sub for part in self._parts for sub in _subs(part, 0)]
        return frozenset().union(*(root_kinds(self._document, sub) for sub in subs)) or ALL_KINDS

    def may_be_outside(self, inner: Seat, key: str | int) -> bool:
        """Whether a part that stands in `inner` may as well stand here, beside it."""
        if isinstance(key, str):
            return key in self.names or key not in inner.names
        return not self.kinds().isdisjoint(inner.kinds())


def _subs(part: Mapping[str, Json], step: str | int) -> list[Json]:
    """What a schema says about one of the parts of a value."""
    if isinstance(step, int):
        first = part.get("prefixItems", ())
        if step < len(first):
            return [first[step]]
        return [part["items"]] if "items" in part else []
    known = part.get("properties", {})
    if step in known:
        return [known[step]]
    return [part["additionalProperties"]] if "additionalProperties" in part else []
