"""docs/testing.md names all that files of cases and the ways of running them have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pdl.cli.commands.test import command
from pdl.testing import plugin
from pdl.testing.assertions import NAMES
from pdl.testing.forms import REASONS
from pdl.testing.rows import COLUMNS
from pdl.testing.sections import MARKS

PAGE = (Path(__file__).parents[2] / "docs" / "testing.md").read_text(encoding="utf-8")


def rows(header: str) -> str:
    """The first column of a table: in the page after a header, up to the next blank line."""
    lines = PAGE.split(header, 1)[1].split("\n\n", 1)[0].replace("\\|", "¦").splitlines()[2:]
    return "\n".join(line.split("|")[1] for line in lines)


def test_marks() -> None:
    assert set(re.findall(r"<¦(\w+)¦>", rows("| mark |"))) == set(MARKS)


def test_reasons() -> None:
    listed = PAGE.split("- Reasons: ", 1)[1].split("\n", 1)[0]
    assert set(re.findall(r"`([\w-]+)`", listed)) == set(REASONS)


def test_names_of_assertions() -> None:
    assert set(re.findall(r"`(\w+)`", rows("| name |"))) == set(NAMES)


def test_columns_of_tables() -> None:
    listed = PAGE.split("A row of a table has", 1)[1].split("\n\n", 1)[0]
    assert set(re.findall(r"`(\w+)`", listed)) >= set(COLUMNS)


def test_options_of_the_command() -> None:
    found = set(re.findall(r"(?<=`)--?[\w-]+", rows("`pdl test`:\n\n| option |")))
    options = {one for each in command.params for one in each.opts if one.startswith("-")}
    assert found == options - {"-o"}


def test_options_of_pytest() -> None:
    parser = pytest.Parser(_ispytest=True)
    plugin.pytest_addoption(parser)
    known = {name for option in parser.getgroup("pdl").options for name in option.names()}
    assert set(re.findall(r"(?<=`)--pdl-[\w-]+", rows("| option |"))) == known
