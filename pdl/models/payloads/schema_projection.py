"""Project a JSON Schema onto the part of the language that a provider accepts.

`project` is the entry point. What the provider's dialect can't express is dropped and listed, never
weakened silently; a schema that has no projection at all raises UnsupportedSchemaError.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pdl.models.exchange import Dropped
from pdl.models.payloads.response_decoder import NullableKeys, ResponseDecoder, decoder_states
from pdl.models.payloads.schema_dialect import (
    KEY_KEYWORDS,
    KEYWORDS_OF_TYPE,
    SIBLINGS,
    UNIONS,
    Definitions,
    UnsupportedSchemaError,
    are_disjoint,
    asserted,
    is_plain,
    is_simple,
    main_keyword,
    mentions_listed_keys,
    of_type,
    types,
    with_type,
)
from pdl.reply.validation.json_types import KINDS, kind_of
from pdl.schema.describe import wording
from pdl.schema.formats import PATTERNS
from pdl.schema.keywords import pointer, schemas

if TYPE_CHECKING:
    from pdl._types import Json, JsonPath, JsonSchema
    from pdl.models.payloads.schema_dialect import SchemaDialect


@dataclass(frozen=True)
class ProviderSchema:
    """A schema in a provider's dialect, what only the check enforces, and the reply decoder."""

    schema: dict[str, Any]
    dropped: tuple[Dropped, ...] = ()
    decoder: ResponseDecoder | None = None


def project(document: JsonSchema, dialect: SchemaDialect) -> ProviderSchema:
    """Project a schema's document to a dialect. Raises UnsupportedSchemaError if it can't be."""
    projection = Projection(document, dialect)
    root = projection.schema({**document, "$defs": {}}, ())
    definitions: dict[str, dict[str, Any]] = {}
    while projection.definitions.pending:
        name, node, path = projection.definitions.next()
        definitions[name] = projection.schema(node, path)
    nulls = NullableKeys(definitions)
    if dialect.all_required:
        nulls.widen(projection.optional)
    states = decoder_states(root, nulls)
    key = ""
    if dialect.object_root and root.get("type") != "object":
        key = free_key(document)
        root = wrapped(root, key)
    schema = {**root, **({"$defs": definitions} if definitions else {})}
    decoder = ResponseDecoder(states, key) if states or key else None
    return ProviderSchema(schema, tuple(dict.fromkeys(projection.dropped)), decoder)


def wrapped(schema: dict[str, Any], key: str) -> dict[str, Any]:
    """Wrap a schema in an object with one key: most providers accept only objects."""
    return {
        "type": "object",
        "properties": {key: schema},
        "required": [key],
        "additionalProperties": False,
    }


def free_key(document: JsonSchema) -> str:
    """Return a key that no object of the schema has, so that the wrapper is unambiguous."""
    taken: set[str] = set()
    for _, node in schemas(document):
        taken |= {*node.get("properties", {}), *node.get("required", ())}
    key = "answer"
    while key in taken:
        key += "_"
    return key


_DEEPEST = 60
"""Steps of a path: a fifth of Python's stack, and far more than any provider accepts."""


class Projection:
    """Projects the schemas of one document.

    `dropped` lists what was left out. What can't be projected raises UnsupportedSchemaError in a
    closed dialect, and becomes any value in an open one.
    """

    def __init__(self, document: JsonSchema, dialect: SchemaDialect) -> None:
        self.dialect = dialect
        self.dropped: list[Dropped] = []
        self.definitions = Definitions(document, dialect.recursion)
        self.optional: list[tuple[dict[str, Any], list[str]]] = []

    def schema(self, node: Json, path: JsonPath) -> dict[str, Any]:
        """Return the projection of a schema."""
        before = len(self.dropped)
        try:
            return self._described(self._schema(node, path), node)
        except UnsupportedSchemaError as error:
            if self.dialect.is_closed:
                raise
            del self.dropped[before:]
            self.dropped.append(error.dropped("; any value is accepted here"))
            return self._described({}, node)

    def drop(self, path: JsonPath, keyword: str, why: str = "") -> None:
        """List a keyword that is left out."""
        reason = why or f"{self.dialect.provider} has no `{keyword}`"
        self.dropped.append(Dropped(pointer(path), keyword, reason))

    def _schema(self, node: Json, path: JsonPath) -> dict[str, Any]:
        if node is False:
            raise UnsupportedSchemaError(path, "", "no value satisfies it")
        if len(path) > _DEEPEST:
            raise UnsupportedSchemaError(path, "", f"it nests deeper than {_DEEPEST} levels")
        if node is True or not asserted(node):
            return self._anything(path)
        main = main_keyword(node)
        if main == "$ref":
            projected = self.definitions.reference(node["$ref"], path)
        elif main in ("enum", "const"):
            projected = self._enumerated(node, path)
        elif main in UNIONS:
            projected = self._union(node, main, path)
        else:
            projected = self._typed(node, path)
        self._drop_siblings(node, main, path)
        return projected

    def _anything(self, path: JsonPath) -> dict[str, Any]:
        if self.dialect.is_closed:
            why = f"{self.dialect.provider} has no schema for any value"
            raise UnsupportedSchemaError(path, "type", why)
        return {}

    def _described(self, projected: dict[str, Any], node: Json) -> dict[str, Any]:
        """Add the schema's own title and description."""
        words = {
            key: node[key]
            for key in ("title", "description")
            if isinstance(node, dict) and isinstance(node.get(key), str)
        }
        if "description" in words and "description" in projected:
            words["description"] += f" ({projected['description']})"
        if "$ref" in projected and words:
            projected = {"anyOf": [projected]}  # a reference has no sibling keywords
        projected.update(words)  # in place: others remember it by its identity
        return projected

    def _union(self, node: JsonSchema, main: str, path: JsonPath) -> dict[str, Any]:
        branches = [
            (inner, (*path, main, index))
            for index, inner in enumerate(node[main])
            if inner is not False
        ]
        if main == "allOf":
            return self._all(branches, path)
        if main == "oneOf" and not are_disjoint([inner for inner, _ in branches]):
            self.drop(path, "oneOf", "treated as `anyOf`: several may match")
        given = {"type": node["type"]} if "type" in node else {}
        projections = [self.schema(with_type(inner, given), place) for inner, place in branches]
        if not projections:
            raise UnsupportedSchemaError(path, main, "no value satisfies it")
        return projections[0] if len(projections) == 1 else {"anyOf": projections}

    def _all(self, branches: list[tuple[Json, JsonPath]], path: JsonPath) -> dict[str, Any]:
        said = [branch for branch in branches if branch[0] is not True and asserted(branch[0])]
        if len(said) == 1:
            return self.schema(*said[0])
        raise UnsupportedSchemaError(
            path, "allOf", f"{self.dialect.provider} cannot combine schemas"
        )

    def _typed(self, node: JsonSchema, path: JsonPath) -> dict[str, Any]:
        found = types(node)
        if not found:
            return self._anything(path)
        projections = [self._of_type(of_type(node, kind), path) for kind in found]
        return projections[0] if len(projections) == 1 else {"anyOf": projections}

    def _of_type(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        if node["type"] == "object":
            return self._object(node, path)
        if node["type"] == "array":
            return self._array(node, path)
        return self._scalar(node, path)

    def _drop_siblings(self, node: JsonSchema, main: str, path: JsonPath) -> None:
        """List the sibling keywords of the one that was projected."""
        own = {"type", "enum", "const"} if main in ("enum", "const") else {"type", main}
        for keyword in asserted(node):
            if keyword in own or (main == "type" and keyword not in SIBLINGS):
                continue
            if (
                keyword in KEY_KEYWORDS
                and self.dialect.is_closed
                and not mentions_listed_keys(node, keyword, main)
            ):
                why = f"{self.dialect.provider} cannot combine it with `{main}`"
                raise UnsupportedSchemaError(path, keyword, why)
            if keyword not in ("then", "else") or "if" not in node:
                self.drop(path, keyword)

    def _scalar(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        """Project a string, a number, a boolean or null, with the keywords of the dialect."""
        dialect = self.dialect
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
                self._drop_format(projected, str(value), path)
            elif keyword not in held:
                self.drop(path, keyword)
            elif keyword == "pattern" and not is_plain(value):
                self.drop(path, keyword, "it has parts that not all engines support")
            elif keyword == "pattern" and dialect.simple_patterns and not is_simple(value):
                why = f"{dialect.provider} accepts only short, anchored ones (`^…$`)"
                self.drop(path, keyword, why)
            else:
                projected[keyword] = value
        return projected

    def _drop_format(self, projected: dict[str, Any], name: str, path: JsonPath) -> None:
        """List an unsupported format; one that only pdl has is described instead."""
        if name in PATTERNS:
            projected["description"] = " ".join(wording({"format": name}))
        why = "has no times without an offset" if name in PATTERNS else f"does not know `{name}`"
        self.drop(path, "format", f"{self.dialect.provider} {why}")

    def _enumerated(self, node: JsonSchema, path: JsonPath) -> dict[str, Any]:
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
        projections = [self._of_kind(kind, kinds[kind], path, keyword) for kind in kinds]
        return projections[0] if len(projections) == 1 else {"anyOf": projections}

    def _of_kind(
        self, kind: str, values: list[Json], path: JsonPath, keyword: str
    ) -> dict[str, Any]:
        if kind == "null":
            return {"type": "null"}
        if kind in self.dialect.enums:
            return {"type": kind, "enum": values}
        if kind in ("array", "object"):
            raise UnsupportedSchemaError(
                path, keyword, f"its values must not have the type `{kind}`"
            )
        self.drop(path, keyword, f"{self.dialect.provider} accepts no `{kind}` in it")
        return {"type": kind}

    def _object(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
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
        if properties or self.dialect.is_closed:
            projected["properties"] = properties
        if required or self.dialect.is_closed:
            projected["required"] = list(properties) if self.dialect.all_required else required
        projected |= others
        if properties and self.dialect.keeps_order:
            projected["propertyOrdering"] = list(properties)
        if missing:
            self._unlisted(missing, path)
        self.optional.append((projected, [name for name in properties if name not in wanted]))
        self._drop_rest(node, path, _OBJECT)
        return projected

    def _property(self, node: Json, path: JsonPath, is_required: bool) -> dict[str, Any]:  # noqa: FBT001
        named = self.definitions
        before, named.is_optional = named.is_optional, named.is_optional or not is_required
        projected = self.schema(node, path)
        named.is_optional = before
        return projected

    def _others(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        """The projection of keys that are not listed."""
        keyword = "patternProperties" if "patternProperties" in node else "additionalProperties"
        other = node.get("additionalProperties", node.get("unevaluatedProperties", True))
        if not self.dialect.is_closed:
            if keyword == "patternProperties":
                self.drop(path, keyword)
                return {}
            if isinstance(other, bool) or not other:
                return {} if other else {"additionalProperties": False}
            inner = self.schema(other, (*path, keyword))
            return {"additionalProperties": inner}
        is_said = keyword in node or "unevaluatedProperties" in node
        if keyword == "patternProperties" or (is_said and other is not False):
            why = f"{self.dialect.provider} has no objects with free keys"
            raise UnsupportedSchemaError(path, keyword, why)
        if not is_said and not node.get("properties"):
            why = f"{self.dialect.provider} has no objects whose keys are not listed"
            raise UnsupportedSchemaError(path, "properties", why)
        return {"additionalProperties": False}

    def _unlisted(self, names: list[str], path: JsonPath) -> None:
        told = ", ".join(f"`{name}`" for name in names)
        why = f"{told} is required, and `properties` does not list it"
        if self.dialect.is_closed:
            raise UnsupportedSchemaError(path, "required", why)
        self.drop(path, "required", why)

    def _array(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
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
        projected = self.schema(items, (*path, "items"))
        return {"items": projected} if projected else {}

    def _tuple(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        """The items by position; one schema for all of them if the dialect has no tuples."""
        prefix = [
            self.schema(inner, (*path, "prefixItems", index))
            for index, inner in enumerate(node["prefixItems"])
        ]
        rest = node.get("items", node.get("unevaluatedItems", True))
        most = {"maxItems": len(prefix)} if rest is False else {}
        others = [] if rest is False else [self.schema(rest, (*path, "items"))]
        if self.dialect.has_tuples:
            return {"prefixItems": prefix, **most, **({"items": others[0]} if others else {})}
        self.drop(path, "prefixItems", "only what each item may be is enforced")
        projections = [*prefix, *others]
        apart = [
            projected
            for at, projected in enumerate(projections)
            if len(projected) > 1 or projected not in projections[:at]
        ]
        return {"items": apart[0] if len(apart) == 1 else {"anyOf": apart}, **most}

    def _bound(self, projected: dict[str, Any], path: JsonPath) -> None:
        """Drop the bounds that the dialect doesn't enforce."""
        most = self.dialect.most_min_items
        for keyword in ("minItems", "maxItems"):
            if keyword not in projected:
                continue
            if keyword not in self.dialect.keywords:
                del projected[keyword]
                self.drop(path, keyword)
            elif keyword == "minItems" and most is not None and projected[keyword] > most:
                projected[keyword] = most
                why = f"{self.dialect.provider} enforces no more than {most}"
                self.drop(path, keyword, why)

    def _drop_rest(self, node: dict[str, Json], path: JsonPath, keywords: tuple[str, ...]) -> None:
        for keyword in keywords:
            if keyword in node and node[keyword] is not False:
                self.drop(path, keyword)


_OBJECT = ("dependentRequired", "maxProperties", "minProperties", "propertyNames")
_ARRAY = ("contains", "maxContains", "minContains", "uniqueItems")


def _kind(value: Json) -> str:
    """The type of a value; `integer` only for integers that are written without a point."""
    return "number" if isinstance(value, float) else kind_of(value)
