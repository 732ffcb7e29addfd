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
