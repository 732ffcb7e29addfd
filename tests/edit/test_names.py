"""The names of a document: which are the same, and what they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from drawn_templates import TEMPLATES
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import TemplateError, meta
from marked import marked, unmarked
from shipped import prompts_below

from pdl.edit.document import Document
from pdl.edit.template.bindings import outline
from pdl.edit.template.mentions import IMPLICIT
from pdl.edit.template.names import Names, names_of
from pdl.errors import PromptError
from pdl.limits import DEFAULT_LIMITS
from pdl.prompt import tera
from pdl.prompt.files import Folder
from pdl.prompt.template import compile_template
from pdl.source import Source

HERE = Path(__file__).parents[2]
SHIPPED = prompts_below("prompts", "tests/cases/turns")
INPUT = "<|input|>\n{ a: int, b: str }\n<|user|>\n"

SAME = [  # kind, and a text with a cursor and all names that are the same
    ("input", "<|input|>\n{ [[¦a]]: int, b: str }\n<|user|>\n{{ [[a]] + b }} a {{ 'a' }}"),
    ("input", '<|input|>\n{ "[[a]]": int }\n<|user|>\n{{ [[¦a]] }}'),
    ("input", "<|input|>\n{ [[a]]: int }\n<|user|>\n{% set [[a]] = [[a]] | a %}{{ [[a¦]].a }}"),
    ("input", "<|input|>\n{ [[a]]: int }\n<|user|>\n{% for a in [[¦a]] %}{{ a }}{% endfor %}"),
    ("loop", "{% for [[¦a]] in a if [[a]] %}{{ [[a]] }}{% else %}{{ a }}{% endfor %}{{ a }}"),
    ("loop", "{% for k, [[¦v]] in d.items() recursive %}{{ [[v]] }}{{ loop(v=[[v]]) }}"),
    (
        "variable",
        "{% if c %}{% set [[x]]=1 %}{% else %}{% set [[¦x]]=2 %}{% endif %}{{ [[x]] }}",
    ),
    ("variable", "{% for i in l %}{% set [[x]] = [[¦x]] %}{% endfor %}{{ [[x]] }}"),
    ("variable", "{% for i in l %}{% set [[¦x]] = i %}{{ [[x]] }}{% endfor %}{% macro m(x) %}"),
    ("variable", "{% set [[¦x]] | upper %}{{ x }}{% endset %}".replace("{{ x }}", "{{ [[x]] }}")),
    ("variable", "{% with [[¦a]] = a, b = a %}{{ [[a]] }}{% endwith %}{{ a }}"),
    ("variable", "{% for i in l %}{% set_global [[s]] = [[¦s]] + 1 %}{% endfor %}{{ [[s]] }}"),
    ("variable", "{% set [[x]] = 1 %}{% block b %}{{ [[¦x]] }}{% endblock %}"),
    ("loop", "{% for [[¦x]] in l %}{% block b scoped %}{{ [[x]] }}{% endblock %}{% endfor %}"),
    ("loop", "{% for [[¦x]] in l %}{% block b %}{{ x }}{% endblock %}{{ [[x]] }}{% endfor %}"),
    ("macro", "{% macro [[m]](a) %}{{ [[m]](1) }}{% endmacro [[m]] %}{{ [[m¦]](2) }}{{ x.m }}"),
    ("macro", "{% macro [[m]](a) %}{% endmacro %}{{ self::[[¦m]](a=1) }}"),
    ("parameter", "{% macro m([[a]], b=[[a]]) %}{{ [[a]] }}{% endmacro %}{{ m([[¦a]]=a, b=a) }}"),
    ("parameter", "{% call([[¦a]], b=1) m(a) %}{{ [[a]] }}{% endcall %}{{ a }}"),
    ("import", "{% import 'f' as [[m]] %}{{ [[¦m]].f(m=1) }}{{ [[m]]::f(1) }}"),
    ("import", "{% from 'f' import a, b as [[¦c]] with context %}{{ [[c]] }}{{ b }}"),
    ("member", "{% import 'f' as m %}{{ m.[[¦f]]() }}{{ m::[[f]](1) }}{{ n.f }}"),
    ("field", "{% set n = namespace([[x]]=0) %}{% set n.[[x]] = 1 %}{{ n.[[¦x]] }}{{ m.x }}"),
    ("block", "{% block [[¦b]] %}{{ b }}{% endblock [[b]] %}{{ self.[[b]]() }}"),
    ("free", "{{ [[x]] }}{{ d.x }}{{ f(x=[[¦x]]) }}{{ y is x }}{{ y | x }}{{ {'x': [[x]]} }}"),
    ("free", "{{ l[[¦x]]] }}".replace("l[[¦x]]]", "l[ [[¦x]] ]")),
    ("function", "{{ [[¦range]](3) }}{% for i in [[range]](i) %}"),
    ("type", "<|schema|>\n{ a: [[¦T]], b: [[[T]]] }\n[[T]] = int\n<|input|>\n{ a: T }\nT = str"),
    ("key", "<|schema|>\n{ [[¦a]]: { a: int } }"),
    ("tool", "<|tools|>\n[[¦go]](to: str)"),
    # texts that do not parse
    ("loop", "{% for [[¦x]] in l %}{{ [[x]] }}{% if [[x]] %}{{ [[x]] "),
    ("loop", "{% for [[x]] in l %}{% if a %}{{ [[¦x]] }}{% endfor %}{{ x }}"),
    ("parameter", "{% macro m([[¦a]] %}{{ [[a]] }}"),
    ("free", "{% endfor %}{% else %}{{ [[¦x]] }}{% endif %}"),
    ("free", "{{ [[¦x]] | }}{{ [[x]]. }}{{ ( [[x]] }}"),
    ("input", "<|input|>\n{ [[¦a]]: int\n<|user|>\n{{ [[a]]"),
]


@pytest.mark.parametrize(("kind", "text"), SAME)
def test_names_that_are_the_same(kind: str, text: str) -> None:
    source = unmarked(text)
    names = names_of(Document(source.text))
    name = names.at(source.cursor)
    assert name is not None
    found = [(one.start, one.end) for one in names.same(name.symbol)]
    assert marked(source.text, found) == text.replace("¦", "")
    assert name.kind == kind


@pytest.mark.parametrize("text", ["{{ x.¦y }}", "{{ 'x¦' }}", "a¦ {{ b }}", "{% i¦f a %}", "¦"])
def test_no_name_there(text: str) -> None:
    source = unmarked(text)
    assert names_of(Document(source.text)).at(source.cursor) is None


VISIBLE = [
    (INPUT + "¦", "a b"),
    (INPUT + "{% for i in a %}{% set x = i %}¦{% endfor %}{% set y = 1 %}", "a b i x"),
    (INPUT + "{% macro m(p) %}¦{% endmacro %}{% for i in a %}{% endfor %}", "a b m p"),
    (INPUT + "{% for i in a %}{% block c %}{% set x = i %}¦{% endblock %}", "a b x"),
    (INPUT + "{% for i in a %}{% block c scoped %}¦{% endblock %}", "a b i"),
    (INPUT + "{% with w = 1 %}{% endwith %}{{ ¦", "a b"),
]


@pytest.mark.parametrize(("text", "expected"), VISIBLE)
def test_variables_that_can_be_read_at_an_offset(text: str, expected: str) -> None:
    source = unmarked(text)
    document = Document(source.text)
    found = outline(document).visible(source.cursor)
    assert " ".join(sorted({*document.inputs, *found})) == expected


def _declared(text: str) -> tuple[set[str], bool]:
    """The names that Jinja finds undeclared, and whether it reads the template."""
    source = Source(text)
    try:
        template = compile_template(source, Folder(HERE), DEFAULT_LIMITS, False)  # noqa: FBT003
    except (PromptError, TemplateError, AssertionError):
        return set(), False
    tree = template.environment.parse(text)
    found = meta.find_undeclared_variables(tree) - tera.global_names(tree)
    return found - template.environment.globals.keys() - IMPLICIT - {tera.GLOBALS}, True


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_undeclared_names_of_files_are_those_of_jinja(path: Path) -> None:
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        return
    document = Document(text)
    expected, parses = _declared(document.text)
    found = names_of(document).free
    assert not parses or found == expected


@given(TEMPLATES)
def test_undeclared_names_are_those_of_jinja(text: str) -> None:
    expected, parses = _declared(text)
    found = names_of(Document(text)).free
    assert not parses or found == expected


def test_most_drawn_templates_parse() -> None:
    """Otherwise the law above would say little."""
    text = "{% set_global g = x %}{% call(y) z(1) %}{% block b %}{{ y }}{% endblock %}{% endcall %}"
    assert _declared(text) == ({"x", "y", "z"}, True)


@given(TEMPLATES, st.integers(0, 400), st.integers(0, 40))
def test_broken_texts_have_names_too(text: str, start: int, length: int) -> None:
    """Names are in order, apart, and what they say that they are."""
    broken = text[:start] + text[start + length :]
    names = names_of(Document(broken))
    ends = [0, *(one.end for one in names.all)]
    assert all(one.start >= end for one, end in zip(names.all, ends, strict=False))
    assert all(broken[one.start : one.end] == one.text for one in names.all)
    assert all(_is_found(names, one.start) for one in names.all)


def _is_found(names: Names, offset: int) -> bool:
    found = names.at(offset)
    return found is not None and found in names.same(found.symbol)


@pytest.mark.parametrize(
    "tag", ["{% if x %}", "{% for x in y %}", "{% macro m(x) %}", "{% set x %}"]
)
def test_tags_without_their_ends_cost_linear_time(tag: str) -> None:
    names = names_of(Document(tag * 6000))
    assert len(names.all) >= 6000
