"""Outline, folds, ranges and colors of files of cases."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pdl.edit.document import Document
from pdl.edit.features.folding import folds
from pdl.edit.features.selection import selections
from pdl.edit.features.semantic_tokens import semantic_tokens
from pdl.edit.features.symbols import Symbol, symbols

PATH = Path("review.tests.pdl")
TEXT = """\
# What the reviews of a product say.
# They are short.

<|data|>
product: lamp

<|case|> a good one
<|data|>
text: It shines.
<|reply|>
{"stars": 5}
<|user|> {{ not a template }}
<|expect|>
{
  stars: int<4,5>,
}
<|assert|>
# a comment
value.stars | abs > 4
  and not reason

<|case|>
<|expect|> {"stars": 1}

<|cases|> @rows.jsonl
"""
MARKS = ["case", "data", "reply", "expect", "assert", "messages", "cases", "judge", "user", "Case"]
PIECES = [
    *(f"\n<|{mark}|>" for mark in MARKS),
    *(" a", "\n", "\n", "  ", "# note", "value.a", ' == "x"', "{ a: int }", "{", "}}", "{{", "@x"),
]


def shown(found: tuple[Symbol, ...]) -> list[object]:
    return [(f"{one.kind} {one.name} {one.detail}".rstrip(), *shown(one.children)) for one in found]


def test_symbols() -> None:
    assert shown(symbols(Document(TEXT, PATH))) == [
        ("turn data product: lamp",),
        (
            "case a good one",
            ("turn data text: It shines.",),
            ('turn reply {"stars": 5}',),
            ("turn expect {", ("field stars int<4,5>",)),
            ("turn assert # a comment",),
        ),
        ("case case 2", ('turn expect {"stars": 1}',)),
        ("case @rows.jsonl",),
    ]


def test_folds() -> None:
    document = Document(TEXT, PATH)
    lines = [(*(TEXT.count("\n", 0, at) for at in one.range), one.kind) for one in folds(document)]
    assert lines == [
        (0, 1, "comment"),
        (3, 4, "region"),
        (6, 19, "region"),
        (7, 8, "region"),
        (9, 11, "region"),
        (12, 15, "region"),
        (13, 15, "region"),
        (16, 19, "region"),
        (21, 22, "region"),
    ]


def test_selections_grow_from_a_word_to_its_case() -> None:
    document = Document(TEXT, PATH)
    found = [TEXT[slice(*one)] for one in selections(document, TEXT.index("It shines"))]
    assert found[0] == "It"
    assert "<|data|>\ntext: It shines." in found
    assert next(one for one in found if one.startswith("<|case|>")).endswith("and not reason")
    assert found[-1] == TEXT


def test_tokens() -> None:
    document = Document(TEXT, PATH)
    found = [(TEXT[one.start : one.end], one.kind) for one in semantic_tokens(document)]
    assert found == [
        ("# What the reviews of a product say.", "comment"),
        ("# They are short.", "comment"),
        ("<|data|>", "keyword"),
        ("<|case|>", "keyword"),
        ("a good one", "function"),
        ("<|data|>", "keyword"),
        ("<|reply|>", "keyword"),
        ("<|expect|>", "keyword"),
        ("stars", "property"),
        ("int", "type"),
        ("4", "number"),
        ("5", "number"),
        ("<|assert|>", "keyword"),
        ("# a comment", "comment"),
        ("value", "variable"),
        ("stars", "property"),
        ("abs", "function"),
        ("4", "number"),
        ("and", "keyword"),
        ("not", "keyword"),
        ("reason", "variable"),
        ("<|case|>", "keyword"),
        ("<|expect|>", "keyword"),
        ("<|cases|>", "keyword"),
    ]


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_any_text_has_a_structure(text: str) -> None:
    document = Document(text, PATH)
    symbols(document)
    folds(document)
    end = 0
    for one in semantic_tokens(document):
        assert end <= one.start < one.end <= len(text)
        assert "\n" not in text[one.start : one.end]
        end = one.end
    for at in range(len(text) + 1):
        assert selections(document, at)[-1] == (0, len(text))
