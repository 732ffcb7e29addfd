"""Equal subschemas of two documents, which are then one literal when both are looked at together.

Two subschemas are equal if they say the same, in any order and whatever their annotations, and what
they refer to is equal: the greatest bisimulation (Park, Concurrency and automata on infinite
sequences, 1981). It is found by partition refinement (Kanellakis and Smolka, 1983): references of
the same name are assumed to name equal schemas, until these turn out to differ. Between two such
steps, subschemas get the number of their parts' numbers, those inside first (hash consing).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.schema.keywords import (
    ASSERTIONS,
    DRAFT_4_INTEGER,
    ONE_SCHEMA,
    SCHEMA_ARRAYS,
    SCHEMA_MAPS,
    lookup,
    pointer,
    schemas,
    steps,
    subschemas,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from pdl._types import JsonSchema

_TELLING = ASSERTIONS | {DRAFT_4_INTEGER}
_SETS = frozenset({"required"})

_Classes: TypeAlias = "dict[int, int]"


class Subschemas:
    """One document, its subschemas with their pointers, and each once after those inside it."""

    def __init__(self, document: JsonSchema, base: str) -> None:
        self.document = document
        self.base = base
        self.parts = [(pointer(path), schema) for path, schema in schemas(document)]
        self.inner_first = list(_inner_first([schema for _, schema in self.parts]))
        self.targets: dict[str, Any] = {}
        for _, schema in self.parts:
            if "$ref" in schema:
                name = pointer(steps(schema["$ref"]))
                if name not in self.targets:
                    self.targets[name] = lookup(document, name)


def _inner_first(parts: list[JsonSchema]) -> Iterator[JsonSchema]:
    """Each of some subschemas once, after those inside it, of which several may share one."""
    done: set[int] = set()
    for part in parts:
        pending: list[tuple[JsonSchema, bool]] = [(part, False)]
        while pending:
            schema, is_left = pending.pop()
            if is_left:
                yield schema
            elif id(schema) not in done:
                done.add(id(schema))
                pending.append((schema, True))
                pending += [(one, False) for _, one in subschemas(schema) if isinstance(one, dict)]


def aliases(old: Subschemas, new: Subschemas) -> dict[str, str]:
    """For the pointers of subschemas of both documents, the pointer of the first equal one.

    Pointers begin with the bases of their documents. The first one is an old one, if there is one.
    """
    numbers: dict[Hashable, int] = {}
    apart: set[str] = set()
    while True:
        of_old, of_new = _classes(old, apart, numbers), _classes(new, apart, numbers)
        differing = {
            name
            for name, target in new.targets.items()
            if name not in apart
            and name in old.targets
            and _class(target, of_new) != _class(old.targets[name], of_old)
        }
        if not differing:
            break
        apart |= differing
    first: dict[int, str] = {}
    found: dict[str, str] = {}
    for side, known in ((old, of_old), (new, of_new)):
        for place, schema in side.parts:
            own = side.base + place[1:]
            same = first.setdefault(known[id(schema)], own)
            if same != own:
                found[own] = same
    return found


def _class(schema: Any, known: _Classes) -> int:
    return known[id(schema)] if isinstance(schema, dict) else -1 - bool(schema)


def _classes(side: Subschemas, apart: set[str], numbers: dict[Hashable, int]) -> _Classes:
    """The number of each subschema by its identity: equal ones have one number."""
    known: _Classes = {}
    for schema in side.inner_first:
        said = frozenset(
            (keyword, _said(keyword, value, side, apart, known))
            for keyword, value in schema.items()
            if keyword in _TELLING
        )
        known[id(schema)] = numbers.setdefault(said, len(numbers))
    return known


def _said(keyword: str, value: Any, side: Subschemas, apart: set[str], known: _Classes) -> Hashable:
    if keyword == "$ref":
        name = pointer(steps(value))
        return (name, side.base if name in apart else "")
    if keyword in ONE_SCHEMA:
        return _class(value, known)
    if keyword in SCHEMA_ARRAYS:
        return tuple(_class(one, known) for one in value)
    if keyword in SCHEMA_MAPS:
        return frozenset((name, _class(one, known)) for name, one in value.items())
    if keyword in _SETS:
        return frozenset(value)
    return json.dumps(value, sort_keys=True)
