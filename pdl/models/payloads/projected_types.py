"""The projection of each type: scalars and enumerations, objects and arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.models.payloads.schema_dialect import (
    KEYWORDS_OF_TYPE,
    UnsupportedSchemaError,
    is_plain,
    is_simple,
    types,
)
from pdl.reply.validation.json_types import KINDS, kind_of
from pdl.schema.describe import wording
from pdl.schema.formats import PATTERNS

if TYPE_CHECKING:
    from pdl._types import Json, JsonPath, JsonSchema
    from pdl.models.payloads.schema_projection import Projection


def scalar(projection: Projection, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
    """Project a string, a number, a boolean or null, with the keywords of the dialect."""
    dialect = projection.dialect
    projected = {"type": node["type"]}
    held = dialect.keywords | (dialect.integers if node["type"] == "integer" else frozenset())
    for keyword, value in node.items():
        if keyword not in KEYWORDS_OF_TYPE[node["type"]]:
            continue
        if keyword == "format" and value in dialect.formats:
            projected[keyword] = value
        elif keyword == "format" and value in PATTERNS and "pattern" in held - node.keys():
            projected["pattern"] = PATTERNS[value]
        elif keyword == "format":
            _drop_format(projection, projected, str(value), path)
        elif keyword not in held:
            projection.drop(path, keyword)
        elif keyword == "pattern" and not is_plain(value):
            projection.drop(path, keyword, "it has parts that not all engines support")
        elif keyword == "pattern" and dialect.simple_patterns and not is_simple(value):
            why = f"{dialect.provider} accepts only short, anchored ones (`^…$`)"
            projection.drop(path, keyword, why)
        else:
            projected[keyword] = value
    return projected


def _drop_format(
    projection: Projection, projected: dict[str, Any], name: str, path: JsonPath
) -> None:
    """List an unsupported format; one that only pdl has is described instead."""
    if name in PATTERNS:
        projected["description"] = " ".join(wording({"format": name}))
    why = "has no times without an offset" if name in PATTERNS else f"does not know `{name}`"
    projection.drop(path, "format", f"{projection.dialect.provider} {why}")


def enumerated(projection: Projection, node: JsonSchema, path: JsonPath) -> dict[str, Any]:
    """Project an enumeration: for each type the values of that type."""
    keyword = "const" if "const" in node else "enum"
    values = [node["const"]] if keyword == "const" else list(node["enum"])
    if "type" in node:
        fits = [KINDS[kind] for kind in types(node)]
        values = [value for value in values if any(fit(value) for fit in fits)]
    kinds: dict[str, list[Json]] = {}
    for value in values:
        kinds.setdefault(_kind(value), []).append(value)
    if not kinds:
        raise UnsupportedSchemaError(path, keyword, "no value satisfies it")
    forms = [_of_kind(projection, kind, kinds[kind], path, keyword) for kind in kinds]
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _of_kind(
    projection: Projection, kind: str, values: list[Json], path: JsonPath, keyword: str
) -> dict[str, Any]:
    if kind == "null":
        return {"type": "null"}
    if kind in projection.dialect.enums:
        return {"type": kind, "enum": values}
    if kind in ("array", "object"):
        raise UnsupportedSchemaError(path, keyword, f"its values must not have the type `{kind}`")
    projection.drop(path, keyword, f"{projection.dialect.provider} accepts no `{kind}` in it")
    return {"type": kind}


def _kind(value: Json) -> str:
    """The type of a value; `integer` only for integers that are written without a point."""
    return "number" if isinstance(value, float) else kind_of(value)


class ObjectProjector:
    """Projects objects and arrays.

    `optional` has the objects with their optional keys, for dialects in which all keys of an object
    are required.
    """

    def __init__(self, projection: Projection) -> None:
        self._projection = projection
        self._dialect = projection.dialect
        self.optional: list[tuple[dict[str, Any], list[str]]] = []

    def object(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        """Project an object with its listed keys, and others if the dialect allows them."""
        names = node.get("properties", {})
        required = [name for name in node.get("required", ()) if name in names]
        missing = [name for name in node.get("required", ()) if name not in names]
        wanted = frozenset(required)
        projected: dict[str, Any] = {"type": "object"}
        others = self._others(node, path)
        properties = {
            name: self._property(inner, (*path, "properties", name), name in wanted)
            for name, inner in names.items()
            if inner is not False or name in wanted
        }
        if properties or self._dialect.is_closed:
            projected["properties"] = properties
        if required or self._dialect.is_closed:
            projected["required"] = list(properties) if self._dialect.all_required else required
        projected |= others
        if properties and self._dialect.keeps_order:
            projected["propertyOrdering"] = list(properties)
        if missing:
            self._unlisted(missing, path)
        self.optional.append((projected, [name for name in properties if name not in wanted]))
        self._drop_rest(node, path, _OBJECT)
        return projected

    def _property(self, node: Json, path: JsonPath, is_required: bool) -> dict[str, Any]:  # noqa: FBT001
        named = self._projection.definitions
        before, named.is_optional = named.is_optional, named.is_optional or not is_required
        projected = self._projection.schema(node, path)
        named.is_optional = before
        return projected

    def _others(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        """The projection of keys that are not listed."""
        keyword = "patternProperties" if "patternProperties" in node else "additionalProperties"
        other = node.get("additionalProperties", node.get("unevaluatedProperties", True))
        if not self._dialect.is_closed:
            if keyword == "patternProperties":
                self._projection.drop(path, keyword)
                return {}
            if isinstance(other, bool) or not other:
                return {} if other else {"additionalProperties": False}
            inner = self._projection.schema(other, (*path, keyword))
            return {"additionalProperties": inner}
        is_said = keyword in node or "unevaluatedProperties" in node
        if keyword == "patternProperties" or (is_said and other is not False):
            why = f"{self._dialect.provider} has no objects with free keys"
            raise UnsupportedSchemaError(path, keyword, why)
        if not is_said and not node.get("properties"):
            why = f"{self._dialect.provider} has no objects whose keys are not listed"
            raise UnsupportedSchemaError(path, "properties", why)
        return {"additionalProperties": False}

    def _unlisted(self, names: list[str], path: JsonPath) -> None:
        told = ", ".join(f"`{name}`" for name in names)
        why = f"{told} is required, and `properties` does not list it"
        if self._dialect.is_closed:
            raise UnsupportedSchemaError(path, "required", why)
        self._projection.drop(path, "required", why)

    def array(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        """Project an array of one kind of items, or a tuple if the dialect has tuples."""
        projected: dict[str, Any] = {"type": "array"}
        projected |= self._tuple(node, path) if node.get("prefixItems") else self._items(node, path)
        for keyword in ("minItems", "maxItems"):
            if keyword in node:
                projected[keyword] = node[keyword]
        self._bound(projected, path)
        self._drop_rest(node, path, _ARRAY)
        return projected

    def _items(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        items = node.get("items", True)
        if items is False:
            raise UnsupportedSchemaError(path, "items", "it allows only an empty array")
        projected = self._projection.schema(items, (*path, "items"))
        return {"items": projected} if projected else {}

    def _tuple(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        """The items by position; one schema for all of them if the dialect has no tuples."""
        prefix = [
            self._projection.schema(inner, (*path, "prefixItems", index))
            for index, inner in enumerate(node["prefixItems"])
        ]
        rest = node.get("items", node.get("unevaluatedItems", True))
        most = {"maxItems": len(prefix)} if rest is False else {}
        others = [] if rest is False else [self._projection.schema(rest, (*path, "items"))]
        if self._dialect.has_tuples:
            return {"prefixItems": prefix, **most, **({"items": others[0]} if others else {})}
        self._projection.drop(path, "prefixItems", "only what each item may be is enforced")
        forms = [*prefix, *others]
        apart = [
            projected
            for at, projected in enumerate(forms)
            if len(projected) > 1 or projected not in forms[:at]
        ]
        return {"items": apart[0] if len(apart) == 1 else {"anyOf": apart}, **most}

    def _bound(self, projected: dict[str, Any], path: JsonPath) -> None:
        """Drop the bounds that the dialect doesn't enforce."""
        most = self._dialect.most_min_items
        for keyword in ("minItems", "maxItems"):
            if keyword not in projected:
                continue
            if keyword not in self._dialect.keywords:
                del projected[keyword]
                self._projection.drop(path, keyword)
            elif keyword == "minItems" and most is not None and projected[keyword] > most:
                projected[keyword] = most
                why = f"{self._dialect.provider} enforces no more than {most}"
                self._projection.drop(path, keyword, why)

    def _drop_rest(self, node: dict[str, Json], path: JsonPath, keywords: tuple[str, ...]) -> None:
        for keyword in keywords:
            if keyword in node and node[keyword] is not False:
                self._projection.drop(path, keyword)


_OBJECT = ("dependentRequired", "maxProperties", "minProperties", "propertyNames")
_ARRAY = ("contains", "maxContains", "minContains", "uniqueItems")
