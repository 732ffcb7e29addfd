"""Differences of inputs, as callers that pass values see them."""

from __future__ import annotations

from typing import Any

import pytest

import pdl
from pdl import compare

CASES: tuple[tuple[str, str, tuple[str, ...], bool], ...] = (
    ("{ a: int }", "{ a: int, b: int }",
     (('b: required input added (int): narrowed and widened; {"a":0} was valid,'
      ' {"a":0,"b":0} is now valid'),), True),
    ("{ a: int }", "{ a: int, b: int = 3 }",
     ('b: optional input added (int): widened; {"a":0,"b":0} is now valid',), False),
    ("{ a: int, b: int = 2 }", "{ a: int, b: int = 3 }", ("b: default 2 became 3",), False),
    ("{ a: int, b: int = 2 }", "{ a: int, b: int }",
     ('b: became required: narrowed; {"a":0} was valid', "b: default removed: 2"), True),
    ("{ a: int, b?: str }", "{ a: int }",
     ('b: optional input removed (str): narrowed; {"a":0,"b":""} was valid',), True),
    ("{ a: int, b?: str, [str]: any }", "{ a: int, [str]: any }",
     ('b: optional input removed (str): widened; {"a":0,"b":0} is now valid',), False),
    ("{ a: int }", "{ a: int, [str]: any }",
     ('$: opened to other inputs: widened; {"a":0,"":0} is now valid',), False),
    ("{ x: [N] }\nN = { a: int }", "{ x: [N] }\nN = { a: int, b: int = 1 }",
     ('x[*].b: optional key added (int): widened; {"a":0,"b":0} is now valid',), False),
    ("{ x: [{ a: int }] }", "{ x: [{ a: int<0,> }] }",
     ("x[*].a: int became int<0,>: narrowed; -1 was valid",), True),
    # a default inside of a union is not filled
    ("{ y: N | str }\nN = { a: int }", "{ y: N | str }\nN = { a: int, b: int = 1 }",
     (('y.b: required key added (int): narrowed and widened; {"a":0} was valid,'
      ' {"a":0,"b":0} is now valid'),), True),
)  # fmt: skip


def inputs(text: str | None) -> pdl.Schema | None:
    return None if text is None else pdl.Schema.parse(text)


@pytest.mark.parametrize(("old", "new", "wanted", "breaks"), CASES)
def test_cases(old: str, new: str, wanted: tuple[str, ...], breaks: bool) -> None:  # noqa: FBT001
    found = compare.compare_inputs(inputs(old), inputs(new))
    assert tuple(f"{one.path}: {one.message}" for one in found.changes) == wanted
    assert any(one.breaks == ("callers",) for one in found.changes) == breaks
    assert bool(found.forward) != breaks
    check_witnesses(old, new, found)


def check_witnesses(old: str, new: str, found: compare.Comparison) -> None:
    """Prompts with these inputs take each witness on one side alone."""
    first, second = (pdl.loads(f"<|input|>\n{text}\n\n<|user|>\nHi") for text in (old, new))
    for change in found.changes:
        for witness, one, other in ((change.lost, first, second), (change.gained, second, first)):
            if witness is not None:
                one.render(witness.value)
                with pytest.raises(pdl.InputError):
                    other.render(witness.value)


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        (None, "{ a: int }", "narrowed"),
        ("{ a: int }", None, "widened"),
        (None, "{ a?: any, [str]: any }", "compatible"),
        (None, None, "compatible"),
    ],
)
def test_prompts_without_inputs_take_any(old: Any, new: Any, wanted: str) -> None:
    found = compare.compare_inputs(inputs(old), inputs(new))
    assert found.verdict == wanted
    assert bool(found.changes) == (old != new)


def test_only_schemas_are_compared() -> None:
    with pytest.raises(TypeError, match=r"must be a pdl\.Schema or None"):
        compare.compare_inputs({}, None)  # type: ignore[arg-type]
