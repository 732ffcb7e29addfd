"""Python functions as tools, and calls of them that are run."""

from __future__ import annotations

# ruff: noqa: TC003 - annotations are read when the tests run
import asyncio
import dataclasses
import datetime as dt
import enum
import functools
import json
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NewType, TypedDict
from uuid import UUID

import pydantic
import pytest

import pdl
from pdl.errors import PdlError, SchemaError, ToolError
from pdl.tools import ToolCall, ToolResult, ToolSet


class Colour(enum.Enum):
    RED = "red"
    TWO = 2


@dataclasses.dataclass
class Point:
    """A point.

    Attributes:
        x: across
    """

    x: int
    y: float = 0.0


class Pair(NamedTuple):
    first: int
    second: Point


class Options(TypedDict, total=False):
    when: dt.date


class Model(pydantic.BaseModel):
    """A model of pydantic's."""

    when: dt.datetime
    size: int = pydantic.Field(default=1, ge=1, description="how large")


Name = NewType("Name", str)
MODEL = '{"when": "2024-01-01T00:00:00Z", "size": 2}'


def echo(value: Any = None, *, note: str = "") -> Any:
    """Say it again.

    Args:
        value: What to say.
        note: Beside it.
    """
    del note
    return value


def convert(  # noqa: PLR0913 - a parameter for each kind of type
    when: dt.date,
    points: list[Point],
    model: Model,
    *,
    colour: Colour = Colour.RED,
    either: int | dt.date | str | None = None,
    pair: Pair | None = None,
    options: Options | None = None,
    numbers: set[int] = frozenset(),  # type: ignore[assignment]
    row: tuple[int, dt.time] | None = None,
    path: Path = Path(),
    span: dt.timedelta | None = None,
    price: Decimal = Decimal(1),
    share: Annotated[float, "of all"] = 0,
    key: UUID | None = None,
    kind: Literal["a", 1] = "a",
    name: Name = Name("x"),
    table: Mapping[str, Sequence[dt.date]] | None = None,
) -> str:
    return repr({key: value for key, value in locals().items() if value is not None})


TOOLS = ToolSet.from_functions(echo, convert)
CALL = {"when": "2024-02-29", "points": [{"x": 1}], "model": {"when": "2024-01-01T00:00:00Z"}}


def run(**arguments: Any) -> ToolResult:
    return TOOLS.dispatch(ToolCall("convert", {**CALL, **arguments}))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "'when': datetime.date(2024, 2, 29)"),
        ({}, "'points': [Point(x=1, y=0.0)]"),
        ({}, "Model(when=datetime.datetime(2024, 1, 1"),
        ({"colour": 2}, "<Colour.TWO: 2>"),
        ({"either": "2024-01-02"}, "'either': datetime.date(2024, 1, 2)"),
        ({"either": "2024"}, "'either': '2024'"),
        ({"either": 5}, "'either': 5"),
        ({"pair": {"first": 1, "second": {"x": 2}}}, "Pair(first=1, second=Point(x=2, y=0.0))"),
        ({"options": {"when": "2024-01-02"}}, "'options': {'when': datetime.date(2024, 1, 2)}"),
        ({"numbers": [1, 2]}, "'numbers': {1, 2}"),
        ({"row": [1, "10:00:00Z"]}, "(1, datetime.time(10, 0, tzinfo=datetime.timezone.utc))"),
        ({"path": "/a/b"}, "Path('/a/b')"),
        ({"span": "P1DT2H"}, "datetime.timedelta(days=1, seconds=7200)"),
        ({"price": 1.25}, "Decimal('1.25')"),
        ({"share": 1}, "'share': 1.0"),
        ({"key": "12345678-1234-5678-1234-567812345678"}, "UUID('12345678"),
        ({"kind": 1}, "'kind': 1"),
        ({"kind": 1.0}, "'kind': 1,"),
        ({"either": 5.0}, "'either': 5,"),
        ({"name": "Ada"}, "'name': 'Ada'"),
        ({"table": {"a": ["2024-01-02"]}}, "{'a': [datetime.date(2024, 1, 2)]}"),
    ],
)
def test_arguments_become_what_annotations_say(arguments: dict[str, Any], told: str) -> None:
    result = run(**arguments)
    assert not result.failed, result.text
    assert told in result.text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"when": "2024-02-30"}, "The call to `convert` is invalid.\nField `when` of your output"),
        ({"points": [{"x": "1"}]}, "`$.points[0].x`"),
        ({"colour": "blue"}, 'must be "red" or 2'),
        ({"other": 1}, "unexpected field `other`"),
        ({"span": "P1Y"}, "`convert` is invalid.\n$.span: is not a valid duration: 'P1Y' has"),
    ],
)
def test_wrong_arguments_are_told_to_the_model(arguments: dict[str, Any], told: str) -> None:
    result = run(**arguments)
    assert result.failed
    assert told in result.text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("text", "text"), (None, "null"), (1.5, "1.5"), ([1, {"a": None}], '[1, {"a": null}]'),
        ("", ""), ({"é": "ü"}, '{"é": "ü"}'),
    ],
)  # fmt: skip
def test_results_are_text(value: Any, text: str) -> None:
    assert TOOLS.dispatch(ToolCall("echo", {"value": value})) == ToolResult(
        ToolCall("echo", {"value": value}), text
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Point(1, 2.0), '{"x": 1, "y": 2.0}'), (dt.date(2024, 1, 2), '"2024-01-02"'),
        ({2, 1}, "[1, 2]"), (Colour.RED, '"red"'), (Path("a"), '"a"'), ((1, 2), "[1, 2]"),
        (Model(when=dt.datetime(2024, 1, 1, tzinfo=dt.UTC), size=2), MODEL),
        (range(3), "[0, 1, 2]"),
    ],
)  # fmt: skip
def test_other_results_are_json(value: object, text: str) -> None:
    result = TOOLS.dispatch(ToolCall("echo", {}), {"echo": lambda: value})
    assert result.text == text


def fail(kind: str) -> None:
    if kind == "key":
        raise KeyError("no such thing")
    raise RuntimeError(" two\n lines " + "x" * 1_000)


def test_errors_of_functions_are_results() -> None:
    tools = ToolSet.from_functions(fail)
    first, second = tools.dispatch(
        [ToolCall("fail", {"kind": "key"}), ToolCall("fail", {"kind": ""})]
    )
    assert (first.text, first.failed) == ("KeyError: 'no such thing'", True)
    assert second.text.startswith("RuntimeError: two lines xxx")
    assert len(second.text) < 600
    with pytest.raises(KeyError):
        tools.dispatch(ToolCall("fail", {"kind": "key"}), raise_errors=True)


def test_a_tool_does_not_end_the_program() -> None:
    """What a tool calls may well call `sys.exit`; Ctrl-C still passes."""

    def leave(code: int) -> None:
        sys.exit(f"no such file: {code}")

    def stop() -> None:
        raise KeyboardInterrupt

    async def leave_later() -> None:
        sys.exit(3)

    tools = ToolSet.from_functions(leave, stop, leave_later)
    result = tools.dispatch(ToolCall("leave", {"code": 3}))
    assert (result.text, result.failed) == ("SystemExit: no such file: 3", True)
    later = asyncio.run(tools.dispatch_async(ToolCall("leave_later", {})))
    assert (later.text, later.failed) == ("SystemExit: 3", True)
    with pytest.raises(KeyboardInterrupt):
        tools.dispatch(ToolCall("stop", {}))


async def later(number: int = 1) -> int:
    await asyncio.sleep(0)
    return number + 1


def test_async_functions() -> None:
    tools = ToolSet.from_functions(later, echo)
    with pytest.raises(ToolError, match="use `dispatch_async`"):
        tools.dispatch(ToolCall("later", {}))
    calls = [
        ToolCall("later", {"number": 2}),
        ToolCall("echo", {"value": 1}),
        ToolCall("lately", {}),
    ]
    results = asyncio.run(tools.dispatch_async(calls))
    assert [one.text for one in results[:2]] == ["3", "1"]
    assert results[2].failed
    assert asyncio.run(tools.dispatch_async(calls[0])).text == "3"


def test_functions_are_given_by_name_or_for_themselves() -> None:
    tools = ToolSet.parse("double(number: int)\nday(when: date)")

    def double(number: int) -> int:
        return number * 2

    def day(when: dt.date) -> int:
        return when.day

    call = ToolCall("day", {"when": "2024-01-31"})
    assert tools.dispatch(call, [double, day]).text == "31"
    assert tools.dispatch(call, {"day": lambda when: when}).text == "2024-01-31"
    assert tools.dispatch(call, [functools.partial(day)]).text == "31"
    with pytest.raises(ToolError, match="the tool `day` has no function"):
        tools.dispatch(call, [double])


def test_parameters_without_names() -> None:
    def power(base: int = 2, exponent: int = 3, /, *, plus: int = 0) -> int:
        return int(base**exponent) + plus

    tools = ToolSet.from_functions(power)
    assert tools.dispatch(ToolCall("power", {"exponent": 4, "plus": 1})).text == "17"
    assert tools.dispatch(ToolCall("power", {"base": 3})).text == "27"


class Shop:
    """Methods are tools without their `self`."""

    def __init__(self) -> None:
        self.sold = 0

    def sell(self, number: int) -> int:
        """Sell some."""
        self.sold += number
        return self.sold


def test_methods() -> None:
    shop = Shop()
    tools = ToolSet.from_functions(shop.sell)
    assert tools.to_dsl() == "sell(number: int) // Sell some."
    tools.dispatch([ToolCall("sell", {"number": 2})] * 2)
    assert shop.sold == 4


def test_signatures_of_functions() -> None:
    assert ToolSet.from_functions(echo).to_dsl() == (
        "// Say it again.\n"
        "echo(\n"
        "  value?: any = null, // What to say.\n"
        '  note?: str = "", // Beside it.\n'
        ")"
    )
    written = TOOLS.to_dsl()
    assert 'kind?: "a" | 1 = "a"' in written
    assert "share?: float = 0, // of all" in written
    assert "Point = { x: int, y?: float = 0.0 }" in written
    assert ToolSet.parse(written).names == TOOLS.names


def test_types() -> None:
    tools = ToolSet.from_types(Point, Model, Options)
    assert tools.names == ("Point", "Model", "Options")
    assert tools["Point"].description == "A point."
    assert tools["Model"].description == "A model of pydantic's."
    assert "size?: int<1,> = 1, // how large" in tools.to_dsl()


class Booking(pydantic.BaseModel):
    """Book a table."""

    day: dt.date
    price: Decimal = Decimal(0)
    seats: Annotated[int, pdl.Rule(lambda seats: seats < 9, "must be less than 9")]


@dataclasses.dataclass
class Cancel:
    """Cancel it."""

    day: dt.date
    fee: Decimal = Decimal(0)


def tagged(name: str, arguments: str) -> str:
    """A call as Hermes models write it."""
    return f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>'


@pytest.mark.parametrize("end", ["}", ",}"])
def test_calls_of_types_have_instances(end: str) -> None:
    digits = "0.12345678901234567891"
    reply = tagged("Cancel", f'{{"day": "2024-02-29", "fee": {digits}{end}')
    found = ToolSet.from_types(Booking, Cancel).check(reply)
    assert found.ok, found.feedback
    assert [call.value for call in found.calls] == [Cancel(dt.date(2024, 2, 29), Decimal(digits))]


def test_calls_of_types_follow_their_rules() -> None:
    tools = ToolSet.from_types(Booking, Cancel)
    good, bad = ({"day": "2024-02-29", "seats": seats} for seats in (2, 9))
    for check in (
        tools.check_calls([ToolCall("Booking", good)]),
        tools.check(tagged("Booking", json.dumps(good))),
    ):
        assert check.calls[0].value == Booking(day=dt.date(2024, 2, 29), seats=2)
        assert check.calls[0].arguments == good
    for check in (
        tools.check_calls([ToolCall("Booking", bad)]),
        tools.check(tagged("Booking", json.dumps(bad))),
    ):
        assert check.feedback == (
            "The call to `Booking` is invalid.\nField `seats` of your output must be less than 9.\n"
            "Correct the error and return your whole output again."
        )


def test_annotations_of_the_parameters_follow_the_description() -> None:
    """Servers of MCP send titles, which a signature has no place for."""
    parameters = {
        "type": "object",
        "title": "sellArguments",
        "description": "what to sell",
        "properties": {"number": {"type": "integer", "title": "Number", "examples": [2]}},
        "required": ["number"],
        "additionalProperties": False,
    }
    tools = ToolSet.from_mcp([{"name": "sell", "description": "Sell.", "inputSchema": parameters}])
    assert (
        tools.to_dsl()
        == """\
// Sell. (what to sell; title: "sellArguments")
sell(
  number: int, // (examples: 2)
)"""
    )


def spread(*values: int) -> None: ...


def keyed(**values: int) -> None: ...


def lost(value: Missing) -> None: ...  # type: ignore[name-defined]  # noqa: F821


def file(value: open) -> None: ...  # type: ignore[valid-type]


@pytest.mark.parametrize(
    ("function", "error", "told"),
    [
        (spread, ToolError, "`spread` takes `*values`, which a schema can't describe"),
        (keyed, ToolError, "`keyed` takes `**values`"),
        (lost, ToolError, "the annotations of `lost` use `Missing`, which is not defined there"),
        (file, SchemaError, "at file.value cannot be a schema"),
        (lambda value: value, ToolError, "invalid tool name `<lambda>`"),
        (3, ToolError, "3 is not a function"),
        (Point, ToolError, "is not a function"),
    ],
)
def test_functions_that_are_no_tools(function: Any, error: type[PdlError], told: str) -> None:
    with pytest.raises(error) as caught:
        ToolSet.from_functions(function)
    assert told in str(caught.value)


def test_types_that_are_no_tools() -> None:
    with pytest.raises(ToolError, match="`int` is not a type with named fields"):
        ToolSet.from_types(int)
    with pytest.raises(PdlError) as caught:
        ToolSet.from_functions(spread, keyed)
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize(
    ("tools", "told"),
    [
        ({"name": "a"}, "tools must be a list of dicts, not a value of type dict"),
        ("a", "not a value of type str"),
        ([1], "tool 1 must be a dict, not a value of type int"),
        ([{"name": ""}], "a tool has no name"),
        ([{"description": "x"}], "tool 1 has no name"),
        ([{"name": "a", "description": 1}], "the description of the tool `a` must be a string"),
        ([{"name": "a"}, {"name": "a"}], "duplicate tool name `a`"),
        ([{"type": "web_search"}], "tool 1 must be of the type `function`, not `web_search`"),
        ([{"type": "function", "function": 1}], "the `function` of tool 1 must be a dict"),
        ([{"name": "a", "parameters": {}, "inputSchema": {}}], "has both `parameters` and"),
        (
            [{"name": "a", "parameters": {"type": "array"}}],
            "must be an object, not of the type `array`",
        ),
        ([{"name": "a", "parameters": {"$ref": "#/x"}}], "the parameters of the tool `a`: "),
    ],
)
def test_dicts_that_are_no_tools(tools: Any, told: str) -> None:
    with pytest.raises(PdlError) as caught:
        ToolSet.from_openai(tools)
    assert told in str(caught.value)


def test_dicts_of_other_shapes() -> None:
    """OpenAI's responses, Anthropic, objects of MCP's package."""
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}

    class Listed(pydantic.BaseModel):
        name: str
        input_schema: dict[str, Any] = pydantic.Field(alias="inputSchema")

    flat = {"type": "function", "name": "find", "parameters": schema, "strict": True}
    other = {"name": "find", "input_schema": schema}
    listed = Listed(name="find", inputSchema=schema)
    sets = [ToolSet.from_openai([flat]), ToolSet.from_openai([other]), ToolSet.from_mcp([listed])]
    assert sets[0] == sets[1] == sets[2]


def test_a_set_of_tools() -> None:
    assert len(TOOLS) == 2
    assert [tool.name for tool in TOOLS] == ["echo", "convert"]
    assert "echo" in TOOLS
    assert TOOLS["echo"].function is echo
    with pytest.raises(KeyError):
        TOOLS["nothing"]
    with pytest.raises(TypeError, match="dsl must be a str"):
        ToolSet.parse(3)  # type: ignore[arg-type]


def test_options_that_there_are_not() -> None:
    with pytest.raises(ValueError, match="did you mean `hermes`"):
        TOOLS.grammar("hermess")
    with pytest.raises(ValueError, match="calls must be one of 'one', 'several', 'any', not 'two'"):
        TOOLS.grammar("hermes", "two")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="calls must be one of"):
        TOOLS.check("", calls="two")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="reply must be a str"):
        TOOLS.check(b"")  # type: ignore[arg-type]
    assert TOOLS.grammar("qwen") is TOOLS.grammar("hermes")


def test_how_many_calls_are_wanted() -> None:
    call = '{"tool": "echo", "args": {}}'
    assert [error.reason for error in TOOLS.check("Hi", calls="one").errors] == ["absent"]
    assert TOOLS.check(call, calls="one").ok
    assert TOOLS.check(f"{call}\n{call}", calls="several").ok
    both = TOOLS.check(f"{call}\n{call}", calls="one")
    assert both.errors[0].reason == "ambiguous"
    assert (
        both.feedback == "Your output contains 2 tool calls: `echo`, `echo`.\nCall only one tool."
    )
    assert not TOOLS.check_calls([], wanted="several").ok


def test_calls_that_a_provider_gave() -> None:
    right = ToolCall("echo", {"value": 1}, "c1")
    check = TOOLS.check_calls([right, ToolCall("ech", {}), ToolCall("echo", {"value": {1}})])
    assert check.calls == (right,)
    assert [error.reason for error in check.errors] == ["unknown-tool", "unparsable"]
    assert check.feedback.endswith("Write all calls again, including the correct ones.")


def test_a_tool_that_nothing_satisfies() -> None:
    tools = ToolSet.from_openai(
        [
            {"name": "a"},
            {"name": "b", "parameters": {"required": ["x"], "properties": {"x": False}}},
        ]
    )
    with pytest.raises(SchemaError, match="the parameters of the tool `b`: "):
        tools.grammar("pedro")


def test_functions_are_a_mapping_or_iterable() -> None:
    with pytest.raises(TypeError, match="functions must be a mapping or an iterable of functions"):
        TOOLS.dispatch(ToolCall("echo", {"value": 1}), 5)  # type: ignore[call-overload]
