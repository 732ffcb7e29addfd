"""What stands behind a bracket that closes too early, and brackets that close nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from snapshots import CASES

import pdl

if TYPE_CHECKING:
    from pdl._types import Json

ROWS: list[tuple[str, str, Json]] = json.loads((CASES / "spill.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("notation", "reply", "wanted"), ROWS)
def test_nothing_is_lost_behind_a_bracket(notation: str, reply: str, wanted: Json) -> None:
    """The value, where it is certain that all of it was read; else a refusal."""
    check = pdl.check(pdl.Schema.parse(notation), reply)
    assert (check.value if check.ok else "refused") == wanted, check.feedback


@pytest.mark.parametrize(("notation", "reply", "wanted"), ROWS)
def test_a_closer_too_many_is_told(notation: str, reply: str, wanted: Json) -> None:
    """Whatever is left out of a reply right behind its answer is a repair."""
    check = pdl.check(pdl.Schema.parse(notation), reply)
    if check.ok and check.span and reply[check.span[1] : check.span[1] + 1] in {"}", "]"}:
        assert wanted != "refused"
        assert [repair.kind for repair in check.repairs][-1] == "extra-closer"
