"""Partial instances of Python types, while a reply comes in."""

from __future__ import annotations

import collections
import datetime as dt
import enum
import json
import random
import types
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from decimal import Decimal
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Self,
    TypedDict,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from instances import Instances
from streamed import calls

import pdl
from pdl.reply import Partial, Stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import JsonPath

T = TypeVar("T")
Name = NewType("Name", str)
DAY, OLD = dt.date(2024, 2, 29), dt.date(1999, 1, 1)


class Colour(enum.Enum):
    RED = "red"
    BLUE = 2


class Row(TypedDict):
    day: dt.date
    note: NotRequired[str]


class Pair(NamedTuple):
    a: int
    when: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Box(Generic[T]):
    inside: T
    note: str = "empty"


@dataclass
class Node:
    name: Name
    kids: list[Node] = field(default_factory=list)
    colour: Colour | None = None


@dataclass
class Doubled:
    """A class whose own code expects whole values."""

    def __new__(cls, number: int, text: str, factor: int = 2) -> Self:  # noqa: ARG004
        return object.__new__(cls)

    number: int
    text: str
    factor: InitVar[int] = 2
    product: int = field(init=False)

    def __post_init__(self, factor: int) -> None:
        self.product = self.number * factor


@attrs.frozen
class Attrs:
    day: dt.date
    _hidden: int = attrs.field(default=3, validator=attrs.validators.le(10))


class Struct(msgspec.Struct, rename="camel", tag="struct", kw_only=True, frozen=True):
    first_day: dt.date
    inner_text: str = "x"

    def __post_init__(self) -> None:
        assert self.first_day.year


class Other(msgspec.Struct, tag="other"):
    text: str


class Line(pydantic.BaseModel):
    text: Annotated[str, pydantic.Field(max_length=9)]
    quantity: int = pydantic.Field(default=2, alias="qty")
    link: pydantic.AnyUrl | None = None


class Invoice(pydantic.BaseModel):
    """Aliases that are names of other fields, a secret, and code that expects whole values."""

    issued: dt.date = pydantic.Field(alias="total")
    total: Decimal = pydantic.Field(validation_alias=pydantic.AliasChoices("issued", "made"))
    lines: list[Line] = []
    _seen: int = 0

    @pydantic.model_validator(mode="after")
    def _is_recent(self) -> Invoice:
        assert self.issued.year > 2000, "the invoice is too old"
        return self

    def model_post_init(self, context: Any, /) -> None:  # noqa: ARG002 - of pydantic
        self._seen = self.issued.year


class Tags(pydantic.RootModel[list[str]]):
    """A list."""


class Cat(pydantic.BaseModel):
    kind: Literal["cat"]
    says: str = "miau"


class Dog(pydantic.BaseModel):
    kind: Literal["dog"]
    says: str = "wau"
    age: int


@pydantic.dataclasses.dataclass
class Checked:
    day: dt.date
    name: str = pydantic.Field(alias="title")


SHOWN: list[tuple[Any, str, str]] = [
    (list[int], "", "None"),
    (list[int], "[1, 2", "[1]"),
    (list[str], '["a", "b', "['a', 'b']"),
    (list[dt.date], '["2024-02-29", "2024-02-29", "2024-0', "[DAY]"),
    (list[int | None], "[null, 1", "[None]"),
    (tuple[int, dt.date, str], '[1, "2024-', "(1, None, None)"),
    (tuple[str, ...], '["a", "b', "('a', 'b')"),
    (set[str], '["a", "b", "c', "{'a'}"),
    (collections.deque[str], '["a", "b', "deque(['a', 'b'])"),
    (Sequence[str], '["a', "['a']"),
    (dict[str, dt.date], '{"a": "2024-02-29", "b": "2024', "{'a': DAY}"),
    (Mapping[dt.date, str], '{"2024-02-29": "a', "{DAY: 'a'}"),
    (dict[str, Any], '{"a": [1, "b', "{'a': [1, 'b']}"),
    (Row, '{"day": "2024-02-29", "note": "a', "{'day': DAY, 'note': 'a'}"),
    (Row, '{"day": "2024', "{}"),
    (Pair, '{"a": 1, "when": "20', "Pair(a=1, when=None)"),
    (Box[str], '{"', "Box(inside=None, note=None)"),
    (Box[str], '{"inside": "a', "Box(inside='a', note=None)"),
    (
        Box[Box[str]],
        '{"inside": {"inside": "a"},',
        "Box(inside=Box(inside='a', note='empty'), note=None)",
    ),
    (
        Node,
        '{"name": "a", "kids": [{"name": "b',
        "Node(name='a', kids=[Node(name='b', kids=None, colour=None)], colour=None)",
    ),
    (Node, '{"colour": "red", "name": ""', "Node(name='', kids=None, colour=<Colour.RED: 'red'>)"),
    (Node, '{"colour": "re', "Node(name=None, kids=None, colour=None)"),
    (Doubled, '{"number": 2, "text": "a', "Doubled(number=2, text='a', product=None)"),
    (
        list[Doubled],
        '[{"number": 2, "text": "a"}, {',
        "[Doubled(number=2, text='a', product=4), Doubled(number=None, text=None, product=None)]",
    ),
    (Attrs, '{"day": "2024-02-29", "hidden": 1', "Attrs(day=DAY, _hidden=None)"),
    (list[Attrs], '[{"day": "2024-02-29", "hidden": 11}, ', "[Attrs(day=DAY, _hidden=11)]"),
    (Struct, '{"type": "struct", "innerText": "a', "Struct(first_day=None, inner_text='a')"),
    (list[Struct | Other], '[{"text": "a', "[Other(text='a')]"),
    (
        list[Struct | Other],
        '[{"type": "struct", "innerText": "',
        "[Struct(first_day=None, inner_text='')]",
    ),
    (list[Struct | Other], '[{"type": "str', "[]"),
    (Line, '{"text": "a", "qty": 4, "li', "Line(text='a', quantity=4, link=None)"),
    (
        Line,
        '{"link": "x://y", "text": "far too long',
        "Line(text='far too long', quantity=None, link=AnyUrl('x://y'))",
    ),
    (
        list[Line],
        '[{"text": "a"}, {"text": "b',
        "[Line(text='a', quantity=2, link=None), Line(text='b', quantity=None, link=None)]",
    ),
    (
        Invoice,
        '{"total": "1999-01-01", "issued": 1.5, "lines"',
        "Invoice(issued=OLD, total=Decimal('1.5'), lines=None)",
    ),
    (
        list[Invoice],
        '[{"total": "1999-01-01", "issued": 1.5}, ',
        "[Invoice(issued=OLD, total=Decimal('1.5'), lines=None)]",
    ),
    (Tags, '["a", "b', "Tags(root=['a', 'b'])"),
    (Box[Tags], '{"inside": ["a', "Box(inside=Tags(root=['a']), note=None)"),
    (list[Cat | Dog], '[{"says": "a', "[]"),
    (list[Cat | Dog], '[{"kind": "cat", "says": "a', "[Cat(kind='cat', says='a')]"),
    (list[Cat | Dog], '[{"age": 1, "says": "a', "[Dog(kind=None, says='a', age=1)]"),
    (Checked, '{"title": "a', "Checked(day=None, name='a')"),
    (list[str | int], '["a', "['a']"),
    (list[str | dt.date], '["a', "[]"),
    (list[str | dt.date], '["a", "b", ', "['a']"),
    (list[Literal["a", "b"]], '["a", "b", "', "['a']"),
    (list[int], '[1, "x", 2, ', "[1]"),
    (Box[int], '{"inside": "x", "note": "a', "Box(inside=None, note='a')"),
    (Box[list[int] | str], '{"inside": [1, 2', "Box(inside=[1], note=None)"),
    (
        Box[Decimal],
        '{"inside": 0.1000000000000000055, "note": "',
        "Box(inside=Decimal('0.1000000000000000055'), note='')",
    ),
    (list[Annotated[int, pdl.Rule(lambda one: one > 0)]], "[1, -1, 2", "[1, -1]"),
]


@pytest.mark.parametrize(("form", "reply", "shown"), SHOWN)
def test_what_is_shown(form: Any, reply: str, shown: str) -> None:
    value = Stream(form).feed(reply).value
    stream: Stream[Any] = Stream(pdl.Schema.from_type(form))
    for char in reply:
        partial = stream.feed(char)
        assert partial.value is partial.value  # also one that is read in between
    for one in (value, stream.feed("").value):
        assert repr(one).replace(repr(DAY), "DAY").replace(repr(OLD), "OLD") == shown


def test_an_older_partial_keeps_its_value() -> None:
    """Also if it is read after a newer one."""
    stream = Stream(list[Line])
    old = stream.feed('[{"text": "a"}, {"text": "b')
    assert len(stream.feed('"}, {"text": "c"}, ').value or ()) == 3
    assert [one.text for one in old.value or ()] == ["a", "b"]
    assert old.data == [{"text": "a"}, {"text": "b"}]


def test_without_a_type_the_value_is_the_json() -> None:
    partial = Stream(pdl.Schema.parse("{ day: date }")).feed('{"day": "2024-')
    assert partial.value == partial.data == {"day": "2024-"}


def test_text_is_shown_as_it_comes() -> None:
    assert Stream(str).feed("Hello, wor").value == "Hello, wor"


def test_the_end_is_that_of_a_check() -> None:
    stream = Stream(Doubled)
    stream.feed('{"number": 2, "text": "a"}')
    assert stream.close().value == Doubled(2, "a")


SEEN: list[int] = []


@dataclass
class Seen:
    number: int

    def __post_init__(self) -> None:
        SEEN.append(self.number)


def test_complete_parts_are_made_once() -> None:
    """However often a partial is looked at; their own code runs once."""
    SEEN.clear()
    stream = Stream(Box[list[Seen]])
    for char in '{"inside": [{"number": 1}, {"number": 2}, {"num':
        value = stream.feed(char).value
    assert SEEN == [1, 2]
    assert len(value.inside if value else ()) == 3


def test_a_validator_with_a_mistake_is_left_to_the_check() -> None:
    class Wrong(pydantic.BaseModel):
        text: str

        @pydantic.field_validator("text")
        @classmethod
        def _fails(cls, value: str) -> str:
            raise TypeError(value)

    stream = Stream(list[Wrong])
    shown = stream.feed('[{"text": "a"}, ').value
    assert [(type(one), one.text) for one in shown or ()] == [(Wrong, "a")]
    stream.feed('{"text": "b"}]')
    with pytest.raises(TypeError, match="a"):
        stream.close()


def test_reading_every_value_costs_in_proportion_to_the_items() -> None:
    """Items that are complete are not made again."""

    def read(count: int) -> None:
        stream = Stream(list[Line])
        stream.feed("[")
        for number in range(count):
            assert stream.feed(f'{{"text": "{number}", "qty": {number}}}, ').value is not None

    read(2)
    few, many = (calls(lambda count=count: read(count)) for count in (20, 200))  # type: ignore[misc]
    assert many < 12 * few


# Laws

FORMS: list[Any] = [
    Node, Box[Box[dt.date]], list[Row], Pair, Attrs, Struct, list[Struct | Other], Line,
    list[Line], Tags, list[Cat | Dog], Checked, list[str | int | None], dict[str, Node],
    tuple[int, str], Box[list[dt.date] | str], list[Literal["a", 1, Colour.RED]],
    dict[str, Decimal], Box[Line | Node], Box[dict[str, int | list[Line]]],
    list[Annotated[int, pydantic.Field(gt=3)]], set[Colour], Box[Any],
]  # fmt: skip
RANDOMS = st.integers(0, 2**32).map(random.Random)
KEYS = {"qty": "quantity", "hidden": "_hidden", "firstDay": "first_day", "title": "name"}


def suits(form: Any, value: Any) -> bool:  # noqa: PLR0911 - one for each kind of type
    """Whether a partial instance has only parts of the types that the type says."""
    form = getattr(form, "__supertype__", form)
    origin, arguments = get_origin(form), get_args(form)
    if value is None or form is Any:
        return True
    if origin is Annotated:
        return suits(arguments[0], value)
    if origin in (Union, types.UnionType):
        return any(suits(one, value) for one in arguments)
    if origin is Literal:
        return value in arguments
    if origin is dict:
        return type(value) is dict and all(suits(arguments[1], one) for one in value.values())
    if origin is tuple:
        return len(value) == 2 and all(map(suits, arguments, value))
    if origin in (list, set):
        return type(value) is origin and all(suits(arguments[0], one) for one in value)
    cls: Any = origin or form
    hints = get_type_hints(cls, include_extras=True)
    bound = dict(zip(getattr(cls, "__parameters__", ()), arguments, strict=False))
    if form is Tags:
        return suits(list[str], value.root)
    if form is Row:
        return all(isinstance(one, dt.date if key == "day" else str) for key, one in value.items())
    fields = {} if cls.__module__ != __name__ or issubclass(cls, enum.Enum) else hints
    fields = {name: bound.get(one, one) for name, one in fields.items() if name[:2] != "__"}
    named = {name: one for name, one in fields.items() if not name.startswith(("model_", "_seen"))}
    return type(value) in (cls, *cls.__subclasses__()) and all(
        suits(one, getattr(value, name)) for name, one in named.items()
    )


def part_at(value: Any, path: JsonPath) -> Any:
    """The part of an instance at a path of the JSON; None if it does not have it."""
    for step in path:
        value = getattr(value, "root", value)
        if isinstance(value, list | tuple) and isinstance(step, int):
            value = value[step] if step < len(value) else None
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            value = getattr(value, KEYS.get(str(step), str(step)), None)
    return value


def looked_at(form: Any, stream: Stream[Any], reply: str) -> Iterator[Partial[Any]]:
    for char in reply:
        partial = stream.feed(char)
        assert suits(form, partial.value), partial.value
        yield partial


def held(form: Any, reply: str) -> None:
    """Assert that what is complete is in the answer, if there is one."""
    stream: Stream[Any] = Stream(form)
    parts: dict[Any, Any] = {}
    errors = False
    for partial in looked_at(form, stream, reply):
        for path in partial.complete_paths():
            part = part_at(partial.value, path)
            before = parts.setdefault((partial.start, path), part)
            is_error = part is None  # no member of a union is possible any more
            assert before is None or before == part or is_error
            parts[partial.start, path] = part if before is None else before
            errors = errors or (is_error and before is not None)
    check = stream.close()
    assert check == pdl.check(form, reply)
    if check.ok and check.span and not check.repairs:
        assert not errors
        for (start, path), part in parts.items():
            if start == check.span[0] and part is not None:
                assert part_at(check.value, path) == part


@given(st.sampled_from(FORMS), RANDOMS)
def test_complete_parts_are_those_of_the_answer(form: Any, rng: random.Random) -> None:
    document = pdl.Schema.from_type(form).document
    value = Instances(document, rng).value()
    held(
        form, rng.choice(["", "Here it is:\n"]) + json.dumps(value, ensure_ascii=rng.random() < 0.5)
    )


PIECES = st.sampled_from(
    ['{"', '"}', "[", "]", "}", '"', ": ", ", ", "name", "kids", "text", "qty", "kind", "cat",
     "dog", "type", "struct", "day", "2024-02-29", "inside", "null", "1", "2.5", "true", "red",
     "```json\n", '{"text": "', '"name": ', "\\", "<think>", "</think>"]
)  # fmt: skip


@given(st.sampled_from(FORMS), st.lists(PIECES, max_size=16).map("".join))
def test_it_is_never_of_a_wrong_type(form: Any, reply: str) -> None:
    stream: Stream[Any] = Stream(form)
    for partial in looked_at(form, stream, reply):
        assert partial.value is None or partial.started
    assert stream.close() == pdl.check(form, reply)


@given(st.sampled_from(FORMS), RANDOMS, st.integers(1, 9))
def test_the_pieces_make_no_difference(form: Any, rng: random.Random, size: int) -> None:
    reply = json.dumps(Instances(pdl.Schema.from_type(form).document, rng).value())
    stream: Stream[Any] = Stream(form)
    for at in range(0, len(reply), size):
        partial = stream.feed(reply[at : at + size])
        if rng.random() < 0.3:
            assert suits(form, partial.value)
    assert repr(partial.value) == repr(Stream(form).feed(reply).value)
