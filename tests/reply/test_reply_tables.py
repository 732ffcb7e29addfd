"""Replies in tables: the first line is a schema, each other one a reply and its value.

Both are JSON, with a tab between; `refused` stands where there is no clear answer.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from snapshots import CASES

import pdl

if TYPE_CHECKING:
    from pathlib import Path

TABLES = sorted((CASES / "reply").glob("*.table"))


def rows(path: Path) -> list[tuple[str, str]]:
    """The replies of a table and what each of them gives."""
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (line.rpartition("\t") for line in lines[1:])
    return [(json.loads(reply), value) for reply, _, value in pairs]


def told(schema: pdl.Schema, reply: str) -> str:
    """What a reply gives, as tables have it; the type of the value counts."""
    check = pdl.check(schema, reply)
    assert check.ok or check.feedback
    return json.dumps(check.value, ensure_ascii=False) if check.ok else "refused"


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_each_reply_gives_what_the_table_says(path: Path) -> None:
    """A clear answer is found, and nothing is taken for one that a person would doubt."""
    schema = pdl.Schema.parse(path.read_text(encoding="utf-8").partition("\n")[0])
    found = {reply: told(schema, reply) for reply, _ in rows(path)}
    wrong = {r: (found[r], value) for r, value in rows(path) if found[r] != value}
    assert not wrong
