"""One schema of an older draft as 2020-12 writes it; the schemas inside keep their identity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.schema.keywords import ANNOTATIONS, DIGITS, pointer

if TYPE_CHECKING:
    from pdl._types import Json

_NAMES = ("$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$schema", "$vocabulary")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_KEPT_BESIDE_REF = ANNOTATIONS | {"$ref", "$defs", "definitions"}
_WITH_DIGITS = 4
_LAST_WITH_LONE_REF = 7
_FIRST_WITH_PREFIX = 2020


def upgrade(node: dict[str, Json], draft: int | None) -> dict[str, str]:
    """Rewrite a schema of that draft (4, 6, 7, 2019, 2020; None: any, taken leniently).

    Returns the older names of keywords, and of names in them (`$defs/a_` for `definitions/a`).
    """
    if draft is not None and draft <= _LAST_WITH_LONE_REF and "$ref" in node:
        # Up to draft 7 the keywords beside a `$ref` are ignored (Core, draft 7, section 8.3).
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
    return dict.fromkeys(made & node.keys(), "dependencies")


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
    """Draft 4 says with a boolean whether `minimum` is exclusive."""
    if isinstance(node.get(exclusive), bool) and node.pop(exclusive) and inclusive in node:
        node[exclusive] = node.pop(inclusive)


def _mark_integers(node: dict[str, Json]) -> dict[str, str]:
    """From draft 6 on, 1.0 is an integer, which it is not in draft 4."""
    types = node.get("type")
    named = [types] if isinstance(types, str) else types or []
    if "integer" not in named or "number" in named:
        return {}
    node[DIGITS] = True
    return {DIGITS: "type"}


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
