"""Why no value satisfies a schema: the keywords that contradict each other, by delta debugging.

`explanation` finds the one thing to blame, if there is one.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pdl.errors import Problem, visible
from pdl.gbnf.compiling.document import TELLING, lone_surrogates, surrogate_problem
from pdl.schema.json_values import copy_json
from pdl.schema.keywords import pointer, schemas, steps, subschemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pdl._types import Json, JsonPath
    from pdl.schema.parts import SourceMap


Said: TypeAlias = "tuple[JsonPath, str]"
"""A keyword of the schema at a path."""

FALSE = "false"
"""A side that is a schema instead of a keyword."""

_OF_KIND = {"format": "string", "pattern": "string", "required": "object"}
"""Keywords that say something of one kind of values only."""

_OF_ALL = frozenset({"const", "enum"})
_LISTED = frozenset({"allOf", "anyOf", "oneOf", "patternProperties", "prefixItems", "properties"})
_FEW = 16
"""Keywords that are tried one by one, and references that are followed."""


class Explanation(NamedTuple):
    """Why there is no value: keywords, and a message about them, with `{}` for their pointers."""

    sides: tuple[Said, ...]
    message: str
    hint: str = ""


def explanation(
    document: Json, kept: list[Said], is_empty: Callable[[Json], bool]
) -> Explanation | None:
    """The one thing to blame of the keywords that no value satisfies together; None if none is.

    The document has nothing else to say than these.
    """
    for path, keyword in kept[:_FEW]:
        value = _inside(document, path)[keyword]
        if is_empty(_alone(keyword, value)):
            return Explanation(((path, keyword),), _words(keyword, value))
    return _endless(document, [path for path, keyword in kept if keyword == "$ref"], is_empty)


def sides(document: Json, said: Iterable[Said]) -> Iterator[Said]:
    """The path of each side, and what it is: a keyword, or a `false` in it."""
    for path, keyword in said:
        found = list(falsities(document, path, keyword))
        yield from [(inner, FALSE) for inner in found] or [(path, keyword)]


def falsities(document: Json, path: JsonPath, keyword: str) -> Iterator[JsonPath]:
    """Where a keyword of several schemas has `false` for one of them."""
    if keyword in _LISTED:
        for inner, schema in subschemas({keyword: _inside(document, path)[keyword]}):
            if schema is False:
                yield (*path, *inner)


def _alone(keyword: str, value: Json) -> Json:
    """A schema that a value of one keyword makes by itself; one of any value for most keywords."""
    if keyword in _OF_KIND:
        return {"type": _OF_KIND[keyword], keyword: value}
    return {keyword: value} if keyword in _OF_ALL else {}


def _words(keyword: str, value: Json) -> str:
    for _, half in lone_surrogates({keyword: value}):
        return f"{{}} allows no value: {surrogate_problem(half)}"
    if value == []:
        return "{} lists nothing"
    return "{} allows no value"


def _endless(
    document: Json, holders: list[JsonPath], is_empty: Callable[[Json], bool]
) -> Explanation | None:
    """Schemas that require themselves: what they say of a few levels is satisfied by some value."""
    looped = list(
        _looped({path: steps(_inside(document, path)["$ref"]) for path in holders[:_FEW]})
    )
    if not looped or is_empty(_unrolled(document, len(holders) + 1)):
        return None
    return Explanation(
        tuple((path, "$ref") for path in looped),
        "each would have to contain another one, without end, by {}",
        "remove the key from `required`, or allow null or an empty array as well",
    )


def _looped(targets: Mapping[JsonPath, JsonPath]) -> Iterator[JsonPath]:
    """The paths of the references that are recursive."""
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
        copy = copy_json(document)
        for _, schema in list(schemas(copy)):
            if level + 1 == levels:
                schema.pop("$ref", None)
            elif "$ref" in schema:
                schema["$ref"] = f"#/$defs/{level + 1}{schema['$ref'][1:]}"
        made[str(level)] = copy
    return {"$ref": "#/$defs/0", "$defs": made}


def _inside(document: Json, path: JsonPath) -> Any:
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


_HOLDERS = frozenset(
    {"$ref", "allOf", "anyOf", "items", "oneOf", "patternProperties", "prefixItems", "properties"}
)
"""Keywords that say something through the schemas in them."""

_JOINERS = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
"""Those of them whose schemas are about the same value."""

_DULL = _HOLDERS - {"oneOf"} | {"type", "required"}

_MOST = 200
"""How often keywords are left out; each time the schema is compiled once more."""

_SECONDS = 3.0
"""How long they are looked for; what is not looked at by then is reported as well."""

_SHOWN = 4


def unsat_core(document: Json, is_empty: Callable[[Json], bool], source_map: SourceMap) -> Problem:
    """The problem of a document that no value satisfies, in terms of what it was made of.

    `is_empty` says whether no value satisfies a document.
    """
    if document in ({"not": {}}, {"not": True}):
        message = "no value satisfies this schema: it is `false`"
        return Problem("schema/unsatisfiable", message, pointer="#")
    rest = copy_json(document)
    keywords = list(_keywords(rest))
    kept = set(_kept(rest, list(reversed(keywords)), is_empty))
    told = [one for one in keywords if one in kept and one[1] in (_at(rest, one[0]) or ())]
    found = explanation(rest, told, is_empty) or _contradiction(document, told)
    places = [source_map.named(pointer(path), keyword) for path, keyword in found.sides]
    message = f"no value satisfies this schema: {found.message.format(named(places, _SHOWN))}"
    where = pointed(*places[0]) if places else "#"
    return Problem("schema/unsatisfiable", message, None, found.hint, where)


def _contradiction(document: Json, kept: list[Said]) -> Explanation:
    found = tuple(sides(document, _telling(document, kept)))
    return Explanation(found, "{} contradict each other" if found[1:] else "{} allows no value")


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
    """Remove keywords from a document, unless they went with others."""
    for path, keyword in keywords:
        schema = _at(document, path)
        if schema is not None and keyword in schema:
            yield path, keyword, schema, schema.pop(keyword)


def _telling(document: Json, kept: list[Said]) -> list[Said]:
    """The keywords that say most: those that lead to a value, or name its type, explain little.

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
