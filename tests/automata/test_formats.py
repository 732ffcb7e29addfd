"""The formats' languages against the checker's own questions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import sample, spoiled
from snapshots import CASES

from pdl.automata.dfa import Budget
from pdl.automata.formats import Fit, format_of
from pdl.errors import LimitError
from pdl.reply.validation.formats import FORMATS

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

FILES = sorted((CASES / "formats").glob("*.json"))
OTHERS = "0159-:.TZz%/?#[]@aFx~{}\n é．٠"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    found = format_of(path.stem)
    assert found is not None
    assert found.fit.value == case["fit"]
    assert [text for text in case["in"] if not found.dfa.matches(text)] == []
    assert [text for text in case["out"] if found.dfa.matches(text)] == []


def test_each_format_that_is_checked_has_a_language_and_a_case() -> None:
    assert {path.stem for path in FILES} == set(FORMATS)
    assert None not in {format_of(name) for name in FORMATS}


def test_unknown_formats_assert_nothing() -> None:
    assert format_of("barcode") is None


def test_languages_are_small() -> None:
    """A grammar is made of them."""
    found = {name: known.dfa.states for name in FORMATS if (known := format_of(name))}
    assert found["date"] < 40
    assert found["date-time"] < 80
    assert found["uri"] < 200
    assert max(found.values()) < 450


def test_a_budget_holds_for_formats() -> None:
    with pytest.raises(LimitError, match="more than 20 states"):
        format_of("uuid", budget=Budget(20))


@given(st.sampled_from(sorted(FORMATS)), st.integers(0, 60), st.randoms(use_true_random=False))
def test_law_languages_fit_what_is_checked(name: str, length: int, rng: Random) -> None:
    found = format_of(name)
    assert found is not None
    text = sample(found.dfa, rng, length)
    for said in (text, spoiled(text, rng, OTHERS), spoiled(text, rng, OTHERS)):
        ours, theirs = found.dfa.matches(said), FORMATS[name](said)
        if found.fit is not Fit.WIDER:
            assert theirs or not ours, said
        if found.fit is not Fit.NARROWER:
            assert ours or not theirs, said
