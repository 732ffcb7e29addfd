"""The definitions of a narrowed schema: each schema that a reference names, under one name."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from pdl.gbnf.graphs import knots
from pdl.models.payloads.unheld import UnheldError
from pdl.schema.keywords import subschemas
from pdl.schema.references import lookup, steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath, JsonSchema
    from pdl.models.payloads.subset import Recursion

_ODD = re.compile(r"[^A-Za-z0-9_-]+")


class Named:
    """Gives names to what references lead to, and remembers what is still to be narrowed."""

    def __init__(self, document: JsonSchema, recursion: Recursion) -> None:
        self.document = document
        self._recursion = recursion
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()
        self.pending: list[str] = []
        self.inside = ""
        self.is_optional = False

    def reference(self, reference: str, path: JsonPath) -> dict[str, Any]:
        """A reference to a definition. Raises UnheldError for one that may not lead back."""
        if self._is_back(reference):
            where = "" if self._recursion == "none" else " in a key that must be there"
            raise UnheldError(path, "$ref", f"it leads back to itself{where}")
        return {"$ref": f"#/$defs/{self.name(reference)}"}

    def name(self, reference: str) -> str:
        """The name of a definition, made of the last step that leads there."""
        if reference not in self._names:
            last = _ODD.sub("_", str((steps(reference) or ("root",))[-1])) or "_"
            names = chain([last], (f"{last}{number}" for number in count(2)))
            name = next(name for name in names if name not in self._taken)
            self._names[reference] = name
            self._taken.add(name)
            self.pending.append(reference)
        return self._names[reference]

    def next(self) -> tuple[str, Json, JsonPath]:
        """The name, the schema and the place of a definition that is still to be narrowed."""
        self.inside = self.pending.pop(0)
        self.is_optional = False
        node = lookup(self.document, self.inside)
        return self._names[self.inside], node, steps(self.inside)

    def _is_back(self, reference: str) -> bool:
        if self._recursion == "any" or (self._recursion == "optional" and self.is_optional):
            return False
        return self._knots[self.inside or "#"] == self._knots[reference]

    @cached_property
    def _knots(self) -> dict[str, int]:
        """For each reference the number of its knot: all in one lead to each other."""
        graph: dict[str, list[str]] = {}
        pending = ["#"]
        while pending:
            one = pending.pop()
            if one not in graph:
                graph[one] = list(_references(lookup(self.document, one)))
                pending += graph[one]
        return {one: number for number, knot in enumerate(knots(graph)) for one in knot}


def _references(node: Json) -> Iterator[str]:
    """The references inside a schema."""
    pending = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            if "$ref" in one:
                yield one["$ref"]
            pending += [
                inner
                for steps, inner in subschemas(one)
                if steps[0] not in ("$defs", "definitions")
            ]
