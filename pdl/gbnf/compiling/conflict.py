"""Why no value satisfies a schema: the keywords that contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.errors import Problem
from pdl.gbnf.compiling.document import TELLING
from pdl.schema.json_schema.copying import copied
from pdl.schema.keywords import pointer, subschemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl._types import Json, JsonPath

_HOLDERS = frozenset(
    {"$ref", "allOf", "anyOf", "items", "oneOf", "patternProperties", "prefixItems", "properties"}
)
"""Keywords that say something through the schemas that they hold."""

_JOINERS = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
"""Those of them whose schemas are about the same value."""

_DULL = _HOLDERS - {"oneOf"} | {"type", "required"}

_MOST = 120
"""Keywords that are looked at; each of them takes one more attempt to compile the schema."""

_SHOWN = 4


def conflict(document: Json, is_empty: Callable[[Json], bool]) -> Problem:
    """The problem of a document that no value satisfies.

    Keywords are left out one by one, and stay out where the rest still contradicts itself: what is
    left does so only together. `is_empty` says whether no value satisfies a document.
    """
    rest = copied(document)
    kept: list[tuple[JsonPath, str]] = []
    for number, (path, keyword) in enumerate(list(_keywords(rest))):
        schema = _at(rest, path)
        if schema is None or keyword not in schema:
            continue
        if number >= _MOST:
            break
        value = schema.pop(keyword)
        if is_empty(rest):
            continue
        schema[keyword] = value
        kept.append((path, keyword))
    return Problem("schema/unsatisfiable", _message(_telling(kept)))


def _telling(kept: list[tuple[JsonPath, str]]) -> list[tuple[JsonPath, str]]:
    """The keywords that say most: those that lead to a value, or name its type, are of little use.

    There are two at least, if there are two.
    """
    found: list[tuple[JsonPath, str]] = []
    for dull in (_DULL, _HOLDERS | {"type"}, _JOINERS | {"type"}, _HOLDERS, frozenset[str]()):
        found = [one for one in kept if one[1] not in dull]
        if len(found) > 1:
            break
    return found


def _message(sides: list[tuple[JsonPath, str]]) -> str:
    if not sides:
        return "no value satisfies this schema"
    told = [f"`{keyword}` at {pointer(path)}" for path, keyword in sides]
    if len(told) == 1:
        return f"no value satisfies this schema: {told[0]} lets none through"
    more = len(told) - _SHOWN
    tail = f" (and {more} more)" if more > 0 else ""
    first, last = ", ".join(told[: _SHOWN - 1][: len(told) - 1]), told[min(len(told), _SHOWN) - 1]
    return f"no value satisfies this schema: {first} and {last}{tail} contradict each other"


def _keywords(document: Json) -> Iterator[tuple[JsonPath, str]]:
    """All that a document says, that of inner schemas first: they are the smaller ones."""
    found: list[tuple[JsonPath, str]] = []
    pending: list[tuple[JsonPath, Json]] = [((), document)]
    while pending:
        path, schema = pending.pop()
        if isinstance(schema, dict):
            found += [(path, keyword) for keyword in schema if keyword in TELLING]
            pending += [((*path, *steps), inner) for steps, inner in subschemas(schema)]
    return reversed(found)


def _at(document: Json, path: JsonPath) -> dict[str, Any] | None:
    """The schema at a path; None if it went with a keyword."""
    node: Any = document
    for step in path:
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            return None
    return node if isinstance(node, dict) else None
