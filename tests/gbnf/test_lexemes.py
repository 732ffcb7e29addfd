"""Which rules are lexemes, and which parts of others become rules of their own."""

from __future__ import annotations

import pytest

from pdl import gbnf
from pdl.gbnf.lexemes import Lexemes
from pdl.gbnf.matcher import Matcher
from pdl.gbnf.rtn import compile_rtn

TEXT = r"""
root ::= "{" ws key ":" ws value ("," ws key ":" ws value)* "}"
ws ::= [ \n]*
key ::= "\"" ("a" rest | [^"\\a] char* | "") "\""
rest ::= "b" char+ | [^"\\b] char* | ""
char ::= [^"\\] | "\\" (["\\/bfnrt] | "u" [0-9a-f]{4})
value ::= string | number | list | <[7]> | path
string ::= "\"" char* "\""
number ::= "-"? [0-9]+ ("." [0-9]+)?
list ::= "[" (value ("," value)*)? "]"
path ::= ([a-z] | "/")* ("%" escaped)?
escaped ::= [0-9] [0-9] path
nested ::= [a-z] nested? [a-z]
two ::= "\"" char* "\"" ws "\"" char* "\""
token ::= [a-z] <[7]>
long ::= "a" "bcdefghijklmnopqrstuvwxyz"{5} [0-9]{200} LONG
"""
LONG = " ".join(f'"{number:010}"' for number in range(20))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("root", False),  # a value is in it, which has lists of values
        ("ws", True),
        ("key", False),  # of several loops
        ("rest", True),  # wide
        ("char", True),
        ("value", False),
        ("string", True),
        ("number", True),
        ("list", False),
        ("path", True),  # it comes back at its end, as in a right-linear grammar
        ("escaped", False),  # it is not wide, and without an end
        ("nested", False),  # it comes back in its middle
        ("two", False),  # two strings
        ("token", False),
        ("long", False),
    ],
)
def test_lexemes(rule: str, expected: bool) -> None:  # noqa: FBT001 - of a table
    grammar = gbnf.parse(TEXT.replace("LONG", LONG))
    assert Lexemes(grammar.rule, frozenset({"ws"})).is_lexeme(rule) == expected


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('root ::= "<" [^>]* ">" root?  "x"', 1),
        ('root ::= "<" [^>] [^>]* ">" root? "x"', 1),  # both together
        ('root ::= "<" ([^>]* | "a" [0-9]) ">" root? "x"', 1),
        ('root ::= "<" [a-c]* ">" root? "x"', 0),  # few bytes
        ('root ::= "<" [^>]? ">" root? "x"', 1),
        ('root ::= "<" [^>] ">" root? "x"', 0),  # one character
        ('root ::= "<" ([^>] root "x")* ">"', 0),  # not regular
        ('root ::= "<" [^>]* ">"', 1),
    ],
)
def test_parts_of_rules(text: str, parts: int) -> None:
    """They get numbers after those of all rules, and belong to the rule that they are in."""
    grammar = gbnf.parse(text)
    rtn = compile_rtn(grammar.rule, grammar.limits, parts="lexemes")
    assert rtn.starts[0] >= 0
    assert rtn.names == ["root"] * (1 + parts)
    plain, other = Matcher(grammar.rtn, 0), Matcher(rtn, 0)
    for data in (b"<abc>", b"<a1>", b"<>", b"<\xc3\xa9", b"<a<b>xx", b"<<<", b">"):
        one, two = plain.run(plain.start, data), other.run(other.start, data)
        assert (one[1], one[0].complete) == (two[1], two[0].complete)


def test_rules_that_are_too_deep_in_each_other_are_none() -> None:
    """Which only takes longer."""
    rules = "\n".join(f"r{number} ::= r{number + 1}" for number in range(3000))
    grammar = gbnf.parse(f'root ::= r0 "x"\n{rules}\nr3000 ::= [^x]*')
    assert not Lexemes(grammar.rule, frozenset()).is_lexeme("root")
