"""Walks over schemas: the subschemas for a value, for its parts, and for a path in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl._types import Json, JsonSchema
from pdl.reply.validation.json_types import KINDS, as_integer, kind_of
from pdl.schema.keywords import DRAFT_4_INTEGER, lookup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


Document: TypeAlias = JsonSchema | bool
"""A whole JSON Schema, in which every `$ref` leads to a part of itself."""

ALL_KINDS = frozenset(KINDS)
_DEEP = 8  # arrays in arrays that a schema can prescribe


def resolve(document: Document, ref: str) -> Json:
    """The subschema that a `$ref` names. Raises LookupError if it does not exist."""
    return lookup(document if isinstance(document, Mapping) else {}, ref)


def branches(document: Document, schema: Json) -> Iterator[Mapping[str, Any]]:
    """A schema, the targets of its references, and the members of its unions and conjunctions.

    Each of them once, without the schemas of its parts.
    """
    return _joined(document, schema, ("anyOf", "oneOf", "allOf"), ("then", "else"))


def conjoined(document: Document, schema: Json) -> Iterator[Mapping[str, Any]]:
    """A schema and those that apply with it: the targets of its references, and its `allOf`."""
    return _joined(document, schema, ("allOf",), ())


def _joined(
    document: Document, schema: Json, lists: tuple[str, ...], single: tuple[str, ...]
) -> Iterator[Mapping[str, Any]]:
    """A schema, and those that its references and some keywords lead to, each once."""
    pending: list[Json] = [schema]
    seen: set[int] = set()
    while pending:
        current = pending.pop()
        if not isinstance(current, Mapping) or id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if "$ref" in current:
            pending.append(resolve(document, current["$ref"]))
        for keyword in lists:
            pending += current.get(keyword, ())
        pending += [current[keyword] for keyword in single if keyword in current]


def root_kinds(document: Document, schema: Json) -> frozenset[str]:
    """The type names of the values that might fit; a superset if the schema is intricate.

    `number` includes `integer`. A cycle of references allows nothing.
    """
    return _kinds(document, schema, {})


def _kinds(document: Json, schema: Json, known: dict[int, frozenset[str]]) -> frozenset[str]:
    if isinstance(schema, bool):
        return ALL_KINDS if schema else frozenset()
    if id(schema) in known:
        return known[id(schema)]
    known[id(schema)] = frozenset()  # until it is known, for cycles of references
    kinds = _own_kinds(schema)
    if "$ref" in schema:
        kinds &= _kinds(document, resolve(document, schema["$ref"]), known)
    for sub in schema.get("allOf", ()):
        kinds &= _kinds(document, sub, known)
    for word in ("anyOf", "oneOf"):
        if word in schema:
            kinds &= frozenset().union(*(_kinds(document, sub, known) for sub in schema[word]))
    known[id(schema)] = kinds
    return kinds


def _own_kinds(schema: Mapping[str, Any]) -> frozenset[str]:
    if schema.get("not", False) in (True, {}):
        return frozenset()  # some write it for `false`
    kinds = ALL_KINDS
    if "type" in schema:
        named = schema["type"]
        kinds = frozenset([named] if isinstance(named, str) else named)
        kinds |= {"integer"} if "number" in kinds else set()
    values = literals_of(schema)
    if values is not None:
        found = frozenset(map(kind_of, values))
        kinds &= found | ({"number"} if "integer" in found else set())
    return kinds


def literals_of(schema: Mapping[str, Any]) -> list[Json] | None:
    """The values of a schema's own enum, or its constant; None if it has neither."""
    if "enum" in schema:
        return list(schema["enum"])
    return [schema["const"]] if "const" in schema else None


def literals(document: Document, schema: Json) -> list[Json]:
    """The values of the enums and constants at the root, in their order."""
    return [one for branch in branches(document, schema) for one in literals_of(branch) or ()]


def only_literals(document: Document) -> list[Json]:
    """The literals that a schema allows, if it allows no other values."""
    typed = [one for one in branches(document, document) if "type" in one]
    free = [one["type"] for one in typed if literals_of(one) is None]
    if any(names != "null" for names in free):
        return []
    return [*literals(document, document), *([None] if free else [])]


def type_names(document: Document, schema: Json) -> list[str]:
    """The types that a schema names at its root, in their order."""
    named = [branch.get("type", ()) for branch in branches(document, schema)]
    return list(chain.from_iterable([one] if isinstance(one, str) else one for one in named))


def is_free_text(document: Document) -> bool:
    """Whether the root can be any string: then any prose could be meant as the answer."""
    return any(
        "string" in _own_kinds(branch) and "type" in branch and not {"enum", "const"} & set(branch)
        for branch in branches(document, document)
    )


def in_digits(document: Document, schema: Json) -> bool:
    """Whether a schema has an integer of draft 4, with neither a point nor an exponent."""
    return any(branch.get(DRAFT_4_INTEGER) is True for branch in branches(document, schema))


def required_names(document: Document, schema: Json) -> list[str]:
    """The keys that an object at the root must have, if no union decides about them."""
    found: dict[str, None] = {}
    for branch in branches(document, schema):
        if "anyOf" in branch or "oneOf" in branch:
            return []
        found.update(dict.fromkeys(branch.get("required", ())))
    return list(found)


# Patterns: ECMA-262, unanchored, run by the `regex` library under a timeout

SECONDS = 0.2
"""How long one pattern can take on one string."""


class PatternTimeout(Exception):  # noqa: N818 - it ends a check with a reason; nobody else sees it
    """A pattern took too long on one string."""


class UnusablePattern(ValueError):  # noqa: N818 - it ends a check with a reason, as the other does
    """A pattern of the schema is not a valid one."""


@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """The test whether the pattern matches anywhere in a string.

    Raises UnusablePattern, a ValueError, for an invalid pattern. The test raises `PatternTimeout`
    if it takes longer than `SECONDS`.
    """
    from pdl.schema.patterns import PatternError, compile_pattern  # noqa: PLC0415 - few have patterns

    try:
        ready = compile_pattern(pattern)
    except (PatternError, RecursionError, OverflowError) as error:
        raise UnusablePattern(str(error)) from error

    def test(text: str) -> bool:
        try:
            return ready.search(text, timeout=SECONDS, concurrent=False) is not None
        except TimeoutError as error:
            raise PatternTimeout from error

    return test


# Parts


def of_key(schema: Mapping[str, Any], name: str) -> list[Json]:
    """The subschemas for the value of a key (2020-12 core, 10.3.2).

    Those of `properties` and `patternProperties`, or else `additionalProperties`, if present.
    """
    known = schema.get("properties", {})
    found = [known[name]] if name in known else []
    for pattern, sub in schema.get("patternProperties", {}).items():
        if compile_pattern(pattern)(name):
            found.append(sub)
    if found or "additionalProperties" not in schema:
        return found
    return [schema["additionalProperties"]]


def of_index(schema: Mapping[str, Any], index: int) -> list[Json]:
    """The subschemas for an item: of `prefixItems`, or after them `items` (10.3.1)."""
    prefix = schema.get("prefixItems", ())
    if index < len(prefix):
        return [prefix[index]]
    return [schema["items"]] if "items" in schema else []


class Node:
    """The subschemas that might apply at one path, including all branches of unions.

    With `join=conjoined` they are those that apply unconditionally. Nodes are made on demand, one
    for each set of subschemas: a graph with a cycle if the schema is recursive.
    """

    def __init__(
        self,
        document: Document,
        schemas: Iterable[Json] | None = None,
        known: dict[tuple[int, ...], Node] | None = None,
        join: Callable[[Document, Json], Iterator[Mapping[str, Any]]] = branches,
    ) -> None:
        self._document = document
        self.schemas = [document] if schemas is None else list(schemas)
        self._join = join
        self._known = {} if known is None else known
        found = [one for sub in self.schemas for one in join(document, sub)]
        self._branches = list({id(one): one for one in found}.values())
        self._prefix = max([len(one.get("prefixItems", ())) for one in found], default=0)
        self._parts: dict[str | int, Node] = {}

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The type names that are allowed; all if the schema does not say."""
        found = (root_kinds(self._document, schema) for schema in self.schemas)
        return frozenset[str]().union(*found) or ALL_KINDS

    @cached_property
    def names(self) -> frozenset[str]:
        """The properties of an object."""
        return frozenset(name for one in self._branches for name in one.get("properties", ()))

    @cached_property
    def wants_integer(self) -> bool:
        """Whether an integer is allowed, however it is written, and no other number."""
        in_digits = any(one.get(DRAFT_4_INTEGER) is True for one in self._branches)
        return "integer" in self.kinds and "number" not in self.kinds and not in_digits

    def at(self, step: str | int) -> Node:
        """The node of a part."""
        if isinstance(step, str) and step not in self.names:
            return self._inner(step)
        known = step if isinstance(step, str) else min(step, self._prefix)
        if known not in self._parts:
            self._parts[known] = self._inner(known)
        return self._parts[known]

    def _inner(self, step: str | int) -> Node:
        found = {id(part): part for one in self._branches for part in _step(one, step)}
        mark = tuple(found)
        if mark not in self._known:
            self._known[mark] = Node(self._document, found.values(), self._known, self._join)
        return self._known[mark]

    def declares(self, name: str) -> bool:
        """Whether an object has a property of that name."""
        return name in self.names

    def may_nest(self) -> bool:
        """Whether an array can contain arrays to a depth that the schema does not determine."""
        inner = self.at(0)
        for _ in range(_DEEP):
            if "array" not in inner.kinds:
                return False
            if len(inner.kinds) > 1:
                return True
            inner = inner.at(0)
        return "array" in inner.kinds


def _step(branch: Mapping[str, Any], step: str | int) -> list[Json]:
    """The subschemas of a branch for one of its parts; `True` where anything is allowed."""
    found = of_index(branch, step) if isinstance(step, int) else of_key(branch, step)
    if not found:
        holder = "array" if isinstance(step, int) else "object"
        return [True] if "type" in branch and holder in _own_kinds(branch) else []
    return [one for one in found if one is not False]


def resembles(document: Document, value: Json) -> bool:
    """Whether a value that does not fit looks like an attempt at one that does.

    An object with one of the keys that the schema names; an array with an element of a type that
    the schema has for elements. An echoed schema is neither.
    """
    node = Node(document)
    if isinstance(value, dict):
        return not node.names or not value or not node.names.isdisjoint(value)
    if isinstance(value, list) and value:
        return any(kind_of(item) in node.at(index).kinds for index, item in enumerate(value))
    return True


def lacking(document: Document, value: Json) -> frozenset[str]:
    """The keys that the schema has, and that the objects at the end of a value lack."""
    node = Node(document)
    found: frozenset[str] = frozenset()
    while value and isinstance(value, dict | list):
        if isinstance(value, dict):
            found |= node.names - value.keys()
        step = next(reversed(value)) if isinstance(value, dict) else len(value) - 1
        node, value = node.at(step), value[step]
    return found


def with_integers(document: Document, value: Json) -> Json:
    """The value with integers where the schema has integers and no other numbers: 1000 for `1e3`.

    An integer can be written with a point or an exponent (2020-12 core, 4.2.3). The parser makes a
    float of it, and from 2**53 on not every integer is one: the float of `1e23` is less by 8388608.
    The same object if nothing has to change.
    """
    node = Node(document)
    if isinstance(value, float):
        return as_integer(value) if value.is_integer() and node.wants_integer else value
    if not has_whole_float(value):
        return value
    root = value.copy()
    pending = [(root, node)]
    while pending:
        copy, around = pending.pop()
        for step, part in list(copy.items() if isinstance(copy, dict) else enumerate(copy)):
            if type(part) in (dict, list):
                copy[step] = part.copy()
                pending.append((copy[step], around.at(step)))
            elif type(part) is float and part.is_integer() and around.at(step).wants_integer:
                copy[step] = as_integer(part)
    return root


def has_whole_float(value: Json) -> bool:
    """Whether a value has a float that is an integer, such as 1.0.

    Asked level by level, so that most of the work is done in C.
    """
    level: list[Any] = [value]
    while level:
        if any(part.is_integer() for part in level if type(part) is float):
            return True
        dicts = [part.values() for part in level if type(part) is dict]
        lists = [part for part in level if type(part) is list]
        level = list(chain.from_iterable([*dicts, *lists]))
    return False
