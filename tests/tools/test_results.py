"""What functions give back, or raise, and what a model is told of it."""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import json
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.tools import ToolCall, ToolResult, ToolSet

TOOLS = ToolSet.parse("give()")
CALL = ToolCall("give")
KEY = UUID("12345678-1234-5678-1234-567812345678")
NO_JSON = "the result contains a value of type "


def given_back(value: object) -> ToolResult:
    return TOOLS.dispatch(CALL, {"give": lambda: value})


class Odd:
    """No JSON, and nothing that iterates."""


def circle() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (KEY, f'"{KEY}"'), (Decimal("1.50"), '"1.50"'), (dt.timedelta(hours=1), '"1:00:00"'),
        (ipaddress.ip_address("::1"), '"::1"'), ({1: "a"}, '{"1": "a"}'),
        ((one for one in (1, 2)), "[1, 2]"), ("\ud83d\ude00!", "😀!"), ("a\ud83d", "a\ufffd"),
        ({"a": "\udc00"}, '{"a": "\ufffd"}'), (10**400, f"1{'0' * 400}"),
    ],
)  # fmt: skip
def test_plain_values_are_text(value: object, text: str) -> None:
    assert given_back(value) == ToolResult(CALL, text)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (float("nan"), "the result cannot be written as JSON: Out of range float values"),
        ([1, float("inf")], "the result cannot be written as JSON: Out of range float values"),
        (b"abc", "the result contains bytes, not text or JSON"),
        ([bytearray(b"a")], "the result contains bytearray, not text or JSON"),
        (Odd(), f"{NO_JSON}test_results.Odd, which is neither text nor JSON"),
        ({"a": [object()]}, f"{NO_JSON}object, which is neither text nor JSON"),
        (Odd, f"{NO_JSON}type, which is neither text nor JSON"),
        (circle(), "the result cannot be written as JSON: Circular reference detected"),
        ({(1, 2): 3}, "the result cannot be written as JSON: keys must be str"),
    ],
)
def test_other_values_fail(value: object, told: str) -> None:
    result = given_back(value)
    assert result.failed
    assert result.text.startswith(told.replace("test_results", __name__))


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists))
def test_a_result_is_json_or_has_failed(value: object) -> None:
    result = given_back([value])
    assert result.failed or json.loads(result.text) is not None
    result.text.encode()


class WordlessError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def wordless() -> None:
    raise WordlessError


def halted() -> None:
    raise KeyboardInterrupt


class HaltingError(Exception):
    def __str__(self) -> str:
        raise KeyboardInterrupt


def halting() -> None:
    raise HaltingError


def test_errors_without_words() -> None:
    tools = ToolSet.from_functions(wordless)
    assert tools.dispatch(ToolCall("wordless")).text == "WordlessError"
    assert asyncio.run(tools.dispatch_async(ToolCall("wordless"))).failed
    with pytest.raises(WordlessError):
        tools.dispatch(ToolCall("wordless"), raise_errors=True)


@pytest.mark.parametrize("function", [halted, halting])
def test_what_ends_the_program_ends_it(function: Any) -> None:
    tools = ToolSet.from_functions(function)
    with pytest.raises(KeyboardInterrupt):
        tools.dispatch(ToolCall(function.__name__))


def ping(host: str, times: int = 1) -> str:
    return f"{host} {times!r}"


def nop() -> None: ...


def kind(of: Literal[1, "1", True]) -> str:
    return repr(of)


OWN = ToolSet.from_functions(ping, nop, kind)


@pytest.mark.parametrize(
    ("value", "told"), [(1, "1"), (1.0, "1"), ("1", "'1'"), (True, "True")]
)  # fmt: skip
def test_literals_are_the_values_that_they_name(value: object, told: str) -> None:
    assert OWN.dispatch(ToolCall("kind", {"of": value})).text == told


@pytest.mark.parametrize(
    "arguments", [[], None, 3, "", "[]", "{", '{"host": NaN}', '{"host": "a"} x', b"{}"]
)
def test_arguments_that_are_no_object(arguments: Any) -> None:
    for name in ("nop", "ping"):
        check = OWN.check_calls([ToolCall(name, arguments)])
        assert [error.reason for error in check.errors] == ["unparsable"]
        result = OWN.dispatch(ToolCall(name, arguments))
        assert result.failed
        assert result.text.startswith(f"The arguments of `{name}` are not a JSON object.\n")


def test_arguments_as_the_text_of_an_object() -> None:
    call: Any = ToolCall("ping", '{"host": "a", "times": 2.0}', "c1")  # type: ignore[arg-type]
    assert OWN.check_calls([call]).calls == (ToolCall("ping", {"host": "a", "times": 2}, "c1"),)
    assert OWN.dispatch(call).text == "a 2"
    twice: Any = '{"host": "a", "host": "b"}'
    assert "has the field `host` twice" in OWN.dispatch(ToolCall("ping", twice)).text


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (None, "dispatch takes a ToolCall or several, not NoneType"),
        ("x", "dispatch takes a ToolCall or several, not str"),
        (["x"], "dispatch takes a ToolCall or several, not str"),
        (
            {"name": "nop"},
            r"dispatch takes a ToolCall or several, not dict: write ToolCall\(name, arguments\)",
        ),
        ([{"name": "nop"}], "not dict: write ToolCall"),
        ([ToolCall(3)], "the name and the id of a ToolCall must be str"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_call(given: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        OWN.dispatch(given)
    with pytest.raises(TypeError, match=told.replace("dispatch", "dispatch_async")):
        asyncio.run(OWN.dispatch_async(given))
    with pytest.raises(TypeError, match=told.replace("dispatch", "check_calls")):
        OWN.check_calls(given)
