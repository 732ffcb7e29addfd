"""Defaults that are instances of a Python type."""

from __future__ import annotations

import datetime as dt
from dataclasses import InitVar, dataclass
from typing import Annotated, Any, TypedDict

import attrs
import pydantic
import pydantic.dataclasses
import pytest
from models.scripted import asked, says
from models.test_typed import ANN, Place, Room, Row, Size, Stay

import pdl


@pytest.mark.parametrize(
    ("form", "default", "value", "data"),
    [
        (Stay, ANN, ANN, {"guest": "Ann", "arrival": "2026-11-23", "nights": 3}),
        (Stay, {"guest": "Ann", "arrival": "2026-11-23", "nights": 3}, ANN, None),
        (Room, Room(number=4), Room(number=4), {"number": 4}),
        (Room, {"number": 4}, Room(number=4), None),
        (Size, Size.LARGE, Size.LARGE, "l"),
        (Size, "l", Size.LARGE, "l"),
        (dt.date, dt.date(2026, 1, 2), dt.date(2026, 1, 2), "2026-01-02"),
        (list[Size], [Size.LARGE], [Size.LARGE], ["l"]),
        (Row, {"day": dt.date(2026, 1, 2)}, {"day": dt.date(2026, 1, 2)}, {"day": "2026-01-02"}),
        (Stay | None, ANN, ANN, {"guest": "Ann", "arrival": "2026-11-23", "nights": 3}),
        (Stay, None, None, None),
        (Place, Place(3), Place(3), {"x": 3}),
        (Annotated[Size, pdl.Rule(bool)], Size.LARGE, Size.LARGE, "l"),
    ],
)
def test_a_default_is_json_or_an_instance(
    form: Any, default: Any, value: Any, data: Any, bare: pdl.Rendered
) -> None:
    answer = asked(bare, says("no"), schema=form, retries=0, default=default)
    assert (answer.value, answer.is_default) == (value, True)
    assert type(answer.value) is type(value)
    assert answer.data == (default if data is None else data)


@pytest.mark.parametrize(
    ("form", "default", "error", "words"),
    [
        (Stay, Room(number=4), TypeError, "default must be JSON or an instance of Stay, not Room"),
        (Stay, {"guest": 3}, ValueError, "must match the schema, or be None: `\\$"),
        (Stay, Stay("Ann", dt.date(2026, 1, 1), 90), ValueError, "must be less than a month"),
        (Room, {"number": 13}, ValueError, "`\\$.number` .*there is no room 13"),
        (list[Size], (1, 2), TypeError, "JSON or an instance of list, not tuple"),
    ],
)
def test_what_is_no_default(
    form: Any, default: Any, error: type[Exception], words: str, bare: pdl.Rendered
) -> None:
    with pytest.raises(error, match=words):
        asked(bare, pytest.fail, schema=form, default=default)


class Named(pydantic.BaseModel):
    """Whose key in JSON is not the name of its field."""

    full: str = pydantic.Field(alias="fullName")

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def initial(self) -> str:
        return self.full[:1]


class Shouting(pydantic.BaseModel):
    """Whose own JSON does not fit its schema."""

    age: int

    @pydantic.field_serializer("age")
    def shout(self, age: int) -> str:
        return f"{age}!"


@dataclass
class Hired:
    name: str
    year: InitVar[int]
    stay: Stay | None = None

    def __post_init__(self, year: int) -> None:
        self.name = f"{self.name} {year}"


@pydantic.dataclasses.dataclass
class Tagged:
    tag: str = pydantic.Field(alias="theTag")


@dataclass
class Party:
    host: Named
    guests: list[Shouting]
    by_name: dict[str, Named]
    pair: tuple[Shouting, int] = (Shouting(age=1), 2)


class Team(TypedDict):
    head: Shouting


@attrs.define
class Crew:
    head: Named


class Several(pydantic.RootModel[list[Named]]):
    """A list as a model."""


ZOE, LOUD = Named(fullName="Zoe"), Shouting(age=4)
LONG = Stay("Ann", dt.date(2026, 11, 23), 90)
ZOE_JSON, LOUD_JSON = {"fullName": "Zoe"}, {"age": "4!"}
ANN_JSON = {"guest": "Ann", "arrival": "2026-11-23", "nights": 3}


@pytest.mark.parametrize(
    ("form", "default", "data"),
    [
        (Named, ZOE, ZOE_JSON),
        (list[Named], [ZOE], [ZOE_JSON]),
        (Named | None, ZOE, ZOE_JSON),
        (Several, Several([ZOE]), [ZOE_JSON]),
        (Shouting, LOUD, LOUD_JSON),
        (list[Shouting], [LOUD], [LOUD_JSON]),
        (Shouting | None, LOUD, LOUD_JSON),
        (Annotated[Shouting, pdl.Rule(lambda one: one.age == 4)], LOUD, LOUD_JSON),
        (Team, {"head": LOUD}, {"head": LOUD_JSON}),
        (Tagged, Tagged(theTag="a"), {"theTag": "a"}),
        (Hired, Hired("Ann", 2020, ANN), {"name": "Ann 2020", "stay": ANN_JSON}),
        (list[Hired], [Hired("Ann", 1)], [{"name": "Ann 1", "stay": None}]),
        (
            Party,
            Party(ZOE, [LOUD], {"a": ZOE}),
            {
                "host": ZOE_JSON,
                "guests": [LOUD_JSON],
                "by_name": {"a": ZOE_JSON},
                "pair": [{"age": "1!"}, 2],
            },
        ),
        (Crew, Crew(ZOE), None),
    ],
)
def test_an_instance_is_a_default_as_it_is(
    form: Any, default: Any, data: Any, bare: pdl.Rendered
) -> None:
    """Whatever becomes of it in JSON, which has the keys of the schema."""
    answer = asked(bare, says("no"), schema=form, retries=0, default=default)
    assert answer.value is default
    assert answer.data == data


@pytest.mark.parametrize(
    ("form", "default", "words"),
    [
        (list[Named], [ZOE, Room(number=1)], r"`\$\[1\]`.*`fullName`"),
        (list[Shouting], [LOUD, "4"], r"`\$\[1\]`"),
        (Shouting | None, 4, r"`\$`"),
        (
            Annotated[Shouting, pdl.Rule(lambda one: one.age > 9, "must be old")],
            LOUD,
            "must be old",
        ),
        (Hired, Hired("Ann", 1, LONG), r"`\$\.stay\.nights` must be less than a month"),
        (list[Hired], [Hired("Ann", 1, LONG)], r"`\$\[0\]\.stay\.nights` must be less"),
        (Party, Party(ZOE, [LOUD], {"a": LOUD}), r"`\$\.by_name\.a`"),  # type: ignore[dict-item]
        (Party, Party(ZOE, [], {}, (LOUD, "x")), r"`\$\.pair\[1\]`"),  # type: ignore[arg-type]
        (Team, {"head": ZOE}, r"`\$\.head`"),
        (Crew, Crew(LOUD), r"`\$\.head`"),  # type: ignore[arg-type]
        (Crew | None, Crew(LOUD), r"`\$"),  # type: ignore[arg-type]
    ],
)
def test_an_instance_with_parts_that_are_not_of_their_types(
    form: Any, default: Any, words: str, bare: pdl.Rendered
) -> None:
    with pytest.raises(ValueError, match=f"default must match the schema, or be None: .*{words}"):
        asked(bare, pytest.fail, schema=form, default=default)
