"""References between the schemas of a document, as pointers into that document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.errors import Problem
from pdl.schema.keywords import IN_PLACE, pointer, subschemas
from pdl.schema.prose import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl._types import Json, JsonPath, JsonSchema
    from pdl.schema.json_schema.survey import Place, Survey


@dataclass(frozen=True, eq=False)
class Link:
    """Stands for a reference while the schemas around it move."""

    target: dict[str, Json]


def link(survey: Survey) -> dict[int, Place]:
    """Replace all references of the surveyed schemas by links to their targets.

    What names `true` or `false` leads to an object that says the same. Returns the first place of
    each, by the identity of that object.
    """
    booleans: dict[bool, dict[str, Json]] = {True: {}, False: {"not": {}}}
    places: dict[int, Place] = {}
    for (identity, key), target in survey.targets.items():
        node = survey.places[identity].node
        found = Link(target.node if isinstance(target.node, dict) else booleans[target.node])
        if isinstance(target.node, bool):
            places.setdefault(id(found.target), target)
        if key == "$ref":
            node[key] = found
            continue
        del node[key]
        if "$ref" in node:
            node["allOf"] = [*node.get("allOf", ()), {"$ref": found}]
        else:
            node["$ref"] = found
    return places


def loops(survey: Survey) -> Iterator[Problem]:
    """References that lead back to themselves at the same value, so that no check would end.

    Core 2020-12, section 9.4.1, forbids them.
    """
    done: set[int] = set()
    for identity in survey.places:
        if identity in done:
            continue
        path: dict[int, Iterator[JsonSchema]] = {identity: _in_place(survey.places[identity].node)}
        while path:
            last = next(reversed(path))
            inner = next((one for one in path[last] if id(one) not in done), None)
            if inner is None:
                done.add(last)
                del path[last]
            elif id(inner) in path:
                where = survey.places[id(inner)].pointer
                yield Problem(
                    "schema/endless",
                    f"this schema refers to itself for the same value (at {visible(where)})",
                    pointer=where,
                )
                done.add(id(inner))
            else:
                path[id(inner)] = _in_place(inner)


def _in_place(node: JsonSchema) -> Iterator[JsonSchema]:
    reference = node.get("$ref")
    if isinstance(reference, Link):
        yield reference.target
    for steps, inner in subschemas(node):
        if steps[0] in IN_PLACE and isinstance(inner, dict):
            yield inner


def unlink(document: dict[str, Json]) -> tuple[dict[int, JsonPath], list[dict[str, Json]]]:
    """Write all links as pointers; a target that no longer stands in the document joins `$defs`.

    Returns the paths of all objects by their identities, and the targets that joined.
    """
    joined: list[dict[str, Json]] = []
    paths = dict(_paths(document, ()))
    holders = [node for node in (document, *_dicts(document)) if isinstance(node.get("$ref"), Link)]
    for holder in holders:
        if not isinstance(holder["$ref"], Link):
            continue  # met twice: a target may hold another one that came before it
        target = holder["$ref"].target
        if id(target) not in paths:
            defs = document.setdefault("$defs", {})
            name = _free_name(defs)
            defs[name] = target
            joined.append(target)
            paths.update(_paths(target, ("$defs", name)))
            holders += [
                node for node in (target, *_dicts(target)) if isinstance(node.get("$ref"), Link)
            ]
        holder["$ref"] = pointer(paths[id(target)])
    return paths, joined


def _free_name(taken: Iterable[str]) -> str:
    number = 1
    while f"ref-{number}" in taken:
        number += 1
    return f"ref-{number}"


def _dicts(root: Json) -> Iterator[dict[str, Json]]:
    pending = [root]
    while pending:
        node = pending.pop()
        children = node.values() if isinstance(node, dict) else node
        for child in children:
            if isinstance(child, dict):
                yield child
            if isinstance(child, dict | list):
                pending.append(child)


def _paths(root: dict[str, Json], path: JsonPath) -> Iterator[tuple[int, JsonPath]]:
    pending: list[tuple[Json, JsonPath]] = [(root, path)]
    while pending:
        node, at = pending.pop()
        if isinstance(node, dict):
            yield id(node), at
        entries = node.items() if isinstance(node, dict) else enumerate(node)
        pending += [(child, (*at, key)) for key, child in entries if isinstance(child, dict | list)]
