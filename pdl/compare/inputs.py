"""Comparisons of declared inputs: whether the values that callers pass are still accepted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.compare.schemas import Naming, compare_parts
from pdl.compare.verdicts import Change, Comparison, Yes
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.schema import Schema
from pdl.schema.keywords import DEFINITIONS
from pdl.schema.model import schema_type_error

if TYPE_CHECKING:
    from pdl._types import Json, JsonSchema

_UNDECLARED = Schema({"type": "object"})
_FILLED = "'"  # ends the names of definitions whose defaults are filled


def compare_inputs(
    old: Schema | None, new: Schema | None, *, limits: Limits = DEFAULT_LIMITS
) -> Comparison:
    """Return all differences of two `input` turns, as callers that pass values see them.

    A key with a default, at any depth where defaults are filled, does not have to be passed. None
    is a prompt without such a turn, which takes any variables. Paths are those that errors of
    inputs name (`documents[*].title`), or `$` for the whole. `limits` bound the comparison as in
    `compare_schemas`. Raises TypeError for anything but schemas and None.
    """
    for one in (old, new):
        if one is not None and not isinstance(one, Schema):
            raise schema_type_error(one, "a pdl.Schema or None")
    if old is None and new is None:
        return Comparison((), Yes(), Yes())
    sides = [_UNDECLARED if one is None else _as_passed(one) for one in (old, new)]
    found = compare_parts(sides[0], sides[1], limits, Naming("inputs", "", "input"))
    told = [replace(one, path=one.path.removeprefix(".") or "$") for one in found.changes]
    if old is None or new is None:
        words = "inputs are declared" if old is None else "inputs are no longer declared"
        told.insert(0, Change("inputs", "$", words, verdict="compatible"))
    return replace(found, changes=tuple(told))


def _as_passed(schema: Schema) -> Schema:
    """The schema of what callers pass: keys whose defaults are filled are optional.

    Defaults are filled where only properties, items and references to definitions lead; a
    definition that also something else leads to stays as it is for that.
    """
    definitions: JsonSchema = schema.document.get("$defs", {})
    filled: dict[str, Json] = {}
    root = _optional(schema.document)
    pending: list[Json] = [root]
    while pending:
        node = pending.pop()
        name = str(node.get("$ref", "")).removeprefix(DEFINITIONS)
        if "$ref" in node:
            if name in definitions and isinstance(definitions[name], dict):
                node["$ref"] = f"{DEFINITIONS}{name}{_FILLED}"
                if name not in filled:
                    filled[name] = _optional(definitions[name])
                    pending.append(filled[name])
            continue
        for holder, keys in ((node.get("properties", {}), node.get("properties", {})),
                             (node, ("items",) if "items" in node else ())):  # fmt: skip
            for key in list(keys):
                if isinstance(holder[key], dict):
                    holder[key] = _optional(holder[key])
                    pending.append(holder[key])
    if filled:
        own = {f"{name}{_FILLED}": inner for name, inner in filled.items()}
        root["$defs"] = {**definitions, **own}
    return replace(schema, document=root)


def _optional(node: JsonSchema) -> dict[str, Json]:
    """A shallow copy in which keys that have defaults are optional."""
    copy = dict(node)
    properties = copy.get("properties")
    if isinstance(properties, dict):
        copy["properties"] = dict(properties)
        copy["required"] = [
            name
            for name in copy.get("required", ())
            if not (isinstance(properties.get(name), dict) and "default" in properties[name])
        ]
    return copy
