"""`Renaming`: keys of a tool's arguments that a provider refuses, under others that it takes."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from pdl.schema import Schema
from pdl.schema.json_values import copy_json
from pdl.schema.keywords import lookup, pointer, schemas, steps
from pdl.tools.tool import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pdl._types import Json, JsonSchema
    from pdl.prompt.messages import Message
    from pdl.tools.tool import Tool

_TAKEN = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""What Anthropic takes as a key ("Property keys should match pattern")."""
_ODD = re.compile(r"[^a-zA-Z0-9_.-]+")
_LONGEST = 56
_DEEPEST = 200
_NAMING = frozenset({"dependentSchemas", "properties"})


@dataclass(frozen=True)
class Renaming:
    """The keys of one tool's arguments, by the tool's own schema and by the one that is sent."""

    own: JsonSchema
    sent: JsonSchema
    names: Mapping[str, str]

    def there(self, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Arguments with the keys that are sent."""
        found: dict[str, Json] = _Walk(self.own, self.names).value(dict(arguments), [self.own])
        return found

    def back(self, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Arguments with the tool's own keys."""
        names = {sent: own for own, sent in self.names.items()}
        found: dict[str, Json] = _Walk(self.sent, names).value(dict(arguments), [self.sent])
        return found


def sent_tools(tools: Iterable[Tool] | None) -> tuple[list[Tool], dict[str, Renaming]]:
    """Tools with keys that are taken, and the renaming of each that had others."""
    given = list(tools or ())
    known = {one.name: renaming(one.schema.document) for one in given}
    found = {name: one for name, one in known.items() if one is not None}
    sent = [
        replace(one, schema=Schema(found[one.name].sent)) if one.name in found else one
        for one in given
    ]
    return sent, found


def renaming(document: JsonSchema) -> Renaming | None:
    """The renaming of a tool's schema; None if all of its keys are taken as they are."""
    known = dict.fromkeys(
        name for _, node in schemas(document) for name in node.get("properties", ())
    )
    odd = [name for name in known if not _TAKEN.fullmatch(name)]
    if not odd:
        return None
    names: dict[str, str] = {}
    taken = set(known)
    for name in odd:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        plain = _ODD.sub("_", plain).strip("_")[:_LONGEST] or "key"
        tries = chain([plain], (f"{plain}_{number}" for number in count(2)))
        names[name] = next(one for one in tries if one not in taken)
        taken.add(names[name])
    return Renaming(document, _sent(document, names), names)


def renamed_calls(
    messages: Iterable[Message], renamings: Mapping[str, Renaming]
) -> tuple[Message, ...]:
    """Messages whose calls have the keys that are sent."""
    return tuple(
        replace(
            one,
            parts=tuple(
                replace(part, arguments=renamings[part.name].there(part.arguments))
                if isinstance(part, ToolCall) and part.name in renamings
                else part
                for part in one.parts
            ),
        )
        for one in messages
    )


def _sent(document: JsonSchema, names: Mapping[str, str]) -> JsonSchema:
    """The schema with other keys, each of which has its own name as its title."""
    sent: dict[str, Any] = copy_json(document)
    for _, node in list(schemas(sent)):  # all of them first: references find some
        for name, inner in node.get("properties", {}).items():
            if name in names and isinstance(inner, dict) and "$ref" not in inner:
                inner.setdefault("title", name)
        for keyword in ("properties", "dependentSchemas", "dependentRequired"):
            if keyword in node:
                node[keyword] = {names.get(name, name): one for name, one in node[keyword].items()}
        if "required" in node:
            node["required"] = [names.get(name, name) for name in node["required"]]
        for name, wanted in node.get("dependentRequired", {}).items():
            node["dependentRequired"][name] = [names.get(one, one) for one in wanted]
        if "$ref" in node:
            node["$ref"] = _reference(node["$ref"], names)
    return sent


def _reference(reference: str, names: Mapping[str, str]) -> str:
    path = steps(reference)
    above = (None, *path)
    found = (
        names.get(str(step), step) if over in _NAMING else step
        for over, step in zip(above, path, strict=False)
    )
    return pointer(tuple(found))


@dataclass(frozen=True)
class _Walk:
    """Goes through a value together with its schemas."""

    document: JsonSchema
    names: Mapping[str, str]

    def value(self, value: Any, nodes: Sequence[Json], depth: int = 0) -> Any:
        """The value, whose keys have other names where one of its schemas lists them."""
        if not isinstance(value, dict | list) or depth > _DEEPEST:
            return value
        known = self._in_place(nodes)
        if isinstance(value, list):
            items = [inner for node in known for inner in _items(node)]
            return [self.value(one, items, depth + 1) for one in value]
        found: dict[str, Any] = {}
        for key, one in value.items():
            listed = [
                node["properties"][key] for node in known if key in node.get("properties", ())
            ]
            name = self.names.get(key, key) if listed else key
            below = listed or [inner for node in known for inner in _others(node)]
            found[key if name in value else name] = self.value(one, below, depth + 1)
        return found

    def _in_place(self, nodes: Sequence[Json]) -> list[JsonSchema]:
        """Schemas, and those that they lay upon the same value."""
        pending = list(nodes)
        found: dict[int, JsonSchema] = {}
        while pending:
            node = pending.pop()
            if not isinstance(node, dict) or id(node) in found:
                continue
            found[id(node)] = node
            pending += [lookup(self.document, node["$ref"])] if "$ref" in node else []
            for keyword in ("allOf", "anyOf", "oneOf"):
                pending += node.get(keyword, ())
            pending += [node.get(keyword) for keyword in ("if", "then", "else")]
            pending += node.get("dependentSchemas", {}).values()
        return list(found.values())


def _items(node: JsonSchema) -> Iterator[Json]:
    yield from node.get("prefixItems", ())
    yield from (node.get(keyword) for keyword in ("items", "unevaluatedItems", "contains"))


def _others(node: JsonSchema) -> Iterator[Json]:
    yield from node.get("patternProperties", {}).values()
    yield from (node.get(keyword) for keyword in ("additionalProperties", "unevaluatedProperties"))
