"""Fingerprints: equal for what renders the same, different for all else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import pdl

if TYPE_CHECKING:
    from pathlib import Path

SAME = {
    "spaces in a tag": ("<|user|>\n{{x}}", "<|user|>\n{{   x   }}"),
    "a newline in a tag": ("<|user|>\n{{ f(x, y) }}", "<|user|>\n{{ f(x,\n   y) }}"),
    "a comment": ("<|user|>\nHi you", "<|user|>\nHi {# there #}you"),
    "a comment before all": ("<|user|>\nHi", "{# The first prompt. #}\n<|user|>\nHi"),
    "a comment on its line": (
        "<|user|>\nHi\n\n<|schema|>\nint",
        "<|user|>\nHi\n{# c #}\n<|schema|>\nint",
    ),
    "quotes": ("<|user|>\n{{ x['a'] }}", '<|user|>\n{{ x["a"] }}'),
    "an escape in a string": ("<|user|>\n{{ 'é' }}", "<|user|>\n{{ '\\u00e9' }}"),
    "digits in groups": ("<|user|>\n{{ x + 1000 }}", "<|user|>\n{{ x + 1_000 }}"),
    "a number in another base": ("<|user|>\n{{ x + 255 }}", "<|user|>\n{{ x + 0xff }}"),
    "an exponent": ("<|user|>\n{{ x * 0.5 }}", "<|user|>\n{{ x * 5e-1 }}"),
    "the zeros of a number": ("<|user|>\n{{ x * 0.5 }}", "<|user|>\n{{ x * 0.500 }}"),
    "whitespace that a tag removes": ("<|user|>\na{{ x }}b", "<|user|>\na  {{- x -}}\n b"),
    "raw text": ("<|user|>\na % b", "<|user|>\n{% raw %}a % b{% endraw %}"),
    "CRLF": ("<|user|>\na\nb {{ x }}", "<|user|>\r\na\r\nb {{ x }}"),
    "a BOM": ("<|user|>\na", "\ufeff<|user|>\na"),
    "blank lines at both ends": ("<|user|>\na", "\n\n<|user|>\n\n a \n\n"),
    "blank lines between turns": (
        "<|user|>\na\n<|assistant|>\nb\n<|user|>\nc",
        "<|user|>\na\n\n\n<|assistant|>\nb\n\n<|user|>\n \nc",
    ),
    "the case of a marker": ("<|user|>\na", "<|User|>\na"),
    "spaces in a marker": ("<|user|>\na", "  <| user |>  \na"),
    "an escaped marker": ("<|user|>\na <| b", "<|user|>\na &lt;| b"),
    "blank lines in a branch": (
        "<|user|>\na\n{% if x %}\n<|assistant|>\nb\n<|user|>\nc\n{% endif %}",
        "<|user|>\na\n{% if x %}\n\n<|assistant|>\n\nb\n\n\n<|user|>\n\nc\n{% endif %}",
    ),
    "the order of settings": (
        "<|user|>\na\n<|config|>\nx: 1\ny: 2",
        "<|user|>\na\n<|config|>\ny: 2\nx: 1",
    ),
    "comments of settings": (
        "<|user|>\na\n<|config|>\nx: 1\ny: 2",
        "<|user|>\na\n<|config|>\n// one\nx:   1\n\n{# two #}\ny: 2",
    ),
    "the spelling of a setting": (
        '<|user|>\na\n<|config|>\nx: "b"',
        "<|user|>\na\n<|config|>\nx: b",
    ),
    "the notation of a schema": (
        "<|user|>\na\n<|schema|>\n{ a: int<1,5>, b?: str }",
        "<|user|>\na\n<|schema|>\n{\n  a: integer { max: 5, min: 1 },\n  'b'?: string,\n}",
    ),
    "a JSON Schema": (
        "<|user|>\na\n<|schema|>\n[int]",
        '<|user|>\na\n<|schema|>\n```json\n{"type": "array", "items": {"type": "integer"}}\n```',
    ),
    "a comment in a schema": (
        "<|user|>\na\n<|schema|>\n{ a: int, b: str }",
        "<|user|>\na\n<|schema|>\n{ a: int, {# c #} b: str }",
    ),
    "the notation of tools": (
        "<|user|>\na\n<|tools|>\nf(a: int) // Do it",
        "<|user|>\na\n<|tools|>\n\n// Do it\nf( a: integer )\n",
    ),
    "the notation of inputs": (
        "<|input|>\n{ x: str, n: int = 3 }\n<|user|>\n{{ x }}{{ n }}",
        "<|input|>\n{ n: integer=3,\n  x: string }\n<|user|>\n{{ x }}{{ n }}",
    ),
    "descriptions of inputs": (
        "<|input|>\n{ x: { a: str } }\n<|user|>\n{{ x }}",
        "<|input|>\n{\n  // The x\n  x: { a: str } // with an a\n}\n<|user|>\n{{ x }}",
    ),
    "blank lines in a block": (
        "<|user|>\na\n{% block b %}\nb\n<|assistant|>\n{% endblock %}",
        "<|user|>\na\n{% block b %}\nb\n\n<|assistant|>\n\n{% endblock %}",
    ),
}

DIFFERENT = {
    # texts
    "the text": ("<|user|>\na", "<|user|>\nb"),
    "a space in text": ("<|user|>\na b", "<|user|>\na  b"),
    "a line": ("<|user|>\na\nb", "<|user|>\na\n\nb"),
    "indentation after a line": ("<|user|>\na\nb", "<|user|>\na\n b"),
    "the case of text": ("<|user|>\na", "<|user|>\nA"),
    "the form of a character": ("<|user|>\n\u00e9", "<|user|>\ne\u0301"),
    "a pair of surrogates": ("<|user|>\n\U0001f600", "<|user|>\n\ud83d\ude00"),
    "the role": ("<|user|>\na", "<|system|>\na"),
    "the order of turns": ("<|system|>\na\n<|user|>\nb", "<|user|>\nb\n<|system|>\na"),
    "a text of two turns": ("<|user|>\na\n<|assistant|>\nb", "<|user|>\na\n&lt;|assistant|&gt;\nb"),
    "an empty turn": ("<|user|>\na", "<|user|>\na\n<|assistant|>"),
    "the reasoning": ("<|user|>\na\n<|reasoning|>\nb", "<|user|>\na\n<|reasoning|>\nc"),
    "a marker in a line": ("<|user|>\na <|media(b.png)|>", "<|user|>\na &lt;|media(b.png)|&gt;"),
    "a marker that a comment cuts": (
        "<|user|>\na\n<|schema|>\nint",
        "<|user|>\na\n<|sch{# c #}ema|>\nint",
    ),
    "an entity that a comment cuts": ("<|user|>\na &lt;| b", "<|user|>\na &l{# c #}t;| b"),
    "a marker at the end of a line": ("<|user|>\na\n<|user|>\nb", "<|user|>\na <|user|>\nb"),
    # tags
    "the name of a variable": ("<|user|>\n{{ x }}", "<|user|>\n{{ y }}"),
    "text instead of a variable": ("<|user|>\n{{ x }}", "<|user|>\nx"),
    "raw text": ("<|user|>\n{{ x }}", "<|user|>\n{% raw %}{{ x }}{% endraw %}"),
    "a filter": ("<|user|>\n{{ x }}", "<|user|>\n{{ x | trim }}"),
    "a string and a name": ("<|user|>\n{{ 'x' }}", "<|user|>\n{{ x }}"),
    "a string and a number": ("<|user|>\n{{ '1' }}", "<|user|>\n{{ 1 }}"),
    "an integer and a float": ("<|user|>\n{{ 1 }}", "<|user|>\n{{ 1.0 }}"),
    "a space in a string": ("<|user|>\n{{ 'a b' }}", "<|user|>\n{{ 'a  b' }}"),
    "two strings": ('<|user|>\n{{ ["a", "b"] }}', '<|user|>\n{{ ["a, b"] }}'),
    "an operator": ("<|user|>\n{{ x + 1 }}", "<|user|>\n{{ x - 1 }}"),
    "brackets": ("<|user|>\n{{ (x + 1) * 2 }}", "<|user|>\n{{ x + 1 * 2 }}"),
    "whitespace control": ("<|user|>\na {{ x }}", "<|user|>\na {{- x }}"),
    "a statement and an expression": ("<|user|>\n{% set x = y %}", "<|user|>\n{{ set_x(y) }}"),
    "a condition": ("<|user|>\n{% if x %}a{% endif %}", "<|user|>\n{% if not x %}a{% endif %}"),
    "the place of a tag": ("<|user|>\na{{ x }}b", "<|user|>\nab{{ x }}"),
    "where a branch ends": (
        "<|user|>\n{% if x %}a{% endif %}b",
        "<|user|>\n{% if x %}ab{% endif %}",
    ),
    # whitespace where it is a value
    "a line in captured text": (
        "{% set y %}\na\n<|user|>\nb{% endset %}<|user|>\n{{ y | length }}",
        "{% set y %}\na\n\n<|user|>\nb{% endset %}<|user|>\n{{ y | length }}",
    ),
    "a line in a macro": (
        "{% macro m() %}\n<|user|>\nb{% endmacro %}<|user|>\n{{ m() | length }}",
        "{% macro m() %}\n\n<|user|>\nb{% endmacro %}<|user|>\n{{ m() | length }}",
    ),
    "a line in a filter": (
        "{% filter wordcount %}\n<|user|>\nb{% endfilter %}",
        "{% filter wordcount %}\n\n<|user|>\nb{% endfilter %}",
    ),
    "a line in a block that is a value": (
        "<|user|>\n{% block b %}\na\n<|user|>\n{% endblock %}{{ self.b() | length }}",
        "<|user|>\n{% block b %}\na\n\n<|user|>\n{% endblock %}{{ self.b() | length }}",
    ),
    "a line in a recursive loop": (
        "<|user|>\n{% for a in x recursive %}\n<|user|>\n{{ loop(a) | length }}{% endfor %}",
        "<|user|>\n{% for a in x recursive %}\n\n<|user|>\n{{ loop(a) | length }}{% endfor %}",
    ),
    "whether a value is alone on its line": (
        "<|user|>\n{{ x }}\n<|assistant|>\n",
        "<|user|>\n{{ x }}<|assistant|>\n",
    ),
    "whitespace at the end of a schema": (
        " {# c #}<|schema|>\nint\n<|user|>\na",
        " {# c #}<|schema|>\nint\u00a0\n<|user|>\na",
    ),
    # settings
    "a setting": ("<|user|>\na\n<|config|>\nx: 1", "<|user|>\na\n<|config|>\nx: 2"),
    "the type of a setting": ("<|user|>\na\n<|config|>\nx: 1", '<|user|>\na\n<|config|>\nx: "1"'),
    "the kind of a number": ("<|user|>\na\n<|config|>\nx: 1", "<|user|>\na\n<|config|>\nx: 1.0"),
    "the kind of a constant": ("<|user|>\na\n<|config|>\nx: 1", "<|user|>\na\n<|config|>\nx: true"),
    "null and its word": ("<|user|>\na\n<|config|>\nx: null", '<|user|>\na\n<|config|>\nx: "null"'),
    "lists in lists": (
        "<|user|>\na\n<|config|>\nx: [[1], 2]",
        "<|user|>\na\n<|config|>\nx: [[1, 2]]",
    ),
    "two settings": ("<|user|>\na\n<|config|>\nx: 1", "<|user|>\na\n<|config|>\nx: 1\ny: 1"),
    "a computed setting": (
        "<|user|>\na\n<|config|>\nx: {{ x }}",
        "<|user|>\na\n<|config|>\nx: {{ y }}",
    ),
    "a comment that cuts a key": (
        "<|user|>\na\n<|config|>\nxy: {{ x }}",
        "<|user|>\na\n<|config|>\nx{# c #}y: {{ x }}",
    ),
    "a comment that cuts a static key": (
        "<|user|>\na\n<|config|>\nxy: 1",
        "<|user|>\na\n<|config|>\nx{# c #}y: 1",
    ),
    # schemas
    "a bound": ("<|user|>\na\n<|schema|>\nint<1,5>", "<|user|>\na\n<|schema|>\nint<1,6>"),
    "an optional field": (
        "<|user|>\na\n<|schema|>\n{ a: int }",
        "<|user|>\na\n<|schema|>\n{ a?: int }",
    ),
    "the order of fields": (
        "<|user|>\na\n<|schema|>\n{ a: int, b: int }",
        "<|user|>\na\n<|schema|>\n{ b: int, a: int }",
    ),
    "a description": (
        "<|user|>\na\n<|schema|>\n{ a: int }",
        "<|user|>\na\n<|schema|>\n{ a: int // how many\n }",
    ),
    "the order of constants": ("<|user|>\na\n<|schema|>\n1 | 2", "<|user|>\na\n<|schema|>\n2 | 1"),
    "the form of an answer": ("<|user|>\na\n<|schema|>\nyesno", "<|user|>\na\n<|schema|>\nbool"),
    "the language of code": (
        "<|user|>\na\n<|schema|>\ncode",
        '<|user|>\na\n<|schema|>\ncode { lang: "py" }',
    ),
    "the number of tasks": (
        "<|user|>\na\n<|schema|>\ntasklist",
        "<|user|>\na\n<|schema|>\ntasklist<1,5>",
    ),
    "a schema or none": ("<|user|>\na", "<|user|>\na\n<|schema|>\nstr"),
    "a computed bound": (
        "<|user|>\na\n<|schema|>\nint<1,{{ x }}>",
        "<|user|>\na\n<|schema|>\nint<2,{{ x }}>",
    ),
    "the column of a comment": (
        "<|user|>\na\n<|schema|>\n     { // a\n  // b\n a: {{ x }} }",
        "<|user|>\na\n<|schema|>\n{ // a\n  // b\n a: {{ x }} }",
    ),
    # tools
    "a parameter": ("<|user|>\na\n<|tools|>\nf(a: int)", "<|user|>\na\n<|tools|>\nf(b: int)"),
    "the name of a tool": (
        "<|user|>\na\n<|tools|>\nf(a: int)",
        "<|user|>\na\n<|tools|>\ng(a: int)",
    ),
    "the description of a tool": (
        "<|user|>\na\n<|tools|>\nf(a: int) // Do",
        "<|user|>\na\n<|tools|>\nf(a: int) // Go",
    ),
    "the order of tools": (
        "<|user|>\na\n<|tools|>\nf(a: int)\ng()",
        "<|user|>\na\n<|tools|>\ng()\nf(a: int)",
    ),
    # inputs
    "an input": ("<|input|>\n{ x: str }\n<|user|>\na", "<|input|>\n{ y: str }\n<|user|>\na"),
    "the type of an input": (
        "<|input|>\n{ x: str }\n<|user|>\na",
        "<|input|>\n{ x: int }\n<|user|>\na",
    ),
    "the default of an input": (
        "<|input|>\n{ x: int = 1 }\n<|user|>\na",
        "<|input|>\n{ x: int = 2 }\n<|user|>\na",
    ),
    "whether an input is required": (
        "<|input|>\n{ x: int }\n<|user|>\na",
        "<|input|>\n{ x?: int }\n<|user|>\na",
    ),
    "the order of defaults": (
        "<|input|>\n{ x: { a: int = 1, b: int = 2 } }\n<|user|>\n{{ x }}",
        "<|input|>\n{ x: { b: int = 2, a: int = 1 } }\n<|user|>\n{{ x }}",
    ),
    "a field named as an annotation": (
        "<|input|>\n{ x: { title: int, a: int } }\n<|user|>\na",
        "<|input|>\n{ x: { a: int } }\n<|user|>\na",
    ),
    "inputs or none": ("<|user|>\n{{ x }}", "<|input|>\n{ x: any }\n<|user|>\n{{ x }}"),
    # media
    "the address of media": (
        "<|user|>\n<|media(https://a.org/b.png)|>",
        "<|user|>\n<|media(https://a.org/c.png)|>",
    ),
    "the bytes of media": (
        "<|user|>\n<|raw_media(gif:R0lGODdh)|>",
        "<|user|>\n<|raw_media(gif:R0lGODlh)|>",
    ),
    "the expression of a path": ("<|user|>\n<|media({{ x }})|>", "<|user|>\n<|media({{ y }})|>"),
    # prompts that cannot be rendered
    "what does not parse": ("<|user|>\n{{ x", "<|user|>\n{{ y"),
}


def _of(text: str, folder: Path | None = None) -> str:
    return pdl.loads(text, base=folder, strict=False).fingerprint


@pytest.mark.parametrize("name", SAME)
def test_what_renders_the_same_has_one_fingerprint(name: str) -> None:
    one, other = SAME[name]
    assert _of(one) == _of(other)
    assert re.fullmatch("h1:[0-9a-f]{64}", _of(one))


def test_a_file_that_is_not_a_template_counts(tmp_path: Path) -> None:
    text = '<|user|>\n{% include "a.txt" if x else "b.txt" %}'
    found = set[str]()
    for content in ("100 {%", "200 {%", "{{"):
        tmp_path.joinpath("a.txt").write_text(content, encoding="utf-8")
        found.add(_of(text, tmp_path))
    assert len(found) == 3


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_renders_differently_has_two(name: str) -> None:
    one, other = DIFFERENT[name]
    assert _of(one) != _of(other)
