"""Symbols, folding, selections and semantic tokens, of whole and of broken texts."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped import PROMPTS

from pdl.edit.document import Document, Range
from pdl.edit.features.folding import folds
from pdl.edit.features.lenses import lenses
from pdl.edit.features.selection import selections
from pdl.edit.features.semantic_tokens import semantic_tokens
from pdl.edit.features.symbols import Symbol, search, symbols
from pdl.edit.template.bindings import extents
from pdl.edit.template.bindings import outline as outline_of
from pdl.edit.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

PIECES = [
    *("<|user|>", "<|input|>", "<|schema|>", "<|tools|>", "<|config|>", "<|{{ r }}|>", "<|usr|>"),
    *("{% if a %}", "{% else %}", "{% endif %}", "{% macro m(x) %}", "{% endmacro %}", "{% raw %}"),
    *("{% for a in b %}", "{% endfor %}", "{% endraw %}", "{% set v = 1 %}", "{% set w %}", "{%"),
    *("{{ text | trim }}", "{{ a.b[0](c=1) }}", "{{", "}}", "{# x\n y #}", "{#", "\n", "\n", "\n"),
    *("{ a: int, b?: [{ c: str<1,2> }] = [] }", "Name = { x: Name }", "f(a: int)", "// words\n"),
    *(
        "model: m\n",
        "temperature: 0.5\n",
        "<|media(a.png)|>",
        '"',
        "'",
        "{",
        "}",
        "[",
        "(",
        "<",
        " é😀",
    ),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


def outline(found: tuple[Symbol, ...]) -> list[object]:
    """Symbols as names, each with those within it."""
    return [
        f"{one.kind} {one.name}" + f" {one.detail}" * bool(one.detail)
        if not one.children
        else (f"{one.kind} {one.name}" + f" {one.detail}" * bool(one.detail), outline(one.children))
        for one in found
    ]


OUTLINES = [
    ("", []),
    ("words", []),
    ("<|user|>\n\n  Say hello.\nTwice.", ["turn user Say hello."]),
    ("<|usr|>\nx", ["turn usr"]),
    ("<|{{ role }}|>\nx", ["turn {{ role }}"]),
    (
        "<|input|>\n{ a: int<1,2>, // why\n b?: [{ c: str }] = [] }",
        [
            (
                "turn input",
                ["input a int<1,2>", ("input b [{ c: str }] = []", ["field c str"])],
            )
        ],
    ),
    (
        "<|schema|>\n{ root: Node }\nNode = { v: int, kids: [Node] }",
        [
            (
                "turn schema",
                [
                    "field root Node",
                    (
                        "definition Node { v: int, kids: [Node] }",
                        ["field v int", "field kids [Node]"],
                    ),
                ],
            )
        ],
    ),
    (
        "<|tools|>\nfind(text: str, most?: int = 3) // Find it.\nend()",
        [
            (
                "turn tools",
                [
                    (
                        "tool find (text: str, most?: int = 3)",
                        ["parameter text str", "parameter most int = 3"],
                    ),
                    "tool end ()",
                ],
            )
        ],
    ),
    (
        "<|config|>\nmodel: gpt-x\ntemperature:\n",
        [("turn config", ["setting model gpt-x", "setting temperature"])],
    ),
    (
        "{% macro m(a, b=1) %}{% set x = a %}{% endmacro %}\n<|user|>\n{% block b %}{% endblock %}",
        [
            ("macro m (a, b=1)", ["variable x a"]),
            ("turn user {% block b %}{% endblock %}", ["block b"]),
        ],
    ),
    (
        "<|input|>\n{ a: { b: int, c",
        [("turn input", [("input a { b: int, c", ["field b int", "field c"])])],
    ),
]


@pytest.mark.parametrize(("text", "wanted"), OUTLINES, ids=[text for text, _ in OUTLINES])
def test_the_outline_names_turns_and_what_they_declare(text: str, wanted: list[object]) -> None:
    assert outline(symbols(Document(text))) == wanted


def test_a_query_finds_the_names_of_all_files(tmp_path: Path) -> None:
    (tmp_path / "a.pdl").write_text("<|input|>\n{ document: str, mount: int }\n<|user|>\nAsk me")
    (tmp_path / "b.pdl").write_text("{% macro document_list(x) %}{% endmacro %}")
    workspace = Workspace((tmp_path,))

    def names(query: str) -> list[str]:
        return [one.symbol.name for one in search(workspace, query)]

    assert names("doc") == ["document", "document_list"]
    assert names("mnt") == ["mount", "document", "document_list"]
    assert names("ASK") == ["user"]
    assert names("zzz") == []
    assert search(workspace, "mount")[0].location.path == tmp_path / "a.pdl"


FOLDS = [
    ("<|user|>\na\nb\n\n<|system|>\n", [(0, 2)]),
    ("<|user|>\n{% if a %}\nx\n{% else %}\ny\n{% endif %}\nz", [(0, 6), (1, 2), (3, 4)]),
    # The loop encloses the turns: neither contains a tag of it.
    ("{% for a in b %}\n<|user|>\nx\n<|assistant|>\ny\n{% endfor %}", [(0, 4), (1, 2), (3, 4)]),
    ("<|input|>\n{\n a: {\n  b: int\n }\n}", [(0, 5), (1, 4), (2, 3)]),
    ("<|input|>\n{\n // a\n // b\n c: int\n}", [(0, 5), (1, 4), (2, 3)]),
    ("{# a\nb #}\n<|user|> ", [(0, 1)]),
    ("<|user|>\n{% if a %}\nx\n", [(0, 2)]),
    ("{% if a %}{% if b %}\n\n{% endif %}{% endif %}", [(0, 1)]),
]


@pytest.mark.parametrize(("text", "wanted"), FOLDS)
def test_lines_that_can_be_folded(text: str, wanted: list[tuple[int, int]]) -> None:
    line = Document(text).source.position
    found = [
        (line(one.range.start)[0] - 1, line(one.range.end)[0] - 1 - one.keeps_end)
        for one in folds(Document(text))
    ]
    assert found == wanted


SELECTIONS = [
    (
        "<|user|>\nSay {{ te¦xt | trim }} now.\n",
        ["text", "text | trim", "{{ text | trim }}", "Say {{ text | trim }} now."],
    ),
    (
        "<|input|>\n{ a: int, b: str<1,2¦0> }",
        [
            "20",
            "1,20",
            "<1,20>",
            "b: str<1,20>",
            "a: int, b: str<1,20>",
            "{ a: int, b: str<1,20> }",
        ],
    ),
    ("{{ f(a, [b¦, c]) }}", ["b", "b, c", "[b, c]", "a, [b, c]", "(a, [b, c])", "f(a, [b, c])"]),
    ("{% if a %}\n  x¦y\n{% endif %}", ["xy", "{% if a %}\n  xy\n{% endif %}"]),
    ("¦", [""]),
]


@pytest.mark.parametrize(("marked", "wanted"), SELECTIONS)
def test_selections_grow_from_the_word(marked: str, wanted: list[str]) -> None:
    offset = marked.index("¦")
    document = Document(marked.replace("¦", ""))
    found = [document.text[one.start : one.end] for one in selections(document, offset)]
    assert found[: len(wanted)] == wanted


TOKENS = [
    ("<|user|>", ["keyword:<|user|>"]),
    ("<|usr|>", []),
    (
        "<|input|>\n{ a: int<1,2>, b: T } T = 'x'",
        [
            "keyword:<|input|>",
            "parameter:a",
            "type:int",
            "number:1",
            "number:2",
            "parameter:b",
            "class:T",
            "class:T",
            "string:'x'",
        ],
    ),
    (
        '<|schema|>\n{ a: str { pattern: "x" } } // y',
        [
            "keyword:<|schema|>",
            "property:a",
            "type:str",
            "parameter:pattern",
            'string:"x"',
            "comment:// y",
        ],
    ),
    ("<|tools|>\nf(a: Nope)", ["keyword:<|tools|>", "function:f", "property:a"]),
    (
        "<|config|>\nmodel: x\nseed: 3",
        ["keyword:<|config|>", "property:model", "string:x", "property:seed", "number:3"],
    ),
    (
        "<|input|>\n{a: int}\n<|user|>\n{{ a.b | trim(c=1) is defined }}{{ z(not a) }}",
        [
            "keyword:<|input|>",
            "parameter:a",
            "type:int",
            "keyword:<|user|>",
            "parameter:a",
            "property:b",
            "function:trim",
            "parameter:c",
            "number:1",
            "keyword:is",
            "function:defined",
            "function:z",
            "keyword:not",
            "parameter:a",
        ],
    ),
    (
        "{% for x in y %}{% endfor %}{% macro m() %}{% include 'f' %}",
        [
            "keyword:for",
            "variable:x",
            "keyword:in",
            "variable:y",
            "keyword:endfor",
            "keyword:macro",
            "function:m",
            "keyword:include",
            "string:'f'",
        ],
    ),
    ("{# a\n\nb #}<|media(x.png)|>", ["comment:{# a", "comment:b #}", "string:<|media(x.png)|>"]),
    ("<|schema|>\nint<1,{{ n }}>", ["keyword:<|schema|>", "type:int", "number:1", "variable:n"]),
]


@pytest.mark.parametrize(("text", "wanted"), TOKENS)
def test_what_each_word_is(text: str, wanted: list[str]) -> None:
    found = semantic_tokens(Document(text))
    assert [f"{one.kind}:{text[one.start : one.end]}" for one in found] == wanted


LENSES = [
    ("", []),
    ("<|input|>\n{}", []),
    ("<|input|>\n{}\n<|user|>\nx", ["0 render"]),
    ("<|config|>\nmodel: m\n<|user|>\nx", ["0 render", "0 run"]),
    ("<|user|>\nx\n<|schema|>\nint", ["0 render", "2 grammar", "2 JSON Schema"]),
]


@pytest.mark.parametrize(("text", "wanted"), LENSES)
def test_what_can_be_done_with_a_prompt(text: str, wanted: list[str]) -> None:
    document = Document(text)
    found = [
        f"{document.source.position(one.range.start)[0] - 1} {one.title}"
        for one in lenses(document)
    ]
    assert found == wanted


def texts() -> list[str]:
    """The shipped prompts, and cuts of them."""
    drawn = random.Random(5)  # noqa: S311 - no secret
    whole = [path.read_text() for path in PROMPTS]
    return whole + [text[: drawn.randrange(len(text))] for text in whole for _ in range(3)]


def check(text: str) -> None:
    """The laws of all texts."""
    document = Document(text)
    tokens = semantic_tokens(document)
    for one in tokens:
        assert one.start < one.end
        assert "\n" not in text[one.start : one.end]
    assert all(one.end <= after.start for one, after in pairwise(tokens))
    nested([Range(one.range.start, one.range.end) for one in folds(document)])
    nested(
        [*(one.range for one in outline_of(document).pairs), *(one for _, one in extents(document))]
    )
    inside(symbols(document), Range(0, len(text)))
    for offset in range(0, len(text) + 1, max(len(text) // 20, 1)):
        chain = selections(document, offset)
        assert chain[-1] == Range(0, len(text))
        assert chain[0].holds(offset)
        for inner, outer in pairwise(chain):
            assert outer.start <= inner.start <= inner.end <= outer.end
            assert outer != inner


def nested(ranges: list[Range]) -> None:
    """Each two ranges are apart, or one contains the other."""
    stack: list[Range] = []
    for one in sorted(ranges, key=lambda one: (one.start, -one.end)):
        while stack and stack[-1].end <= one.start:
            stack.pop()
        assert not stack or one.end <= stack[-1].end
        stack.append(one)


def inside(found: tuple[Symbol, ...], outer: Range) -> None:
    """Symbols are in order, within what they belong to, and contain their names."""
    for one in found:
        assert outer.start <= one.range.start <= one.range.end <= outer.end
        assert one.range.start <= one.name_range.start <= one.name_range.end <= one.range.end
        assert one.name
        inside(one.children, one.range)
    assert all(one.range.end <= after.range.start for one, after in pairwise(found))


@pytest.mark.parametrize("text", texts())
def test_the_laws_of_prompts(text: str) -> None:
    check(text)


@given(TEXTS)
def test_the_laws_of_any_text(text: str) -> None:
    check(text)
