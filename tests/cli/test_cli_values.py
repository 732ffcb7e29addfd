"""Values from `--context` and `--set`."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdl
from pdl.cli.values import TemplateValues, parse_assignment
from pdl.errors import FileError

if TYPE_CHECKING:
    from pdl._types import Json


def read(*lines: str) -> dict[str, Any]:
    return TemplateValues(None, tuple(map(parse_assignment, lines))).read()


NAMES = st.from_regex(r"[a-z_]\w{0,8}", fullmatch=True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)  # fmt: skip


@given(NAMES, JSON)
def test_a_json_value_is_set_as_it_is(name: str, value: Any) -> None:
    assert read(f"{name}={json.dumps(value)}") == {name: value}


@given(st.lists(NAMES, min_size=1, max_size=5), JSON)
def test_a_path_of_names_sets_an_inner_value(names: list[str], value: Any) -> None:
    values: Any = read(f"{'.'.join(names)}={json.dumps(value)}")
    for name in names:
        values = values[name]
    assert values == value


@pytest.mark.parametrize("text", ["", "a b", "{x}", "NaN", "-Infinity", "01", "nul", "9" * 5000])
def test_what_is_not_json_is_a_string(text: str) -> None:
    assert read(f"name={text}") == {"name": text}


def test_text_nested_beyond_what_python_parses_is_a_string() -> None:
    assert read("name=" + "[" * 100_000) == {"name": "[" * 100_000}


def test_the_last_of_equal_names_wins_and_others_stay() -> None:
    assert read("a.b=1", "a.c=2", "a.b=3", "d=4", "d=5") == {"a": {"b": 3, "c": 2}, "d": 5}


def test_a_name_below_a_value_that_has_no_keys_is_refused() -> None:
    with pytest.raises(click.UsageError, match="`a` is a boolean, which has no keys"):
        read("a=true", "a.b=1")


DECLARED = pdl.loads(
    """
<|input|>
{
  text: str, zip: str<5>, n: int, nick: str?, either: int | str, tag: "1" | "b", day: date, x: any,
  user: User, maybe: User?, map: { [str]: str }, kind: { a: str } | { a: int, b: bool },
}
User = { zip: str, age: int, inner?: User }
<|user|>
hi
"""
).inputs


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("text=5", "5"),
        ("text=null", "null"),
        ('text={"a": 1}', '{"a": 1}'),
        ("text=[1]", "[1]"),
        ('text="5"', "5"),  # as it was: JSON that fits
        ("zip=12345", "12345"),
        ("zip=123", "123"),  # which is too short, and not a number
        ("n=5", 5),
        ("n=five", "five"),
        ("nick=null", None),
        ("nick=5", "5"),
        ("either=5", 5),
        ("either=05", "05"),
        ("tag=1", "1"),
        ("tag=7", 7),
        ("day=2024", "2024"),
        ("x=5", 5),
        ("unknown=5", 5),
        ("user.zip=01234", "01234"),
        ("user.zip=12345", "12345"),
        ("user.age=12345", 12345),
        ("user.inner.zip=12345", "12345"),
        ("user.other=5", 5),
        ("maybe.zip=12345", "12345"),
        ("map.anything=5", "5"),
        ("kind.a=5", 5),
        ("kind.b=5", 5),
    ],
)
def test_a_declared_value_is_of_its_type(line: str, value: Json) -> None:
    """A declared string is a string; everything else is JSON if it can be."""
    found: Any = TemplateValues(None, (parse_assignment(line),)).read(DECLARED)
    for name in line.partition("=")[0].split("."):
        found = found[name]
    assert (found, type(found)) == (value, type(value))


@given(st.text())
def test_every_string_can_be_set_for_a_str(text: str) -> None:
    for line in (f"text={json.dumps(text)}", f"text={json.dumps(text, ensure_ascii=False)}"):
        assert TemplateValues(None, (parse_assignment(line),)).read(DECLARED) == {"text": text}


def test_without_pyyaml_the_error_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def refuse(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name="yaml")

    file = tmp_path_factory.mktemp("yaml") / "ctx.yaml"
    file.write_text("a: 1\n")
    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(FileError, match=r"pip install 'pdl-prompts\[yaml\]'"):
        TemplateValues(str(file), ()).read()
