"""Where names of several files are defined and used, and the files that a text names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from marked import marked, prepare, unmarked

from pdl.edit.document import Document, Location
from pdl.edit.features import navigation
from pdl.edit.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from marked import Files

# files with a cursor in one of them; definitions are `[[…]]`
DEFINITIONS: list[Files] = [
    {"a.pdl": "<|input|>\n{ [[x]]: int }\n<|user|>\n{{ x¦ }}"},
    {"a.pdl": "{% set [[x]] = 1 %}{% for i in l %}{% set x = 2 %}{% endfor %}{{ ¦x }}"},
    {"a.pdl": "{% set [[x]] = 1 %}{% for i in l %}{% set [[x]] = ¦x %}{% endfor %}"},
    {"a.pdl": "{% macro m([[x]]) %}{{ ¦x }}{% endmacro %}{{ m(x=1) }}"},
    {"a.pdl": "{% macro m([[x]]) %}{{ x }}{% endmacro %}{{ m(¦x=1) }}"},
    {"a.pdl": "<|schema|>\n{ a: [¦T] }\n[[T]] = int\n"},
    {"a.pdl": "{{ y¦ }}{{ 'y' }}"},
    {"a.pdl": "{{ range¦(2) }}"},
    # inputs of the prompts that include a file
    {
        "a.pdl": "<|input|>\n{ [[x]]: int }\n<|user|>\n{% include 's/b' %}",
        "c.pdl": "<|input|>\n{ [[x]]: str }\n<|user|>\n{% include 's/b' %}",
        "d.pdl": "<|input|>\n{ x: str }\n<|user|>\n{% include 's/b' without context %}",
        "s/b": "{{ ¦x }}",
    },
    {  # through a file that does not mention it
        "a.pdl": "<|input|>\n{ [[x]]: int }\n<|user|>\n{% include 's/b' %}",
        "s/b": "{% include 's/c' %}",
        "s/c": "{{ ¦x }}",
    },
    {  # not through one that sets it itself
        "a.pdl": "<|input|>\n{ x: int }\n<|user|>\n{% include 's/b' %}",
        "s/b": "{% set [[x]] = 1 %}{% include 's/c' %}",
        "s/c": "{{ ¦x }}",
    },
    {"a.pdl": "{% for [[x]] in l %}{% include 'b' %}{% endfor %}{{ x }}", "b": "{{ ¦x }}"},
    {"a.pdl": "{% from 'b' import f with context %}{% set [[x]] = 1 %}", "b": "{{ ¦x }}"},
    {"a.pdl": "{% from 'b' import f %}{% set x = 1 %}", "b": "{{ ¦x }}"},
    # what a file declares itself is meant, not what shares a part with it
    {
        "a.pdl": "<|input|>\n{ [[x]]: int }\n<|user|>\n{{ ¦x }}{% include 's/b' %}",
        "c.pdl": "<|input|>\n{ x: str }\n<|user|>\n{% include 's/b' %}",
        "s/b": "{{ x }}",
    },
    {
        "a.pdl": "{% for [[x]] in l %}{{ ¦x }}{% include 'b' %}{% endfor %}",
        "c.pdl": "{% for x in l %}{% include 'b' %}{% endfor %}",
        "b": "{{ x }}",
    },
    {
        "a.pdl": "<|input|>\n{ o: { [[p]]: int } }\n<|user|>\n{{ o.¦p }}{% include 's/b' %}",
        "c.pdl": "<|input|>\n{ o: { p: int } }\n<|user|>\n{% include 's/b' %}",
        "s/b": "{{ o.p }}",
    },
    {
        "a.pdl": "<|input|>\n{ [[x]]: int }\n<|user|>\n{% include 's/b' %}",
        "s/b": "{% if not x %}{% set [[x]] = 1 %}{% endif %}{{ x¦ }}",
    },
    # macros of other files
    {"a.pdl": "{% import 'b' as m %}{{ m.f¦() }}", "b": "{% macro [[f]](x) %}{% endmacro %}"},
    {"a.pdl": "{% import 'b' as m %}{{ m::f¦(x=1) }}", "b": "{% macro [[f]](x) %}{% endmacro %}"},
    {"a.pdl": "{% import 'b' as m %}{{ m.f(¦x=1) }}", "b": "{% macro f([[x]]) %}{% endmacro %}"},
    {"a.pdl": "{% import 'b' as [[m]] %}{{ ¦m.f() }}", "b": "{% macro m() %}{% endmacro %}"},
    {
        "a.pdl": "{% from 'b' import f %}{{ f¦() }}",
        "b": "{% macro [[f]](x) %}{% endmacro %}",
    },
    {"a.pdl": "{% from 'b' import f¦ as g %}", "b": "{% macro [[f]](x) %}{% endmacro %}"},
    {"a.pdl": "{% from 'b' import f as g %}{{ ¦g() }}", "b": "{% macro [[f]]() %}{% endmacro %}"},
    {"a.pdl": "{% from 'b' import f as [[g]] %}{{ ¦g() }}", "b": ""},
    {
        "a.pdl": "{% from 'b' import f as g %}{{ g(¦x=1) }}",
        "b": "{% macro f([[x]]) %}{% endmacro %}",
    },
    {"a.pdl": "{% import 'b' as m %}{{ m['f¦']() }}", "b": "{% macro [[f]](x) %}{% endmacro %}"},
    {"a.pdl": "{% import 'b' as m %}{{ m['f'](¦x=1) }}", "b": "{% macro f([[x]]) %}{% endmacro %}"},
    {"a.pdl": "{% from 'b' import f %}{{ f(¦x=1) }}", "b": "{% macro f([[x]]) %}{% endmacro %}"},
    {  # several files further
        "a.pdl": "{% from 'b' import f %}{{ f¦() }}",
        "b": "{% from 'c' import f %}",
        "c": "{% set [[f]] = 1 %}",
    },
    # files that extend others
    {
        "a.pdl": "{% extends 'b' %}{% block [[¦c]] %}{% endblock c %}",
        "b": "{% block [[c]] %}{% endblock %}{{ self.c() }}",
        "d.pdl": "{% extends 'b' %}{% block [[c]] %}{% endblock %}",
    },
    {
        "a.pdl": "<|input|>\n{ [[x]]: int }\n{% extends 'b' %}",
        "b": "{{ ¦x }}",
    },
    # keys of inputs
    {
        "a.pdl": "<|input|>\n{ l: [S] }\nS = { [[o]]: int, p: { o: str } }\n<|user|>\n"
        "{% for i in l %}{{ i.o¦ }}{% endfor %}",
    },
    {
        "a.pdl": "<|input|>\n{ l: { o: { '[[p]]': int } } }\n<|user|>\n{% include 'b' %}",
        "c.pdl": "<|input|>\n{ l: { o: { [[p]]: int } } }\n<|user|>\n{% include 'b' %}",
        "b": "{{ l['o']['p¦'] }}",
    },
    {"a.pdl": "<|input|>\n{ l: any }\n<|user|>\n{{ l.¦o }}"},
    # texts that do not parse
    {"a.pdl": "<|input|>\n{ [[x]]: int\n<|user|>\n{% include 'b' %}", "b": "{{ ¦x"},
]


def said(folder: Path, found: list[Location]) -> list[str]:
    """The texts of files with ranges in them."""
    places: dict[Path, list[tuple[int, int]]] = {}
    for one in found:
        assert one.path is not None
        places.setdefault(one.path, []).append((one.range.start, one.range.end))
    return sorted(
        f"{path.relative_to(folder).as_posix()}: {marked(path.read_text('utf-8'), ranges)}"
        for path, ranges in places.items()
    )


@pytest.mark.parametrize("files", DEFINITIONS)
def test_definitions(tmp_path: Path, files: Files) -> None:
    workspace, document, cursor, expected = prepare(tmp_path, files)
    assert said(tmp_path, navigation.definition(workspace, document, cursor)) == expected


REFERENCES: list[Files] = [
    {
        "a.pdl": "<|input|>\n{ [[x¦]]: int }\n<|user|>\n{{ [[x]] }}{% include 's/b' %}",
        "c.pdl": "<|input|>\n{ [[x]]: str }\n<|user|>\n{% include 's/b' %}{{ m.x }}",
        "d.pdl": "{{ x }}",
        "s/b": "{% include 's/c' %}",
        "s/c": "{{ [[x]] }}{% for x in [[x]] %}{{ x }}{% endfor %}",
    },
    {
        "a.pdl": "{% import 'b' as m %}{{ m.[[f]](1) }}{{ f }}",
        "c.pdl": "{% from 'b' import [[f]] as [[g]] %}{{ [[g]](1) }}",
        "d.pdl": "{% from 'b' import [[f]] %}{{ [[f]](1) }}",
        "b": "{% macro [[¦f]](x) %}{{ [[f]](x) }}{% endmacro [[f]] %}",
    },
    {
        "a.pdl": "{% import 'b' as m %}{{ m.f([[x]]=x) }}{{ m['f']([[x]]=x) }}",
        "c.pdl": "{% from 'b' import f as g %}{{ g([[x]]=1) }}",
        "d.pdl": "{% from 'b' import f %}{{ f([[x]]=1) }}{{ g(x=1) }}",
        "b": "{% macro f([[¦x]]) %}{{ f([[x]]=[[x]]) }}{% endmacro %}",
    },
    {"a.pdl": "{% include 'a.pdl' %}{{ [[¦x]] }}", "b.pdl": "{% include 'b.pdl' %}{{ x }}"},
    {
        "a.pdl": "{% include 'b.pdl' %}{{ [[¦x]] }}",
        "b.pdl": "{% include 'a.pdl' %}{{ [[x]] }}",
    },
    {
        "a.pdl": "<|input|>\n{ l: [S] }\nS = { [[¦o]]: int }\n<|user|>\n{% include 'b' %}"
        "{% for i in l %}{{ i.[[o]] + loop.o + o }}{% endfor %}{{ l.o }}",
        "b": "{{ l[0].[[o]] }}",
    },
    {"a.pdl": "<|schema|>\n[[¦T]]\n[[T]] = { a: [ [[T]] ] }"},
]


@pytest.mark.parametrize("files", REFERENCES)
def test_references(tmp_path: Path, files: Files) -> None:
    workspace, document, cursor, expected = prepare(tmp_path, files)
    found = navigation.references(workspace, document, cursor)
    assert said(tmp_path, found) == expected
    others = navigation.references(workspace, document, cursor, include_declaration=False)
    assert len(others) < len(found) or len(set(found)) == len(found) == len(others)
    assert set(others) <= set(found)


def test_declarations_can_be_left_out() -> None:
    text = "{% set x = 1 %}{{ x }}{% set x = x %}"
    found = navigation.references(Workspace(), Document(text), 7, include_declaration=False)
    assert [one.range.start for one in found] == [18, 33]


HIGHLIGHTS = [
    ("<|input|>\n{ ¦x: int }\n<|user|>\n{{ x }}{% set x = x %}", "wrrw"),
    ("{% for ¦x in x %}{{ x }}{% endfor %}", "wr"),
    ("{{ 'x¦' }}", ""),
    ("<|input|>\n{ a: { x: int } }\n<|user|>\n{{ a.¦x + a['x'] }}", "wrr"),
]


@pytest.mark.parametrize(("text", "expected"), HIGHLIGHTS)
def test_highlights(text: str, expected: str) -> None:
    source = unmarked(text)
    found = navigation.highlights(Document(source.text), source.cursor)
    assert "".join(sorted(kind[0] for _, kind in found)) == "".join(sorted(expected))
    assert {source.text[one.start : one.end] for one, _ in found} <= {"x"}


TYPES: list[Files] = [
    {"a.pdl": "<|input|>\n{ x: [T], y: { z: U } }\n[[T]] = U\nU = int\n<|user|>\n{{ ¦x }}"},
    {"a.pdl": '<|input|>\n{ "¦x": T | U<1> | str }\n[[T]] = U\n[[U]] = int\n'},
    {"a.pdl": "<|schema|>\n{ y: { ¦z: U }, x: T }\nT = U\n[[U]] = int\n<|input|>\n{}\nU = str"},
    {"a.pdl": "<|schema|>\n{ y: ¦T }\n[[T]] = U\nU = int"},
    {
        "a.pdl": "<|input|>\n{ x: [T] }\n[[T]] = { u: U }\nU = {}\n<|schema|>\nT\nT = int\n"
        "<|user|>\n{% for i in x %}{{ ¦i }}",
    },
    {"a.pdl": "<|input|>\n{ x: [T] }\nT = { u: U }\n[[U]] = {}\n<|user|>\n{{ x[0].¦u }}"},
    {"a.pdl": "<|input|>\n{ x: int }\n<|user|>\n{{ ¦x }}"},
    {"a.pdl": "¦"},
]


@pytest.mark.parametrize("files", TYPES)
def test_definitions_of_types(tmp_path: Path, files: Files) -> None:
    _, document, cursor, expected = prepare(tmp_path, files)
    assert said(tmp_path, navigation.type_definition(document, cursor)) == expected


def test_links_to_files_and_pages(tmp_path: Path) -> None:
    text = """{% include "p/b" %}{% include "none" %}{% from 'p/b' import x %}
<|user|>
<|media( i/a.png )|> <|media(i/none.png)|>
<|media(https://example.org/a.png)|> <|raw_media(png:AA)|> <|media(../x.png)|>
<|schema|>
@s/a.json
"""
    workspace, document, _, _ = prepare(
        tmp_path, {"a.pdl": text + "¦", "p/b": "", "i/a.png": "", "s/a.json": "{}"}
    )
    found = navigation.links(workspace, document)
    assert [document.text[one.start : one.end] for one, _ in found] == [
        *("p/b", "p/b", "i/a.png", "https://example.org/a.png", "s/a.json"),
    ]
    names = [t if isinstance(t, str) else t.relative_to(tmp_path).as_posix() for _, t in found]
    assert names == ["p/b", "p/b", "i/a.png", "https://example.org/a.png", "s/a.json"]
    for link in found:
        where = navigation.definition(workspace, document, link.range.start + 1)
        assert [one.path for one in where] == [p for p in (link.target,) if not isinstance(p, str)]


def test_a_schema_of_a_package() -> None:
    text = "<|schema|>\n@pdl.syntax:schema.lark\n"
    found = navigation.links(Workspace(), Document(text))
    assert [document for document in found if re.search("schema.lark$", str(document.target))]


@pytest.mark.parametrize("text", ["", "{% include '", "<|media(", "<|schema|>\n@", "{% extends"])
def test_unfinished_texts(text: str) -> None:
    document = Document(text)
    for offset in range(len(text) + 1):
        assert navigation.definition(Workspace(), document, offset) == []
        assert navigation.highlights(document, offset) == []
        assert navigation.type_definition(document, offset) == []
    assert navigation.links(Workspace(), document) == []
