"""What a compilation may take is bounded, and said before the work is done where that can be."""

from __future__ import annotations

import pytest

import pdl
from pdl.gbnf import Options


def test_the_time_is_bounded() -> None:
    schema = pdl.Schema.parse("{ a: [int], b: str }")
    with pytest.raises(pdl.LimitError, match="compiling the schema takes longer than 0 seconds"):
        pdl.gbnf.compile(schema, limits=pdl.Limits(grammar_seconds=0))


def test_orders_of_too_many_keys_are_not_asked_for() -> None:
    with pytest.raises(ValueError, match="max_required must be 12 or less"):
        Options(key_order="any", max_required=13)
