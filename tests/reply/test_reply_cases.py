"""Kinds of replies: `NAME.case` holds a schema and a reply, the file beside it the outcome."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pdl

if TYPE_CHECKING:
    from snapshots import Snapshot

CASES = Path(__file__).parent.parent / "cases" / "reply"
SEPARATOR = "\n=== reply ===\n"


def read(path: Path) -> tuple[pdl.Schema, str]:
    """The schema and the reply of a case; line ends count."""
    with path.open(encoding="utf-8", newline="") as file:
        notation, _, reply = file.read().partition(SEPARATOR)
    if notation.startswith('{"'):
        return pdl.Schema.from_json_schema(json.loads(notation)), reply
    return pdl.Schema.parse(notation), reply


def cases(folder: str) -> list[Path]:
    return sorted((CASES / folder).glob("*.case"))


@pytest.mark.parametrize("path", cases("valid"), ids=lambda path: path.stem)
def test_valid(path: Path, snapshot: Snapshot) -> None:
    """The one answer is found, and each change of spelling is named."""
    check = pdl.check(*read(path))
    assert check.ok, check.feedback
    assert check.errors == ()
    assert check.feedback == check.summary == ""
    shown = {"value": check.value, "repairs": [repair.kind for repair in check.repairs]}
    text = json.dumps(shown, ensure_ascii=False, indent=1)
    snapshot.check(path.with_suffix(".json"), text)


@pytest.mark.parametrize("path", cases("invalid"), ids=lambda path: path.stem)
def test_invalid(path: Path, snapshot: Snapshot) -> None:
    """The reply is refused, for the right reason and in words that help."""
    check = pdl.check(*read(path))
    assert not check.ok, check.value
    assert check.value is None
    assert check.errors
    assert all(len(error.found) <= 40 for error in check.errors)
    snapshot.check(path.with_suffix(".txt"), f"{check.reason}\n\n{check.feedback}")
