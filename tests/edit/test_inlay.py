"""Types beside names, and the inputs that a document needs but does not declare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pdl.edit.document import Document, Range
from pdl.edit.features.inlay import inferred_inputs, inlay_hints
from pdl.edit.workspace import Workspace
from pdl.schema import Schema

if TYPE_CHECKING:
    from pathlib import Path

INPUT = """<|input|>
{ steps: [Step], who: { name: str, age?: int }?, map: { [str]: int } }
Step = { id: int, kind: "x" | "y" }

<|user|>
"""


def shown(text: str) -> str:
    """A text with its hints in it, in angle quotes."""
    document = Document(text)
    hints = inlay_hints(Workspace(), document, Range(0, len(text)))
    for one in reversed(hints):
        text = f"{text[: one.offset]}«{one.label}»{text[one.offset :]}"
    return text


BOUND = [
    "{% for step«: Step» in steps %}{% endfor %}",
    "{% for k«: str», v«: int» in map %}{% endfor %}",
    "{% set last«: Step» = steps | last %}",
    "{% set name«: str» = who.name %}",
    "{% set n = 1, %}".replace("n = 1,", "n«: int» = 1 + 1"),
    "{% set n = 1 %}{% set s = 'x' %}",
    "{% with first«: Step» = steps[0] %}{% endwith %}",
    "{% set a«: { name: str, age?: int }?» = who %}",
    "{% for x in nothing %}{% endfor %}",
    "{% macro m(a) %}{% endmacro %}",
]


@pytest.mark.parametrize("wanted", BOUND)
def test_names_show_their_types(wanted: str) -> None:
    """Where the text does not say them."""
    plain = "".join(part.partition("»")[2] or part for part in f"»{wanted}".split("«"))
    assert shown(INPUT + plain) == INPUT + wanted


USES = [
    ("{{ x }}", "str"),
    ("{{ x | trim }}", "str"),
    ("{{ x | tojson }}", "any"),
    ("{% for a in x %}{% endfor %}", "[any]"),
    ("{% for a in x %}{{ a }}{% endfor %}", "[str]"),
    ("{% for a in x %}{{ a.b }}{% endfor %}", "[{ b: str }]"),
    ("{% for a in x | sort %}{{ a.b + 1 }}{% endfor %}", "[{ b: float }]"),
    ("{% for k, v in x %}{% endfor %}", "{ [str]: any }"),
    ("{% for k, v in x.items() %}{% endfor %}", "{ [str]: any }"),
    ("{{ x.a.b }}", "{ a: { b: str } }"),
    ("{{ x['a'] }}", "{ a: str }"),
    ("{{ x[0].a }}", "[{ a: str }]"),
    ("{{ x | first }}", "[str]"),
    ("{{ (x | last).a }}", "[{ a: str }]"),
    ("{{ x | length }}", "[str]"),
    ("{{ x | join(', ') }}", "[str]"),
    ("{{ x | map(attribute='a.b') | join }}", "[{ a: { b: any } }]"),
    ("{{ x | sum(attribute='n') }}", "[{ n: any }]"),
    ("{% if x == 'a' %}{% endif %}", "str"),
    ("{% if x == 1 %}{% endif %}", "int"),
    ("{% if x > 1.5 %}{% endif %}", "float"),
    ("{% if x == true %}{% endif %}", "bool"),
    ("{% if x in ['a', 'b'] %}{% endif %}", "str"),
    ("{% if 'a' in x %}{% endif %}", "[str]"),
    ("{% if x %}{% endif %}", "bool"),
    ("{% if not x and y %}{% endif %}", "bool"),
    ("{{ x + 1 }}", "float"),
    ("{{ x ~ 'a' }}", "str"),
    ("{{ x + 'a' }}", "str"),
    ("{{ range(x) }}", "int"),
    ("{{ x.upper() }}", "str"),
    ("{{ 'a' if x else 'b' }}", "bool"),
    ("{% set y = x %}{{ y.a }}", "{ a: str }"),
    ("{% with y = x %}{{ y.a }}{% endwith %}", "{ a: str }"),
    ("{{ x(1) }}", "any"),
]


@pytest.mark.parametrize(("text", "wanted"), USES)
def test_what_is_done_with_an_input_tells_its_type(text: str, wanted: str) -> None:
    """In a document without an `input` turn."""
    declared = inferred_inputs(Document(f"<|user|>\n{text}"))
    assert f"\n  x: {wanted},\n" in declared
    Schema.parse(declared)


def test_inputs_that_may_be_absent() -> None:
    """A default or a test for being defined makes an input optional."""
    text = "{{ x | default('a') }}{{ y if y is defined }}{{ z.a | d(1) }}"
    wanted = "{\n  x?: str,\n  y?: str,\n  z: { a?: int },\n}"
    assert inferred_inputs(Document(f"<|user|>\n{text}")) == wanted


def test_long_objects_are_broken_into_lines() -> None:
    """And the result parses."""
    names = [f"a_rather_long_name_{n}" for n in range(6)]
    text = "".join(f"{{{{ x.{name} }}}}" for name in names)
    declared = inferred_inputs(Document(f"<|user|>\n{text}"))
    assert "\n    a_rather_long_name_0: str,\n" in declared
    assert list(Schema.parse(declared).document["properties"]["x"]["properties"]) == names


def test_undeclared_inputs_show_their_types_at_their_first_use() -> None:
    """Not those that are declared, set, or functions; and none beside an `input` turn."""
    assert shown("<|user|>\n{{ x }}{{ x }}") == "<|user|>\n{{ x«: str» }}{{ x }}"
    assert shown("<|user|>\n{{ range(3) }}{{ schema }}") == "<|user|>\n{{ range(3) }}{{ schema }}"
    assert "«" not in shown(INPUT + "{{ x }}")
    assert inferred_inputs(Document(INPUT + "{{ x }}{{ steps }}")) == "{\n  x: str,\n}"
    assert inferred_inputs(Document("<|user|>\n{% set x = 1 %}{{ x }}")) == ""
    assert "«: { aaaaaaaaaaaaaaaaaaaaa }»" in shown("{{ x.aaaaaaaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbb }}")


def test_a_part_shows_the_types_that_its_prompts_declare(tmp_path: Path) -> None:
    """Rather than what its own text tells."""
    (tmp_path / "main.pdl").write_text(
        '<|input|>\n{ x: [int] }\n<|user|>\n{% include "part.pdl" %}'
    )
    (tmp_path / "part.pdl").write_text("{{ x }}")
    workspace = Workspace((tmp_path,))
    document = workspace.document(tmp_path / "part.pdl")
    assert document is not None
    assert [one.label for one in inlay_hints(workspace, document, Range(0, 7))] == [": [int]"]


def test_only_hints_of_the_range() -> None:
    """Editors ask for what they show."""
    text = INPUT + "{% set a = steps %}{% set b = steps %}"
    document = Document(text)
    at = text.index("{% set b")
    found = inlay_hints(Workspace(), document, Range(at, len(text)))
    assert [text[one.offset - 1] for one in found] == ["b"]
