"""The canonical layout of schemas and tools: spacing, line breaks, commas, comments."""

from __future__ import annotations

import pytest

import pdl
from pdl.edit.formatting.layout import WIDTH, applied, layout_edits
from pdl.schema.dsl.tree import parse
from pdl.source import Source

LAYOUTS = {
    "spaces": ("{a:int,b ?:str<1,2>= 'x'}", "{ a: int, b?: str<1,2> = 'x' }"),
    "tight": ("{ a : int < -5 , 5 > ? }", "{ a: int<-5,5>? }"),
    "other keys": ("{[ str ]:any}", "{ [str]: any }"),
    "constraints": ("str{min:0,max :5}", "str { min: 0, max: 5 }"),
    "the author's words": ("{ 'a'?: integer { min: 0, } }", "{ 'a'?: integer { min: 0 } }"),
    "unions": ('"a"|"b"|(int|str)?', '"a" | "b" | (int | str)?'),
    "values": ("{ a: any = [1,{b:2 ,}] }", "{ a: any = [1, { b: 2 }] }"),
    "empty": ("{ a: [ ], b: {\n}, c: str {} }", "{\n  a: [],\n  b: {},\n  c: str {},\n}"),
    "a field a line": ("{ a: int,\nb: str }", "{\n  a: int,\n  b: str,\n}"),
    "a break within": (
        "{ a: { b: int,\n c: str } }",
        "{\n  a: {\n    b: int,\n    c: str,\n  },\n}",
    ),
    "commas first": ("{ a: int // x\n, b: str }", "{\n  a: int,  // x\n  b: str,\n}"),
    "blank lines": ("{\n\n\n a: int,\n\n\n\n b: str\n\n}", "{\n  a: int,\n\n  b: str,\n}"),
    "an array of objects": ("[{\na: int}]<1,5>", "[{\n  a: int,\n}]<1,5>"),
    "a tuple": ("[int,\nstr]", "[\n  int,\n  str,\n]"),
    "objects beside bars": ("{\na: int} | {\nb: int}", "{\n  a: int,\n} | {\n  b: int,\n}"),
    "the author's bars": ('"a" |\n"b" | "c"', '"a"\n  | "b" | "c"'),
    "comments after bars": (
        '{ kind: "a" | // it is a\n        // it\n  "b" | // it is b\n "c"\n}',
        '{\n  kind: "a"  // it is a\n    // it\n    | "b"  // it is b\n    | "c",\n}',
    ),
    "a comment on two lines after a bar": (
        '"a" | // it\n      // is a\n"b"',
        '"a"  // it\n     // is a\n  | "b"',
    ),
    "a comment between a bar and its type": (
        '{ a: "a" // it is a\n | // and b\n\n\n "b", c: int }',
        '{\n  a: "a"  // it is a\n    // and b\n    | "b",\n  c: int,\n}',
    ),
    "a comment below a bar that describes nothing": (
        '"a" |\n// above\n\n"b"',
        '"a"\n  // above\n\n  | "b"',
    ),
    "comments beside bars": (
        '{ a: int, // one\n  b: "bb" // two\n | "c", // three\n d: { // four\n e: int // five\n}}',
        (
            '{\n  a: int,   // one\n  b: "bb"   // two\n    | "c",  // three\n'
            "  d: {      // four\n    e: int,  // five\n  },\n}"
        ),
    ),
    "names": ("{ a: T } T = [U]\n\n\nU=int", "{ a: T }\nT = [U]\n\nU = int"),
    "comments": (
        "{\n//one\na: int, //  two\nlong: str // three\n}",
        "{\n  // one\n  a: int,     //  two\n  long: str,  // three\n}",
    ),
    "a comment on two lines": (
        "{ a: int, // one\n          // two\n  // three\n  b: str }",
        "{\n  a: int,  // one\n           // two\n  // three\n  b: str,\n}",
    ),
    "comments that describe nothing": (
        "{\n  // one\n\n\n  a: int\n  // two\n}",
        "{\n  // one\n\n  a: int,\n  // two\n}",
    ),
    "comments in a field": ("{ a: // one\nint }", "{\n  a:  // one\n    int,\n}"),
    "far comments": (
        f"{{ a: int, // one\n b: '{'x' * 30}' // two\n}}",
        f"{{\n  a: int,  // one\n  b: '{'x' * 30}',  // two\n}}",
    ),
    "a long object": (
        f"{{ a: '{'x' * 40}', b: '{'y' * 40}' }}",
        f"{{\n  a: '{'x' * 40}',\n  b: '{'y' * 40}',\n}}",
    ),
    "a long union": (
        f"{{ a: '{'x' * 40}' | '{'y' * 40}' }}",
        f"{{\n  a: '{'x' * 40}'\n    | '{'y' * 40}',\n}}",
    ),
    "a long array": (
        f"[{{ a: '{'x' * 40}', b: '{'y' * 40}' }}]<1,2>",
        f"[{{\n  a: '{'x' * 40}',\n  b: '{'y' * 40}',\n}}]<1,2>",
    ),
    "whatever is a space": ("{ a:\u2028int,\ufeff b: str\x0c}", "{ a: int, b: str }"),
    "another form": ("code{lang:'py'}", "code { lang: 'py' }"),
}
TOOLS = {
    "signatures": ("f( a:int )// it\ng ( )", "f(a: int)  // it\ng()"),
    "parameters": ("f(\na: int, // one\nb: T)\nT={}", "f(\n  a: int,  // one\n  b: T,\n)\nT = {}"),
    "above": ("//it does\n// all\nf(a:int=5)", "// it does\n// all\nf(a: int = 5)"),
}
UNREAD = [
    *(
        "{ a: }",
        "{ a: int",
        "{ a:int # no\n}",
        "{ a: int /* no */ }",
        "{ a:'x }",
        "a b",
        "{a:int}}",
    ),
    "{a:int\n// of nothing that can be moved\n,b:int}",
]
"""Schemas that have no syntax tree, or whose comments would describe something else."""


@pytest.mark.parametrize(("text", "wanted"), LAYOUTS.values(), ids=LAYOUTS)
def test_layout(text: str, wanted: str) -> None:
    parse(Source(text))
    assert applied(text, layout_edits(text, 0)) == wanted
    assert layout_edits(wanted, 0) == []


@pytest.mark.parametrize(("text", "wanted"), TOOLS.values(), ids=TOOLS)
def test_layout_of_tools(text: str, wanted: str) -> None:
    assert applied(text, layout_edits(text, 0, tools=True)) == wanted
    assert layout_edits(wanted, 0, tools=True) == []


@pytest.mark.parametrize("text", UNREAD)
def test_what_is_not_certain_is_left_alone(text: str) -> None:
    assert layout_edits(text, 0) == []
    assert layout_edits(text, 0, tools=True) == []


def test_a_line_is_as_long_as_in_the_dsl_that_pdl_writes() -> None:
    values = " | ".join(f'"{number:03}"' for number in range(30))
    written = pdl.Schema.parse(f"{{ a: {values}, b: str }}").to_dsl()
    assert layout_edits(written, 0) == []
    assert max(map(len, written.splitlines())) <= WIDTH
