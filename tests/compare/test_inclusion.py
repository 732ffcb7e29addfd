"""Whether every answer of one schema is valid under another."""

from __future__ import annotations

import pytest

import pdl
from pdl import compare

CASES = (
    ("int", "int", "yes"),
    ("int<1,10>", "int<0,10>", "yes"),
    ("int<1,10>", "int<1,5>", "6"),
    ("{ a: int, b?: str }", "{ a: int }", '{"a":0,"b":""}'),
    ("{ a: int }", "{ a: int, b?: str }", "yes"),
    ("str { pattern: '^[A-Z]{3}$' }", "str { pattern: '^[A-Z]+$' }", "yes"),
    ('"a" | "b"', '"a" | "b" | "c"', "yes"),
    ('"a" | "b"', '"a"', '"b"'),
    ("{ root: N }\nN = { v: int, kids: [N] }", "{ root: M }\nM = { v: int<0,>, kids: [M] }",
     '{"root":{"v":-1,"kids":[]}}'),
)  # fmt: skip


@pytest.mark.parametrize(("old", "new", "wanted"), CASES)
def test_cases(old: str, new: str, wanted: str) -> None:
    found = compare.includes(pdl.Schema.parse(old), pdl.Schema.parse(new))
    if wanted == "yes":
        assert found == compare.Yes()
    else:
        assert isinstance(found, compare.No)
        assert found.witness == wanted
