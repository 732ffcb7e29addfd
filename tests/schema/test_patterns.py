"""Patterns of ECMA-262, where the library that runs them reads another meaning."""

from __future__ import annotations

import pytest

from pdl.schema.patterns import matches, pattern_error

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
    assert pattern_error(pattern) == ""
    assert matches(pattern, text) is found


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:(?:(?:a{50}){50}){50}){50}",
        "(" * 14 + "x" + "+){2}" * 30,
        "((a{9999}){9999})+",
        "a{1000}" * 18_000,
    ],
)
def test_counts_that_multiply_or_add_up_are_refused_at_once(pattern: str) -> None:
    assert pattern_error(pattern)


@pytest.mark.parametrize("pattern", ["a" * 500_000, "(?:[a-z]{1,63}\\.){1,126}", "a{1000}" * 500])
def test_what_is_only_long_is_taken(pattern: str) -> None:
    assert pattern_error(pattern) == ""


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (r"\d++", "the quantifier `+` repeats another, at character 4"),
        ("^a*+$", "the quantifier `+` repeats another, at character 4"),
        ("a{2,3}+", "the quantifier `+` repeats another, at character 7"),
        ("a+?{2}", "the quantifier `{2}` repeats another, at character 4"),
        (r"x\p{Foo}", "unknown property, at character 2"),
        ("a(?i)", "unknown group, at character 2"),
        (r"\d(b", "missing ), at character 4"),
        (r"a\y", r"bad escape \y, at character 3"),
    ],
)
def test_what_is_no_pattern_is_told_with_its_place(pattern: str, why: str) -> None:
    assert pattern_error(pattern) == why


@pytest.mark.parametrize("pattern", ["a+?", "a{2,3}?", "[+*+]", r"\++", "(?:a+)+", "a??b+"])
def test_quantifiers_that_repeat_no_other(pattern: str) -> None:
    assert pattern_error(pattern) == ""
