"""Schemas as types of Arrow.

A type can represent every value of its schema, and distinguishes them: what is not one scalar, a
list, a closed object, or a map is JSON text. Keywords that only narrow a type (patterns, lengths,
conditions) don't matter for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from pdl.schema.arrow_forms import (
    BOOLEAN,
    DATE,
    HIGH,
    INTEGER,
    JSON_TEXT,
    LOW,
    NUMBER,
    TEXT,
    Form,
    JsonText,
    Member,
    list_of,
    map_of,
    struct_of,
)
from pdl.schema.keywords import lookup, types_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pdl._types import Json, JsonSchema

_MOST_PARTS = 2_000  # of one type; the rest is text
_DEEPEST = 40


def form_of(document: JsonSchema) -> Form:
    """Return how the values of a JSON Schema are represented."""
    return _Reader(document).form(document)


class _Read(NamedTuple):
    """The form of the values of a schema other than null, and whether null can be one too.

    Without a form, null is the only value.
    """

    form: Form | None
    is_nullable: bool = False


class _Reader:
    """The reader of one document; `_open` are the references that are being followed."""

    def __init__(self, document: JsonSchema) -> None:
        self._document = document
        self._open: list[str] = ["#"]
        self._known: dict[str, _Read] = {}
        self._depth = 0
        self._by_type: dict[str, Callable[[JsonSchema], Form]] = {
            "string": _string,
            "boolean": lambda _: BOOLEAN,
            "integer": _integer,
            "number": lambda _: NUMBER,
            "array": self._array,
            "object": self._object,
        }

    def read(self, node: Json) -> _Read:
        """All values of a schema satisfy each of its keywords: the first that gives a form does."""
        if not isinstance(node, Mapping) or self._depth > _DEEPEST:
            return _ANY
        self._depth += 1
        try:
            found = (one for one in self._readings(node) if not isinstance(one.form, JsonText))
            first = next(found, _ANY)
        finally:
            self._depth -= 1
        return _ANY if first.form is not None and first.form.size > _MOST_PARTS else first

    def form(self, node: Json) -> Form:
        """Return the form of values that can be null."""
        return self.read(node).form or JSON_TEXT

    def _readings(self, node: JsonSchema) -> Iterator[_Read]:
        if "type" in node:
            yield self._typed(types_of(node), node)
        if "const" in node:
            yield _listed([node["const"]])
        if "enum" in node:
            yield _listed(node["enum"])
        if isinstance(node.get("$ref"), str):
            yield self._target(node["$ref"])
        for inner in node.get("allOf", ()):
            yield self.read(inner)
        for keyword in ("anyOf", "oneOf"):
            if keyword in node:
                yield _joined(map(self.read, node[keyword]))

    def _typed(self, types: list[str], node: JsonSchema) -> _Read:
        read = (_Read(self._by_type[one](node)) if one != "null" else _NULL for one in types)
        return _joined(read)

    def _target(self, reference: str) -> _Read:
        if reference in self._open:
            return _ANY
        if reference not in self._known:
            self._open.append(reference)
            try:
                self._known[reference] = self.read(lookup(self._document, reference))
            finally:
                self._open.pop()
        return self._known[reference]

    def _array(self, node: JsonSchema) -> Form:
        prefix, rest = node.get("prefixItems", []), node.get("items", True)
        if not prefix:
            return list_of(JSON_TEXT if rest is False else self.form(rest))
        items = [*prefix, *([] if rest is False else [rest])]
        item = _joined(map(self.read, items)).form
        return JSON_TEXT if item is None or isinstance(item, JsonText) else list_of(item)

    def _object(self, node: JsonSchema) -> Form:
        fields, rest = node.get("properties", {}), node.get("additionalProperties", True)
        if node.get("patternProperties"):
            return JSON_TEXT
        if fields and rest is False and _are_names(fields):
            required = node.get("required", ())
            return struct_of(
                [self._member(name, inner, required) for name, inner in fields.items()]
            )
        if isinstance(rest, Mapping) and not fields:
            item = self.form(rest)
            if not isinstance(item, JsonText):
                return map_of(item)
        return JSON_TEXT

    def _member(self, name: str, node: Json, required: Sequence[str]) -> Member:
        form, is_nullable = self.read(node)
        if form is None:
            form = JSON_TEXT
        if name in required or isinstance(form, JsonText):
            return Member(name, form, name not in required)
        if is_nullable and node.get("default", ...) is not None:
            return Member(name, JSON_TEXT, is_optional=True)  # null is not absence
        return Member(name, form, not is_nullable)


def _string(node: JsonSchema) -> Form:
    return DATE if node.get("format") == "date" else TEXT


def _integer(node: JsonSchema) -> Form:
    """64 bits, unless the bounds expressly allow more."""
    bounds = [node[one] for one in ("minimum", "maximum") if one in node]
    open_bounds = [node[one] for one in ("exclusiveMinimum", "exclusiveMaximum") if one in node]
    fits = all(LOW <= one <= HIGH for one in bounds)
    return INTEGER if fits and all(LOW <= one <= HIGH + 1 for one in open_bounds) else JSON_TEXT


def _listed(values: list[Json]) -> _Read:
    return _joined(map(_of_value, values))


def _of_value(value: Json) -> _Read:
    if value is None:
        return _NULL
    return _Read(_BY_CLASS.get(type(value), JSON_TEXT))


def _joined(reads: Iterable[_Read]) -> _Read:
    """What is true of the values of any of several schemas."""
    found = list(reads)
    forms = {one.form for one in found if one.form is not None}
    is_nullable = any(one.is_nullable or one.form is None for one in found)
    if forms == {INTEGER, NUMBER}:
        forms = {NUMBER}
    if len(forms) > 1 or JSON_TEXT in forms:
        return _ANY
    return _Read(forms.pop() if forms else None, is_nullable)


def _are_names(fields: Iterable[str]) -> bool:
    """Whether engines can have such fields: some ignore case, and end names at a zero."""
    names = list(fields)
    different = len({name.lower() for name in names}) == len(names)
    return different and all(name and "\0" not in name and _is_utf8(name) for name in names)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


_NULL = _Read(None, is_nullable=True)
_ANY = _Read(JSON_TEXT, is_nullable=True)
_BY_CLASS: dict[type, Form] = {str: TEXT, bool: BOOLEAN, int: INTEGER, float: NUMBER}
