"""Patterns of ECMA-262, where the library that runs them reads another meaning."""

from __future__ import annotations

import pytest

from pdl.schema.patterns import complaint, matches

CASES = [
    ("[]", "a", False),
    ("[^]", "\n", True),
    ("[\\w-.]", "-", True),
    ("[\\w-.]", "~", False),
    ("[\\w-a]", "-", True),
    ("[\\w-a]", "`", False),
    ("[a-\\d]", "-", True),
    ("[a-\\d]", "b", False),
    ("[--a]", "5", True),
    ("[--a]", "b", False),
    ("[^--a]", "5", False),
    ("[-a]", "-", True),
    ("[\\d-]", "-", True),
    ("[a-c]", "b", True),
]


@pytest.mark.parametrize(("pattern", "text", "found"), CASES)
def test_classes(pattern: str, text: str, found: bool) -> None:  # noqa: FBT001 - an outcome
    assert complaint(pattern) == ""
    assert matches(pattern, text) is found


@pytest.mark.parametrize(
    "pattern",
    ["(?:(?:(?:a{50}){50}){50}){50}", "(" * 14 + "x" + "+){2}" * 30, "((a{9999}){9999})+"],
)
def test_counts_that_multiply_are_refused_at_once(pattern: str) -> None:
    assert complaint(pattern)
