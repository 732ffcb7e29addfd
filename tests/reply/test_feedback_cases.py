"""Kinds of errors: `NAME.case` holds a schema and a reply, the file beside it what is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pdl
from pdl._types import format_path

if TYPE_CHECKING:
    from snapshots import Snapshot

    from pdl.reply import Violation

CASES = Path(__file__).parent.parent / "cases" / "feedback"
SEPARATOR = "\n=== reply ===\n"


def read(path: Path) -> tuple[pdl.Schema, str]:
    """The schema and the reply of a case, without the line end of the file."""
    notation, _, reply = path.read_text(encoding="utf-8").removesuffix("\n").partition(SEPARATOR)
    if notation.startswith('{"'):
        return pdl.Schema.from_json_schema(json.loads(notation)), reply
    return pdl.Schema.parse(notation), reply


@pytest.mark.parametrize("path", sorted(CASES.glob("*.case")), ids=lambda path: path.stem)
def test_what_is_said(path: Path, snapshot: Snapshot) -> None:
    """The reason, the feedback, and each error with its path, its place and its fields."""
    schema, reply = read(path)
    check = pdl.check(schema, reply)
    assert not check.ok, check.value
    assert all(len(error.found) <= 40 for error in check.errors)
    assert check.errors == tuple(dict.fromkeys(check.errors))
    told = "\n".join(_fields(error, reply) for error in check.errors)
    snapshot.check(path.with_suffix(".txt"), f"{check.reason}\n\n{check.feedback}\n\n{told}")


def _fields(error: Violation, reply: str) -> str:
    place = repr(reply[slice(*error.span)]) if error.span else "nowhere"
    return (
        f"{format_path(error.path)} [{error.keyword}] at {place}\n"
        f"  found {error.found}\n  wanted {error.wanted}"
    )
