"""The values of each type in a provider's subset: scalars and enumerations, objects and arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.models.payloads.subset import ABOUT, UnheldError, is_plain, is_simple, types
from pdl.reply.validation.json_types import KINDS, kind_of
from pdl.schema.describe import wording
from pdl.schema.formats import PATTERNS

if TYPE_CHECKING:
    from pdl._types import Json, JsonPath, JsonSchema
    from pdl.models.payloads.narrowing import Narrowing


def scalar(narrowing: Narrowing, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
    """A string, a number, a boolean or null, with the keywords that the subset has."""
    subset = narrowing.subset
    form = {"type": node["type"]}
    held = subset.keywords | (subset.integers if node["type"] == "integer" else frozenset())
    for keyword, value in node.items():
        if keyword not in ABOUT[node["type"]]:
            continue
        if keyword == "format" and value in subset.formats:
            form[keyword] = value
        elif keyword == "format" and value in PATTERNS and "pattern" in held - node.keys():
            form["pattern"] = PATTERNS[value]
        elif keyword == "format":
            _drop_format(narrowing, form, str(value), path)
        elif keyword not in held:
            narrowing.drop(path, keyword)
        elif keyword == "pattern" and not is_plain(value):
            narrowing.drop(path, keyword, "it has parts that not all engines know")
        elif keyword == "pattern" and subset.simple_patterns and not is_simple(value):
            why = f"{subset.provider} takes short ones of a whole text (`^…$`)"
            narrowing.drop(path, keyword, why)
        else:
            form[keyword] = value
    return form


def _drop_format(narrowing: Narrowing, form: dict[str, Any], name: str, path: JsonPath) -> None:
    """List a format that the provider has not; one that only pdl has is described instead."""
    if name in PATTERNS:
        form["description"] = " ".join(wording({"format": name}))
    why = "has no times without an offset" if name in PATTERNS else f"does not know `{name}`"
    narrowing.drop(path, "format", f"{narrowing.subset.provider} {why}")


def enumerated(narrowing: Narrowing, node: JsonSchema, path: JsonPath) -> dict[str, Any]:
    """An enumeration: for each type of its values those of that type."""
    keyword = "const" if "const" in node else "enum"
    values = [node["const"]] if keyword == "const" else list(node["enum"])
    if "type" in node:
        fits = [KINDS[kind] for kind in types(node)]
        values = [value for value in values if any(fit(value) for fit in fits)]
    kinds: dict[str, list[Json]] = {}
    for value in values:
        kinds.setdefault(_kind(value), []).append(value)
    if not kinds:
        raise UnheldError(path, keyword, "no value satisfies it")
    forms = [_of_kind(narrowing, kind, kinds[kind], path, keyword) for kind in kinds]
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _of_kind(
    narrowing: Narrowing, kind: str, values: list[Json], path: JsonPath, keyword: str
) -> dict[str, Any]:
    if kind == "null":
        return {"type": "null"}
    if kind in narrowing.subset.enums:
        return {"type": kind, "enum": values}
    if kind in ("array", "object"):
        raise UnheldError(path, keyword, f"its values may not be of the type `{kind}`")
    narrowing.drop(path, keyword, f"{narrowing.subset.provider} takes no `{kind}` in it")
    return {"type": kind}


def _kind(value: Json) -> str:
    """The type of a value; `integer` only for whole numbers that are written without a point."""
    return "number" if isinstance(value, float) else kind_of(value)


class ObjectForms:
    """Makes the forms of objects and arrays.

    `optional` has the objects with the keys that they may do without, for the subsets in which an
    object must have all of its keys.
    """

    def __init__(self, narrowing: Narrowing) -> None:
        self._narrowing = narrowing
        self._subset = narrowing.subset
        self.optional: list[tuple[dict[str, Any], list[str]]] = []

    def object(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        """An object with the keys that it lists, and others if the subset has them."""
        names = node.get("properties", {})
        required = [name for name in node.get("required", ()) if name in names]
        missing = [name for name in node.get("required", ()) if name not in names]
        wanted = frozenset(required)
        form: dict[str, Any] = {"type": "object"}
        others = self._others(node, path)
        properties = {
            name: self._property(inner, (*path, "properties", name), name in wanted)
            for name, inner in names.items()
            if inner is not False or name in wanted
        }
        if properties or self._subset.is_closed:
            form["properties"] = properties
        if required or self._subset.is_closed:
            form["required"] = list(properties) if self._subset.all_required else required
        form |= others
        if properties and self._subset.keeps_order:
            form["propertyOrdering"] = list(properties)
        if missing:
            self._unlisted(missing, path)
        self.optional.append((form, [name for name in properties if name not in wanted]))
        self._drop_rest(node, path, _OBJECT)
        return form

    def _property(self, node: Json, path: JsonPath, is_required: bool) -> dict[str, Any]:  # noqa: FBT001
        named = self._narrowing.named
        before, named.is_optional = named.is_optional, named.is_optional or not is_required
        form = self._narrowing.schema(node, path)
        named.is_optional = before
        return form

    def _others(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        """What the form says of keys that are not listed."""
        keyword = "patternProperties" if "patternProperties" in node else "additionalProperties"
        other = node.get("additionalProperties", node.get("unevaluatedProperties", True))
        if not self._subset.is_closed:
            if keyword == "patternProperties":
                self._narrowing.drop(path, keyword)
                return {}
            if isinstance(other, bool) or not other:
                return {} if other else {"additionalProperties": False}
            inner = self._narrowing.schema(other, (*path, keyword))
            return {"additionalProperties": inner}
        is_said = keyword in node or "unevaluatedProperties" in node
        if keyword == "patternProperties" or (is_said and other is not False):
            why = f"{self._subset.provider} has no objects with free keys"
            raise UnheldError(path, keyword, why)
        if not is_said and not node.get("properties"):
            why = f"{self._subset.provider} has no objects whose keys are not listed"
            raise UnheldError(path, "properties", why)
        return {"additionalProperties": False}

    def _unlisted(self, names: list[str], path: JsonPath) -> None:
        told = ", ".join(f"`{name}`" for name in names)
        why = f"{told} must be there, and `properties` does not list it"
        if self._subset.is_closed:
            raise UnheldError(path, "required", why)
        self._narrowing.drop(path, "required", why)

    def array(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        """An array of items of one form; a tuple, if the subset has them."""
        form: dict[str, Any] = {"type": "array"}
        form |= self._tuple(node, path) if node.get("prefixItems") else self._items(node, path)
        for keyword in ("minItems", "maxItems"):
            if keyword in node:
                form[keyword] = node[keyword]
        self._bound(form, path)
        self._drop_rest(node, path, _ARRAY)
        return form

    def _items(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        items = node.get("items", True)
        if items is False:
            raise UnheldError(path, "items", "it takes nothing but an empty array")
        form = self._narrowing.schema(items, (*path, "items"))
        return {"items": form} if form else {}

    def _tuple(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        """The items by their places; where the subset has no places, one form for all of them."""
        prefix = [
            self._narrowing.schema(inner, (*path, "prefixItems", index))
            for index, inner in enumerate(node["prefixItems"])
        ]
        rest = node.get("items", node.get("unevaluatedItems", True))
        most = {"maxItems": len(prefix)} if rest is False else {}
        others = [] if rest is False else [self._narrowing.schema(rest, (*path, "items"))]
        if self._subset.has_tuples:
            return {"prefixItems": prefix, **most, **({"items": others[0]} if others else {})}
        self._narrowing.drop(path, "prefixItems", "only what each item may be is held")
        forms = [*prefix, *others]
        apart = [form for at, form in enumerate(forms) if len(form) > 1 or form not in forms[:at]]
        return {"items": apart[0] if len(apart) == 1 else {"anyOf": apart}, **most}

    def _bound(self, form: dict[str, Any], path: JsonPath) -> None:
        """Leave out the bounds that the subset does not hold."""
        most = self._subset.most_min_items
        for keyword in ("minItems", "maxItems"):
            if keyword not in form:
                continue
            if keyword not in self._subset.keywords:
                del form[keyword]
                self._narrowing.drop(path, keyword)
            elif keyword == "minItems" and most is not None and form[keyword] > most:
                form[keyword] = most
                why = f"{self._subset.provider} holds no more than {most}"
                self._narrowing.drop(path, keyword, why)

    def _drop_rest(self, node: dict[str, Json], path: JsonPath, keywords: tuple[str, ...]) -> None:
        for keyword in keywords:
            if keyword in node and node[keyword] is not False:
                self._narrowing.drop(path, keyword)


_OBJECT = ("dependentRequired", "maxProperties", "minProperties", "propertyNames")
_ARRAY = ("contains", "maxContains", "minContains", "uniqueItems")
