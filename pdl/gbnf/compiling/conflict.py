"""Why no value satisfies a schema: the keywords that contradict each other."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

from pdl.errors import Problem
from pdl.gbnf.compiling.causes import Cause, cause, falsities, named, pointed, sides
from pdl.gbnf.compiling.document import TELLING
from pdl.schema.json_schema.copying import copied
from pdl.schema.keywords import pointer
from pdl.schema.references import schemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pdl._types import Json, JsonPath
    from pdl.gbnf.compiling.causes import Said
    from pdl.schema.origins import Origins

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


def conflict(document: Json, is_empty: Callable[[Json], bool], origins: Origins) -> Problem:
    """The problem of a document that no value satisfies, in terms of what it was made of.

    `is_empty` says whether no value satisfies a document.
    """
    if document in ({"not": {}}, {"not": True}):
        message = "no value satisfies this schema: it is `false`"
        return Problem("schema/unsatisfiable", message, pointer="#")
    rest = copied(document)
    keywords = list(_keywords(rest))
    kept = set(_kept(rest, list(reversed(keywords)), is_empty))
    told = [one for one in keywords if one in kept and one[1] in (_at(rest, one[0]) or ())]
    found = cause(rest, told, is_empty) or _conflict(document, told)
    places = [origins.named(pointer(path), keyword) for path, keyword in found.sides]
    message = f"no value satisfies this schema: {found.message.format(named(places, _SHOWN))}"
    where = pointed(*places[0]) if places else "#"
    return Problem("schema/unsatisfiable", message, None, found.hint, where)


def _conflict(document: Json, kept: list[Said]) -> Cause:
    found = tuple(sides(document, _telling(document, kept)))
    return Cause(found, "{} contradict each other" if found[1:] else "{} lets none through")


def _kept(rest: Json, kept: list[Said], is_empty: Callable[[Json], bool]) -> list[Said]:
    """The keywords of a document that contradict each other; the document keeps no others.

    Keywords are left out, first many at once, and stay out where the rest still contradicts itself:
    what is left does so only together (Zeller and Hildebrandt, Simplifying and isolating
    failure-inducing input, 2002).
    """
    end = monotonic() + _SECONDS
    tries = _MOST
    size = (len(kept) + 1) // 2
    while size:
        still: list[Said] = []
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
    return kept


def _taken_out(
    document: Json, keywords: Iterable[Said]
) -> Iterator[tuple[JsonPath, str, dict[str, Any], Json]]:
    """Leave keywords out of a document, as far as they did not go with others."""
    for path, keyword in keywords:
        schema = _at(document, path)
        if schema is not None and keyword in schema:
            yield path, keyword, schema, schema.pop(keyword)


def _telling(document: Json, kept: list[Said]) -> list[Said]:
    """The keywords that say most: those that lead to a value, or name its type, are of little use.

    There are two at least, if there are two.
    """
    found: list[Said] = []
    false = {one for one in kept if any(falsities(document, *one))}
    duller = _HOLDERS | {"type"}, _JOINERS | {"type"}, _HOLDERS, frozenset[str]()
    for dull in duller if false else (_DULL, *duller):
        found = [one for one in kept if one[1] not in dull or one in false]
        if len(found) > 1:
            break
    return found


def _keywords(document: Json) -> Iterator[Said]:
    """All that a document says."""
    for path, schema in schemas(document):
        yield from ((path, keyword) for keyword in schema if keyword in TELLING)


def _at(document: Json, path: JsonPath) -> dict[str, Any] | None:
    """The schema at a path; None if it went with a keyword."""
    node: Any = document
    for step in path:
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            return None
    return node if isinstance(node, dict) else None
