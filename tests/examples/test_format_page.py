"""docs/format.md names what prompt files can use: turns, tags, filters, tests, limits."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from jinja2.filters import FILTERS as DEFAULT_FILTERS
from jinja2.tests import TESTS as DEFAULT_TESTS

from pdl import loads
from pdl.errors import PromptError
from pdl.limits import DEFAULT_LIMITS
from pdl.prompt import filters, tera
from pdl.prompt.turns import ROLES

PAGE = (Path(__file__).parents[2] / "docs" / "format.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"[\w<>|]+", PAGE))
TAGS = PAGE.split("**Tags**:", 1)[1].split("There is no", 1)[0]
FILTERS = {*filters.FILTERS, *tera.FILTERS}
ALSO_JINJAS = FILTERS & DEFAULT_FILTERS.keys() - {"safe", "tojson"}
"""Filters of pdl's own that take what Jinja's take: only those that take more are told."""


@pytest.mark.parametrize("name", sorted(FILTERS - ALSO_JINJAS))
def test_filters(name: str) -> None:
    assert name in NAMED


@pytest.mark.parametrize("name", sorted(tera.TESTS.keys() - DEFAULT_TESTS.keys()))
def test_tests(name: str) -> None:
    assert name in NAMED


@pytest.mark.parametrize("name", sorted(tera.FUNCTIONS))
def test_functions(name: str) -> None:
    assert name in NAMED


@pytest.mark.parametrize("name", sorted(ROLES))
def test_turns(name: str) -> None:
    assert re.search(rf"^\| .*`{name}`.* \|", PAGE, re.MULTILINE)


@pytest.mark.parametrize("tag", sorted({*re.findall(r"`([a-z_]+)`", TAGS)} - {"loop"}))
def test_tags(tag: str) -> None:
    """Alone, each is right, or a mistake of another kind than that it is unknown."""
    try:
        loads(f"<|user|>\n{{% {tag} %}}").render()
    except PromptError as error:
        assert error.problem.code != "template/unknown-tag"  # noqa: PT017  (some raise nothing)


@pytest.mark.parametrize(
    "name",
    [
        one.name
        for one in fields(DEFAULT_LIMITS)
        if one.name.split("_")[0] in {"source", "output", "render", "media", "schema", "integer"}
    ],
)
def test_limits(name: str) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith("| `") and name in line)
    assert f"{getattr(DEFAULT_LIMITS, name):,}" in row
