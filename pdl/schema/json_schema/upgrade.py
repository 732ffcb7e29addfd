"""One schema of an older draft as 2020-12 writes it; the schemas inside keep their identity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.schema.keywords import ANNOTATIONS

if TYPE_CHECKING:
    from pdl._types import Json

_NAMES = ("$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$schema", "$vocabulary")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_KEPT_BESIDE_REF = ANNOTATIONS | {"$ref", "$defs", "definitions"}
_LAST_WITH_LONE_REF = 7
_FIRST_WITH_PREFIX = 2020


def upgrade(node: dict[str, Json], draft: int | None) -> None:
    """Rewrite a schema of that draft (4, 6, 7, 2019, 2020; None: any, taken leniently)."""
    if draft is not None and draft <= _LAST_WITH_LONE_REF and "$ref" in node:
        # Up to draft 7 the keywords beside a `$ref` are ignored (Core, draft 7, section 8.3).
        for key in node.keys() - _KEPT_BESIDE_REF:
            del node[key]
    if draft is None:
        _lift_null(node)
    _rename_definitions(node)
    _split_dependencies(node)
    if draft != _FIRST_WITH_PREFIX:
        _rewrite_items(node)
    _rewrite_exclusive(node, "exclusiveMinimum", "minimum")
    _rewrite_exclusive(node, "exclusiveMaximum", "maximum")
    names = (*_NAMES, "id") if draft in (None, 4) else _NAMES
    for key in names:
        if isinstance(node.get(key), str | bool | dict):
            del node[key]


def _rename_definitions(node: dict[str, Json]) -> None:
    if not isinstance(node.get("definitions"), dict):
        return
    older = node.pop("definitions")
    defs = node.setdefault("$defs", {})
    for name, schema in older.items():
        free = name
        while free in defs:
            free += "_"
        defs[free] = schema


def _split_dependencies(node: dict[str, Json]) -> None:
    """`dependencies` became `dependentRequired` and `dependentSchemas` in 2019-09."""
    if not isinstance(node.get("dependencies"), dict):
        return
    for name, value in node.pop("dependencies").items():
        if isinstance(value, list):
            names = node.setdefault("dependentRequired", {}).setdefault(name, [])
            names += [other for other in value if other not in names]
        else:
            schemas = node.setdefault("dependentSchemas", {})
            schemas[name] = {"allOf": [schemas[name], value]} if name in schemas else value


def _rewrite_items(node: dict[str, Json]) -> None:
    """An array of `items` became `prefixItems`, and `additionalItems` then `items`, in 2020-12."""
    rest = node.pop("additionalItems", None)
    if isinstance(node.get("items"), list):
        node["prefixItems"] = node.pop("items")
        if rest is not None:
            node["items"] = rest
        if not node["prefixItems"]:
            del node["prefixItems"]


def _rewrite_exclusive(node: dict[str, Json], exclusive: str, inclusive: str) -> None:
    """Draft 4 says with a boolean whether `minimum` is exclusive."""
    if isinstance(node.get(exclusive), bool) and node.pop(exclusive) and inclusive in node:
        node[exclusive] = node.pop(inclusive)


def _lift_null(node: dict[str, Json]) -> None:
    """`nullable` of OpenAPI 3.0: the value may also be null."""
    if node.get("nullable") not in (True, False) or not node.pop("nullable"):
        return
    types = node.get("type")
    if types is not None and not node.keys() & {"enum", "const", "allOf", "anyOf", "oneOf", "$ref"}:
        types = types if isinstance(types, list) else [types]
        node["type"] = types if "null" in types else [*types, "null"]
    elif node.keys() - ANNOTATIONS - {"$defs", "definitions"}:
        kept = ANNOTATIONS | {"$defs", "definitions"}
        inner = {key: node.pop(key) for key in list(node) if key not in kept}
        node["anyOf"] = [inner, {"type": "null"}]
