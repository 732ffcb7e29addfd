"""What is said of a place: types, inputs, filters, macros, turns, settings, files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from marked import marked, unmarked

from pdl.edit.document import Document
from pdl.edit.features.hover import hover
from pdl.edit.features.markdown import code, escaped, fenced
from pdl.edit.template import words
from pdl.edit.template.callables import said_of
from pdl.edit.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

INPUT = """<|input|>
{
  steps: [Step] = [], // what *was* done
  label: "bug" | "feat",
  n: int<0,9>,
}
Step = { id: int, kind: "x" | "y", next?: Step } // one step

"""

CASES = [  # a text with a cursor and the range that is explained; parts of what is said
    (INPUT + "{{ [[st¦eps]][0] }}", ["*input*", "steps: [Step]", r"what \*was\* done", "`[]`"]),
    (INPUT + "{{ steps[0].[[k¦ind]] }}", ['kind: "x" | "y"']),
    (INPUT + "{{ steps[0][[['ki¦nd']]] }}".replace("[[['ki¦nd']]]", "[ [['ki¦nd']] ]"), ["kind:"]),
    (INPUT + "{% for [[s¦]] in steps %}", ["*loop variable*", "s: Step", "Step = {"]),
    (INPUT + "{% for s in steps %}{{ [[¦s]].id }}", ["*loop variable*", "s: Step"]),
    (INPUT + "{% for s in steps %}{{ [[lo¦op]].index }}", ["**loop**", "loop.index"]),
    (INPUT + "{% for s in steps %}{{ loop.[[ind¦ex]] }}", ["index: int", "from 1"]),
    (INPUT + "{% set [[a¦]] = n %}", ["*set here*", "a: int<0,9>"]),
    ("{{ [[tit¦le]] | trim }}", ["*not declared; its type is inferred*", "title: str"]),
    ("{% macro m([[a¦]]) %}{% endmacro %}{{ m([1]) }}", ["*parameter*", "a: [int]"]),
    (INPUT + "{{ n | [[tr¦uncate]](3) }}", ["value | truncate(length=255", "characters"]),
    (INPUT + "{{ n is [[ev¦en]] }}", ["value is even"]),
    (INPUT + "{{ [[ran¦ge]](3) }}", ["range(start, end", "1,000,000"]),
    (INPUT + "{{ [[sch¦ema]] }}", ["**schema**"]),
    (
        "{# Shows *it*. #}\n{% macro f(a, b=1) %}{% endmacro %}{{ [[f¦]](1) }}",
        ["f(a, b=1)", r"\*it\*"],
    ),
    ("{% macro [[f¦]](a) %}{% endmacro %}", ["f(a)"]),
    ("{% [[f¦or]] x in y %}", ["**for**", "`loop`"]),
    ("{% if x > 1 %}{% [[end¦if]] %}", ["{% if x > 1 %}"]),
    ("[[<|us¦er|>]]\nHi", ["**user**", "A message to the model"]),
    ("[[<|Sys¦tem|>]]\nHi", ["**system**", "Instructions"]),
    (
        "<|schema|>\n{ [[a¦]]: int<0,5> }",
        ["a: int<0,5>", "An integer, from 0 to 5.", '"maximum": 5'],
    ),
    ("<|schema|>\n{ a: [[in¦t]]<0,5> }", ["**int**", "An integer, from 0 to 5."]),
    ("<|schema|>\n{ a: [[str¦ing]] }", ["**string**", "A string."]),
    ("<|schema|>\n{ a: int { [[m¦in]]: 5 } }", ["**min**", "The least value"]),
    ("<|schema|>\n{ a: [[N¦]] }\nN = { b: str }", ["N = { b: str }", "A model reads"]),
    ("<|schema|>\n{ a: N }\n[[N¦]] = int", ["N = int", '"integer"']),
    ("<|schema|>\n{ [[a¦]]: int, // it's `x`\n", ["a: int", r"it's \`x\`"]),
    ("<|schema|>\n{ [[a¦]]: ", ["a: any"]),
    ("<|schema|>\n{ [[note¦]]?: str<,200> }", ["note?: str<,200>"]),
    ("<|tools|>\ngo([[to¦]]?: str = 'x')", ["to?: str"]),
    ("<|input|>\n{ o: { n?: int } }\n<|user|>\n{{ o.[[n¦]] }}", ["n?: int"]),
    ("<|input|>\n{ o: { n?: int } }\n<|user|>\n{{ o[ [['¦n']] ] }}", ["n?: int"]),
    ("<|input|>\n{ note?: str }\n<|user|>\n{{ [[note¦]] }}", ["note?: str"]),
    ("<|schema|>\n{\n  [[a¦]]: int, // at most {{ n }}\n}", ["a: int", "at most {{ n }}"]),
    ("<|schema|>\n[[yes¦no]]", ["**yesno**", "yes or no"]),
    ("<|tools|>\n[[go¦]](to: str)", ["**go**", '"to"']),
    ("<|tools|>\ngo([[to¦]]: str, n: int)", ["to: str"]),
    ("<|config|>\n[[temp¦erature]]: 1", ["**temperature**: a number", "random"]),
    ("<|config|>\n[[xtc_thr¦eshold]]: 1", ["a number", "sent unchanged"]),
    ("<|config|>\nmodel: [[ope¦nai]]:x", ["**openai**", "OpenAI"]),
    ("<|user|>\nSee [[<|media(htt¦ps://a.b/c.png)|>]]", ["doesn't open"]),
]
WRITTEN = [  # what depends on a tag: all that is said
    ("{ a: Item }\n[[It¦em]] = str<{{ n }}>", "Item = str<{{ n }}>"),
    ("{ a: [[It¦em]] }\nItem = str<{{ n }}>", "Item = str<{{ n }}>"),
    ("{ [[a¦]]?: [Item] }\nItem = str<{{ n }}>", "a?: [Item]"),
    ("{ [[a¦]]: B }\nB = { c: C }\nC = { d: {{ d }}, }", "a: B"),
    ("{ [[a¦]]: {{ type }}, b: int }", "a: {{ type }}"),
    (
        "{ [[a¦]]: {% if x %}int{% else %}str{% endif %}, b: int }",
        "a: {% if x %}int{% else %}str{% endif %}",
    ),
    (
        "{ [[a¦]]: T }\n{% if x %}\nT = int\n{% else %}\nT = str\n{% endif %}",
        "a: T",
    ),
    (
        "{\n  [[a¦]]: {\n    {% for k in l %}\n    {{ k }}: int,\n    {% endfor %}\n  },\n}",
        "a: {\n  {% for k in l %}\n  {{ k }}: int,\n  {% endfor %}\n}",
    ),
]


@pytest.mark.parametrize(("text", "wanted"), WRITTEN)
def test_what_depends_on_a_tag_is_said_as_it_is_written(text: str, wanted: str) -> None:
    """Nothing is known of it before it is rendered, so there is no JSON Schema."""
    plain = unmarked("<|schema|>\n" + text)
    found = hover(Workspace(), Document(plain.text), plain.cursor)
    assert found == ((plain.ranges[0]), f"```\n{wanted}\n```")


def test_of_a_type_with_a_tag_only_the_word_is_explained() -> None:
    """And a tool has its parameters as they are written."""
    document = Document("<|schema|>\nstr<{{ n }}>\n<|tools|>\ngo(to: str<{{ n }}>)")
    found = hover(Workspace(), document, 12)
    assert found is not None
    assert found.markdown == f"**str**\n\n{said_of(words.TYPES['str'])}"
    found = hover(Workspace(), document, document.text.index("go("))
    assert found is not None
    assert found.markdown == "**go**\n\n```\n(to: str<{{ n }}>)\n```"


NOTHING = [
    "¦",
    "<|user|>\nSome wor¦ds",
    "<|user|>\n{{ 12¦ }}",
    "<|user|>\n{{ 'te¦xt' }}",
    "<|input|>\n{}\n<|user|>\n{{ unknown¦ }}",
    "<|input|>\n{}\n<|user|>\n{{ x.unknown¦ }}",
    "<|user|>\n{{ x | nothing¦ }}",
    "<|user|>\n{{ tr¦ue }}",
    "<|user|>\n{# com¦ment #}",
    "<|config|>\nunkn¦own: 1",
    "<|config|>\nseed: 1¦",
    "<|config|>\nmodel: openai:x¦",
    "<|config|>\n¦",
    "<|schema|>\n{ a: int } // com¦ment",
    "<|schema|>\n{ a: int {¦",
    "<|schema|>\n```json\n{ ¦ }",
    "<|nothi¦ng|>\n",
    "<|schema|>\n@¦",
    "<|schema|>\n@a.json\n¦",
    "{% endfor¦ %}",
]


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_what_is_said(text: str, wanted: list[str]) -> None:
    """The range that is explained, and parts of the explanation."""
    plain = unmarked(text)
    found = hover(Workspace(), Document(plain.text), plain.cursor)
    assert found is not None
    ranges = [(found.range.start, found.range.end)]
    assert marked(plain.text, ranges) == marked(plain.text, plain.ranges)
    for part in wanted:
        assert part in found.markdown


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_said_of_text_and_of_unknown_names(text: str) -> None:
    """Where there is nothing to say, nothing is said."""
    plain = unmarked(text)
    assert hover(Workspace(), Document(plain.text), plain.cursor) is None


FILES = [
    ("<|user|>\n{% include [['ru¦les.txt']] %}", ["`rules.txt`", "Line 1", "Line 8", "…"]),
    ("<|user|>\n{% include [['noth¦ing.txt']] %}", ["`nothing.txt`", "not found"]),
    ("<|schema|>\n@[[answ¦er.json]]\n", ["`answer.json`", "```json", '"string"']),
    ("<|schema|>\n@[[noth¦ing.json]]", ["`nothing.json`", "not found"]),
    ("<|schema|>\n@[[pdl.syntax:schema¦.lark]]", ["`pdl.syntax:schema.lark`", "```json"]),
    ("<|schema|>\n@[[type:¦os:path]]", ["`type:os:path`", "Python"]),
    ("<|user|>\n[[<|media(a¦.png)|>]]", ["`a.png`", "png, 5 bytes"]),
    ("<|user|>\n[[<|media(b¦.png)|>]]", ["`b.png`", "not found"]),
    ("<|user|>\n[[<|media(../¦a.png)|>]]", ["not found"]),
    ("{% from 'lib.pdl' import [[ro¦w]] %}", ["row(item, n=1)", "A row"]),
    ("{% from 'lib.pdl' import row %}{{ [[ro¦w]]() }}", ["row(item, n=1)", "A row"]),
    ("{% import 'lib.pdl' as m %}{{ m.[[ro¦w]]() }}", ["row(item, n=1)"]),
    ("{% import 'lib.pdl' as m %}{{ m[ [['ro¦w']] ]() }}", ["row(item, n=1)"]),
    ("{% import 'lib.pdl' as m %}{{ [[¦m]].row() }}", ["`lib.pdl`", "macro row"]),
]


@pytest.mark.parametrize(("text", "wanted"), FILES)
def test_files_are_shown(text: str, wanted: list[str], tmp_path: Path) -> None:
    """Their first lines, or their kind and size, or that there is none."""
    (tmp_path / "rules.txt").write_text("".join(f"Line {n}\n" for n in range(1, 20)))
    (tmp_path / "a.png").write_text("12345")
    (tmp_path / "lib.pdl").write_text("{#- A row. -#}\n{% macro row(item, n=1) %}{% endmacro %}")
    (tmp_path / "answer.json").write_text('{"type": "string"}')
    plain = unmarked(text)
    workspace = Workspace((tmp_path,))
    document = workspace.open(tmp_path / "main.pdl", plain.text)
    found = hover(workspace, document, plain.cursor)
    assert found is not None
    assert marked(plain.text, [found.range]) == marked(plain.text, plain.ranges)
    for part in wanted:
        assert part in found.markdown
    assert "Line 9" not in found.markdown


def test_texts_of_documents_are_shown_as_they_are() -> None:
    """No description is read as Markdown or HTML, and no text ends its block of code."""
    assert escaped("*a* [b](c) <d> `e`") == r"\*a\* \[b\](c) \<d\> \`e\`"
    assert escaped("- a\n# b") == "\\- a  \n\\# b"
    assert fenced("```\nx\n````", "json") == "`````json\n```\nx\n````\n`````"
    assert code("a`b") == "`` a`b ``"
