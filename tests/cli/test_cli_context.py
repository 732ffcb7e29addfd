"""Values from `--context` and `--set`."""

from __future__ import annotations

import importlib
import json
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.cli.context import Data, parse_assignment
from pdl.errors import FileError

NAMES = st.from_regex(r"[a-z_]\w{0,8}", fullmatch=True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)  # fmt: skip


@given(NAMES, JSON)
def test_a_json_value_is_set_as_it_is(name: str, value: Any) -> None:
    assert parse_assignment(f"{name}={json.dumps(value)}") == ((name,), value)


@given(st.lists(NAMES, min_size=1, max_size=5), JSON)
def test_a_path_of_names_sets_an_inner_value(names: list[str], value: Any) -> None:
    values: Any = Data(None, ((tuple(names), value),)).read()
    for name in names:
        values = values[name]
    assert values == value


@pytest.mark.parametrize("text", ["", "a b", "{x}", "NaN", "-Infinity", "01", "nul", "9" * 5000])
def test_what_is_no_json_is_text(text: str) -> None:
    assert parse_assignment(f"name={text}") == (("name",), text)


def test_text_nested_beyond_what_python_parses_is_text() -> None:
    assert parse_assignment("name=" + "[" * 100_000) == (("name",), "[" * 100_000)


def test_the_last_of_equal_names_wins_and_others_stay() -> None:
    assignments = tuple(map(parse_assignment, ["a.b=1", "a.c=2", "a.b=3", "d=4", "d=5"]))
    assert Data(None, assignments).read() == {"a": {"b": 3, "c": 2}, "d": 5}


def test_a_name_below_a_value_that_has_no_keys_is_refused() -> None:
    assignments = tuple(map(parse_assignment, ["a=true", "a.b=1"]))
    with pytest.raises(click.UsageError, match="`a` is a boolean, which has no keys"):
        Data(None, assignments).read()


def test_without_pyyaml_the_error_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def refuse(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name="yaml")

    file = tmp_path_factory.mktemp("yaml") / "ctx.yaml"
    file.write_text("a: 1\n")
    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(FileError, match=r"pip install 'pdl-prompts\[yaml\]'"):
        Data(str(file), ()).read()
