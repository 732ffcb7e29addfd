"""The law of fingerprints: prompts that share one render the same, whatever the values.

Prompts are changed where notation is: around markers, tags, comments, quotes, and line ends. What a
change leaves unchanged in the fingerprint, it must leave unchanged in all renderings.
"""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shipped import PROMPTS

import pdl
from pdl.gbnf import compile as compile_schema

FOLDER = Path(__file__).parents[2] / "prompts"
PATIENT = pdl.Limits(render_seconds=30)  # a recursion ends at its depth, however slow the machine
SHIPPED = sorted(file.read_text(encoding="utf-8") for file in PROMPTS)
WRITTEN = [
    (
        "<|user|>\n{{ x }}\n\n<|config|>\nmodel: {{ m }}\nstop: a // b\n\n<|schema|>\n"
        "{ a: int, // {{ x }}\n  b: str }\n"
    ),
    (
        "{% macro f(a) %}\n<|user|>\n{{ a }}\n\n<|assistant|>\nok\n{% endmacro %}\n"
        "<|system|>\nS\n{{ f(x) }}\n<|user|>\nq"
    ),
    "<|system|>\n a\n{% set y %}\n\n<|user|>\n b {% endset %}{{ y }}{{ y|length }}\n",
    (
        "<|user|>\n{% for a in xs %}\n- {{ a }}\n{% endfor %}\n{% if x %}\n<|assistant|>\n"
        "hm\n<|user|>\n{{ x }}\n{% endif %}\n<|schema|>\n{% if x %}{ a: int }{% else %}\n"
        "{ b: int }{% endif %}"
    ),
    (
        "<|system|>\nSay {{ schema }}\n<|user|>\n{% filter upper %}\nab <|user|> c\n"
        "{% endfilter %}\n<|tools|>\n// Do\nf(a: int, b?: str) // it\n\n<|schema|>\n yesno\n"
        "<|reasoning|>\n r {{ x }}\n"
    ),
    (
        "<|input|>\n{ x: { a?: int = 1, b?: str = 'q' }, m?: str = \"d\" }\n<|user|>\n"
        "{% for k, v in x %}{{ k }}={{ v }} {% endfor %}{{ m }}"
    ),
    ("<|user|>\n{% block b %}\nhi\n\n<|assistant|>\n\nyo\n<|user|>\n{% endblock %}\n{{ x }}"),
    (
        "<|user|>\n{% block b %}\nhi\n\n<|assistant|>\n\nyo\n<|user|>\n"
        "{% endblock %}{{ self.b()|length }}"
    ),
    (
        "<|{{ r }}|>\n hello <|media({{ x }}.png)|> &amp;lt; &lt;| \n\n<|config|>\n"
        " k: [1, 2]\n j: v\n"
    ),
    (
        "<|user|>\n{% filter replace('a b', 'X') %}a {# c #}b{% endfilter %}\n<|user|>\n"
        "{% for x in xs recursive %}\n<|assistant|>\n {{ x }}\n"
        "{{ loop([])|length }}{% endfor %}"
    ),
    (
        "<|config|>\n{% if x %}\n mo{# c #}del: 1\n{% else %}\n a: {{ x }}\n{% endif %}\n"
        " b : 1\n<|user|>\nq"
    ),
    "<|tools|>\nf(a: int) // {{ x }}\n// {{ m }} /{# c #}/\ng(b: str)\n<|user|>\nq",
]
SPACES = ["", " ", "\n", "\n\n", "\t", "\u00a0", "\x0c", "\ufeff", "\r\n", "{# c #}", "{#- c -#}"]
PIECES = [
    *SPACES,
    *("//", "/", "\\", "'", '"', "&amp;", "<|", "|>", "-", "a", "A", "0", ".", "_", ",", "%", "|"),
    *("{% raw %}{% endraw %}", "// x\n", "<|user|>\n", "\n<|assistant|>\n", "{{ x }}", "\udc80"),
    *("{% if x %}", "{% endif %}", "<|user|>{# c #}\n", "{% endif %}{% if x %}"),
]
VALUES: list[dict[str, Any]] = [
    {"x": "v", "m": "openai:m", "r": "user", "xs": ["a", "b"]},
    {"x": "", "m": "", "r": "system", "xs": []},
    {"x": " a\n//b\n", "m": "a\nb: 1", "r": "User", "xs": ["\n", " "]},
    {"x": {"a": 2}, "m": "n", "r": "x", "xs": [{"a": 1}]},
    {"x": 0, "m": "'", "r": "assistant", "xs": "ab"},
]
SIGNS = "<|{}%\n'\":,"


MAINS = [
    '{% extends "a" %}{% block t %}\nx\n\n<|user|>\n\n {{ x }}\n{% endblock %}',
    '<|system|>\ns\n{% include "a" %}\n{% if x %}\n<|user|>\n{% include "b" %}{% endif %}',
    '{% import "a" as a %}<|user|>\n{{ a }}{{ a.m(x) }}',
    '{% set q %}{% include "b" %}{% endset %}<|user|>\n{{ q|length }}\n{% include "a" %}',
    '<|user|>\n{% include r ignore missing %}\n{% include "a" %}',
    '{% from "b" import m %}<|user|>\n{{ m(x)|length }}{{ m(x) }}<|schema|>\n{% include "a" %}',
]
PARTS = [
    "<|system|>\nq\n{% block t %}d{% endblock %}\n<|user|>\n\nz{# c #}\n",
    "{% macro m(a) %}\n\n<|user|>\n {{ a }}\n{% endmacro %}\nt\n\n<|user|>\n\nu",
    "{% filter upper %}{% block t %}\n\n<|user|>\nk{% endblock %}{% endfilter %}",
    "<|schema|>\n\n{ a: int }\n\n<|config|>\nk: 1\n\nj: {{ x }}\n",
    '{% extends "b" %}{% block t %}\n\n<|user|>\n ww{% endblock %}',
    'p{% include "b" %}q',
    "{ a: int, // {{ x }}\n b: str }\n\n<|user|>\n\nyy",
    "{% for x in xs %}{% block t %}\n\n<|user|>\n{{ x }}{% endblock %}{% endfor %}{{ self.t() }}",
]


@st.composite
def changed(draw: st.DrawFn, texts: list[str]) -> tuple[str, str]:
    """One of the texts, and one that differs in a few characters."""
    text = draw(st.sampled_from(texts))
    other = text
    for _ in range(draw(st.integers(1, 2))):
        places = [at for at, sign in enumerate(other) if sign in SIGNS]
        at = draw(st.sampled_from(places)) + draw(st.integers(0, 1))
        piece = draw(st.sampled_from(draw(st.sampled_from([SPACES, PIECES]))))
        end = at + draw(st.sampled_from([0, 0, 0, 1, 2]))
        swapped = draw(st.sampled_from(["", "", other[at:end].swapcase()]))
        other = other[:at] + piece + swapped + other[end:] + ("" if places else " ")
    return text, other


def _values(prompt: pdl.Prompt) -> list[dict[str, Any]]:
    """Values for any prompt, and some that fit its inputs."""
    if prompt.inputs is None:
        return VALUES
    grammar = compile_schema(prompt.inputs.schema).grammar
    drawn = random.Random(5)  # noqa: S311
    return [*VALUES, *(json.loads(grammar.generate(drawn)) for _ in range(4))]


def _shown(prompt: pdl.Prompt, values: dict[str, Any]) -> object:
    """Everything that a rendering is but where its warnings are, or the codes of its errors."""
    try:
        found = prompt.render(values, strict=True)
    except pdl.PdlError as error:
        return {problem.code for problem in error.problems}
    schema, tools = found.schema, found.tools
    described = None if schema is None else (schema.describe(), str(schema))
    told = None if tools is None else tools.to_text()
    return dataclasses.replace(found, warnings=()), described, told


@settings(max_examples=100)
@given(st.one_of(changed(SHIPPED), changed(WRITTEN)))
def test_prompts_with_one_fingerprint_render_the_same(pair: tuple[str, str]) -> None:
    one, other = (pdl.loads(text, base=FOLDER, strict=False) for text in pair)
    if one.fingerprint == other.fingerprint:
        for values in _values(one):
            assert _shown(one, values) == _shown(other, values), values


@settings(max_examples=100)
@given(
    pair=changed(PARTS),
    main=st.sampled_from(MAINS),
    part=st.sampled_from(PARTS),
    names=st.permutations(["a", "b"]),
)
def test_so_do_prompts_that_include_others(
    pair: tuple[str, str], main: str, part: str, names: list[str], folders: tuple[Path, Path]
) -> None:
    """A name that a value gives (`r`) is that of a file which is also named as text."""
    prompts = []
    for folder, text in zip(folders, pair, strict=True):
        for name, content in zip(names, (part, text), strict=True):
            (folder / name).write_bytes(content.encode("utf-8", "surrogatepass"))
        prompts.append(pdl.loads(main, base=folder, strict=False, limits=PATIENT))
    one, other = prompts
    if one.fingerprint == other.fingerprint:
        for values in VALUES:
            given_name = {**values, "r": "a"}
            assert _shown(one, given_name) == _shown(other, given_name), values


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The files of a prompt, and of one that differs."""
    return tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("other")


@pytest.mark.parametrize("text", SHIPPED)
def test_each_change_of_notation_is_ignored(text: str) -> None:
    """All that a formatter may do to certain markers, comments, and line ends."""
    prompt = pdl.loads(text, base=FOLDER, strict=False)
    formatted = f"{{# A comment. #}}\n{text}\n\n".replace("\n", "\r\n")
    for marker in ("<|system|>", "<|user|>", "<|config|>", "<|tools|>", "<|schema|>"):
        spaced = f"<| {marker[2:-2].title()} |>"
        formatted = formatted.replace(f"\n{marker}\r", f"\n  {spaced} \r")
    assert formatted != text
    assert pdl.loads(formatted, base=FOLDER, strict=False).fingerprint == prompt.fingerprint
