"""Convert a JSON Schema of any draft from 4 on to the document of a `Schema`, in 2020-12.

`upgrade` rewrites one schema of an older draft, while the schemas inside keep their identity.
References between the schemas of a document become pointers into it: `resolve_refs` replaces each
by its target, `emit_refs` writes them again, as JSON Schema Core 2020-12, section 9.3, bundles
documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pdl.errors import Problem, error_from, visible
from pdl.graphs import strongly_connected_components
from pdl.schema.index import REFERENCES, SchemaIndex, dialect, shown
from pdl.schema.json_values import checked_copy, copy_json, dicts
from pdl.schema.keywords import (
    ANNOTATIONS,
    DEFINITIONS,
    DRAFT_4_INTEGER,
    IN_PLACE_APPLICATORS,
    nodes,
    pointer,
    subschemas,
    types_of,
)
from pdl.schema.parts import SchemaParts, SourceMap

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from pdl._types import Json, JsonPath, JsonSchema
    from pdl.limits import Limits
    from pdl.schema.index import SchemaLocation


_NAMES = ("$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$schema", "$vocabulary")
_KEPT_BESIDE_REF = ANNOTATIONS | {"$ref", "$defs", "definitions"}
_WITH_DIGITS = 4
_LAST_WITH_LONE_REF = 7
_FIRST_WITH_PREFIX = 2020


def upgrade(node: dict[str, Json], draft: int | None) -> dict[str, str]:
    """Rewrite a schema of that draft (4, 6, 7, 2019, 2020; None: any, taken leniently).

    Returns the older names of keywords, and of names in them (`$defs/a_` for `definitions/a`).
    """
    if draft is not None and draft <= _LAST_WITH_LONE_REF and "$ref" in node:
        # Up to draft 7 the siblings of a `$ref` are ignored (Core, draft 7, section 8.3).
        for key in node.keys() - _KEPT_BESIDE_REF:
            del node[key]
    if draft is None:
        _lift_null(node)
    older = {**_rename_definitions(node), **_split_dependencies(node)}
    if draft == _WITH_DIGITS:
        older.update(_mark_integers(node))
    if draft != _FIRST_WITH_PREFIX:
        older.update(_rewrite_items(node))
    _rewrite_exclusive(node, "exclusiveMinimum", "minimum")
    _rewrite_exclusive(node, "exclusiveMaximum", "maximum")
    names = (*_NAMES, "id") if draft in (None, 4) else _NAMES
    for key in names:
        if isinstance(node.get(key), str | bool | dict):
            del node[key]
    return older


def _rename_definitions(node: dict[str, Json]) -> dict[str, str]:
    if not isinstance(node.get("definitions"), dict):
        return {}
    older = node.pop("definitions")
    names: dict[str, str] = {} if "$defs" in node else {"$defs": "definitions"}
    defs = node.setdefault("$defs", {})
    for name, schema in older.items():
        free = name
        while free in defs:
            free += "_"
        defs[free] = schema
        if "$defs" not in names:
            names[_pointer("$defs", free)] = _pointer("definitions", name)
    return names


def _pointer(*steps: str) -> str:
    return pointer(steps).removeprefix("#/")


def _split_dependencies(node: dict[str, Json]) -> dict[str, str]:
    """`dependencies` became `dependentRequired` and `dependentSchemas` in 2019-09."""
    if not isinstance(node.get("dependencies"), dict):
        return {}
    made = {"dependentRequired", "dependentSchemas"} - node.keys()
    for name, value in node.pop("dependencies").items():
        if isinstance(value, list):
            names = node.setdefault("dependentRequired", {}).setdefault(name, [])
            names += [other for other in value if other not in names]
        else:
            schemas = node.setdefault("dependentSchemas", {})
            schemas[name] = {"allOf": [schemas[name], value]} if name in schemas else value
    return dict.fromkeys(sorted(made & node.keys()), "dependencies")


def _rewrite_items(node: dict[str, Json]) -> dict[str, str]:
    """An array of `items` became `prefixItems`, and `additionalItems` then `items`, in 2020-12."""
    rest = node.pop("additionalItems", None)
    if not isinstance(node.get("items"), list):
        return {}
    node["prefixItems"] = node.pop("items")
    if rest is not None:
        node["items"] = rest
    if not node["prefixItems"]:
        del node["prefixItems"]
    return {"prefixItems": "items", "items": "additionalItems"}


def _rewrite_exclusive(node: dict[str, Json], exclusive: str, inclusive: str) -> None:
    """In draft 4 a boolean says whether `minimum` is exclusive."""
    if isinstance(node.get(exclusive), bool) and node.pop(exclusive) and inclusive in node:
        node[exclusive] = node.pop(inclusive)


def _mark_integers(node: dict[str, Json]) -> dict[str, str]:
    """From draft 6 on, 1.0 is an integer, which it is not in draft 4."""
    types = types_of(node)
    if "integer" not in types or "number" in types:
        return {}
    node[DRAFT_4_INTEGER] = True
    return {DRAFT_4_INTEGER: "type"}


def _lift_null(node: dict[str, Json]) -> None:
    """`nullable` adds null to what `type` allows, and to nothing else: an `enum` lists it or not.

    OpenAPI 3.0.3, Schema Object.
    """
    if node.get("nullable") not in (True, False) or not node.pop("nullable"):
        return
    types = node.get("type")
    if types is not None:
        types = types if isinstance(types, list) else [types]
        node["type"] = types if "null" in types else [*types, "null"]


@dataclass(frozen=True, eq=False)
class Ref:
    """A reference while the schemas around it move."""

    target: dict[str, Json]


def resolve_refs(index: SchemaIndex) -> dict[int, SchemaLocation]:
    """Replace all references of the indexed schemas by their targets.

    A reference to `true` or `false` gets an equivalent object. Returns the first location of each,
    by the identity of that object.
    """
    booleans: dict[bool, dict[str, Json]] = {True: {}, False: {"not": {}}}
    locations: dict[int, SchemaLocation] = {}
    for (identity, key), target in index.targets.items():
        node = index.locations[identity].node
        found = Ref(target.node if isinstance(target.node, dict) else booleans[target.node])
        if isinstance(target.node, bool):
            locations.setdefault(id(found.target), target)
        if key == "$ref":
            node[key] = found
            continue
        del node[key]
        if "$ref" in node:
            node["allOf"] = [*node.get("allOf", ()), {"$ref": found}]
        else:
            node["$ref"] = found
    return locations


def loops(index: SchemaIndex) -> Iterator[Problem]:
    """Yield references that lead back to themselves at the same value, so that no check would end.

    Core 2020-12, section 9.4.1, forbids them.
    """
    graph = {
        identity: [id(inner) for inner in _in_place(location.node)]
        for identity, location in index.locations.items()
    }
    for component in strongly_connected_components(graph):
        first = component[-1]
        if component[1:] or first in graph[first]:
            where = index.locations[first].pointer
            message = f"this schema refers to itself for the same value (at {visible(where)})"
            yield Problem("schema/endless", message, pointer=where)


def _in_place(node: JsonSchema) -> Iterator[JsonSchema]:
    reference = node.get("$ref")
    if isinstance(reference, Ref):
        yield reference.target
    for steps, inner in subschemas(node):
        if steps[0] in IN_PLACE_APPLICATORS and isinstance(inner, dict):
            yield inner


def emit_refs(document: dict[str, Json]) -> tuple[dict[int, JsonPath], list[dict[str, Json]]]:
    """Write all references as pointers; a target that is not in the document joins `$defs`.

    Returns the paths of all objects by their identities, and the targets that joined.
    """
    joined: list[dict[str, Json]] = []
    paths = dict(_paths(document, ()))
    holders = [node for node in dicts(document) if isinstance(node.get("$ref"), Ref)]
    for holder in holders:
        if not isinstance(holder["$ref"], Ref):
            continue  # met twice: a target can contain another one that came before it
        target = holder["$ref"].target
        if id(target) not in paths:
            defs = document.setdefault("$defs", {})
            name = _free_name(defs)
            defs[name] = target
            joined.append(target)
            paths.update(_paths(target, ("$defs", name)))
            holders += [node for node in dicts(target) if isinstance(node.get("$ref"), Ref)]
        holder["$ref"] = pointer(paths[id(target)])
    return paths, joined


def _free_name(taken: Iterable[str]) -> str:
    number = 1
    while f"ref-{number}" in taken:
        number += 1
    return f"ref-{number}"


def _paths(root: dict[str, Json], path: JsonPath) -> Iterator[tuple[int, JsonPath]]:
    pending: list[tuple[Json, JsonPath]] = [(root, path)]
    while pending:
        node, at = pending.pop()
        if isinstance(node, dict):
            yield id(node), at
        entries = node.items() if isinstance(node, dict) else enumerate(node)
        pending += [(child, (*at, key)) for key, child in entries if isinstance(child, dict | list)]


def convert(schema: Any, limits: Limits, registry: Mapping[str, Any] | None = None) -> SchemaParts:
    """Convert a schema to 2020-12, with every reference a pointer into the document.

    The draft is the one that `$schema` names; without one the forms of all drafts from 4 on are
    accepted. `registry` has the schemas of other documents. The arguments are never changed.

    Raises SchemaError with all invalid keyword values and all references that are remote or
    dangling, each with its JSON pointer; LimitError for a schema that is too deep or too large.
    """
    document = checked_copy(schema, limits)
    if isinstance(document, bool):
        return SchemaParts({} if document else {"not": {}})
    if not isinstance(document, dict):
        message = f"expected a JSON Schema (an object, true or false), found {shown(document)}"
        hint = "read the text with json.loads first" if isinstance(document, str) else ""
        raise error_from([Problem("schema/not-a-schema", message, None, hint, pointer="#")])
    index = SchemaIndex(document, dialect(document), _remote(registry or {}, limits))
    _raise(index.problems)
    booleans = resolve_refs(index)
    _raise(list(loops(index)))
    older = {identity: _upgraded(index, one) for identity, one in index.locations.items()}
    paths, joined = emit_refs(document)
    for node in joined:
        if node == {"not": {}} and id(node) in booleans:
            older[id(node)] = {"not": "false"}
    renamed = {
        f"{pointer(paths[identity])}/{new}": old
        for identity, names in older.items()
        if names and identity in paths
        for new, old in names.items()
    }
    locations = index.locations | booleans
    moved = {
        pointer(paths[id(node)]): locations[id(node)].pointer
        for node in joined
        if id(node) in locations
    }
    return SchemaParts(document, source_map=SourceMap(renamed, moved))


def _upgraded(index: SchemaIndex, location: SchemaLocation) -> dict[str, str]:
    """Bring a schema to 2020-12, and return the older names of its keywords."""
    older = upgrade(location.node, location.draft)
    followed = [key for key in REFERENCES if (id(location.node), key) in index.targets]
    return older if not followed or "$ref" in followed else {**older, "$ref": followed[0]}


def _remote(registry: Mapping[str, Any], limits: Limits) -> Callable[[str], Json]:
    """A function from a URI to a copy of the registry's schema for it, with or without a `#`."""

    def copied(uri: str) -> Json:
        found = registry.get(uri, registry.get(f"{uri}#"))
        return None if found is None else checked_copy(found, limits)

    return copied


def _raise(problems: list[Problem]) -> None:
    if problems:
        raise error_from(problems)


class Bundle:
    """Bundles documents into one; equal definitions of one name are shared."""

    def __init__(self) -> None:
        self.definitions: dict[str, Json] = {}

    def add(self, document: JsonSchema, path: tuple[str, ...]) -> dict[str, Json]:
        """Return a copy of a document for a path of the whole, without its definitions.

        Its references point to that path, and to the definitions of the whole.
        """
        node: dict[str, Json] = copy_json(document)
        own = node.pop("$defs", {})
        if not own and not any("$ref" in inner for inner in nodes(node)):
            return node
        names = self._names(own)
        here = pointer(path)
        for one in nodes({"allOf": [node, *own.values()]}):
            reference = one.get("$ref")
            if isinstance(reference, str):
                one["$ref"] = _moved(reference, names, here)
        for name, schema in own.items():
            self.definitions[names[name]] = schema
        return node

    def _names(self, own: dict[str, Json]) -> dict[str, str]:
        """The names of a document's definitions in the whole; unchanged if none is taken."""
        taken = self.definitions
        if all(name not in taken or taken[name] == schema for name, schema in own.items()):
            return {name: name for name in own}
        used = set(taken)
        names: dict[str, str] = {}
        for name in own:
            names[name] = free_name(name, used)
            used.add(names[name])
        return names


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken: the name itself, or with a number after it."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}{number}"
    return free


def _moved(reference: str, names: dict[str, str], here: str) -> str:
    """A reference within a document that is now at `here`."""
    if not reference.startswith(DEFINITIONS):
        return here + reference.removeprefix("#")
    name, slash, rest = reference.removeprefix(DEFINITIONS).partition("/")
    return f"{DEFINITIONS}{names.get(name, name)}{slash}{rest}"
