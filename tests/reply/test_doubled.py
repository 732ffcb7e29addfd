"""A key that stands twice with equal values is read, and the second one is a repair."""

from __future__ import annotations

import pytest

import pdl

ANY = pdl.Schema.parse("any")
CASES = [
    ('{"a": 1, "a": 1}', {"a": 1}, [(("a",), '"a": 1')]),
    ('{"a": 1, "\\u0061": 1.0}', {"a": 1}, [(("a",), '"\\u0061": 1.0')]),
    ('[{"a": [1, {}], "b": ",", "a":[1,{}]}]', [{"a": [1, {}], "b": ","}],
     [((0, "a"), '"a":[1,{}]')]),
    ('{"a": {"b": 1, "b": 1}, "b": 1}', {"a": {"b": 1}, "b": 1}, [(("a", "b"), '"b": 1')]),
    ('{"a": 1, "a": 1, "a" : 1}', {"a": 1}, [(("a",), '"a": 1'), (("a",), '"a" : 1')]),
    ('{"a": [{"c": 1}, {"c": 1}]}', {"a": [{"c": 1}, {"c": 1}]}, []),
]  # fmt: skip


@pytest.mark.parametrize("around", ["%s", "Here it is: %s\nThat is all.", "```json\n%s\n```"])
@pytest.mark.parametrize(("reply", "value", "repairs"), CASES)
def test_each_is_listed_with_its_place(
    around: str, reply: str, value: object, repairs: list[tuple[tuple[str | int, ...], str]]
) -> None:
    whole = around % reply
    check = pdl.check(pdl.Schema.parse("{ [str]: any } | [any]"), whole)
    assert check.value == value
    assert [one.kind for one in check.repairs] == ["duplicate-key"] * len(repairs)
    assert [(one.path, whole[slice(*one.span)]) for one in check.repairs] == repairs


def test_other_values_are_no_repair() -> None:
    assert pdl.check(ANY, '{"a": 1, "a": 2}').reason == "unparsable"
