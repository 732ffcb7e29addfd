"""Project a JSON Schema onto the part of the language that a provider accepts.

`project` is the entry point. What the provider's dialect can't express is dropped and listed, never
weakened silently; a schema that has no projection at all raises UnsupportedSchemaError.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from pdl.graphs import strongly_connected_components
from pdl.models.exchange import Dropped
from pdl.models.payloads.projected_types import ObjectProjector, enumerated, scalar
from pdl.models.payloads.response_decoder import NullableKeys, ResponseDecoder, decoder_states
from pdl.models.payloads.schema_dialect import UnsupportedSchemaError, asserted, of_type, types
from pdl.schema.keywords import lookup, pointer, schemas, steps, subschemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath, JsonSchema
    from pdl.models.payloads.schema_dialect import Recursion, SchemaDialect


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
        nulls.widen(projection.objects.optional)
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


_ODD = re.compile(r"[^A-Za-z0-9_-]+")


class Definitions:
    """The definitions of a projected schema: each referenced schema, under one name."""

    def __init__(self, document: JsonSchema, recursion: Recursion) -> None:
        self.document = document
        self._recursion = recursion
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()
        self.pending: list[str] = []
        self.inside = ""
        self.is_optional = False

    def reference(self, reference: str, path: JsonPath) -> dict[str, Any]:
        """Return a reference to a definition. Raises UnsupportedSchemaError for recursion."""
        if self._is_back(reference):
            where = "" if self._recursion == "none" else " in a required key"
            raise UnsupportedSchemaError(path, "$ref", f"it is recursive{where}")
        return {"$ref": f"#/$defs/{self.name(reference)}"}

    def name(self, reference: str) -> str:
        """Return the name of a definition, made of the last step of its reference."""
        if reference not in self._names:
            last = _ODD.sub("_", str((steps(reference) or ("root",))[-1])) or "_"
            names = chain([last], (f"{last}{number}" for number in count(2)))
            name = next(name for name in names if name not in self._taken)
            self._names[reference] = name
            self._taken.add(name)
            self.pending.append(reference)
        return self._names[reference]

    def next(self) -> tuple[str, Json, JsonPath]:
        """Return the name, the schema and the path of the next definition to project."""
        self.inside = self.pending.pop(0)
        self.is_optional = False
        node = lookup(self.document, self.inside)
        return self._names[self.inside], node, steps(self.inside)

    def _is_back(self, reference: str) -> bool:
        if self._recursion == "any" or (self._recursion == "optional" and self.is_optional):
            return False
        return self._components[self.inside or "#"] == self._components[reference]

    @cached_property
    def _components(self) -> dict[str, int]:
        """For each reference the number of its strongly connected component."""
        graph: dict[str, list[str]] = {}
        pending = ["#"]
        while pending:
            one = pending.pop()
            if one not in graph:
                graph[one] = list(_references(lookup(self.document, one)))
                pending += graph[one]
        return {
            one: number
            for number, component in enumerate(strongly_connected_components(graph))
            for one in component
        }


def _references(node: Json) -> Iterator[str]:
    """The references inside a schema."""
    pending = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            if "$ref" in one:
                yield one["$ref"]
            pending += [
                inner
                for steps, inner in subschemas(one)
                if steps[0] not in ("$defs", "definitions")
            ]


_DEEPEST = 60
"""Steps of a path: a fifth of Python's stack, and far more than any provider accepts."""

_UNIONS = ("anyOf", "oneOf", "allOf")
_ADDING = frozenset(
    {
        *("$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "required"),
        *("additionalProperties", "patternProperties", "properties", "unevaluatedProperties"),
    }
)
"""Keywords that may mention keys that the rest of the schema doesn't have."""


class Projection:
    """Projects the schemas of one document.

    `dropped` lists what was left out. What can't be projected raises UnsupportedSchemaError in a
    closed dialect, and becomes any value in an open one.
    """

    def __init__(self, document: JsonSchema, dialect: SchemaDialect) -> None:
        self.dialect = dialect
        self.dropped: list[Dropped] = []
        self.definitions = Definitions(document, dialect.recursion)
        self.objects = ObjectProjector(self)

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
        main = _main(node)
        if main == "$ref":
            projected = self.definitions.reference(node["$ref"], path)
        elif main in ("enum", "const"):
            projected = enumerated(self, node, path)
        elif main in _UNIONS:
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
        if main == "oneOf" and not _are_apart([inner for inner, _ in branches]):
            self.drop(path, "oneOf", "treated as `anyOf`: several may match")
        given = {"type": node["type"]} if "type" in node else {}
        forms = [self.schema(_with(inner, given), place) for inner, place in branches]
        if not forms:
            raise UnsupportedSchemaError(path, main, "no value satisfies it")
        return forms[0] if len(forms) == 1 else {"anyOf": forms}

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
        forms = [self._of_type(of_type(node, kind), path) for kind in found]
        return forms[0] if len(forms) == 1 else {"anyOf": forms}

    def _of_type(self, node: dict[str, Json], path: JsonPath) -> dict[str, Any]:
        if node["type"] == "object":
            return self.objects.object(node, path)
        if node["type"] == "array":
            return self.objects.array(node, path)
        return scalar(self, node, path)

    def _drop_siblings(self, node: JsonSchema, main: str, path: JsonPath) -> None:
        """List the sibling keywords of the one that was projected."""
        own = {"type", "enum", "const"} if main in ("enum", "const") else {"type", main}
        for keyword in asserted(node):
            if keyword in own or (main == "type" and keyword not in _SIBLINGS):
                continue
            if keyword in _ADDING and self.dialect.is_closed and not _is_known(node, keyword, main):
                why = f"{self.dialect.provider} cannot combine it with `{main}`"
                raise UnsupportedSchemaError(path, keyword, why)
            if keyword not in ("then", "else") or "if" not in node:
                self.drop(path, keyword)


_SIBLINGS = frozenset({*_UNIONS, "not", "if", "then", "else", "dependentSchemas"})


def _main(node: JsonSchema) -> str:
    """The most specific keyword of a schema."""
    for keyword in ("$ref", "enum", "const"):
        if keyword in node:
            return keyword
    unions = [keyword for keyword in _UNIONS if keyword in node]
    return unions[0] if unions and "properties" not in node else "type"


def _with(node: Json, given: dict[str, Json]) -> Json:
    """A branch with the type next to the union, unless it has its own."""
    if not isinstance(node, dict) or {"$ref", "type", "enum", "const", *_UNIONS} & node.keys():
        return node
    return {**given, **node}


def _are_apart(nodes: list[Json]) -> bool:
    """Whether no value can match two schemas: each has one type, and no other has that."""
    kinds = [node.get("type") if isinstance(node, dict) else None for node in nodes]
    named = ["number" if kind == "integer" else kind for kind in kinds if isinstance(kind, str)]
    return len(named) == len(nodes) == len(set(named))


def _is_known(node: JsonSchema, keyword: str, main: str) -> bool:
    """Whether a keyword next to `properties` mentions only those keys."""
    if main != "type" or keyword == "$ref":
        return False
    value = node[keyword]
    inner = value.values() if isinstance(value, dict) and keyword == "dependentSchemas" else value
    nodes = [value] if keyword in ("if", "then", "else") else list(inner)
    names = node.get("properties", {}).keys()
    return all(isinstance(one, bool) or _says_only(one, names) for one in nodes)


def _says_only(node: JsonSchema, names: Any) -> bool:
    if {"$ref", "patternProperties", "additionalProperties", *_SIBLINGS} & node.keys():
        return False
    return {*node.get("properties", {}), *node.get("required", ())} <= set(names)
