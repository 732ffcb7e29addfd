"""What the schema asks of one bracket, and which of its subschemas hold for the parts in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from pdl.reply.validation.compiled import Validator, validator_of
from pdl.reply.validation.json_types import KINDS
from pdl.reply.validation.references import Document, resolve
from pdl.reply.validation.schema_walk import of_index, of_key

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.reply.validation.keywords import Cell

_JOINT = (
    *("anyOf", "oneOf", "not", "if", "dependentSchemas", "contains", "propertyNames"),
    *("unevaluatedProperties", "unevaluatedItems"),
)
"""Keywords that look at parts of a value together, or in more than one way."""

_KEYS = ("properties", "patternProperties", "additionalProperties")
_OWN = frozenset(
    (
        *("type", "enum", "const", "required", "dependentRequired", "minProperties"),
        *("maxProperties", "minItems", "maxItems", "uniqueItems"),
    )
)
"""Keywords about a bracket itself; none of them holds a subschema."""


class Sub(NamedTuple):
    """A subschema and its compiled test."""

    schema: Json
    cell: Cell


class Rules:
    """One document, and what it asks of the brackets that were met."""

    def __init__(self, document: Document) -> None:
        self.validator = validator_of(document)
        self.root = (Sub(document, self.validator.cell(document)),)
        self._holdings: dict[tuple[tuple[int, ...], bool], Holding] = {}

    def holding(self, subs: Iterable[Sub], box: Json) -> Holding:
        """What subschemas ask of an object or an array."""
        mark = (tuple([id(sub.schema) for sub in subs]), isinstance(box, dict))
        found = self._holdings.get(mark)
        if found is None:
            found = self._holdings[mark] = Holding(self.validator, subs, box)
        return found


class Holding:
    """For a bracket that is held against `subs`.

    `shells`: what they ask of the bracket itself, leaving its parts aside. `wholes`: those that
    must see all of it. `marks`: the identities of these.
    """

    __slots__ = ("_keys", "_plain", "_prefix", "_rest", "_validator", "marks", "shells", "wholes")

    def __init__(self, validator: Validator, subs: Iterable[Sub], box: Json) -> None:
        self._validator = validator
        self._plain: list[Mapping[str, Any]] = []
        self.shells: list[Sub] = []
        self.wholes: list[Sub] = []
        self._expand([sub.schema for sub in subs], box)
        self.marks = [id(sub.schema) for sub in self.wholes]
        self._keys: dict[str, tuple[Sub, ...]] = {}
        self._prefix = max(
            [len(schema.get("prefixItems", ())) for schema in self._plain], default=0
        )
        self._rest: tuple[Sub, ...] | None = None

    def of_key(self, name: str) -> tuple[Sub, ...]:
        """The subschemas for the value of a key."""
        known = self._keys.get(name)
        if known is None:
            found = [of_key(schema, name) for schema in self._plain]
            known = self._subs(found)
            if any(name in schema.get("properties", ()) for schema in self._plain):
                self._keys[name] = known
        return known

    def of_index(self, index: int) -> tuple[Sub, ...]:
        """The subschemas for an item."""
        if index >= self._prefix and self._rest is not None:
            return self._rest
        found = self._subs([of_index(schema, index) for schema in self._plain])
        if index >= self._prefix:
            self._rest = found
        return found

    def closed_to(self, name: str) -> list[Json]:
        """For each schema that forbids a key of that name: what it says about keys."""
        return [
            {word: schema[word] for word in _KEYS if word in schema}
            for schema in self._plain
            if schema.get("additionalProperties") is False
            and name not in schema.get("properties", ())
            and of_key(schema, name) == [False]
        ]

    def _subs(self, found: Iterable[Iterable[Json]]) -> tuple[Sub, ...]:
        """Without `false`: what is forbidden is told of the bracket."""
        schemas = [schema for some in found for schema in some if not isinstance(schema, bool)]
        return tuple([Sub(schema, self._validator.cell(schema)) for schema in schemas])

    def _expand(self, schemas: list[Json], box: Json) -> None:
        """Go through the schemas that hold in place: references and conjunctions, each once."""
        pending = schemas[::-1]
        seen: set[int] = set()
        while pending:
            schema = pending.pop()
            if id(schema) in seen:
                continue
            seen.add(id(schema))
            if not isinstance(schema, Mapping):
                self._whole(schema)
                continue
            self._shell(schema)
            if not _allows(schema, box):
                continue
            self._plain.append(schema)
            if any(word in schema for word in _JOINT) or _forbids_parts(schema):
                self._whole(schema)
            pending += schema.get("allOf", ())
            if "$ref" in schema:
                pending.append(resolve(self._validator.document, schema["$ref"]))

    def _whole(self, schema: Json) -> None:
        self.wholes.append(Sub(schema, self._validator.cell(schema)))

    def _shell(self, schema: Mapping[str, Any]) -> None:
        own = {word: schema[word] for word in schema if word in _OWN}
        if own:
            # It refers to nothing, so that it means the same as a document of its own.
            shell = Validator(own)
            self.shells.append(Sub(own, shell.cell(own)))


def _allows(schema: Mapping[str, Any], box: Json) -> bool:
    kinds = schema.get("type", ("object", "array"))
    return any(KINDS[kind](box) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _forbids_parts(schema: Mapping[str, Any]) -> bool:
    """Whether items, or the value of a key, are forbidden: told best where the bracket ends."""
    known = schema.get("properties", {})
    return schema.get("items") is False or any(sub is False for sub in known.values())
