"""Classes with named fields: what `members` lists of each kind, and their schemas."""

from __future__ import annotations

import datetime as dt
import enum
import subprocess
import sys
import types
from dataclasses import InitVar, dataclass, field
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    NotRequired,
    TypedDict,
    TypeVar,
)

import attr
import attrs
import pytest

from pdl.errors import SchemaError
from pdl.schema import Schema
from pdl.schema.records import Member, is_record, json_default, members

msgspec: Any = pytest.importorskip("msgspec")

T = TypeVar("T")
U = TypeVar("U")


class Kind(enum.Enum):
    NEW = "new"
    OLD = "old"


@dataclass
class Data:
    a: int
    b: InitVar[str]
    c: InitVar[int] = 3
    d: list[str] = field(default_factory=list, metadata={"description": "words"})
    e: float = field(default=0.5, init=False)
    f: ClassVar[int] = 4
    g: Kind = Kind.NEW


class Dict(TypedDict):
    a: int
    b: NotRequired[str]


class Tuple(NamedTuple):
    a: int
    b: str = "x"


Struct = msgspec.defstruct(
    "Struct",
    [
        ("first_name", str),
        ("items", Annotated[list[int], msgspec.Meta(max_length=9, description="some")], []),
        ("nick", str | msgspec.UnsetType, msgspec.UNSET),
        ("other", dict[str, int], msgspec.field(default_factory=dict, name="rest")),
        ("made", int, msgspec.field(default_factory=lambda: 5)),
    ],
    namespace={"__doc__": "A struct."},
    rename="camel",
    tag_field="kind",
    tag="s",
)


@attrs.frozen
class Attrs:
    """An attrs class."""

    a: int
    _b: str = attrs.field(default="x", metadata={"description": "private"})
    c: list[int] = attrs.field(factory=list, alias="see")
    d: int = attrs.field(init=False, default=4)
    e: int = attrs.field(default=attrs.Factory(lambda self: self.a, takes_self=True))


Old = attr.make_class("Old", {"a": attr.ib(type=int), "b": attr.ib(default=None)})


@dataclass
class Base(Generic[T, U]):
    x: T
    y: list[U]
    z: Annotated[T, "last"]


@dataclass
class Middle(Base[T, str], Generic[T]):
    y: list[str]
    t: T | None = None


@dataclass
class Leaf(Middle[dt.date]):
    end: int = 0


class GenericDict(TypedDict, Generic[T]):
    a: T
    b: NotRequired[list[T]]


class ChildDict(GenericDict[dt.date]):
    c: int


class GenericTuple(NamedTuple, Generic[T]):
    a: T


class GenericStruct(msgspec.Struct, Generic[T]):  # type: ignore[misc]  # msgspec is Any here
    a: T


class ChildStruct(GenericStruct[int]):
    b: str


@attrs.define
class GenericAttrs(Generic[T]):
    a: T


LISTED: list[tuple[Any, list[Member]]] = [
    (
        Data,
        [
            Member("a", int, "a", "a"),
            Member("b", str, "b", None),
            Member("c", int, "c", None, required=False, default=3),
            Member("d", list[str], "d", "d", required=False, default=[], description="words"),
            Member("g", Kind, "g", "g", required=False, default="new"),
        ],
    ),
    (Dict, [Member("a", int, "a", "a"), Member("b", str, "b", "b", required=False)]),
    (Tuple, [Member("a", int, "a", "a"), Member("b", str, "b", "b", required=False, default="x")]),
    (
        Struct,
        [
            Member("kind", Literal["s"], None, None),
            Member("firstName", str, "first_name", "first_name"),
            Member(
                "items",
                Annotated[list[int], msgspec.Meta(max_length=9, description="some")],
                "items",
                "items",
                required=False,
                default=[],
            ),
            Member("nick", str, "nick", "nick", required=False),
            Member("rest", dict[str, int], "other", "other", required=False, default={}),
            Member("made", int, "made", "made", required=False),
        ],
    ),
    (
        Attrs,
        [
            Member("a", int, "a", "a"),
            Member("b", str, "b", "_b", required=False, default="x", description="private"),
            Member("see", list[int], "see", "c", required=False, default=[]),
            Member("e", int, "e", "e", required=False),
        ],
    ),
    (Old, [Member("a", int, "a", "a"), Member("b", Any, "b", "b", required=False, default=None)]),
]


@pytest.mark.parametrize(("form", "listed"), LISTED, ids=lambda one: getattr(one, "__name__", ""))
def test_the_fields_of_a_class(form: Any, listed: list[Member]) -> None:
    assert list(members(form)) == listed
    assert is_record(form)


GENERIC: list[tuple[Any, dict[str, Any]]] = [
    (Base, {"x": T, "y": types.GenericAlias(list, (U,)), "z": Annotated[T, "last"]}),
    (Base[int, str], {"x": int, "y": list[str], "z": Annotated[int, "last"]}),
    (Middle[int], {"x": int, "y": list[str], "z": Annotated[int, "last"], "t": int | None}),
    (
        Leaf,
        {
            "x": dt.date,
            "y": list[str],
            "z": Annotated[dt.date, "last"],
            "t": dt.date | None,
            "end": int,
        },
    ),
    (GenericDict[int], {"a": int, "b": list[int]}),
    (ChildDict, {"a": dt.date, "b": list[dt.date], "c": int}),
    (GenericTuple[int], {"a": int}),
    (GenericStruct[int], {"a": int}),
    (ChildStruct, {"a": int, "b": str}),
    (GenericAttrs[list[int]], {"a": list[int]}),
]


@pytest.mark.parametrize(("form", "forms"), GENERIC, ids=lambda one: getattr(one, "__name__", ""))
def test_brackets_and_bases_bind_type_variables(form: Any, forms: dict[str, Any]) -> None:
    assert {one.key: one.form for one in members(form)} == forms


SCHEMAS = [
    (
        Data,
        """\
{
  a: int,
  b: str,
  c?: int = 3,
  d?: [str] = [], // words
  g?: "new" | "old" = "new",
}""",
    ),
    (
        Struct,
        """\
// A struct.
{
  kind: "s",
  firstName: str,
  items?: [int]<,9> = [], // some
  nick?: str,
  rest?: { [str]: int } = {},
  made?: int,
}""",
    ),
    (
        Attrs,
        """\
// An attrs class.
{
  a: int,
  b?: str = "x", // private
  see?: [int] = [],
  e?: int,
}""",
    ),
    (Old, "{ a: int, b?: any = null }"),
    (
        Leaf,
        """\
{
  x: date,
  y: [str],
  z: date, // last
  t?: date? = null,
  end?: int = 0,
}""",
    ),
    (ChildDict, "{ a: date, b?: [date], c: int }"),
    (
        list[GenericAttrs[GenericStruct[int]]],
        """\
[GenericAttrsGenericStructInt]
GenericAttrsGenericStructInt = { a: GenericStructInt }
GenericStructInt = { a: int }""",
    ),
]


@pytest.mark.parametrize(("form", "text"), SCHEMAS, ids=lambda one: getattr(one, "__name__", ""))
def test_a_class_as_text(form: Any, text: str) -> None:
    assert Schema.from_type(form).to_dsl() == text


VALUES: list[tuple[Any, dict[str, Any]]] = [
    (Attrs(1, "y", [2]), {"a": 1, "b": "y", "see": [2], "e": 1}),
    (
        Struct("Ann", other={"a": 2}),
        {"kind": "s", "firstName": "Ann", "items": [], "rest": {"a": 2}, "made": 5},
    ),
    (Tuple(1), {"a": 1, "b": "x"}),
    (Base(1, ["x"], 2), {"x": 1, "y": ["x"], "z": 2}),
]


@pytest.mark.parametrize(("value", "found"), VALUES, ids=lambda one: type(one).__name__)
def test_an_instance_can_be_a_default_and_is_what_the_table_says(
    value: Any, found: dict[str, Any]
) -> None:
    """`key`, `argument` and `attribute` are enough to write an instance, and to make it again."""
    kind: Any = type(value)
    assert json_default(value) == found
    listed = members(kind)
    named = {
        str(one.argument): found[one.key] for one in listed if one.argument and one.key in found
    }
    assert kind(**named) == value


def test_a_struct_that_is_written_as_an_array_is_refused() -> None:
    listed: Any = msgspec.defstruct("Listed", [("a", int)], array_like=True)
    with pytest.raises(SchemaError, match="at list\\[\\] cannot be a schema: its JSON is an array"):
        Schema.from_type(list[listed])


@pytest.mark.parametrize("value", [Struct("Ann"), Attrs(1)], ids=lambda one: type(one).__name__)
def test_an_instance_is_not_a_type(value: Any) -> None:
    with pytest.raises(
        SchemaError, match=f"it is an instance: pass the class `{type(value).__name__}"
    ):
        Schema.from_type(value)


def test_msgspec_and_attrs_are_not_imported_without_need() -> None:
    program = (
        "import dataclasses, sys; from pdl.schema import Schema;"
        "A = dataclasses.make_dataclass('A', [('x', int)]);"
        "Schema.from_type(list[A]); print({'msgspec', 'attr', 'pydantic'} & sys.modules.keys())"
    )
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout == "set()\n"
