"""What is to blame, where one thing alone is, that no value satisfies a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pdl.gbnf.compiling.halves import halved, why
from pdl.schema.json_schema.copying import copied
from pdl.schema.keywords import subschemas
from pdl.schema.prose import visible
from pdl.schema.references import schemas, steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pdl._types import Json, JsonPath

Said: TypeAlias = "tuple[JsonPath, str]"
"""A keyword of the schema at a path."""

FALSE = "false"
"""A side that is no keyword but a schema."""

_OF_KIND = {"format": "string", "pattern": "string", "required": "object"}
"""Keywords that say something of one kind of values only."""

_OF_ALL = frozenset({"const", "enum"})
_LISTED = frozenset({"allOf", "anyOf", "oneOf", "patternProperties", "prefixItems", "properties"})
_FEW = 16
"""Keywords that are looked at one by one, and references that are followed."""


class Cause(NamedTuple):
    """Why there is no value: keywords, and what to say of them, with `{}` for their places."""

    sides: tuple[Said, ...]
    message: str
    hint: str = ""


def cause(document: Json, kept: list[Said], is_empty: Callable[[Json], bool]) -> Cause | None:
    """The one thing to blame of the keywords that no value satisfies together; None if none is.

    The document has nothing else to say than these.
    """
    for path, keyword in kept[:_FEW]:
        value = _at(document, path)[keyword]
        if is_empty(_alone(keyword, value)):
            return Cause(((path, keyword),), _words(keyword, value))
    return _endless(document, [path for path, keyword in kept if keyword == "$ref"], is_empty)


def sides(document: Json, said: Iterable[Said]) -> Iterator[Said]:
    """Where each side stands, and what it is: a keyword, or a `false` that it holds."""
    for path, keyword in said:
        found = list(falsities(document, path, keyword))
        yield from [(inner, FALSE) for inner in found] or [(path, keyword)]


def falsities(document: Json, path: JsonPath, keyword: str) -> Iterator[JsonPath]:
    """Where a keyword of several schemas has `false` for one of them."""
    if keyword in _LISTED:
        for inner, schema in subschemas({keyword: _at(document, path)[keyword]}):
            if schema is False:
                yield (*path, *inner)


def _alone(keyword: str, value: Json) -> Json:
    """A schema that a value of one keyword makes by itself; one of any value for most keywords."""
    if keyword in _OF_KIND:
        return {"type": _OF_KIND[keyword], keyword: value}
    return {keyword: value} if keyword in _OF_ALL else {}


def _words(keyword: str, value: Json) -> str:
    for _, half in halved({keyword: value}):
        return f"{{}} lets none through: {why(half)}"
    if value == []:
        return "{} lists nothing"
    return "{} lets none through"


def _endless(
    document: Json, holders: list[JsonPath], is_empty: Callable[[Json], bool]
) -> Cause | None:
    """Schemas that require themselves: what they say of a few levels is satisfied by some value."""
    looped = list(_looped({path: steps(_at(document, path)["$ref"]) for path in holders[:_FEW]}))
    if not looped or is_empty(_unrolled(document, len(holders) + 1)):
        return None
    return Cause(
        tuple((path, "$ref") for path in looped),
        "each would hold another one without end, by {}",
        "leave the key out of `required`, or let the value be null or an empty array as well",
    )


def _looped(targets: Mapping[JsonPath, JsonPath]) -> Iterator[JsonPath]:
    """Where the references stand that lead back to themselves."""
    names = {path: tuple(map(str, path)) for path in targets}
    inner = {
        path: [one for one in targets if names[one][: len(target)] == target]
        for path, target in targets.items()
    }
    for path in targets:
        seen: set[JsonPath] = set()
        pending = [path]
        while pending:
            fresh = [one for one in inner[pending.pop()] if one not in seen]
            seen.update(fresh)
            pending += fresh
        if path in seen:
            yield path


def _unrolled(document: Json, levels: int) -> Json:
    """A schema without circles: each reference leads one level down, and the last to anything."""
    made = {}
    for level in range(levels):
        copy = copied(document)
        for _, schema in list(schemas(copy)):
            if level + 1 == levels:
                schema.pop("$ref", None)
            elif "$ref" in schema:
                schema["$ref"] = f"#/$defs/{level + 1}{schema['$ref'][1:]}"
        made[str(level)] = copy
    return {"$ref": "#/$defs/0", "$defs": made}


def _at(document: Json, path: JsonPath) -> Any:
    for step in path:
        document = document[step]
    return document


def named(places: Iterable[tuple[str, str]], most: int) -> str:
    """Keywords with their pointers, as one reads them: `a` at #, `b` at #/x and `c` at #/y."""
    told = [f"`{keyword}` at {visible(place)}" for place, keyword in places]
    more = len(told) - most
    tail = f" (and {more} more)" if more > 0 else ""
    told = told[:most]
    return (" and ".join([", ".join(told[:-1]), told[-1]]) if told[1:] else "".join(told)) + tail


def pointed(place: str, keyword: str) -> str:
    """The pointer of the value of a keyword, or of a `false`."""
    return place if keyword == FALSE else f"{place}/{keyword}"
