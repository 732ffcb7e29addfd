"""Python types as schemas."""

from __future__ import annotations

import collections.abc
import datetime as dt
import enum
import ipaddress
import subprocess
import sys
import types
import typing
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    Required,
    TypedDict,
    TypeVar,
)
from uuid import UUID

import annotated_types as at
import pydantic
import pytest

from pdl.errors import LimitError, SchemaError
from pdl.schema import Schema

T = TypeVar("T")
Bounded = TypeVar("Bounded", bound=int)
UserId = NewType("UserId", int)


LOCAL = ipaddress.IPv4Address("127.0.0.1")


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Node:
    """A place in the tree."""

    value: int
    kids: list[Node] = field(default_factory=list, metadata={"description": "what hangs on it"})
    colour: Colour = Colour.RED


@dataclass
class Plain:
    a: int
    b: Annotated[str, at.Len(1, 80), "the text"] = "x"
    c: float = field(default=0.5, init=False)
    d: Node | None = None
    e: list[int] = field(default_factory=lambda: [1])


@dataclass
class Wrong:
    a: int = "x"  # type: ignore[assignment]  # the mistake that is tested


@dataclass
class Absent:
    a: int = None  # type: ignore[assignment]  # the mistake that is tested


@dataclass(frozen=True)
class Rule:
    """What metadata that checks a value looks like to a schema."""

    rule_words: str
    description: None = None


@dataclass
class Ruled:
    """An order."""

    a: Annotated[int, Rule("must be even"), "The age."]
    b: Annotated[int, "The age.", Rule("must be even"), at.Ge(0), Rule(""), Rule("not 4")]
    c: Annotated[int, Rule("must be even")] = field(metadata={"description": "The age"})
    d: Annotated[Colour, Rule("not at night")]
    e: Annotated[str, Rule("")]


@dataclass
class Network:
    host: ipaddress.IPv4Address = LOCAL
    peer: ipaddress.IPv6Address | None = None
    folder: Path = Path("a")
    since: dt.datetime = dt.datetime(2024, 1, 2)  # noqa: DTZ001 - a local time


class Foreign(dict[str, Any]):
    """What a TypedDict of `typing_extensions` looks like."""

    __total__ = True
    __required_keys__ = frozenset({"a"})
    __optional_keys__ = frozenset({"b"})
    a: int
    b: list[Foreign]


@dataclass
class Box(Generic[T]):
    inner: T
    more: list[T]


@dataclass
class Growing(Generic[T]):
    more: Growing[list[T]]


class Movie(TypedDict):
    """A film."""

    title: str
    year: NotRequired[int]


class Partial(TypedDict, total=False):
    name: Required[str]
    nick: str


class Point(NamedTuple):
    x: float
    y: float = 0.0


class Person(pydantic.BaseModel):
    """Somebody."""

    name: str = pydantic.Field(min_length=1, description="in full")
    age: Annotated[int, pydantic.Field(ge=0, lt=150)] | None = None
    boss: Person | None = None
    tags: set[str] = set()
    pair: tuple[int, str]


class Open(pydantic.BaseModel, extra="allow"):
    a: int


class Cat(pydantic.BaseModel):
    kind: Literal["cat"]


class Dog(pydantic.BaseModel):
    kind: Literal["dog"]


class Owner(pydantic.BaseModel):
    pet: Cat | Dog = pydantic.Field(discriminator="kind")


@pydantic.dataclasses.dataclass
class Checked:
    a: pydantic.PositiveInt


NODE = """\
// A place in the tree.
Node = {
  value: int,
  kids?: [Node] = [], // what hangs on it
  colour?: "red" | "blue" = "red",
}"""
PERSON = """\
// Somebody.
Person = {
  name: str<1,>, // in full
  age?: int<0,> { lt: 150 }? = null,
  boss?: Person? = null,
  tags?: [str] { unique: true } = [],
  pair: [int, str],
}"""

FOREIGN = """\
// What a TypedDict of `typing_extensions` looks like.
Foreign = { a: int, b?: [Foreign] }"""
NETWORK = """\
{
  host?: ipv4 = "127.0.0.1",
  peer?: ipv6? = null,
  folder?: str = "a",
  since?: datetime = "2024-01-02T00:00:00",
}"""

CASES: list[tuple[Any, str]] = [
    (str, "str"),
    (bool, "bool"),
    (int, "int"),
    (float, "float"),
    (Decimal, "float"),
    (None, "null"),
    (Any, "any"),
    (object, "any"),
    (dt.datetime, "datetime"),
    (list[dt.date], "[date]"),
    (list[dt.time], "[time]"),
    (list[dt.timedelta], "[duration]"),
    (list[UUID], "[uuid]"),
    (list, "[]"),
    (dict, "{ [str]: any }"),
    (dict[str, int], "{ [str]: int }"),
    (collections.abc.Mapping[str, Any], "{ [str]: any }"),
    (collections.abc.Sequence[int], "[int]"),
    (set[int], "[int] { unique: true }"),
    (frozenset[str], "[str] { unique: true }"),
    (tuple[int, ...], "[int]"),
    (tuple[int, str], "[int, str]"),
    (tuple[()], "[]<,0>"),
    (tuple, "[]"),
    (typing.Tuple, "[]"),  # noqa: UP006 - the old spelling is what is tested
    (typing.Dict, "{ [str]: any }"),  # noqa: UP006 - the old spelling is what is tested
    (Path, "str"),
    (ipaddress.IPv6Address, "ipv6"),
    (Foreign, f"Foreign\n{FOREIGN}"),
    (Network, NETWORK),
    (int | None, "int?"),
    (Optional[Literal["a"]], '"a" | null'),  # noqa: UP045 - the old spelling is what is tested
    (int | str | None, "int | str | null"),
    (Literal["a", 1, True] | None, '"a" | 1 | true | null'),
    (Colour, '"red" | "blue"'),
    (Level, "1 | 2"),
    (list[Colour | None], '["red" | "blue" | null]'),
    (UserId, "int"),
    (Annotated[int, at.Gt(0), at.Le(9), at.MultipleOf(3)], "int<,9> { gt: 0, multiple: 3 }"),
    (Annotated[int, at.Interval(ge=1, lt=5)], "int<1,> { lt: 5 }"),
    (Annotated[Decimal, at.Ge(Decimal("0.5"))], "float<0.5,>"),
    (Annotated[list[int], at.MinLen(1), at.MaxLen(5)], "[int]<1,5>"),
    (Annotated[dict[str, int], at.MaxLen(5)], "{ [str]: int }<,5>"),
    (Annotated[str, "a name", object()], "// a name\nstr"),
    (Annotated[str, pydantic.Field(pattern="^a", description="x")], '// x\nstr { pattern: "^a" }'),
    (Annotated[str | None, at.MaxLen(5)], "str<,5>?"),
    (pydantic.PositiveInt, "int { gt: 0 }"),
    (Node, f"Node\n{NODE}"),
    (
        Plain,
        '{\n  a: int,\n  b?: str<1,80> = "x", // the text\n  d?: Node? = null,\n  e?: [int],\n}\n'
        + NODE,
    ),
    (Box[int], "{ inner: int, more: [int] }"),
    (Box, "{ inner: any, more: [] }"),
    (list[Box[str]], "[BoxStr]\nBoxStr = { inner: str, more: [str] }"),
    (Box[Node], f"{{ inner: Node, more: [Node] }}\n{NODE}"),
    (
        Ruled,
        """\
// An order.
{
  a: int, // The age; must be even
  b: int<0,>, // The age; must be even; not 4
  c: int, // The age; must be even
  d: "red" | "blue", // not at night
  e: str,
}""",
    ),
    (Bounded, "int"),
    (Movie, "// A film.\n{ title: str, year?: int }"),
    (Partial, "{ name: str, nick?: str }"),
    (Point, "{ x: float, y?: float = 0.0 }"),
    (Person, f"Person\n{PERSON}"),
    (list[Person | Node], f"[Person | Node]\n{PERSON}\n{NODE}"),
    (Open, "{ a: int, [str]: any }"),
    (Owner, '{ pet: Cat | Dog }\nCat = { kind: "cat" }\nDog = { kind: "dog" }'),
    (Checked, "{ a: int { gt: 0 } }"),
]


@pytest.mark.parametrize(("form", "text"), CASES, ids=[text[:60] for _, text in CASES])
def test_a_type_as_text(form: Any, text: str) -> None:
    assert Schema.from_type(form).to_dsl() == text


def test_a_string_is_text_and_a_choice_of_strings_is_json() -> None:
    assert Schema.from_type(str).form == "text"
    assert Schema.from_type(Literal["a"]).form == "json"
    assert Schema.from_type(bool).form == "json"


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (complex, "the type `complex` cannot be a schema: JSON has no complex numbers"),
        (dict[int, str], "the keys of a JSON object are strings"),
        (list[dict[str, bytes]], "the type `bytes` at list[][str] cannot be a schema"),
        ("Node", "it is only the name of a type"),
        (
            types.GenericAlias(list, ("Missing",)),
            "the type `Missing` at list[] cannot be a schema: it is only the name",
        ),
        ([int], "` cannot be a schema: it is a list, not a type: write `list[int]`"),
        ({"a": int}, "it is a dict, not a type"),
        ((int, str), "it is a tuple, not a type"),
        (5, "the type `5` cannot be a schema: it is a value, not a type"),
        (types.GenericAlias(list, ([int],)), "it has no JSON Schema"),
        (Movie(title="x"), "it is a dict, not a type"),
        (Plain(1), "it is an instance: pass the class `Plain`"),
        (Open(a=1), "it is an instance: pass the class `Open`"),
        (typing.Callable, "JSON has no functions"),
        (typing.Hashable, "it has no JSON Schema"),
        (typing.Union, "it says nothing without its brackets"),
        (enum.Flag("Rights", ["READ", "WRITE"]), "flags combine"),
        (enum.Enum("Nothing", []), "it has no members"),
        (Annotated[str, pydantic.Field(pattern="[")], "invalid regular expression `[`"),
        (Wrong, "the default 'x' at Wrong.a does not fit the field's type"),
        (Absent, "a field that may be None has a type such as `int | None`"),
        (collections.abc.Callable[[int], int], "JSON has no functions"),
        (Literal[b"x"], "a choice is among JSON's scalars"),
        (Annotated[int, at.Gt(float("nan"))], "the bound nan is not a JSON number"),
        (Annotated[int, at.MinLen(3)], "the length 3 has no meaning for it"),
        (Growing[int], "its fields nest without end"),
    ],
)
def test_a_type_without_a_schema_is_refused(form: Any, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Schema.from_type(form)
    assert message in str(caught.value)


def test_type_variables_are_bound_however_deep() -> None:
    @dataclass
    class Deep(Generic[T]):
        boxes: dict[str, list[Box[T]]]

    Deep.__annotations__["boxes"] = dict[str, list[Box[T]]]  # type: ignore[valid-type]
    text = Schema.from_type(Deep[int]).to_dsl()
    assert text == "{ boxes: { [str]: [BoxInt] } }\nBoxInt = { inner: int, more: [int] }"


def test_a_default_of_pydantic_that_does_not_fit_is_kept_and_noted() -> None:
    schema = Schema.from_type(pydantic.create_model("M", a=(pydantic.PositiveInt, 0)))
    assert schema.document["properties"]["a"]["default"] == 0
    assert schema.to_dsl() == "{\n  a?: int { gt: 0 }, // (default: 0)\n}"


def test_a_field_without_a_schema_is_named() -> None:
    @dataclass
    class Outer:
        inner: list[complex]

    Outer.__annotations__["inner"] = list[complex]
    with pytest.raises(SchemaError, match=r"at Outer\.inner\[\]"):
        Schema.from_type(Outer)


def test_models_of_the_same_name_stay_apart() -> None:
    first = pydantic.create_model("Same", a=(int, ...))
    second = pydantic.create_model("Same", b=(str, ...))
    both: Any = (first, second)
    text = Schema.from_type(tuple[both]).to_dsl()
    assert text == "[Same, Same2]\nSame = { a: int }\nSame2 = { b: str }"


def test_models_inside_models_of_the_same_name_stay_apart() -> None:
    """`Middle` reads alike in both, and means another `Same`."""
    outers = []
    for form in (int, str):
        same = pydantic.create_model("Same", a=(form, ...))
        middle = pydantic.create_model("Middle", same=(same, ...))
        outers.append(pydantic.create_model("Outer", middle=(middle, ...)))
    both: Any = tuple(outers)
    text = Schema.from_type(tuple[both]).to_dsl()
    assert sorted(text.splitlines()) == [
        "Middle = { same: Same }",
        "Middle2 = { same: Same2 }",
        "Outer = { middle: Middle }",
        "Outer2 = { middle: Middle2 }",
        "Same = { a: int }",
        "Same2 = { a: str }",
        "[Outer, Outer2]",
    ]


def test_pydantic_is_not_imported_without_need() -> None:
    program = (
        "import dataclasses, sys; from pdl.schema import Schema;"
        "A = dataclasses.make_dataclass('A', [('x', int)]);"
        "Schema.from_type(list[A]); sys.exit('pydantic' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603 - our own program


def test_a_type_that_nests_without_end_is_a_limit() -> None:
    form: Any = int
    for _ in range(5_000):
        form = list[form]
    with pytest.raises(LimitError, match="nests too deep"):
        Schema.from_type(form)
