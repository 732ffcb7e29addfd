"""The scanner: Jinja's lexer on what that reads, and tags of their own line on what it does not."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from effort import effort
from hypothesis import assume, example, given
from hypothesis import strategies as st
from jinja2 import TemplateSyntaxError
from shipped import prompts_below

import pdl
from pdl.prompt.markers import Stretch, located
from pdl.prompt.scan import Piece, followed, scan, stretches, tokens
from pdl.prompt.template import normalize_newlines
from pdl.source import Source

ROOT = Path(__file__).parents[2]
FILES = prompts_below("prompts", "tests/cases")
ENVIRONMENT = pdl.loads("<|user|>\nHi").template.environment  # type: ignore[union-attr]
LEXER = ENVIRONMENT.lexer
KINDS = {"variable": "expression", "block": "statement", "raw": "statement", "comment": "comment"}
TOKENS = {"name": "name", "string": "string", "integer": "number", "float": "number",
          "operator": "operator"}  # fmt: skip


class Lexed(NamedTuple):
    """What Jinja's lexer says of a text: its pieces, and the tokens in each."""

    pieces: list[Piece]
    tokens: list[tuple[str, int, int]]
    data: list[tuple[int, str]]


def lexed(text: str) -> Lexed | None:
    """None for a text that the lexer does not read, or that ends within a tag."""
    try:
        found = list(LEXER.tokeniter(text, None))
        list(LEXER.wrap(found))
    except (TemplateSyntaxError, ValueError):
        return None
    opened = sum(kind.endswith("_begin") - kind.endswith("_end") for _, kind, _ in found)
    return None if opened else _placed(found, text)


def _placed(found: list[tuple[int, str, str]], text: str) -> Lexed:
    """The pieces, and the tokens with their places."""
    pieces: list[Piece] = []
    words: list[tuple[str, int, int]] = []
    data: list[tuple[int, str]] = []
    at = start = end = 0
    for _, kind, value in found:
        if kind == "data":
            data.append((at, value))
        elif kind in TOKENS:
            words.append((TOKENS[kind], at, at + len(value)))
        if kind.endswith("_begin") or kind == "raw_end":
            while not text.startswith("{", at):
                at += 1  # what a `-` has stripped
            start = at
            if kind == "raw_end" or end < at:
                pieces.append(Piece("raw" if kind == "raw_end" else "text", end, at))
        if kind in ("raw_begin", "raw_end"):
            word = "raw" if kind == "raw_begin" else "endraw"
            words.append(("name", at + value.index(word), at + value.index(word) + len(word)))
        if kind.endswith("_end") or kind == "raw_begin":
            end = at + len(value.rstrip())
            pieces.append(Piece(KINDS[kind.partition("_")[0]], start, end))  # type: ignore[arg-type]
        at += len(value)
    if end < len(text):
        pieces.append(Piece("text", end, len(text)))
    return Lexed(pieces, words, data)


def agrees(text: str) -> None:
    """The pieces, tokens and stretches of a text that the lexer reads are the lexer's."""
    expected = lexed(text)
    assert expected is not None
    pieces = scan(text)
    assert pieces == expected.pieces
    words = [tuple(token) for piece in pieces for token in tokens(text, piece)]
    assert words == expected.tokens
    found = stretches(text, pieces)
    assert [(one.offset, one.text) for one in found] == expected.data
    stream = [token.type for token in LEXER.tokenize(text)]
    kinds = ["", *stream, ""]
    at = [number for number, kind in enumerate(stream) if kind == "data"]
    afters = [after for _, _, after in followed(text)]
    parts = {
        "data": {"text", "raw"},
        "variable_begin": {"expression"},
        "block_begin": {"statement"},
    }
    for number, after in zip(at, afters, strict=True):
        assert after in parts.get(kinds[number + 2], {None})
    assert [(one.after_value, one.before_value) for one in found] == [
        (kinds[number] == "variable_end", kinds[number + 2] == "variable_begin") for number in at
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_pieces_of_prompts_are_those_of_the_lexer(path: Path) -> None:
    text = normalize_newlines(path.read_text("utf-8-sig", errors="replace"))
    if lexed(text) is None:
        assert covered(text)
        return
    agrees(text)
    source = Source(text)
    spots = [at for token, at in located(LEXER.tokenize(text), source) if token.type == "data"]
    assert spots == [one.offset for one in stretches(text, scan(text))]


SIGNS = st.sampled_from(["", "", "-", "+"])
WORDS = st.sampled_from(
    ["a", "if x", "b.c", "|", "1.5", "0x1f", "1_0", "é", "'q'", '"%}"', '"{{"', "'a\\'b'", "[1]",
     "{'a': {}}", "(", ")", "{", "}", "[", "]", "-", "+", "//", "==", "&", "?", "\n", " ", "<|",
     "%", "'\n{% x %}\n'", "·", "e1", "1e5", "raw", "endraw", "#"]
)  # fmt: skip
TEXTS = st.sampled_from(
    ["text", " ", "\n", "<|user|>\n", "{", "}", "}}", "%}", "#}", "'", '"', "it's", "é",
     "\u2028", "%", "\x0b", "{ {", "\n  \n"]
)  # fmt: skip


def tag(opening: str, closing: str) -> st.SearchStrategy[str]:
    inner = st.lists(WORDS, max_size=4).map(" ".join) | st.lists(WORDS, max_size=3).map("".join)
    return st.builds(
        "{0}{1}{2}{3}{4}".format, st.just(opening), SIGNS, inner, SIGNS, st.just(closing)
    )


RAW = st.builds(
    "{{%{0}raw{1}%}}{2}{{%{3} endraw {4}%}}".format,
    *(SIGNS, st.sampled_from(["", " ", "-", "+"]), TEXTS | WORDS, SIGNS, SIGNS),
)
PARTS = st.one_of(TEXTS, TEXTS, tag("{{", "}}"), tag("{%", "%}"), tag("{#", "#}"), RAW)
BROKEN = st.one_of(
    PARTS, st.sampled_from(["{{", "{%", "{#", "}}", "%}", "#}", "{% raw %}", "{{ '"])
)


@given(st.lists(PARTS, max_size=8).map("".join))
@example("{%-%}  a {{-}}{#-#} b {#--#} c\n")
@example("{{ x }}{# c #}{% raw -%} a {%- endraw %}b{# c #}{{ x }}\n\n")
@example("{{ {1: {2: 3}} }} {{ {{1: 2}: 3} }} {{ '{% x\n' }}")
@example("{% raw %}{% endraw %}{% raw +%}{% endraw %}")
def test_the_pieces_are_those_of_the_lexer(text: str) -> None:
    assume(lexed(text) is not None)
    agrees(text)


def covered(text: str) -> bool:
    """Whether the pieces are the text, and the tokens are within their pieces, both in order."""
    pieces = scan(text)
    assert "".join(text[one.start : one.end] for one in pieces) == text
    assert [one.start for one in pieces[1:]] == [one.end for one in pieces[:-1]]
    for piece in pieces:
        assert piece.closed or "\n" not in text[piece.start : piece.end]
        last = piece.start
        for token in tokens(text, piece):
            assert last <= token.start < token.end <= piece.end
            last = token.end
    for one in stretches(text, pieces):
        assert text.startswith(one.text, one.offset)
    return True


@given(st.lists(BROKEN, max_size=10).map("".join))
def test_any_text_is_covered(text: str) -> None:
    assert covered(text)


LINES = st.sampled_from(
    ["Hello {{ name }},", "<|user|>", "{% if x -%}", "{%- endif %}", "{{ a.b | join(', ') }}",
     "it's", "{# a comment #}", "{{ f(1,\n  2) }}", 'say "so"', "", "{{ {'a': {}} }}",
     '{"a": 1}', "{{ '{{' }}"]
)  # fmt: skip
MISTAKES = st.sampled_from(
    ["{{ name", "{{", "{%", "{% if", "{{ f('x", '{{ f("', "{{ {", "{% set x = {", "a {{ b }",
     "{{ a | ", "{{ it's", "{% if x }", "{{ x[", "{{ name %", "{#"]
)  # fmt: skip


@given(st.lists(LINES, max_size=4), MISTAKES, st.lists(LINES, max_size=4))
def test_a_mistake_costs_its_line(before: list[str], mistake: str, after: list[str]) -> None:
    """The lines before and after a tag without its end are read as if it were not there."""
    head, rest = ("".join(line + "\n" for line in lines) for lines in (before, after))
    assume(lexed(head) is not None and lexed(rest) is not None)
    assume("#}" not in rest or "{#" not in mistake)  # a comment ends where one ends
    text = f"{head}{mistake}\n{rest}"
    pieces = [(one.kind, text[one.start : one.end]) for one in scan(text) if one.kind != "text"]
    both = [
        (one.kind, part[one.start : one.end])
        for part in (head, mistake, rest)
        for one in scan(part)
        if one.kind != "text"
    ]
    assert pieces == both


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ a & b }} c", ["{{ a & b }}", " c"]),
        ("{{ f(a }} c", ["{{ f(a }}", " c"]),
        ("{{ {'a': 1 }} c", ["{{ {'a': 1 }}", " c"]),
        ("{% if f(a %} c {% endif %}", ["{% if f(a %}", " c ", "{% endif %}"]),
        ('{{ f("a) }} c {{ d }}', ['{{ f("a) }}', " c ", "{{ d }}"]),
        ('{{ f("\nHe said "a" {{ b }}', ['{{ f("', '\nHe said "a" ', "{{ b }}"]),
        ("{{ a\n<|user|>\nb }}&{{", ["{{ a", "\n<|user|>\nb }}&", "{{"]),
        ("{% if a }} b\nc{% endif %}", ["{% if a }} b", "\nc", "{% endif %}"]),
        ("{# a\nb {{ c }}", ["{# a", "\nb ", "{{ c }}"]),
        ("{# a {{ c }}", ["{# a ", "{{ c }}"]),
        ("{% raw %} {{ a }} b", ["{% raw %}", " ", "{{ a }}", " b"]),
        ("{{ a", ["{{ a"]),
        ("{{ f(\n  a,\n) }} {{", ["{{ f(\n  a,\n) }}", " ", "{{"]),
    ],
)
def test_tags_with_mistakes(text: str, expected: list[str]) -> None:
    assert [text[one.start : one.end] for one in scan(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ a | b('c }}", ["a", "|", "b", "(", "'c "]),
        ("{{ a & b", ["a", "&", "b"]),
        ("{%- if x == 'é' -%}", ["if", "x", "==", "'é'"]),
        ("{{- 1.5 +}}", ["1.5", "+"]),
        ("{# a #}", []),
        ("{{", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert [text[t.start : t.end] for one in scan(text) for t in tokens(text, one)] == expected


def test_a_last_newline_is_no_text() -> None:
    text = "a\n{{ b }}\n"
    assert stretches(text, scan(text)) == [Stretch("a\n", 0, before_value=True)]


UNITS = [
    "{{ ", "{{\n", "{% ", "{#", "{% raw %}", "{{ '\"\n", "{{ \"'\n", "{{ (", "{{ '\\'",
    "{{ 'a'\n", "{{ a }} ", "{% if ' %}\n", "{{ \"\n '{{ ' "
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_the_time_is_linear(unit: str) -> None:
    small, large = (effort(scan, unit * size) for size in (500, 2000))
    assert large < 5 * small
