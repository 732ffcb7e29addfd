"""Why no value satisfies a schema: the keywords that contradict each other."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

from pdl.errors import Problem
from pdl.gbnf.compiling.document import TELLING
from pdl.schema.json_schema.copying import copied
from pdl.schema.keywords import pointer, subschemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pdl._types import Json, JsonPath

_HOLDERS = frozenset(
    {"$ref", "allOf", "anyOf", "items", "oneOf", "patternProperties", "prefixItems", "properties"}
)
"""Keywords that say something through the schemas that they hold."""

_JOINERS = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
"""Those of them whose schemas are about the same value."""

_DULL = _HOLDERS - {"oneOf"} | {"type", "required"}

_MOST = 200
"""How often keywords are left out; each time the schema is compiled once more."""

_SECONDS = 3.0
"""How long they are looked for; what is not looked at by then is told as well."""

_SHOWN = 4


def conflict(document: Json, is_empty: Callable[[Json], bool]) -> Problem:
    """The problem of a document that no value satisfies.

    Keywords are left out, first many at once, and stay out where the rest still contradicts itself:
    what is left does so only together (Zeller and Hildebrandt, Simplifying and isolating
    failure-inducing input, 2002). `is_empty` says whether no value satisfies a document.
    """
    rest = copied(document)
    kept = list(_keywords(rest))
    end = monotonic() + _SECONDS
    tries = _MOST
    size = (len(kept) + 1) // 2
    while size:
        still: list[tuple[JsonPath, str]] = []
        for start in range(0, len(kept), size):
            chunk = kept[start : start + size]
            taken = list(_taken_out(rest, chunk))
            tries -= bool(taken)
            if taken and (tries < 0 or monotonic() > end or not is_empty(rest)):
                still += [(path, keyword) for path, keyword, _, _ in taken]
                for _, keyword, schema, value in reversed(taken):
                    schema[keyword] = value
        kept = still
        size //= 2
    return Problem("schema/unsatisfiable", _message(_telling(kept)))


def _taken_out(
    document: Json, keywords: Iterable[tuple[JsonPath, str]]
) -> Iterator[tuple[JsonPath, str, dict[str, Any], Json]]:
    """Leave keywords out of a document, as far as they did not go with others."""
    for path, keyword in keywords:
        schema = _at(document, path)
        if schema is not None and keyword in schema:
            yield path, keyword, schema, schema.pop(keyword)


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
