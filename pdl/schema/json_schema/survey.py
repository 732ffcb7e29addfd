"""All schemas of a document, with their base URIs, anchors and references."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag, urljoin

from pdl.errors import Problem
from pdl.schema.json_schema.load import problems
from pdl.schema.keywords import pointer, subschemas
from pdl.schema.prose import quoted, visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl._types import Json, JsonPath, JsonSchema

_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
"""Keywords that name a schema."""

_NEWEST_WITH_RECURSIVE = 2019


@dataclass(frozen=True, eq=False)
class Place:
    """A schema, where it stands, and the URI of the resource that it is part of.

    `file` is the URI of another document that it stands in; none for the document itself.
    """

    node: Json
    path: JsonPath
    base: str
    draft: int | None
    file: str = ""

    @property
    def pointer(self) -> str:
        """Where it stands, with the URI of another document in front."""
        return self.file + pointer(self.path)


class Survey:
    """What is known of a document's schemas. `targets` maps a schema's reference to its target.

    The keys of `places` are identities of the document's dicts, which the survey keeps alive.
    """

    def __init__(
        self, document: JsonSchema, draft: int | None, remote: Callable[[str], Json] | None = None
    ) -> None:
        """`remote` gives a copy of the schema that other documents know by a URI, or None."""
        self.document = document
        self._remote = remote
        self.problems: list[Problem] = []
        self.places: dict[int, Place] = {}
        self.targets: dict[tuple[int, str], Place] = {}
        self._resources: dict[str, Place] = {"": Place(document, (), "", draft)}
        self._anchors: dict[tuple[str, str], Place] = {}
        self._dynamic: dict[str, list[Place]] = {}
        self._pending: list[Place] = []
        self._visit(self._resources[""])
        self._refuse_old(document)
        while self._pending:
            self._resolve_all(self._pending.pop())

    def _visit(self, start: Place) -> None:
        """Take in a schema and all schemas inside it."""
        pending = [start]
        while pending:
            place = self._with_base(pending.pop())
            node = place.node
            if not isinstance(node, dict) or id(node) in self.places:
                continue
            self.places[id(node)] = place
            self._pending.append(place)
            self.problems += problems(place)
            self._anchor(place)
            pending += [
                replace(place, node=inner, path=place.path + steps)
                for steps, inner in subschemas(node)
            ]

    def _refuse_old(self, document: JsonSchema) -> None:
        name = document.get("$schema")
        if isinstance(name, str) and _TOO_OLD.match(name):
            message = f"the draft {quoted(name)} is older than draft 4, with other keywords"
            hint = "rewrite the schema for draft 4 or a later one"
            self.problems.append(
                Problem("schema/old-draft", f"{message} (at #/$schema)", None, hint, "#/$schema")
            )

    def _with_base(self, place: Place) -> Place:
        """The place inside the resource that its `$id` begins, if it has one."""
        node = place.node
        own = identifier(node, place.draft) if isinstance(node, dict) else ""
        uri, fragment = urldefrag(own)
        if fragment and not uri:  # drafts 4 to 7 name anchors so
            self._anchors.setdefault((place.base, fragment), place)
        if not uri:
            return place
        draft = dialect(node) or place.draft
        inside = replace(place, base=urljoin(place.base, uri), draft=draft)
        self._resources.setdefault(inside.base, inside)
        return inside

    def _anchor(self, place: Place) -> None:
        for key in ("$anchor", "$dynamicAnchor"):
            name = place.node.get(key)
            if isinstance(name, str):
                self._anchors.setdefault((place.base, name), place)
        dynamic = place.node.get("$dynamicAnchor")
        if isinstance(dynamic, str):
            self._dynamic.setdefault(dynamic, []).append(place)
        if place.node.get("$recursiveAnchor") is True:
            self._dynamic.setdefault("$recursive", []).append(place)

    def _resolve_all(self, place: Place) -> None:
        for key in REFERENCES:
            reference = place.node.get(key)
            if key == "$recursiveRef" and place.draft not in (None, _NEWEST_WITH_RECURSIVE):
                continue
            if not isinstance(reference, str):
                continue
            target = self._target(place, key, reference)
            if target is not None:
                self.targets[id(place.node), key] = target
                self._visit(target)

    def _target(self, place: Place, key: str, reference: str) -> Place | None:
        base, fragment = urldefrag(
            place.base + reference if reference.startswith("#") else urljoin(place.base, reference)
        )
        resource = self._resources.get(base) or self._fetched(base)
        if resource is None:
            why = "leads out of the document, and nothing is fetched"
            self._refuse(place, key, reference, why, _elsewhere(base))
            return None
        if key != "$ref" and self._is_open(key, fragment):
            self._refuse(place, key, reference, "has several targets that only a validation picks")
            return None
        target = self._inside(resource, unquote(fragment))
        if target is None and reference.startswith("#"):
            # Before `$id` was understood to begin a resource, such references meant the document.
            target = self._inside(self._resources[""], unquote(fragment))
        if target is None:
            self._refuse(place, key, reference, "names nothing in the document")
        elif not isinstance(target.node, dict | bool):
            self._refuse(place, key, reference, "names something that is no schema")
            return None
        return target

    def _fetched(self, uri: str) -> Place | None:
        """The resource that the registry has for a URI."""
        node = self._remote(uri) if self._remote else None
        if node is None:
            return None
        draft = dialect(node) if isinstance(node, dict) else None
        found = self._resources[uri] = Place(node, (), uri, draft, uri)
        self._visit(found)
        return found

    def _is_open(self, key: str, fragment: str) -> bool:
        name = "$recursive" if key == "$recursiveRef" else fragment
        return len(self._dynamic.get(name, ())) > 1

    def _inside(self, resource: Place, fragment: str) -> Place | None:
        if fragment and not fragment.startswith("/"):
            return self._anchors.get((resource.base, fragment))
        node, path = resource.node, resource.path
        for token in fragment.split("/")[1:]:
            step = token.replace("~1", "/").replace("~0", "~")
            if isinstance(node, list) and _INDEX.fullmatch(step) and int(step) < len(node):
                node, path = node[int(step)], (*path, int(step))
            elif isinstance(node, dict) and step in node:
                node, path = node[step], (*path, step)
            else:
                return None
        known = self.places.get(id(node))
        return known or replace(resource, node=node, path=path)

    def _refuse(self, place: Place, key: str, reference: str, why: str, hint: str = "") -> None:
        where = f"{place.pointer}/{key}"
        message = f"the reference {quoted(reference)} {why} (at {visible(where)})"
        self.problems.append(Problem("schema/bad-reference", message, None, hint, where))


def _elsewhere(uri: str) -> str:
    """How to give a schema that a reference leads to."""
    if not uri:
        return "no schema of this document has that `$id`"
    return f"pass that schema in `registry=`, in the shell by --registry, as {quoted(uri)}"


_DRAFTS = {"draft-04": 4, "draft-06": 6, "draft-07": 7, "2019-09": 2019, "2020-12": 2020}
_DIALECT = re.compile(r"https?://json-schema\.org/(?:draft/)?(draft-0[467]|2019-09|2020-12)/")
_TOO_OLD = re.compile(r"https?://json-schema\.org/(?:draft/)?draft-0[0-3]/")


def dialect(document: JsonSchema) -> int | None:
    """The draft that `$schema` names; None for none, or one that is not known."""
    name = document.get("$schema")
    match = _DIALECT.match(name) if isinstance(name, str) else None
    return _DRAFTS[match[1]] if match else None


def identifier(node: JsonSchema, draft: int | None) -> str:
    """The URI that a schema gives itself, or an empty string."""
    for key in ("$id", "id") if draft in (None, 4) else ("$id",):
        value = node.get(key)
        if isinstance(value, str):
            return value
    return ""
