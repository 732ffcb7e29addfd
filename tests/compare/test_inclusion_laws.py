"""Laws of inclusion, for random schemas and values that often fit them."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
import schemata
from hypothesis import given
from hypothesis import strategies as st
from schema_pairs import chance, drawn, loaded, pair, values

import pdl
from pdl import compare
from pdl.errors import PdlError
from pdl.reply import violations
from pdl.reply.query import form_of

if TYPE_CHECKING:
    from random import Random

SEEDS = st.integers(0, 10**9)
SAMPLES = 60


def is_kept(old: pdl.Schema, new: pdl.Schema) -> bool:
    """Whether all values are included; the answers might be strings without quotes for only one."""
    found = compare.includes(old, new)
    if isinstance(found, compare.Unknown):
        return form_of(old) != form_of(new)
    return not isinstance(found, compare.No) or not violations(new, found.value)


def judge(old: pdl.Schema, new: pdl.Schema, rng: Random) -> compare.Inclusion:
    """The verdict, which samples don't refute.

    It is never unknown for these schemas, unless one of them is read as text.
    """
    found = compare.includes(old, new)
    if isinstance(found, compare.Unknown):
        assert form_of(old) != form_of(new), found.why
    elif isinstance(found, compare.No):
        assert not violations(old, found.value)
        assert pdl.check(old, found.witness).value == found.value
        again = pdl.check(new, found.witness)
        assert not again.ok or again.value != found.value
    else:
        for value in [*values(old, rng, SAMPLES), *generated(old, rng, SAMPLES // 10)]:
            assert not violations(new, value)
    return found


def generated(schema: pdl.Schema, rng: Random, count: int) -> list[Any]:
    """Values of the grammar of a schema, if it has some."""
    try:
        grammar = pdl.gbnf.compile(schema).grammar
    except PdlError:
        return []
    texts = (grammar.generate(rng, size=60) for _ in range(count))
    made = (json.loads(text, strict=False) for text in texts)
    return [value for value in made if not violations(schema, value)]


@given(SEEDS)
def test_verdicts_are_right(seed: int) -> None:
    """Of a yes all samples fit, a no has a witness, and a text is the same each time."""
    rng = chance(seed)
    old, new = pair(rng)
    assert compare.includes(old, new) == judge(old, new, rng)


@given(SEEDS)
def test_a_schema_includes_itself(seed: int) -> None:
    """However it is written: with other annotations, in another order, around itself."""
    schema = drawn(chance(seed))[0]
    turned = {key: deepcopy(schema.document[key]) for key in [*schema.document][::-1]}
    inner = {key: value for key, value in schema.document.items() if key != "$defs"}
    for other in (
        pdl.Schema({**turned, "title": "other"}),
        pdl.Schema({"allOf": [True, inner], "$defs": schema.document["$defs"]}),
    ):
        assert is_kept(schema, other)
        assert is_kept(other, schema)


@given(SEEDS)
def test_inclusion_is_transitive(seed: int) -> None:
    one, two, three = drawn(chance(seed))
    if compare.includes(one, two) and compare.includes(two, three):
        assert is_kept(one, three)


@given(SEEDS)
def test_a_schema_is_within_what_it_is_joined_from(seed: int) -> None:
    rng = chance(seed)
    inner = [schemata.schema(rng, 2) for _ in range(2)]
    definitions = schemata.document(rng)["$defs"]
    both = loaded({"allOf": inner, "$defs": definitions})
    either = loaded({"anyOf": inner, "$defs": definitions})
    if both is not None and either is not None:
        assert is_kept(both, either)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 4_000, 100))
def test_many_verdicts_are_right(start: int) -> None:
    for number in range(start, start + 100):
        rng = chance(f"inclusion {number}")
        old, new = pair(rng)
        judge(old, new, rng)
