"""Classes whose annotations, defaults, aliases, or constructors need care."""

from __future__ import annotations

import abc
import datetime as dt  # noqa: TC003 - annotations are read
from dataclasses import InitVar, dataclass
from typing import (
    Annotated,
    Any,
    ClassVar,
    LiteralString,
    NamedTuple,
    NotRequired,
    Required,
    Self,
    TypedDict,
)

import attrs
import msgspec
import pydantic
import pytest

import pdl
from pdl.errors import SchemaError, ToolError
from pdl.schema import Schema
from pdl.schema.records import members
from pdl.tools import ToolSet

Field = pydantic.Field


@dataclass
class Node:
    """The one of the module, which a function's own class of this name is not."""

    top: int


@dataclass
class Base:
    node: Node
    size: ClassVar[int] = 3


def local_classes() -> dict[str, Any]:
    @dataclass
    class Node(Base):
        kids: list[Node]
        seed: InitVar[int] = 0
        date: dt.date | None = None

    class Keys(TypedDict):
        kids: NotRequired[list[Keys]]  # type: ignore[misc]  # which runs all the same

    class Pair(NamedTuple):
        rest: Pair | None  # type: ignore[misc]

    class Struct(msgspec.Struct):
        rest: Struct | None

    @attrs.define
    class Attrs:
        rest: Attrs | None

    @dataclass
    class Quoted:
        kids: list[Quoted]

    return {one.__name__: one for one in (Node, Keys, Pair, Struct, Attrs, Quoted)}


LOCAL = local_classes()


@pytest.mark.parametrize(
    ("name", "dsl"),
    [
        (
            "Node",
            """\
Node
Node = { node: Node2, kids: [Node], seed?: int = 0, date?: date? = null }
// The one of the module, which a function's own class of this name is not.
Node2 = { top: int }""",
        ),
        ("Keys", "Keys\nKeys = { kids?: [Keys] }"),
        ("Pair", "Pair\nPair = { rest: Pair? }"),
        ("Struct", "Struct\nStruct = { rest: Struct? }"),
        ("Attrs", "Attrs\nAttrs = { rest: Attrs? }"),
        ("Quoted", "Quoted\nQuoted = { kids: [Quoted] }"),
    ],
)
def test_a_class_of_a_function_knows_its_own_name(name: str, dsl: str) -> None:
    assert Schema.from_type(LOCAL[name]).to_dsl() == dsl


def test_a_class_of_a_function_keeps_the_meaning_of_its_base() -> None:
    forms = {one.key: one.form for one in members(LOCAL["Node"])}
    assert forms["node"] is Node
    made = pdl.extract(LOCAL["Node"], '{"node": {"top": 1}, "kids": []}')
    assert made == LOCAL["Node"](Node(1), [])


@dataclass
class Linked:
    following: Self | None
    kids: list[Annotated[Self, "a kid"]]
    pair: tuple[Self, ...]
    word: LiteralString


class Marked(TypedDict, total=False):
    a: Annotated[Required[str], "first"]
    b: Annotated[NotRequired[int], pydantic.Field(ge=1)]
    c: Required[Annotated[int, "last"]]
    d: int


@dataclass(init=False)
class Written:
    a: int
    b: int = 3

    def __init__(self, a: int, **others: int) -> None:
        self.a, self.b = a, others.get("b", 3)


@pytest.mark.parametrize(
    ("form", "reply", "value", "dsl"),
    [
        (
            Linked,
            '{"following": null, "kids": [], "pair": [], "word": "x"}',
            Linked(None, [], (), "x"),
            """\
Linked
Linked = {
  following: Linked?,
  kids: [Linked], // (each: a kid)
  pair: [Linked],
  word: str,
}""",
        ),
        (
            Marked,
            '{"a": "x", "c": 1}',
            {"a": "x", "c": 1},
            """\
{
  a: str, // first
  b?: int<1,>,
  c: int, // last
  d?: int,
}""",
        ),
        (Written, '{"a": 1}', Written(1), "{ a: int, b?: int = 3 }"),
        (dict[Annotated[str, "a name"], int], '{"x": 1}', {"x": 1}, "{ [str]: int }"),
    ],
    ids=["self", "required", "own constructor", "a described key"],
)
def test_what_is_supported(form: Any, reply: str, value: Any, dsl: str) -> None:
    assert pdl.extract(form, reply) == value
    assert Schema.from_type(form).to_dsl() == dsl


@dataclass
class Defaulted:
    stars: int = Field(default=3, ge=1)


class DefaultedTuple(NamedTuple):
    stars: int = Field(default=3)


@dataclass(init=False)
class Unmade:
    a: int


class Other(Base):
    def __init__(self, node: Node) -> None:
        super().__init__(node)


class Renamed(Base):
    def __init__(self, top: Node) -> None:
        super().__init__(top)


@dataclass
class Abstract(abc.ABC):
    a: int

    @abc.abstractmethod
    def area(self) -> int: ...


@dataclass
class Lost:
    a: Missing  # type: ignore[name-defined]  # noqa: F821 - the mistake that is tested


@dataclass
class Misspelled:
    a: dt.datte  # type: ignore[name-defined]


@dataclass
class Unfinished:
    a: "list[int"  # type: ignore[valid-type]  # noqa: F722 - likewise


class ByPath(pydantic.BaseModel):
    x: int = Field(validation_alias=pydantic.AliasPath("a", "b"))


class ByShortPath(pydantic.BaseModel):
    x: int = Field(validation_alias=pydantic.AliasChoices(pydantic.AliasPath("a", 0)))


class ByPathOrName(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(populate_by_name=True)

    x: int = Field(validation_alias=pydantic.AliasPath("a", "b"))


class ByChoice(pydantic.BaseModel):
    x: int = Field(validation_alias=pydantic.AliasChoices(pydantic.AliasPath("a", 0), "b", "c"))


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (Defaulted, "the default of `stars` is a `Field(…)`, which only pydantic's classes read"),
        (list[DefaultedTuple], "write `stars: Annotated[T, Field(…)] = …`"),
        (Unmade, "its constructor does not take its fields as keywords"),
        (Renamed, "(missing a required argument: 'top'): remove `init=False` or its own"),
        (Abstract, "it is abstract"),
        (Lost, "name `Missing`, which is not defined there: define or import it at the top level"),
        (Misspelled, "its annotations can't be read: module 'datetime' has no attribute 'datte'"),
        (Unfinished, "its annotations can't be read: "),
        (ByPath, "a field is found only by the path a.b (`AliasPath`)"),
        (list[ByShortPath], "a field is found only by the path a.0 (`AliasPath`)"),
    ],
)
def test_what_is_refused(form: Any, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Schema.from_type(form)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("form", "reply"), [(ByPathOrName, '{"x": 1}'), (ByChoice, '{"b": 1}'), (Other, None)]
)
def test_what_is_refused_only_where_it_must_be(form: Any, reply: str | None) -> None:
    made = pdl.extract(form, reply or '{"node": {"top": 1}}')
    assert made.node == Node(1) if reply is None else made.x == 1


class Tree(pydantic.BaseModel):
    """A tree."""

    kids: list[Tree] = []


@pytest.mark.parametrize("form", [Tree, Linked, LOCAL["Quoted"], Annotated[Tree, "x"]])
def test_a_recursive_type_is_a_tool(form: Any) -> None:
    kit = ToolSet.from_types(form)
    (tool,) = kit
    assert tool.name == getattr(form, "__origin__", form).__name__
    assert tool.schema.document["type"] == "object"
    assert "$ref" in str(tool.schema.document["properties"]["kids"])


def test_a_recursive_tool_makes_instances() -> None:
    call = '{"name": "Tree", "arguments": {"kids": [{"kids": []}]}}'
    (found,) = ToolSet.from_types(Tree).check(call).calls
    assert found.value == Tree(kids=[Tree()])


def test_a_function_with_a_field_as_its_default_is_refused() -> None:
    def rate(stars: int = Field(default=3)) -> None: ...

    with pytest.raises(ToolError, match="`rate` can't be a tool: the default of `stars` is a"):
        ToolSet.from_functions(rate)
