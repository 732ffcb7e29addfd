"""Formatting: what it changes, what it leaves, and that no rendering shows it."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from doc_blocks import blocks
from effort import effort
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from prompt_texts import PARTS, VALUES, prompts
from shares import share
from shipped import examples, prompts_below

import pdl
from pdl.edit.document import Document, Edit, Range
from pdl.edit.formatting.format import (
    format_edits,
    format_range,
    format_typed_on,
    formatted,
    newline_of,
)
from pdl.edit.formatting.layout import applied
from pdl.prompt.template import normalize_newlines

ROOT = Path(__file__).parents[2]
SHIPPED = prompts_below("prompts")
FILES = {
    "blank lines": (
        "<|system|>\n\n\na\n\n\nb\n<|user|>\nc\n\n\n\n<|assistant|>\n\n",
        "<|system|>\na\n\n\nb\n\n<|user|>\nc\n\n<|assistant|>\n\n",
    ),
    "markers": ("  <| User |> \nhi \n", "  <|user|>\nhi \n"),
    "the ends of a main file": (
        "\n\n <|input|>\n{}\n<|user|>\nhi \n\n\n",
        "<|input|>\n{}\n\n<|user|>\nhi \n",
    ),
    "the last newline": ("<|user|>\nhi ", "<|user|>\nhi \n"),
    "after a comment": (
        "{# c #}\n<|user|>\n{#d#}\n\n\n<|user|>\n",
        "{# c #}\n<|user|>\n{#d#}\n\n<|user|>\n",
    ),
    "after what prints": (
        "<|user|>\n{{x}}\n<|assistant|>\n{%include 'a'%}\n<|user|>\n",
        "<|user|>\n{{ x }}\n\n<|assistant|>\n{% include 'a' %}\n\n<|user|>\n",
    ),
    "branches": (
        "<|user|>\na\n{%if x%}\n\n\n<|Assistant|>\n\nb\n<|user|>\nc\n{%endif%}\n",
        "<|user|>\na\n{% if x %}\n\n<|assistant|>\nb\n\n<|user|>\nc\n{% endif %}\n",
    ),
    "tags": (
        '{{x}} {{-y-}} {%-if a%}{%+ set b=1+%}{{ a|f("|,")|g ,b }} {{f(1,2 ,(3,))}} {%endif -%}\n',
        (
            '{{ x }} {{- y -}} {%- if a %}{%+ set b=1 +%}{{ a | f("|,") | g, b }} '
            "{{ f(1, 2, (3,)) }} {% endif -%}\n"
        ),
    ),
    "tags on lines": (
        "{{x\n  |f( 1,2 )}}\n{%set y=[\n1,2 ]%}\n",
        "{{ x\n  | f( 1, 2 ) }}\n{% set y=[\n1, 2 ] %}\n",
    ),
    "a sign that is an operator": (
        "{{ -x }}{{-x}}{{ {'a':1} }}\n",
        "{{ -x }}{{- x }}{{ {'a':1} }}\n",
    ),
    "settings": (
        "<|user|>\nhi\n<|config|>\n  seed :7\n//a\n  // b\nstop:[1,2]  \n\nx: a :b\n",
        "<|user|>\nhi\n\n<|config|>\nseed: 7\n//a\n// b\nstop: [1,2]\n\nx: a :b\n",
    ),
    "a schema": (
        "<|user|>\nhi\n\n<|schema|>\n\n  {a:int}  \n",
        "<|user|>\nhi\n\n<|schema|>\n{ a: int }\n",
    ),
    "a file": (
        "<|user|>\nhi\n\n<|schema|>\n  @a.json  \n",
        "<|user|>\nhi\n\n<|schema|>\n@a.json\n",
    ),
    "inputs before a tag": (
        "<|input|>\n{a:int}\n{%set b=a%}\n<|user|>\n{{b}}\n",
        "<|input|>\n{ a: int }\n{% set b=a %}\n<|user|>\n{{ b }}\n",
    ),
    "what does not parse": (
        "<|input|>\n{a:int}\n<|user|>\n{{ x\n<|schema|>\n{ a: }\n<|tools|>\nf( a:int )\n",
        "<|input|>\n{ a: int }\n\n<|user|>\n{{ x\n\n<|schema|>\n{ a: }\n\n<|tools|>\nf(a: int)\n",
    ),
    "an unknown turn": (
        "<|user|>\nhi\n\n\n<|usr|>\nx\n<|schema|>\n{a:int}\n<|sytem|>\n",
        "<|user|>\nhi\n\n\n<|usr|>\nx\n\n<|schema|>\n{ a: int }\n<|sytem|>\n",
    ),
}
LEFT = [
    "",
    "\n\n",
    "no turns\n\n\n",
    "<|user|>\n  a  \n\t\n\n  b\u2028 c \n {# {{x}} #}\n",
    "<|user|>\n{% raw %}{{x}}\n\n\n<|User|>\n\n{% endraw %}\n",
    "<|user|>\n{% set y %}\n\n\n<|User|>\n\n\n{% endset %}\n",
    "<|user|>\n{% filter f %}a\n<|User|>\n\n\n{% endfilter %}\n",
    "{% macro f(a) %}\n\n\n<|User|>\n\n\n{% endmacro %}\n",
    "<|user|>\n{% call f() %}a\n<|User|>\n\n\n{% endcall %}\n",
    "<|user|>\n{% block b %}a\n<|User|>\n\n{% endblock %}{{ self.b() | length }}\n",
    "{% block b %}\n<|User|>\na\n\n\n<|schema|>\n{a:int}\n\n{% endblock %}\n",
    "<|user|>\n{% for a in b recursive %}a\n<|User|>\n\n{% endfor %}\n",
    "<|user|>\na {% if x -%}\n<|User|>\n\nb\n{% endif %}\n",
    "<|user|>\na\n\n<|User|>\n{%- if x %}\n{% endif %}\n",
    "<|user|>\na <|User|>\n<|User|> b\n{{ x }}<|User|>\n",
    "<|schema|>\n{a:{{ x }}}\n",
    "<|schema|>\n{a:int}\n{% if x %}\n| str\n{% endif %}\n",
    "<|schema|>\n```json\n{}\n```\n",
    "<|config|>\nmodel :{{ x }}\n",
    "<|schema|>\n{a:int}\n\n<|{{ role }}|>\nhi\n",
    *("<|schema|>\n{a:bool<1,2>,b:int}\n", '<|schema|>\n{a:"x"|"x"}\n', "<|schema|>\n{a:T}\n"),
    *("<|input|>\n[ int ]\n", "<|input|>\n{ self:int }\n", "<|tools|>\nf( a:T )\n"),
    *("<|config|>\na :0.2\nb 4\n", '<|config|>\na: ["a",\n "b"]\n', "<|config|>\na :1\na: 2\n"),
]


@pytest.mark.parametrize(("text", "wanted"), FILES.values(), ids=FILES)
def test_file(text: str, wanted: str) -> None:
    assert formatted(text) == wanted
    assert formatted(wanted) == wanted


@pytest.mark.parametrize("text", LEFT)
def test_it_leaves_what_counts(text: str) -> None:
    """Text of messages, whitespace that can become a value, and what depends on tags."""
    assert formatted(text) == text


def test_a_part_of_prompts_keeps_its_blank_lines() -> None:
    text = "<|input|>\n{}\n<| User |>\n\n{{x}}\n\n\n<|schema|>\n\n{a:int}\n\n"
    wanted = "<|input|>\n{}\n<| User |>\n\n{{ x }}\n\n\n<|schema|>\n\n{ a: int }\n\n"
    assert formatted(text, Path("parts/_a.pdl")) == wanted
    assert formatted(text, Path("_parts/a.pdl")) == formatted(text) != wanted


@pytest.mark.parametrize(
    ("name", "part", "main"),
    [
        (
            "base.pdl",
            "{% block b %}\n<|User|>\n\na\n\n\n<|Assistant|>\nb\n{% endblock %}\n",
            '{% extends "base.pdl" %}{% block b %}<|user|>\n{{ super()|length }}{% endblock %}\n',
        ),
        (
            "_m.pdl",
            "<|User|>\n\na\n\n\n<|Assistant|>\nb\n",
            '{% import "_m.pdl" as m %}\n<|user|>\n{{ m|string|length }}\n',
        ),
        (
            "_m.pdl",
            "\n\n<|User|>\n\na\n\n\n<|Assistant|>\n\n",
            '<|user|>\n{% set t %}{% include "_m.pdl" %}{% endset %}{{ t|length }}\n',
        ),
    ],
)
def test_what_others_make_a_value_of_stays(name: str, part: str, main: str, tmp_path: Path) -> None:
    found = []
    for text in (part, formatted(part, Path(name))):
        (tmp_path / name).write_text(text, encoding="utf-8")
        prompt = pdl.loads(main, base=tmp_path)
        found.append((prompt.render().messages, prompt.fingerprint))
    assert found[0] == found[1]
    assert formatted(part.replace("block", "if").replace(" b %", " 1 %")) != part


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ("\ufeff<|user|>\r\n{{x}}\r\n", "\ufeff<|user|>\r\n{{ x }}\r\n"),
        ("<|system|>\r\na\r\n<|user|>\r\nb", "<|system|>\r\na\r\n\r\n<|user|>\r\nb\r\n"),
        ("<|system|>\ra\r<|user|>\rb\r", "<|system|>\ra\r\r<|user|>\rb\r"),
        ("<|system|>\na\r<|user|>\nb\n", "<|system|>\na\r\n\n<|user|>\nb\n"),
        ("<|system|>\r\na\n<|user|>\r\nb\r\n", "<|system|>\r\na\n\r\n<|user|>\r\nb\r\n"),
        ("<|schema|>\r\n{a:int,\r\nb:str}", "<|schema|>\r\n{\r\n  a: int,\r\n  b: str,\r\n}\r\n"),
    ],
)
def test_line_ends(raw: str, wanted: str) -> None:
    assert formatted(raw) == wanted
    assert formatted(wanted) == wanted


def test_the_most_frequent_line_end() -> None:
    ends = ["\r", "\n\r", "a\r\nb", "\r\n\r\n\n", "\n", ""]
    assert [newline_of(raw) for raw in ends] == ["\r", "\n", "\r\n", "\r\n", "\n", "\n"]


def test_edits_are_small() -> None:
    text = "<|user|>\n{{x }}\n\n<|schema|>\n{\n  a: int, b: str,\n}\n"
    assert format_edits(Document(text)) == [Edit(11, 11, " "), Edit(39, 39, "\n ")]


def test_a_range_has_its_turns_and_tags() -> None:
    text = "<|user|>\n{{x}}\n<|assistant|>\n{{y}}\n<|schema|>\n{a:int,b:str}\n"
    where = text.index("y}}")
    spaces = [Edit(where, where, " "), Edit(where + 1, where + 1, " ")]
    assert format_range(Document(text), Range(where, where)) == spaces
    schema = text.index("{a")
    touched = format_range(Document(text), Range(schema + 4, schema + 5))
    assert applied(text, touched).endswith("<|schema|>\n{ a: int, b: str }\n")


@pytest.mark.parametrize(
    ("text", "typed", "wanted"),
    [
        ("<|schema|>\n{\n¦", "\n", "  "),
        ("<|schema|>\n{\n¦}", "\n", ""),
        ("<|schema|>\n{\n  a: {\n      ¦", "\n", "    "),
        ("<|schema|>\n{\n  a: [{\n¦\n  }]\n}", "\n", "    "),
        ("<|schema|>\n{\n  a: {\n    b: int\n    }¦", "}", "  "),
        ("<|tools|>\nf(\n  a: int,\n  )¦", ")", ""),
        ("<|schema|>\n{\n  a: int }¦", "}", None),
        ("<|schema|>\n{ a: int }\n¦", "\n", None),
        ("<|schema|>\n¦", "\n", None),
        ("<|user|>\n{\n¦", "\n", None),
        ("<|schema|>\n{\n  a¦", "a", None),
    ],
)
def test_on_type(text: str, typed: str, wanted: str | None) -> None:
    """Only the indentation of the line changes; None is no change."""
    offset = text.index("¦")
    text = text.replace("¦", "")
    start = text.rfind("\n", 0, offset) + 1
    end = start + len(re.match(r"[ \t]*", text[start:])[0])  # type: ignore[index]
    found = applied(text, format_typed_on(Document(text), offset, typed))
    kept = text[start:end] if wanted is None else wanted
    assert found == text[:start] + kept + text[end:]


def _rendered(text: str, base: Path, values: dict[str, Any], *, strict: bool = True) -> object:
    """Everything that a rendering is, or its errors, but where they are."""
    try:
        found = pdl.loads(text, base=base, strict=strict).render(values, prefill=True)
    except pdl.PdlError as error:
        return {(one.code, one.message) for one in error.problems}
    warnings = sorted((one.code, one.message) for one in found.warnings)
    failed = [one for one in warnings if one[0].startswith(("template/", "limit/"))]
    if failed:  # then the prompt's own text was taken
        return failed
    schema, tools = found.schema, found.tools
    described = None if schema is None else (schema.describe(), str(schema))
    listed = None if tools is None else tools.to_text()
    return found.messages, found.config, found.reasoning, warnings, described, listed


def _comment_words(raw: str) -> list[str]:
    text = normalize_newlines(raw)
    return re.findall(r"\w+", " ".join(re.findall(r"//[^\n]*|\{#.*?#\}", text, re.DOTALL)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that drawn prompts include."""
    base = tmp_path_factory.mktemp("parts")
    for name, text in PARTS.items():
        (base / name).write_text(text)
    return base


@settings(max_examples=share(200), suppress_health_check=[HealthCheck.too_slow])
@given(raw=prompts(), number=st.integers(0, len(VALUES) - 1))
def test_no_rendering_shows_it(raw: str, number: int, folder: Path) -> None:
    new = formatted(raw)
    for strict in (True, False):
        was = _rendered(raw, folder, VALUES[number], strict=strict)
        assert _rendered(new, folder, VALUES[number], strict=strict) == was
    one, other = (pdl.loads(text, base=folder, strict=False) for text in (raw, new))
    if one.template is not None:  # else all of the text counts
        assert one.fingerprint == other.fingerprint


@settings(max_examples=share(200), suppress_health_check=[HealthCheck.too_slow])
@given(prompts())
def test_it_ends_after_one_time_and_keeps_all_words(raw: str) -> None:
    new = formatted(raw)
    assert formatted(new) == new
    document = Document(raw)
    assert applied(document.text, format_edits(document)) == normalize_newlines(
        new.removeprefix("\ufeff")
    )
    assert new.startswith("\ufeff") == raw.startswith("\ufeff")
    assert _comment_words(new) == _comment_words(raw)
    kept = [_texts(Document(text)) for text in (raw, new)]
    assert kept[0] == kept[1]


def _texts(document: Document) -> list[str]:
    """The text of messages between tags, without blank lines before and after it."""
    found = []
    for turn in document.turns:
        if turn.is_message:
            for piece in document.pieces_in(turn.body):
                start, end = max(piece.start, turn.body.start), min(piece.end, turn.body.end)
                if piece.kind in ("text", "raw"):
                    found.append(document.text[start:end].strip("\n \t"))
    return [text for text in found if text]


@given(prompts(), st.data())
def test_parts_of_a_text_have_edits_too(raw: str, data: st.DataObject) -> None:
    """Also of a text that was cut anywhere; those of a range are some of all."""
    document = Document(raw[: data.draw(st.integers(0, len(raw)))])
    size = len(document.text)
    start, end = sorted((data.draw(st.integers(0, size)), data.draw(st.integers(0, size))))
    edits = format_edits(document)
    assert all(one.end <= other.start for one, other in pairwise(edits))
    assert {*format_range(document, Range(start, end))} <= {*edits}
    for typed in ("\n", "}", "x"):
        for edit in format_typed_on(document, start, typed):
            assert not document.text[edit.start : edit.end].strip(" \t")


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.name)
def test_shipped_prompts(file: Path) -> None:
    """They are formatted; from any other spacing they come back to it."""
    text = file.read_text(encoding="utf-8")
    assert formatted(text) == text
    squeezed = re.sub(r"\{\{ | \}\}", lambda found: found[0].strip(), text).rstrip("\n")
    squeezed = re.sub(r"\n\n(<\|\w+\|>)", r"\n\n\n\1\n", squeezed)
    data = [one.data for one in examples() if one.prompt == file]
    assert data or file.parent.name != "prompts"
    for other in (squeezed, squeezed.replace("\n", "\r\n")):
        assert formatted(other).replace("\r\n", "\n") == text
        for values in data:
            was = _rendered(other, file.parent, values)
            assert isinstance(was, tuple)
            assert _rendered(text, file.parent, values) == was


@pytest.mark.parametrize(
    ("before", "repeated", "after"),
    [
        ("<|input|>\n{x:any}\n", "<|user|>\n\nHi {{x|f}}\n{%if x%}a{%endif%}\n<|assistant|>\n", ""),
        ("<|schema|>\n{\n", "a:int<1,2>, // words\nb: { c:[str],d: 'x'|'y' }?,\n", "}\n"),
        ("<|schema|>\n'x'", "|'y'", "\n"),
        ("<|schema|>\n{ a: 'x'", "\n | { b:int,c:str }", "}\n"),
        ("<|schema|>\nint //\n", "      //\n", ""),
        ("<|tools|>\n", "f( a:int )// it\n", ""),
        ("<|config|>\n", "a :1\n", ""),
        ("<|user|>\n", "\n", ""),
        ("<|user|>\n{{x", "|f", "}}\n"),
        ("<|user|>\n", "{{", ""),
        ("", "<|user|>\n", ""),
        ("", "\n{% if x %}\n\n\n<|user|>\n", ""),
    ],
)
def test_it_takes_linear_time(before: str, repeated: str, after: str) -> None:
    other, short, long = (f"{before}{repeated * count}{after}" for count in (299, 300, 600))
    formatted(other)  # whatever is imported or compiled once, and not what is kept of a text
    assert effort(formatted, long) <= 2.3 * effort(formatted, short)


def test_the_page_shows_what_it_does() -> None:
    page = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")
    before, _, after = blocks(page.split("## Formatting")[1])
    assert formatted(before.text) == after.text
