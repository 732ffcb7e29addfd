"""What a compilation may take is bounded, and said before the work is done where that can be."""

from __future__ import annotations

import gc

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


@pytest.mark.parametrize("runs", [True, False])
def test_the_collector_of_the_process_is_as_it_was(runs: bool) -> None:  # noqa: FBT001 - a case
    before = gc.isenabled()
    (gc.enable if runs else gc.disable)()
    try:
        pdl.gbnf.compile(pdl.Schema.parse("int"))
        with pytest.raises(pdl.SchemaError):
            pdl.gbnf.compile(pdl.Schema.from_json_schema({"type": "string", "enum": [1]}))
        assert gc.isenabled() == runs
    finally:
        (gc.enable if before else gc.disable)()
