"""Schemas as types of Arrow, and their values as values of these types and back.

A type can represent every value of its schema, and distinguishes them: what is not one scalar, a
list, a closed object, or a map is JSON text. Keywords that only narrow a type (patterns, lengths,
conditions) don't matter for it.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pdl.errors import missing_package
from pdl.schema.json_values import compact_json
from pdl.schema.keywords import lookup, types_of

try:
    import pyarrow as pa
except ModuleNotFoundError as error:
    raise missing_package("types of Arrow need", "pyarrow", "arrow") from error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pdl._types import Json, JsonPath, JsonSchema

    Put: TypeAlias = Callable[[Json], Any]

IS_JSON = {b"pdl.json": b"true"}
"""The metadata of a field whose strings are JSON texts."""

_MOST_PARTS = 2_000  # of one type; the rest is text
_DEEPEST = 40
_LOW, _HIGH = -(2**63), 2**63 - 1


class UnfitError(ValueError):
    """A value of a schema that the type of Arrow does not have; `path` leads to it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.path: JsonPath = ()


@dataclass(frozen=True)
class Form:
    """How the values of a schema are represented. Forms are equal if they represent alike."""

    type: Any = field(compare=False)

    def field(self, name: str) -> Any:
        """Return a nullable field of this form."""
        return pa.field(name, self.type)

    @property
    def size(self) -> int:
        """How many types it consists of."""
        return 1 + sum(one.size for one in self._inner())

    def _inner(self) -> Sequence[Form]:
        return ()

    @property
    def converts(self) -> bool:
        """Whether `put` returns anything but the value itself."""
        return any(one.converts for one in self._inner())

    def put(self, value: Json) -> Any:
        """Return what pyarrow converts. Raises UnfitError."""
        return None if value is None else self._put(value)

    def take(self, value: Any) -> Json:
        """Return the JSON of what pyarrow gives back."""
        return None if value is None else self._take(value)

    def _put(self, value: Json) -> Any:
        return value

    def _take(self, value: Any) -> Json:
        return value


@dataclass(frozen=True)
class Plain(Form):
    """A string or a boolean."""

    name: str


@dataclass(frozen=True)
class JsonText(Form):
    """The JSON text of any value, also of null."""

    converts = True

    def field(self, name: str) -> Any:
        """Return a field that is marked."""
        return pa.field(name, self.type, metadata=IS_JSON)

    def put(self, value: Json) -> Any:
        """Return the text."""
        return compact_json(value)

    def _take(self, value: Any) -> Json:
        return json.loads(value)


@dataclass(frozen=True)
class Integer(Form):
    """An integer of 64 bits."""

    converts = True

    def _put(self, value: Json) -> Any:
        if _LOW <= value <= _HIGH:
            return int(value)
        raise UnfitError("is an integer of more than 64 bits")


@dataclass(frozen=True)
class Number(Form):
    """A number that is equal to a double; an integer can be too long for that."""

    converts = True

    def _put(self, value: Json) -> Any:
        if isinstance(value, float):
            return value
        try:
            made = float(value)
        except OverflowError:
            made = None
        if made != value:
            raise UnfitError("is an integer that a double cannot represent")
        return made


@dataclass(frozen=True)
class Date(Form):
    """A full date, of the years 1 to 9999."""

    converts = True

    def _put(self, value: Json) -> Any:
        try:
            made = dt.date.fromisoformat(value)
        except ValueError:
            made = None
        if made is None or made.isoformat() != value:
            raise UnfitError("is a date that Python does not have")
        return made

    def _take(self, value: Any) -> Json:
        return value.isoformat()


@dataclass(frozen=True)
class ListOf(Form):
    """An array of items of one form."""

    item: Form

    def _inner(self) -> Sequence[Form]:
        return (self.item,)

    def _put(self, value: Json) -> Any:
        return _all(self._put_item, enumerate(value)) if self._put_item else value

    @cached_property
    def _put_item(self) -> Put | None:
        return self.item.put if self.item.converts else None

    def _take(self, value: Any) -> Json:
        return [self.item.take(one) for one in value]


@dataclass(frozen=True)
class MapOf(Form):
    """An object with any keys, whose values have one form: pairs."""

    item: Form

    def _inner(self) -> Sequence[Form]:
        return (self.item,)

    converts = True

    def _put(self, value: Json) -> Any:
        return list(zip(value, _all(self.item.put, value.items()), strict=True))

    def _take(self, value: Any) -> Json:
        return {name: self.item.take(one) for name, one in value}


class Member(NamedTuple):
    """A field of an object. If it is optional, null represents its absence."""

    name: str
    form: Form
    is_optional: bool


@dataclass(frozen=True)
class StructOf(Form):
    """A closed object."""

    members: tuple[Member, ...]

    def _inner(self) -> Sequence[Form]:
        return [one.form for one in self.members]

    def _put(self, value: Json) -> Any:
        if not self._names.issuperset(value):
            raise UnfitError("has fields that its type does not have")
        made = dict(value)
        name = ""
        try:
            for name, put in self._puts:
                if name in made:
                    made[name] = put(made[name])
        except UnfitError as error:
            error.path = (name, *error.path)
            raise
        return made

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(one.name for one in self.members)

    @cached_property
    def _puts(self) -> list[tuple[str, Put]]:
        return [(name, form.put) for name, form, _ in self.members if form.converts]

    def _take(self, value: Any) -> Json:
        return {
            name: form.take(value[name])
            for name, form, is_optional in self.members
            if not (is_optional and value[name] is None)
        }


def _all(put: Put, items: Iterable[tuple[str | int, Json]]) -> list[Any]:
    made = []
    step: str | int = 0
    try:
        for step, one in items:  # noqa: B007 - errors need the step
            made.append(put(one))
    except UnfitError as error:
        error.path = (step, *error.path)
        raise
    return made


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
            return _list(JSON_TEXT if rest is False else self.form(rest))
        items = [*prefix, *([] if rest is False else [rest])]
        item = _joined(map(self.read, items)).form
        return JSON_TEXT if item is None or isinstance(item, JsonText) else _list(item)

    def _object(self, node: JsonSchema) -> Form:
        fields, rest = node.get("properties", {}), node.get("additionalProperties", True)
        if node.get("patternProperties"):
            return JSON_TEXT
        if fields and rest is False and _are_names(fields):
            required = node.get("required", ())
            return _struct([self._member(name, inner, required) for name, inner in fields.items()])
        if isinstance(rest, Mapping) and not fields:
            item = self.form(rest)
            if not isinstance(item, JsonText):
                return MapOf(pa.map_(pa.string(), item.field("value")), item)
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


def _list(item: Form) -> Form:
    return ListOf(pa.list_(item.field("item")), item)


def _struct(members: list[Member]) -> Form:
    return StructOf(pa.struct([one.form.field(one.name) for one in members]), tuple(members))


def _string(node: JsonSchema) -> Form:
    return DATE if node.get("format") == "date" else TEXT


def _integer(node: JsonSchema) -> Form:
    """64 bits, unless the bounds expressly allow more."""
    bounds = [node[one] for one in ("minimum", "maximum") if one in node]
    open_bounds = [node[one] for one in ("exclusiveMinimum", "exclusiveMaximum") if one in node]
    fits = all(_LOW <= one <= _HIGH for one in bounds)
    return INTEGER if fits and all(_LOW <= one <= _HIGH + 1 for one in open_bounds) else JSON_TEXT


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


TEXT = Plain(pa.string(), "text")
BOOLEAN = Plain(pa.bool_(), "boolean")
INTEGER = Integer(pa.int64())
NUMBER = Number(pa.float64())
DATE = Date(pa.date32())
JSON_TEXT = JsonText(pa.string())
_NULL = _Read(None, is_nullable=True)
_ANY = _Read(JSON_TEXT, is_nullable=True)
_BY_CLASS: dict[type, Form] = {str: TEXT, bool: BOOLEAN, int: INTEGER, float: NUMBER}
