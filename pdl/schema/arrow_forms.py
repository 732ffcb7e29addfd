"""How JSON values are represented in Arrow: a type of each kind, put into it and taken back."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pdl.errors import missing_package
from pdl.schema.json_values import compact_json

try:
    import pyarrow as pa
except ModuleNotFoundError as error:
    raise missing_package("types of Arrow need", "pyarrow", "arrow") from error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pdl._types import Json, JsonPath

    Put: TypeAlias = Callable[[Json], Any]

IS_JSON = {b"pdl.json": b"true"}
"""The metadata of a field whose strings are JSON texts."""

LOW, HIGH = -(2**63), 2**63 - 1
"""The least and the largest integer of 64 bits."""


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
        if LOW <= value <= HIGH:
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


def list_of(item: Form) -> Form:
    """Return the form of arrays whose items have one form."""
    return ListOf(pa.list_(item.field("item")), item)


def map_of(item: Form) -> Form:
    """Return the form of objects with any keys, whose values have one form."""
    return MapOf(pa.map_(pa.string(), item.field("value")), item)


def struct_of(members: Sequence[Member]) -> Form:
    """Return the form of closed objects."""
    return StructOf(pa.struct([one.form.field(one.name) for one in members]), tuple(members))


TEXT = Plain(pa.string(), "text")
BOOLEAN = Plain(pa.bool_(), "boolean")
INTEGER = Integer(pa.int64())
NUMBER = Number(pa.float64())
DATE = Date(pa.date32())
JSON_TEXT = JsonText(pa.string())
