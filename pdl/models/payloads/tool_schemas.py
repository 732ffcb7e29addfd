"""Declarations of tools for providers, and keys of arguments that a provider rejects."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from pdl.models.payloads.schema_dialect import UnsupportedSchemaError
from pdl.models.payloads.schema_projection import project
from pdl.schema import Schema
from pdl.schema.formats import standard
from pdl.schema.json_values import copy_json
from pdl.schema.keywords import lookup, pointer, schemas, steps, subschemas
from pdl.tools.tool import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pdl._types import Json, JsonSchema
    from pdl.models.payloads.schema_dialect import SchemaDialect
    from pdl.prompt.messages import Message
    from pdl.tools.tool import Tool


_JOINS = frozenset(
    {
        *("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "const"),
        "dependentSchemas",
    }
)
"""What OpenAI and Anthropic reject at the top of a tool's schema, or may reject."""


def function(tool: Tool) -> dict[str, Any]:
    """Return the name, the description if any, and the JSON Schema of the arguments."""
    return _named(tool, tool.schema.to_json_schema())


def plain_function(tool: Tool) -> dict[str, Any]:
    """Return the same with a schema that is an object with listed keys."""
    return _named(tool, plain_object(tool.schema.document))


def strict_function(
    tool: Tool, dialect: SchemaDialect, refuse: Callable[[dict[str, Any]], None] | None = None
) -> dict[str, Any]:
    """Return the same with `strict` if the dialect enforces the whole schema unchanged.

    Otherwise the schema only advises the model: the arguments are checked anyway. `refuse` raises
    UnsupportedSchemaError for a schema that is too large.
    """
    try:
        projected = project(tool.schema.document, dialect)
        if refuse is not None:
            refuse(projected.schema)
    except UnsupportedSchemaError:
        return {**plain_function(tool), "strict": False}
    if (
        projected.dropped
        or projected.decoder is not None
        or projected.schema.get("type") != "object"
    ):
        return {**plain_function(tool), "strict": False}
    return {**_named(tool, projected.schema), "strict": True}


def _named(tool: Tool, parameters: dict[str, Any]) -> dict[str, Any]:
    words = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **words, "parameters": standard(parameters)}


def plain_object(document: JsonSchema) -> dict[str, Any]:
    """Return a schema with `type` and `properties` at its top, and no unions or references there.

    It lists the keys of all branches, and requires those that all branches require. Only the check
    enforces the rest of the branches.
    """
    projected: dict[str, Any] = copy_json(document)
    if projected.get("type") == "object" and not _JOINS & projected.keys():
        return projected
    listed, required = _Keys(projected).of(projected)
    if projected.get("additionalProperties") is False:
        own = projected.get("properties", {})
        listed = {name: forms for name, forms in listed.items() if name in own}
    kept = {key: one for key, one in projected.items() if key not in _JOINS}
    kept |= {"type": "object", "properties": {name: _any(one) for name, one in listed.items()}}
    kept["required"] = [name for name in listed if name in required]
    _bundle(kept, document)
    return kept


class _Keys:
    """Collects the keys of a schema's objects; each reference is followed once."""

    def __init__(self, document: JsonSchema) -> None:
        self._document = document
        self._seen: set[str] = set()

    def of(self, node: Json) -> tuple[dict[str, list[Json]], set[str]]:
        """Return the schemas of each key, and the required keys."""
        if not isinstance(node, dict):
            return {}, set()
        listed = {name: [projected] for name, projected in node.get("properties", {}).items()}
        required = set(node.get("required", ()))
        for branch in self._joined(node):
            required |= self._add(listed, branch)
        for keyword in ("anyOf", "oneOf"):
            branches = [one for one in node.get(keyword, ()) if one is not False]
            wanted = [self._add(listed, branch) for branch in branches]
            required |= set.intersection(*wanted) if wanted else set()
        for branch in (
            node.get("then"),
            node.get("else"),
            *node.get("dependentSchemas", {}).values(),
        ):
            self._add(listed, branch)
        return listed, required

    def _joined(self, node: JsonSchema) -> Iterable[Json]:
        """The schemas that apply in addition."""
        yield from node.get("allOf", ())
        reference = node.get("$ref")
        if reference is not None and reference not in self._seen:
            self._seen.add(reference)
            yield lookup(self._document, reference)

    def _add(self, listed: dict[str, list[Json]], branch: Json) -> set[str]:
        more, required = self.of(branch)
        for name, forms in more.items():
            listed.setdefault(name, []).extend(forms)
        return required


def _any(forms: list[Json]) -> Json:
    """A schema for a value of any of several."""
    apart = {
        json.dumps(projected, sort_keys=True): projected
        for projected in forms
        if projected is not False
    }
    return {"anyOf": list(apart.values())} if len(apart) > 1 else next(iter(apart.values()), False)


def _bundle(projected: dict[str, Any], document: JsonSchema) -> None:
    """Bundle what references name in `$defs` where it is no longer in the schema."""
    pending: list[Json] = [projected]
    seen: set[int] = set()
    names: dict[str, str] = {}
    free = (f"part{number}" for number in count(1))
    while pending:
        node = pending.pop()
        if not isinstance(node, dict) or id(node) in seen:
            continue
        seen.add(id(node))
        pending += [inner for _, inner in subschemas(node)]
        if "$ref" not in node:
            continue
        if not _resolves(projected, node["$ref"]):
            definitions = projected.setdefault("$defs", {})
            if node["$ref"] not in names:
                name = next(name for name in free if name not in definitions)
                names[node["$ref"]] = name
                definitions[name] = copy_json(lookup(document, node["$ref"]))
            node["$ref"] = f"#/$defs/{names[node['$ref']]}"
        pending.append(lookup(projected, node["$ref"]))


def _resolves(projected: dict[str, Any], reference: str) -> bool:
    try:
        lookup(projected, reference)
    except KeyError:
        return False
    return True


_TAKEN = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""The keys that Anthropic accepts ("Property keys should match pattern")."""
_ODD = re.compile(r"[^a-zA-Z0-9_.-]+")
_LONGEST = 56
_DEEPEST = 200
_NAMING = frozenset({"dependentSchemas", "properties"})


@dataclass(frozen=True)
class KeyRenaming:
    """Replaces keys of a tool's arguments that a provider rejects by others, and back."""

    own: JsonSchema
    sent: JsonSchema
    names: Mapping[str, str]

    def to_provider(self, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Return arguments with the keys that are sent."""
        found: dict[str, Json] = _KeyMapper(self.own, self.names).value(dict(arguments), [self.own])
        return found

    def from_provider(self, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Return arguments with the tool's own keys."""
        names = {sent: own for own, sent in self.names.items()}
        found: dict[str, Json] = _KeyMapper(self.sent, names).value(dict(arguments), [self.sent])
        return found


def sent_tools(tools: Iterable[Tool] | None) -> tuple[list[Tool], dict[str, KeyRenaming]]:
    """Return tools with accepted keys, and the renaming of each that had others."""
    given = list(tools or ())
    known = {one.name: renaming(one.schema.document) for one in given}
    found = {name: one for name, one in known.items() if one is not None}
    sent = [
        replace(one, schema=Schema(found[one.name].sent)) if one.name in found else one
        for one in given
    ]
    return sent, found


def renaming(document: JsonSchema) -> KeyRenaming | None:
    """Return the renaming of a tool's schema; None if all of its keys are accepted."""
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
    return KeyRenaming(document, _sent(document, names), names)


def renamed_calls(
    messages: Iterable[Message], renamings: Mapping[str, KeyRenaming]
) -> tuple[Message, ...]:
    """Return messages whose calls have the keys that are sent."""
    return tuple(
        replace(
            one,
            parts=tuple(
                replace(part, arguments=renamings[part.name].to_provider(part.arguments))
                if isinstance(part, ToolCall) and part.name in renamings
                else part
                for part in one.parts
            ),
        )
        for one in messages
    )


def _sent(document: JsonSchema, names: Mapping[str, str]) -> JsonSchema:
    """The schema with other keys, each with the original one as its title."""
    sent: dict[str, Any] = copy_json(document)
    for _, node in list(schemas(sent)):  # collected first: references reach some twice
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
class _KeyMapper:
    """Goes through a value together with its schemas."""

    document: JsonSchema
    names: Mapping[str, str]

    def value(self, value: Any, nodes: Sequence[Json], depth: int = 0) -> Any:
        """Return the value with keys renamed where one of its schemas lists them."""
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
        """Schemas, and those that they apply to the same value."""
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
