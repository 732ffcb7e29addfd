"""docs/templates.md has each filter and each test, with what its expression prints."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from doc_blocks import ROOT, blocks
from jinja2.filters import FILTERS as DEFAULT_FILTERS
from jinja2.tests import TESTS as DEFAULT_TESTS

from pdl import loads
from pdl.prompt import filters, tera

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = (ROOT / "docs" / "templates.md").read_text(encoding="utf-8")
VALUES = json.loads(blocks(PAGE)[0].text)
FILTERS, TESTS = PAGE.split("\n## Tests\n")


def rows(text: str) -> Iterator[tuple[str, str, str]]:
    """The rows of the tables: names, an expression, its result."""
    for line in text.splitlines():
        if line.startswith("| `"):
            names, write, result = re.split(r"(?<!\\)\|", line)[1:-1]
            yield (
                names,
                write.strip(" `").replace("\\|", "|"),
                result.strip(" `").replace("\\|", "|"),
            )


def named(text: str) -> set[str]:
    return {name for names, *_ in rows(text) for name in re.findall(r"`([^`]+)`", names)}


@pytest.mark.parametrize(
    ("write", "result"), [pytest.param(*row[1:], id=row[1]) for row in rows(PAGE)]
)
def test_each_row_is_true(write: str, result: str) -> None:
    rendered = loads(f"<|user|>\n{{{{ {write} }}}}").render(VALUES)
    assert rendered.messages[0].text == result


def test_each_filter_has_a_row() -> None:
    assert named(FILTERS) == DEFAULT_FILTERS.keys() | filters.FILTERS.keys() | tera.FILTERS.keys()


def test_each_test_has_a_row() -> None:
    assert named(TESTS) == DEFAULT_TESTS.keys() | filters.TESTS.keys() | tera.TESTS.keys()
