"""The tokens of typed turns, of texts that parse and of texts that don't."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.edit.notation import read

CASES = [
    ("{ a: int<0,5> }", "key:a type:int bound:0 bound:5"),
    ('{ "b"?: [str]<1,2> = ["x"] }', 'key:"b" type:str bound:1 bound:2 value:"x"'),
    ("{ [str]: any }", "key:str type:any"),
    ("Foo { min: 1, x: {a: 2} }?", "type:Foo constraint:min value:1 constraint:x key:a value:2"),
    ("A\nA = 1 | true | 'x'", "type:A definition:A literal:1 literal:true literal:'x'"),
    ("{ a: int // words\n}", "key:a type:int comment:// words"),
    ("{ a: int\n  b?: str }", "key:a type:int key:b type:str"),  # a comma is missing
    ('{ a: "x\n, b: str }', 'key:a error:"x key:b type:str'),
    ("{ a: {\nX = [", "key:a definition:X"),
    ("{ a: # }", "key:a error:#"),
    ("]", "error:]"),
]
TOOLS = [
    (
        'go(to: "a" | "b", by?: str = "x") // W',
        'tool:go key:to literal:"a" literal:"b" key:by type:str value:"x" comment:// W',
    ),
    ("one(\ntwo(a: T)\nT = int", "tool:one tool:two key:a type:T definition:T type:int"),
]
EXPECTED = [
    ("", "start text"),
    ("{ ", "key object"),
    ("{ a", "key object"),
    ("{ a: ", "type object"),
    ("{ a: in", "type object"),
    ("{ a: int ", "after object"),
    ("{ a: int<", "bound bounds"),
    ("{ a: [int] { ", "constraint constraints"),
    ("str { min: ", "value constraints"),
    ("{ a: int = ", "value object"),
    ("{ a: [", "type array"),
    ("{ a: (int | ", "type group"),
    ("T\nT = ", "type text"),
    ("{ a: int } // words", "after text"),
]


def _roles(text: str, *, tools: bool = False) -> str:
    tokens = read(text, tools=tools).tokens
    return " ".join(f"{one.role}:{one.text}" for one in tokens if one.role != "operator")


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_each_token_has_its_part(text: str, expected: str) -> None:
    assert _roles(text) == expected


@pytest.mark.parametrize(("text", "expected"), TOOLS)
def test_tokens_of_tools(text: str, expected: str) -> None:
    assert _roles(text, tools=True) == expected


@pytest.mark.parametrize(("text", "expected"), EXPECTED)
def test_what_can_follow(text: str, expected: str) -> None:
    """What is half typed at the end counts as not there yet."""
    notation = read(text)
    follows, frame = notation.expected(len(text.rstrip("abcdefghijklmnopqrstuvwxyz")))
    assert f"{follows} {notation.frames[frame].kind}" == expected


@pytest.mark.parametrize(
    ("text", "word", "path"),
    [
        ("{ a: { b: [{ c: int }] } }", "int", "a b c"),
        ("{ a: X }\nX = { k: str }", "k", "X k"),
        ("{ a: { b: int }, c: [str] { min: 1 } }", "min", "c"),
        ("{ a: { b: int } = {x: 1}, c: str }", "str", "c"),
    ],
)
def test_the_path_of_a_token(text: str, word: str, path: str) -> None:
    notation = read(text)
    index = next(at for at, one in enumerate(notation.tokens) if one.text == word)
    assert " ".join(notation.tokens[one].text for one in notation.path(index)) == path


@given(st.text("{}[]()<>|?:=,\"'ab1 \n/#A."), st.booleans())
def test_every_text_is_read(text: str, tools: bool) -> None:  # noqa: FBT001
    """Tokens are in order, cover all but blanks, and their brackets nest."""
    tokens, frames = read(text, 7, tools=tools)
    assert all(text[one.start - 7 : one.end - 7] == one.text != "" for one in tokens)
    assert all(one.end <= other.start for one, other in itertools.pairwise(tokens))
    covered = "".join(one.text for one in tokens)
    assert "".join(covered.split()) == "".join(text.split())
    assert all(-1 <= frame.parent < at for at, frame in enumerate(frames))
    assert all(0 <= one.frame < len(frames) and one.owner < at for at, one in enumerate(tokens))
