"""What is offered at a place: turns, names, attributes, types, settings, files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest
from marked import unmarked

from pdl.edit.document import Document
from pdl.edit.features.completion import Completion, complete
from pdl.edit.template import words
from pdl.edit.workspace import Workspace
from pdl.prompt.config import PROVIDERS, SETTINGS
from pdl.prompt.turns import ROLES
from pdl.schema.dsl.constraints import constraints_of
from pdl.schema.dsl.words import FORMS, TYPES

if TYPE_CHECKING:
    from pathlib import Path

INPUT = """<|input|>
{
  steps: [Step] = [], // what was done
  label: "bug" | "feat",
  who: { name: str, age?: int, "a-b": str }?,
  flag: bool,
}
Step = { id: int, kind: "x" | "y", next?: Step }

<|user|>
"""


class Case(NamedTuple):
    """A text with a cursor: labels that come first, that are offered, and that are not."""

    text: str
    first: list[str]
    has: list[str] = []  # noqa: RUF012 - never changed
    lacks: list[str] = []  # noqa: RUF012


def offered(text: str, folder: Path | None = None, *, snippets: bool = False) -> list[Completion]:
    plain = unmarked(text)
    workspace = Workspace((folder,) if folder is not None else ())
    document = Document(plain.text)
    if folder is not None:
        document = workspace.open(folder / "main.pdl", plain.text)
    found = complete(workspace, document, plain.cursor, snippets=snippets)
    return sorted(found, key=lambda one: one.sort)


def check(case: Case, folder: Path | None = None) -> None:
    labels = [one.label for one in offered(case.text, folder)]
    assert labels[: len(case.first)] == case.first
    assert set(case.has) <= set(labels)
    assert not set(case.lacks) & set(labels)
    if not case.first and not case.has and not case.lacks:
        assert labels == []


TURNS = [
    Case("¦", ["<|config|>", "<|input|>", "<|system|>", "<|user|>"]),
    Case("<¦", ["<|config|>"]),
    Case("<|u¦", ["<|config|>"], ["<|user|>"]),
    Case("<|system|>\nBe nice.\n\n¦", ["<|user|>", "<|assistant|>"], [], ["<|system|>"]),
    Case("<|user|>\nHi\n¦", ["<|assistant|>", "<|user|>"], ["<|schema|>"], ["<|system|>"]),
    Case("<|user|>\nHi\n<|¦\n<|schema|>\nstr", ["<|assistant|>"], [], ["<|schema|>"]),
    Case("<|input|>\n{ a: int }\n\n<|¦", ["<|config|>", "<|system|>"], [], ["<|input|>"]),
    Case("<|config|>\nseed: 1\n<|¦", ["<|config|>", "<|input|>"]),
    Case("<|user|>\nHello ¦", []),
    Case("<|user|>\nHello y¦ou", []),
    Case("<|user|>\nHello\nyou¦", []),
    Case("<|user|>\nsee <|¦", ["<|media(…)|>", "<|raw_media(…)|>"], [], ["<|user|>"]),
    Case("<|user|>\n<|¦", ["<|assistant|>"], ["<|media(…)|>"]),
    Case("<|user|>\n{# a ¦ #}", []),
    Case("<|user|>\n{# <|¦ #}", []),
    Case("<|user|>\n{% raw %}{{ ¦ }}{% endraw %}", []),
    Case("<|user|>¦", []),
]
TAGS = [
    Case("{% ¦", ["autoescape", "block"], ["if", "for", "set"], ["endif", "else", "break"]),
    Case("{% i¦", ["autoescape"], ["if", "include", "import"]),
    Case("{% if x %}{% ¦ %}", ["endif"], ["else", "elif"], ["endfor"]),
    Case("{% if x %}{% for a in b %}{% ¦ %}", ["endfor"], ["break", "else"], ["elif"]),
    Case("{% if x %}{% for a in b %}{% endfor %}{%- ¦ %}{% endif %}", ["endif"]),
    Case("{% set x %}{% ¦", ["endset"]),
    Case("{% set x = 1 %}{% ¦", [], ["set"], ["endset"]),
    Case("{% macro m() %}{% endmacro ¦ %}", ["m"]),
    Case("{% for ¦", []),
    Case("{% for x ¦", ["in"]),
    Case("{% for x in ¦", ["schema"], ["range"]),
    Case("{% set ¦", []),
    Case("{% set x = ¦", ["schema"], ["range"], ["x"]),
    Case("{% filter ¦", ["abs"], ["upper"]),
]
NAMES = [
    Case(INPUT + "{{ ¦ }}", ["flag", "label", "schema", "steps", "who"], ["range", "true"]),
    Case(INPUT + "{{ st¦ }}", [], ["steps"]),
    Case(INPUT + "{% for s in steps %}{{ ¦", ["flag"], ["s", "loop"], ["caller"]),
    Case(INPUT + "{% for s in steps %}{% endfor %}{{ ¦", [], ["steps"], ["s", "loop"]),
    Case(INPUT + "{% macro m(a) %}{{ ¦ }}{% endmacro %}", [], ["a", "caller", "m"]),
    Case(INPUT + "{% macro m(a, b) %}{% endmacro %}{{ ¦ }}", [], ["m"], ["a"]),
    Case(INPUT + "{% macro m(a, b) %}{% endmacro %}{{ m(a=1, ¦) }}", [], ["b=", "steps"], ["a="]),
    Case(INPUT + "{{ steps[0].¦", ["id", "kind", "next"]),
    Case(INPUT + "{{ steps[0].k¦ind }}", ["id", "kind", "next"]),
    Case(INPUT + "{{ (steps | last).next.¦ }}", ["id", "kind", "next"]),
    Case(INPUT + "{% if steps[0].next.¦ %}", ["id", "kind", "next"]),
    Case(INPUT + "{% for s in steps %}{{ s.¦ }}", ["id", "kind", "next"]),
    Case(INPUT + "{{ who.¦ }}", ["name", "age"], ["items"], ["a-b"]),
    Case(INPUT + "{{ who['¦'] }}", ["name", "age", "a-b"]),
    Case(INPUT + '{{ who["n¦', ["name", "age", "a-b"]),
    Case(INPUT + "{% for s in steps %}{{ loop.¦ }}", ["index", "index0"], ["last"], ["items"]),
    Case(INPUT + "{{ steps | map(attribute='¦') }}", ["id", "kind", "next"]),
    Case(INPUT + "{{ steps | selectattr('¦') }}", ["id", "kind", "next"]),
    Case(INPUT + "{{ steps | map('¦') }}", ["abs"], ["upper"]),
    Case(INPUT + "{{ nothing.¦ }}", []),
    Case(INPUT + "{{ label | ¦ }}", ["capitalize"], ["trim", "json_encode"], ["label"]),
    Case(INPUT + "{{ steps | ¦ }}", ["batch", "first", "join"], ["trim"]),
    Case(INPUT + "{{ unknown | ¦ }}", ["abs"], ["trim", "tojson", "json_encode"]),
    Case(INPUT + "{{ label | up¦ | trim }}", [], ["upper"]),
    Case(INPUT + "{{ label is ¦ }}", ["boolean"], ["defined", "not", "containing"], ["=="]),
    Case(INPUT + "{{ label is not ¦ }}", ["boolean"], ["defined"], ["not"]),
    Case(INPUT + "{{ label ¦ }}", ["and"], ["in", "is", "if", "or"], ["label"]),
    Case(INPUT + "{{ 'la¦bel' }}", []),
    Case(INPUT + "{{ 'label'¦ }}", ["and"]),
    Case(INPUT + "{{ 12¦ }}", []),
    Case(INPUT + "{{ }}¦", []),
    Case("{% for s in steps %}{{ s.id }}{% endfor %}{{ ¦", ["schema", "steps"], [], ["s"]),
    Case("{% for s in steps %}{{ s.id }}{{ s.¦ }}{% endfor %}", ["id"]),
    Case("{{ st¦ }}", ["schema"], [], ["st"]),
    Case("<|input|>\n{ range: int }\n<|user|>\n{{ ¦", ["range", "schema", "cycler"]),
    Case("{{ s.id }}{{ s.na¦ }}", ["id"], [], ["na"]),
]
VALUES = [
    Case(INPUT + '{% if label == "¦" %}', ["bug", "feat"]),
    Case(INPUT + "{% if label == '¦", ["bug", "feat"]),
    Case(INPUT + "{% if label != ¦ %}", ['"bug"', '"feat"', "flag"]),
    Case(INPUT + '{% if "¦" == label %}', ["bug", "feat"]),
    Case(INPUT + "{% if steps[0].kind == ¦ %}", ['"x"', '"y"']),
    Case(INPUT + '{% if label in ["bug", "¦"] %}', ["bug", "feat"]),
    Case(INPUT + "{% if flag == ¦ %}", ["flag"], ["true"]),
    Case(INPUT + '{% if who.name == "¦" %}', []),
]
TYPED = [
    Case("<|input|>\n¦", ["{ … }"], [], ["str", "yesno"]),
    Case("<|input|>\n{ a: ¦ }", ["str", "int", "float"], ["any", "uuid"], ["yesno", "code"]),
    Case("<|input|>\n{ a: st¦r }", ["str", "int"]),
    Case("<|input|>\n{ a: int | ¦ }", ["str"], ["null"]),
    Case("<|input|>\n{ a: [¦] }", ["str"]),
    Case("<|input|>\n{ a: [N¦] }\nNode = { v: int }", ["Node", "str"]),
    Case("<|input|>\n{ a: Node, b: ¦ }", ["str"], ["Node"]),
    Case("<|input|>\n{ ¦ }", []),
    Case("<|input|>\n{ a¦: int }", []),
    Case("<|input|>\n{ [¦]: int }", ["str"], [], ["int"]),
    Case("<|input|>\n{ a: int { ¦ } }", ["min", "max", "gt", "lt", "multiple"], [], ["pattern"]),
    Case("<|input|>\n{ a: int { min: 1, ¦ } }", ["max", "gt", "lt", "multiple"]),
    Case("<|input|>\n{ a: int { m¦in: 1 } }", ["min", "max"]),
    Case("<|input|>\n{ a: str { ¦", ["min", "max", "pattern"]),
    Case("<|input|>\n{ a: [int] { ¦ } }", ["min", "max", "unique"]),
    Case("<|input|>\n{ a: datetime { ¦ } }", [], ["zone"]),
    Case("<|input|>\n{ a: [int] { unique: ¦ } }", ["true", "false"]),
    Case("<|input|>\n{ a: T { ¦ } }\nT = int", []),
    Case('<|input|>\n{ a: "x" | "y" = ¦ }', ['"x"', '"y"']),
    Case("<|input|>\n{ a: bool = ¦ }", ["true", "false"]),
    Case("<|input|>\n{ a: int? = ¦ }", ["null"]),
    Case("<|input|>\n{ a: [int] = ¦ }", ["[]"]),
    Case("<|input|>\n{ a: int } // a ¦", []),
    Case("<|input|>\n{ a: {% ¦", ["autoescape"]),
    Case("<|schema|>\n¦", ["str", "int"], ["yesno", "code", "tasklist"]),
    Case("<|schema|>\ny¦", ["str"], ["yesno"]),
    Case("<|schema|>\n{ a: y¦ }", ["str"], [], ["yesno"]),
    Case("<|schema|>\ncode { ¦ }", ["min", "max", "lang"]),
    Case("<|schema|>\ncode { lang: ¦ }", ['"css"'], ['"py"']),
    Case("<|schema|>\n{ a: Node }\n¦", ["Node = …"]),
    Case('<|input|>\n{ a: "F¦oo" | "Bar" }', []),
    Case('<|input|>\n{ a: "Foo"¦ | "Bar" }', []),
    Case("<|input|>\n{ a: 'F¦ }", []),
    Case('<|input|>\n{ a: "¦', []),
    Case('<|input|>\n{ a: ¦"Foo" | "Bar" }', ["str"]),
    Case('<|input|>\n{ a: int { "m¦": 1 } }', []),
    Case('<|input|>\n{ a: "x" | "y" = "¦" }', ['"x"', '"y"']),
    Case("<|schema|>\n```json\n{¦", []),
    Case("<|tools|>\nf(a: ¦)", ["str", "int"], [], ["yesno"]),
    Case("<|tools|>\nf(a: ¦", ["str", "int"]),
    Case("<|tools|>\n¦", []),
]
CONFIG = [
    Case("<|config|>\n¦", [], ["temperature", "model"]),
    Case("<|config|>\ntemp¦", [], ["temperature"]),
    Case("<|config|>\nseed: 1\n¦", [], ["model"], ["seed"]),
    Case("<|config|>\ns¦eed: 1\n", [], ["seed"]),
    Case("<|config|>\n¦seed: 1\n", [], ["seed"]),
    Case("<|config|>\ns¦: 1\nseed: 1", [], ["stop"], ["seed"]),
    Case("<|config|>\nmodel: ¦", ["anthropic:"], ["openai:", "ollama:"], ["seed"]),
    Case("<|config|>\nmodel: op¦", ["anthropic:"], ["openai:"]),
    Case("<|config|>\nmodel: openai:¦", []),
    Case("<|config|>\nstore: ¦", ["true", "false"]),
    Case("<|config|>\nstop: ¦", ['["…"]']),
    Case("<|config|>\n// se¦", []),
    Case("<|config|>\nseed: ¦", []),
    Case("<|config|>\nseed: {{ ¦ }}", ["schema"]),
]
ALL = [*TURNS, *TAGS, *NAMES, *VALUES, *TYPED, *CONFIG]


@pytest.mark.parametrize("case", ALL, ids=[repr(one.text[-40:]) for one in ALL])
def test_what_is_offered(case: Case) -> None:
    """Labels by place; of a case with no labels, nothing is offered."""
    check(case)


@pytest.fixture(name="folder")
def make_folder(tmp_path: Path) -> Path:
    """A folder with files that a prompt can name."""
    (tmp_path / "images").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name in ("images/a.png", "b.PDF", ".hidden/c.png", "answer.json", "rules.txt"):
        (tmp_path / name).write_text("x")
    (tmp_path / "lib.pdl").write_text(
        "{% macro row(item, n=1) %}{% endmacro %}{% set most = 5 %}{% macro col() %}{% endmacro %}"
    )
    (tmp_path / "base.pdl").write_text(
        "<|user|>\n{% block a %}{% endblock %}{% block b %}{% endblock %}"
    )
    return tmp_path


FILES = [
    Case("<|user|>\n<|media(¦", ["b.PDF", "images/a.png"], [], [".hidden/c.png", "rules.txt"]),
    Case("<|user|>\nA <|media(im¦)|>", ["b.PDF", "images/a.png"]),
    Case("<|user|>\n{% include '¦' %}", ["base.pdl", "lib.pdl", "rules.txt"], [], ["main.pdl"]),
    Case("<|user|>\n{% include ¦ %}", ["base.pdl", "lib.pdl", "rules.txt"]),
    Case('{% extends "b¦', ["base.pdl", "lib.pdl"]),
    Case('{% from "lib.pdl" import ¦ %}', ["col", "most", "row"]),
    Case('{% from "lib.pdl" import row, ¦ %}', ["col", "most"]),
    Case('{% from "lib.pdl" ¦ %}', ["import"]),
    Case('{% import "lib.pdl" ¦ %}', ["as"]),
    Case('{% import "lib.pdl" as m %}{{ m.¦ }}', ["col", "most", "row"]),
    Case('{% import "lib.pdl" as m %}{{ ¦ }}', [], ["m"]),
    Case('{% from "lib.pdl" import most, row %}{{ ¦ }}', [], ["most", "row"]),
    Case('{% extends "base.pdl" %}{% block ¦ %}', ["a", "b"]),
    Case('{% extends "base.pdl" %}{% block a %}{% endblock %}{% block ¦ %}{% endblock %}', ["b"]),
    Case("<|schema|>\n@¦", ["answer.json"], [], ["lib.pdl"]),
    Case('{% include "nothing.pdl" %}{% from "nothing.pdl" import ¦ %}', []),
]


@pytest.mark.parametrize("case", FILES, ids=[repr(one.text[-40:]) for one in FILES])
def test_files_and_what_is_in_them(case: Case, folder: Path) -> None:
    """Files by kind, macros of imported files, blocks of extended ones."""
    check(case, folder)


def test_files_of_a_part_are_relative_to_its_prompts(folder: Path) -> None:
    """As names in included files are."""
    (folder / "parts").mkdir()
    (folder / "parts" / "one.pdl").write_text("")
    (folder / "main.pdl").write_text('<|user|>\n{% include "parts/one.pdl" %}')
    workspace = Workspace((folder,))
    document = workspace.open(folder / "parts" / "one.pdl", '{% include "" %}')
    labels = {one.label for one in complete(workspace, document, 12)}
    assert {"rules.txt", "base.pdl"} <= labels
    assert "parts/one.pdl" not in labels


def inserted(text: str, label: str, *, snippets: bool = False) -> str:
    """The text after a completion is chosen."""
    plain = unmarked(text)
    found = next(one for one in offered(text, snippets=snippets) if one.label == label)
    return plain.text[: found.range.start] + found.insert + plain.text[found.range.end :]


INSERTED = [
    ("<|us¦", "<|user|>", "<|user|>"),
    ("<|us¦|>\n", "<|user|>", "<|user|>\n"),
    ("<¦", "<|user|>", "<|user|>"),
    ("<|user|>\nsee <|m¦", "<|media(…)|>", "<|user|>\nsee <|media("),
    (INPUT + "{{ st¦e }}", "steps", INPUT + "{{ steps }}"),
    (INPUT + "{{ who.n¦ }}", "name", INPUT + "{{ who.name }}"),
    (INPUT + "{{ who['n¦a'] }}", "a-b", INPUT + "{{ who['a-b'] }}"),
    (INPUT + "{{ label == 'b¦' }}", "feat", INPUT + "{{ label == 'feat' }}"),
    (INPUT + "{{ label == ¦ }}", '"feat"', INPUT + '{{ label == "feat" }}'),
    ("<|config|>\nte¦", "temperature", "<|config|>\ntemperature: "),
    ("<|config|>\nte¦: 1", "temperature", "<|config|>\ntemperature: 1"),
    ("<|config|>\ntop¦_p: 3", "top_p", "<|config|>\ntop_p: 3"),
    ("<|config|>\ntop¦_p : 3", "top_k", "<|config|>\ntop_k : 3"),
    ("<|config|>\nverbosity: l¦ow", "high", "<|config|>\nverbosity: high"),
    ("<|config|>\nmodel: op¦enai:x", "anthropic:", "<|config|>\nmodel: anthropic:x"),
    ('<|input|>\n{ a: "x" | "y" = "¦z" }', '"y"', '<|input|>\n{ a: "x" | "y" = "y" }'),
    ('<|input|>\n{ a: "x" | "y" = "¦ }', '"y"', '<|input|>\n{ a: "x" | "y" = "y" }'),
    ("<|config|>\nmodel: o¦", "openai:", "<|config|>\nmodel: openai:"),
    ("<|schema|>\n{ a: s¦ }", "str", "<|schema|>\n{ a: str }"),
    ("<|schema|>\n{ a: int { m¦ } }", "max", "<|schema|>\n{ a: int { max:  } }"),
    ("<|schema|>\n{ a: int { m¦: 1 } }", "max", "<|schema|>\n{ a: int { max: 1 } }"),
    ("{% inc¦ %}", "include", "{% include %}"),
]


@pytest.mark.parametrize(("text", "label", "wanted"), INSERTED)
def test_the_word_around_the_cursor_is_replaced(text: str, label: str, wanted: str) -> None:
    """And what is there already is not inserted again."""
    assert inserted(text, label) == wanted


SNIPPETS = [
    ("<|us¦", "<|user|>", "<|user|>\n$0"),
    ("{% fo¦", "for", "{% for ${1:item} in ${2:items}"),
    ("{% f¦ x in y %}", "for", "{% for x in y %}"),
    ("<|user|>\n<|¦", "<|media(…)|>", "<|user|>\n<|media(${1})|>"),
    ("<|input|>\n¦", "{ … }", "<|input|>\n{\n  ${1:name}: ${2:str},\n}"),
]


@pytest.mark.parametrize(("text", "label", "wanted"), SNIPPETS)
def test_snippets_only_for_who_asks(text: str, label: str, wanted: str) -> None:
    """Editors that know snippets get them; no other completion has one."""
    assert inserted(text, label, snippets=True) == wanted
    assert not any(one.is_snippet or "$" in one.insert for one in offered(text))


def test_completions_say_what_they_are() -> None:
    """Types, descriptions, signatures and words."""
    by_label = {
        one.label: one for one in offered(INPUT + "{% macro m(a, b='x') %}{% endmacro %}{{ ¦")
    }
    assert by_label["steps"].detail == "[Step]"
    assert by_label["steps"].documentation == "what was done\n\nDefault: `[]`"
    assert by_label["m"].detail == 'm(a, b="x")'
    assert by_label["m"].kind == "macro"
    assert "1,000,000" in by_label["range"].documentation
    upper = next(one for one in offered("{{ x | ¦") if one.label == "truncate")
    assert upper.detail.startswith("value | truncate(length=255")
    age = next(one for one in offered(INPUT + "{{ who.¦") if one.label == "age")
    assert age.detail == "age?: int"


def test_every_word_has_a_sentence() -> None:
    """The table of words knows what the parsers know."""
    assert set(words.TURNS) == set(ROLES)
    assert {*words.TYPES, *words.ALIASES} == {*TYPES, *FORMS}
    assert set(words.PROVIDERS) == set(PROVIDERS)
    assert set(words.SETTINGS) <= set(SETTINGS)
    assert set(words.SETTING_KINDS) == set(SETTINGS.values())
    kinds = ("string", "moment", "integer", "number", "array", "object", "code", "tasklist")
    assert {key for kind in kinds for key in constraints_of(kind)} == set(words.CONSTRAINTS)
