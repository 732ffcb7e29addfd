"""What annotations say of types: words, notes, validators, aliases; and types without JSON."""

from __future__ import annotations

import collections
import collections.abc
import datetime as dt
import enum
import typing
from collections.abc import AsyncIterator, Generator, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, TypedDict, TypeVar

import annotated_types as at
import attrs
import pydantic
import pytest
from typing_extensions import Doc, TypeAliasType, TypeVarTuple
from typing_extensions import TypeVar as TypeVarWithDefault

import pdl
from pdl.errors import SchemaError
from pdl.schema import Schema

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
D = TypeVarWithDefault("D", default=int)

Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str | None")
Pair = TypeAliasType("Pair", tuple[T, T], type_params=(T,))
Nested = TypeAliasType("Nested", "list[Nested[T]] | T", type_params=(T,))
Loop: Any = TypeAliasType("Loop", "Loop")
Either: Any = TypeAliasType("Either", "int | Either")
Lost: Any = TypeAliasType("Lost", "list[Missing]")  # noqa: F821 - the mistake that is tested
Count = Annotated[int, pydantic.Field(ge=0, title="A count", examples=[3], deprecated=True)]


class Colour(str, enum.Enum):  # noqa: UP042 - the older spelling is what is tested
    RED = "red"
    BLUE = "blue"


@dataclass
class Fields:
    a: Count = field(metadata={"description": "how many"})
    b: Annotated[str, Doc("of the shop")]
    c: Annotated[str, pydantic.Field(json_schema_extra={"x-unit": "kg"})]
    d: Annotated[dt.date, pydantic.Field(examples=[dt.date(2024, 1, 2)])]
    e: dt.timedelta = dt.timedelta(days=1, seconds=2)
    f: dt.timedelta = dt.timedelta(microseconds=1)
    g: dt.time = dt.time(12, 30)


@dataclass
class Tree:
    """A place."""

    kids: list[Tree]
    data: Json


@dataclass
class WithDefault(Generic[D]):
    x: D


@dataclass
class Variadic(Generic[*Ts]):
    x: int


@attrs.define
class Changing:
    a: int


class Documented(pydantic.BaseModel):
    """A place."""

    model_config = pydantic.ConfigDict(use_attribute_docstrings=True)

    name: str = pydantic.Field(default="x", title="The name", examples=["y"])
    """What it is called."""
    even: Annotated[int, pydantic.Field(description="A number."), pdl.Rule(bool, "must be even")]
    kids: list[Documented] = []


class Keyless(pydantic.BaseModel):
    pass


class Inner(pydantic.BaseModel):
    outer: Outer | None = None
    bad: collections.abc.Callable[[], int]


class Outer(pydantic.BaseModel):
    ok: int
    inner: Inner


class Keyed(TypedDict):
    a: int


JSON = "Json = { [str]: Json } | [Json] | str | null"
CASES: list[tuple[Any, str]] = [
    (
        Fields,
        """\
{
  a: int<0,>, // how many (title: "A count"; examples: 3; deprecated)
  b: str, // of the shop
  c: str, // (x-unit: "kg")
  d: date, // (examples: "2024-01-02")
  e?: duration = "PT86402S",
  f?: duration,
  g?: time = "12:30:00",
}""",
    ),
    (
        Documented,
        """\
Documented
// A place.
Documented = {
  name?: str = "x", // What it is called. (examples: "y"; title: "The name")
  even: int, // A number; must be even
  kids?: [Documented] = [],
}""",
    ),
    (Tree, f"Tree\n// A place.\nTree = {{ kids: [Tree], data: Json }}\n{JSON}"),
    (Json, f"Json\n{JSON}"),
    (list[Json | int], f"[Json | int]\n{JSON}"),
    (Pair[int], "[int, int]"),
    (Nested[int], "NestedInt\nNestedInt = [NestedInt] | int"),
    (
        tuple[Nested[int], Nested[str]],
        """\
[NestedInt, NestedStr]
NestedInt = [NestedInt] | int
NestedStr = [NestedStr] | str""",
    ),
    (WithDefault, "{ x: int }"),
    (WithDefault[str], "{ x: str }"),
    (Annotated[int, {"no": "hash"}, "words"], "// words\nint"),
    (Annotated[str, pydantic.AfterValidator(str.strip), "words"], "// words\nstr"),
    (Annotated[int, pydantic.BeforeValidator(int)], "int"),
    (list[Annotated[Keyless, pydantic.AfterValidator(lambda one: one)]], "[{}]"),
    (Annotated[str, pydantic.StringConstraints(max_length=3, to_lower=True)], "str<,3>"),
    (
        Annotated[bytes, pydantic.WithJsonSchema({"type": "string", "contentEncoding": "base64"})],
        '// (contentEncoding: "base64")\nstr',
    ),
    (set[tuple[int, ...]], "[[int]] { unique: true }"),
    (frozenset[Colour], '["red" | "blue"] { unique: true }'),
]


@pytest.mark.parametrize(("form", "text"), CASES, ids=[text for _, text in CASES])
def test_an_annotated_type_as_text(form: Any, text: str) -> None:
    assert Schema.from_type(form).to_dsl() == text


@pytest.mark.parametrize(
    ("form", "names"),
    [
        (dict[Colour, int], {"enum": ["red", "blue"]}),
        (dict[Literal["a"], int], {"const": "a"}),
        (dict[dt.date, int], {"type": "string", "format": "date"}),
    ],
)
def test_keys_that_are_strings_in_json(form: Any, names: dict[str, Any]) -> None:
    assert Schema.from_type(form).document["propertyNames"] == names


BAD: list[tuple[Any, str]] = [
    (set[list[int]], "`list` at set[] cannot be a schema: it has no hash"),
    (set[collections.abc.Sequence[int]], "it has no hash"),
    (set[int | dict[str, int]], "the type `dict` at set[]"),
    (set[Annotated[Changing, "x"]], "the type `Changing` at set[]"),
    (set[Keyed], "the type `Keyed` at set[]"),
    (frozenset[pydantic.BaseModel], "it has no hash, so it can't be in a set: write `list[…]`"),
    (bytes, "JSON has no bytes: write `str`, in base64 for example"),
    (list[bytearray], "at list[] cannot be a schema: JSON has no bytes"),
    (complex, "JSON has no complex numbers: write `tuple[float, float]`"),
    (collections.Counter[str], "write `dict[str, int]`"),
    (Iterator[int], "its items exist only once: write `list[…]`"),
    (Generator[int, None, None], "its items exist only once"),
    (AsyncIterator[int], "its items exist only once"),
    (typing.NoReturn, "no value fits it"),
    (typing.Self, "write the name of the class"),
    (type[int], "JSON has no types"),
    (typing.NamedTuple, "pass a class that inherits from it"),
    (typing.TypedDict, "pass a class that inherits from it"),
    (dict[int, str], "the keys of a JSON object are strings"),
    (dict[Literal["a", 1], str], "the keys of a JSON object are strings"),
    (typing.AnyStr, "the type `bytes` at AnyStr cannot be a schema"),
    (Variadic[int, str], "its type parameters are more than single types"),
    (Loop, "this schema refers to itself for the same value"),
    (Either, "this schema refers to itself for the same value"),
    (Lost, "the type `Lost` cannot be a schema: it names `Missing`, which is not defined there"),
    (range, "the type `range` cannot be a schema: it has no JSON Schema"),
    (Outer, "the type `Outer` cannot be a schema: its field `inner`: its field `bad`: Cannot"),
    (Annotated[range, pydantic.AfterValidator(len)], "cannot be a schema: "),
    (Annotated[Literal["a"], pydantic.Strict()], "Unable to apply constraint 'strict'"),
    (Annotated[list[bytes], at.MinLen(1)], "the type `bytes` at list[] cannot be a schema"),
]


@pytest.mark.parametrize(("form", "message"), BAD, ids=[message for _, message in BAD])
def test_a_type_without_json_says_which_part_and_why(form: Any, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Schema.from_type(form)
    assert message in str(caught.value)
