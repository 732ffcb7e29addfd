"""`SchemaDialect`: the part of JSON Schema that a provider enforces.

Also what a projection asks of a schema: the keywords of a type, the main keyword and its siblings,
the definitions that references lead to; and the error for a schema that a dialect can't express.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Literal

from pdl.graphs import strongly_connected_components
from pdl.models.exchange import Dropped
from pdl.schema.keywords import ANNOTATIONS, ASSERTIONS, lookup, pointer, steps, subschemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath, JsonSchema


class UnsupportedSchemaError(Exception):
    """Raised for a schema that has no projection, not even without a keyword."""

    def __init__(self, path: JsonPath, keyword: str, why: str) -> None:
        super().__init__(path, keyword, why)
        self.path = path
        self.keyword = keyword
        self.why = why

    def dropped(self, more: str = "") -> Dropped:
        """Return the same as something that only the check enforces."""
        return Dropped(pointer(self.path), self.keyword, self.why + more)


_NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
KEYWORDS_OF_TYPE = {
    "string": frozenset({"format", "maxLength", "minLength", "pattern"}),
    "number": _NUMBERS,
    "integer": _NUMBERS,
    "array": frozenset(
        {
            *("contains", "items", "maxContains", "maxItems", "minContains", "minItems"),
            *("prefixItems", "unevaluatedItems", "uniqueItems"),
        }
    ),
    "object": frozenset(
        {
            *("additionalProperties", "dependentRequired", "dependentSchemas", "maxProperties"),
            *("minProperties", "patternProperties", "properties", "propertyNames", "required"),
            "unevaluatedProperties",
        }
    ),
    "boolean": frozenset[str](),
    "null": frozenset[str](),
}
"""The keywords that only values of a type can violate."""

_ALL = frozenset[str]().union(*KEYWORDS_OF_TYPE.values())


def asserted(node: JsonSchema) -> list[str]:
    """Return the keywords of a schema that a value can violate, in their order."""
    return [key for key in node if key in ASSERTIONS]


def types(node: JsonSchema) -> list[str]:
    """Return the types of a schema; without `type` those that its keywords apply to.

    A schema without `type` allows every value of the other types. That is hardly ever intended, and
    what remains is still valid.
    """
    named = node.get("type")
    if isinstance(named, str):
        return [named]
    if named:
        found = list(named)
        return [one for one in found if one != "integer" or "number" not in found]
    spoken = [kind for kind, keywords in KEYWORDS_OF_TYPE.items() if keywords & node.keys()]
    return [kind for kind in spoken if kind != "integer"]


def of_type(node: JsonSchema, kind: str) -> dict[str, Json]:
    """Return the part of a schema for values of one type, with keywords that apply to all."""
    other = _ALL - KEYWORDS_OF_TYPE[kind]
    said = {key: value for key, value in node.items() if key not in other}
    return {**{key: value for key, value in said.items() if key not in ANNOTATIONS}, "type": kind}


UNIONS = ("anyOf", "oneOf", "allOf")
KEY_KEYWORDS = frozenset(
    {
        *("$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "required"),
        *("additionalProperties", "patternProperties", "properties", "unevaluatedProperties"),
    }
)
"""Keywords that may mention keys that the rest of the schema doesn't have."""
SIBLINGS = frozenset({*UNIONS, "not", "if", "then", "else", "dependentSchemas"})


def main_keyword(node: JsonSchema) -> str:
    """Return the most specific keyword of a schema."""
    for keyword in ("$ref", "enum", "const"):
        if keyword in node:
            return keyword
    unions = [keyword for keyword in UNIONS if keyword in node]
    return unions[0] if unions and "properties" not in node else "type"


def with_type(node: Json, given: dict[str, Json]) -> Json:
    """Return a branch with the type next to the union, unless it has its own."""
    if not isinstance(node, dict) or {"$ref", "type", "enum", "const", *UNIONS} & node.keys():
        return node
    return {**given, **node}


def are_disjoint(nodes: list[Json]) -> bool:
    """Return whether no value can match two schemas: each has one type, and no two the same."""
    kinds = [node.get("type") if isinstance(node, dict) else None for node in nodes]
    named = ["number" if kind == "integer" else kind for kind in kinds if isinstance(kind, str)]
    return len(named) == len(nodes) == len(set(named))


def mentions_listed_keys(node: JsonSchema, keyword: str, main: str) -> bool:
    """Return whether a keyword next to `properties` mentions only those keys."""
    if main != "type" or keyword == "$ref":
        return False
    value = node[keyword]
    inner = value.values() if isinstance(value, dict) and keyword == "dependentSchemas" else value
    nodes = [value] if keyword in ("if", "then", "else") else list(inner)
    names = node.get("properties", {}).keys()
    return all(isinstance(one, bool) or _mentions_only(one, names) for one in nodes)


def _mentions_only(node: JsonSchema, names: Any) -> bool:
    if {"$ref", "patternProperties", "additionalProperties", *SIBLINGS} & node.keys():
        return False
    return {*node.get("properties", {}), *node.get("required", ())} <= set(names)


_ODD = re.compile(r"\(\?|\\[^dDwWsSnrtfv.^$*+?()\[\]{}|/\\-]|[*+?}][+?]")


def is_plain(pattern: str) -> bool:
    """Return whether all engines agree on a pattern: no lookaround, references or classes."""
    return _ODD.search(pattern) is None


_SINGLE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*(?:\]|\\?\Z)", re.DOTALL)  # or up to the end
_GROUP = re.compile(r"\([^()]*\)")
_TOKEN = re.compile(r"\{(\d+)(?:,(\d*))?\}|.", re.DOTALL)
_MOST_TIMES = 64
_MOST_SYMBOLS = 256


def is_simple(pattern: str) -> bool:
    """Return whether a plain pattern is anchored at both ends, without large counts.

    A pattern without anchors might be read as an anchored one.
    """
    bare = _SINGLE.sub("x", pattern)
    if _written_out(bare) > _MOST_SYMBOLS:
        return False
    while bare != (inner := _GROUP.sub("x", bare)):
        bare = inner
    return len(bare) > 1 and (bare[0], bare[-1]) == ("^", "$") and "|" not in bare


def _written_out(bare: str) -> int:
    """The size of a pattern with its counts written out; too large for a large count."""
    sizes, last = [0], 0
    for token in _TOKEN.finditer(bare):
        if token[1] is not None:
            times = int(token[2] or token[1])
            sizes[-1] += last * (times - 1) if times <= _MOST_TIMES else _MOST_SYMBOLS + 1
        elif token[0] == "(":
            sizes.append(0)
        elif token[0] == ")" and len(sizes) > 1:
            last = sizes.pop()
            sizes[-1] += last
        elif token[0] not in "*+?|^$":
            last = 1
            sizes[-1] += 1
    return sizes[0]


SCALARS = frozenset({"string", "integer", "number", "boolean", "null"})
"""The types of values that most providers accept in an `enum`."""

Recursion = Literal["any", "optional", "none"]
"""Where a schema may be recursive: anywhere, in optional keys, nowhere."""


@dataclass(frozen=True)
class SchemaDialect:
    """What a provider supports of JSON Schema, besides types, `properties`, `items` and `anyOf`.

    `keywords` are those for strings, numbers and arrays that it enforces, `integers` those that it
    enforces for integers only, `formats` the formats; `enums` are the types of values that it
    accepts in `enum`. `is_closed`: every object must list its keys and have no others; in open
    dialects a schema may also be empty (any value). `all_required`: all keys of an object are
    required. `object_root`: the root must be an object. `most_min_items` is the largest `minItems`.
    `keeps_order`: `propertyOrdering` keeps keys in their order. `simple_patterns`: it accepts only
    a `pattern` that is anchored at both ends.
    """

    provider: str
    keywords: frozenset[str]
    integers: frozenset[str] = frozenset()
    formats: frozenset[str] = frozenset()
    enums: frozenset[str] = SCALARS
    has_tuples: bool = False
    is_closed: bool = True
    all_required: bool = False
    object_root: bool = False
    recursion: Recursion = "any"
    most_min_items: int | None = None
    keeps_order: bool = False
    simple_patterns: bool = False


_ODD_NAME = re.compile(r"[^A-Za-z0-9_-]+")


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
            last = _ODD_NAME.sub("_", str((steps(reference) or ("root",))[-1])) or "_"
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
