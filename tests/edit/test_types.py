"""The types of expressions: from inputs, through references, filters, loops and other files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.edit.document import Document
from pdl.edit.template.bindings import outline
from pdl.edit.template.inference import Inference, inputs_of
from pdl.edit.template.shapes import document_of, shape
from pdl.edit.template.types import ANY, Type, field, item, name_of, not_null, to_dsl, union
from pdl.edit.workspace import Workspace
from pdl.errors import PdlError
from pdl.schema import Schema

if TYPE_CHECKING:
    from pdl.edit.template.expressions import Node

HERE = Path(__file__).parents[1]
VALID = sorted(HERE.glob("cases/schema/valid/*.dsl"))
INPUT = """<|input|>
{
  steps: [Step] = [],
  label: "bug" | "feat",
  who: { name: str, age?: int }?,
  many: { [str]: int },
  pair: [str, int],
  n: int<0,9>,
  x: float,
  either: { a: int } | { a: str, b: bool },
  anything: any,
}
Step = { id: int, kind: "x" | "y", next?: Step, tags: [str] }

<|user|>
"""

EXPRESSIONS = [
    ("steps", "[Step]"),
    ("steps[0]", "Step"),
    ("steps[0].next.next.kind", '"x" | "y"'),
    ("steps[-1]['kind']", '"x" | "y"'),
    ("steps[1:]", "[Step]"),
    ("steps | first", "Step"),
    ("(steps | last).tags | first", "str"),
    ("steps | map(attribute='kind')", '["x" | "y"]'),
    ("steps | map(attribute='next.id')", "[int]"),
    ("steps | map('upper')", "[str]"),
    ("steps | selectattr('kind', 'eq', 'x') | list", "[Step]"),
    ("steps | sort(attribute='id') | reverse | first", "Step"),
    ("steps | batch(2)", "[[Step]]"),
    ("steps | groupby('kind')", "[{ grouper: any, list: [Step] }]"),
    ("steps | group_by(attribute='kind')", "{ [str]: [Step] }"),
    ("steps | length", "int"),
    ("steps | sum(attribute='id')", "int"),
    ("steps + steps", "[Step]"),
    ("label", '"bug" | "feat"'),
    ("label | upper", "str"),
    ("label | default('x')", '"bug" | "feat" | str'),
    ("who", "{ name: str, age?: int }?"),
    ("who.name", "str"),
    ("who.age | default(1)", "int"),
    ("who.nothing", "any"),
    ("who.name.split(',')", "[str]"),
    ("many.anything", "int"),
    ("many.items()", "[[str, int]]"),
    ("many | dictsort", "[[str, int]]"),
    ("many.keys() | list", "[str]"),
    ("many.get('a')", "int"),
    ("many | get(key='a')", "int"),
    ("pair[0]", "str"),
    ("pair[1]", "int"),
    ("n", "int<0,9>"),
    ("n + 1", "int"),
    ("n / 2", "float"),
    ("n * x", "float"),
    ("-n", "int"),
    ("n ~ x", "str"),
    ("n > 1 and x", "bool | float"),
    ("not n", "bool"),
    ("n is even", "bool"),
    ("n in [1, 2]", "bool"),
    ("'a' if n else 'b'", "str"),
    ("n if n else none", "int<0,9>?"),
    ("[1, 2]", "[int]"),
    ("{'a': 1, 'b': [true]}.b", "[bool]"),
    ("(1, 'a')", "[int, str]"),
    ("dict(a=1).a", "int"),
    ("range(3)", "[int]"),
    ("either.a", "int | str"),
    ("either.b", "bool"),
    ("anything.a.b", "any"),
    ("schema", "str"),
    ("unknown", "any"),
    ("steps[0].", "any"),
    ("steps[", "Step"),
]


def found(workspace: Workspace, document: Document) -> Type:
    """The type of the last expression of a document."""
    known = outline(document)
    node: Node = known.statement(document.pieces[-1]).values[0]
    return Inference(workspace, document).of(node)


def typed(text: str) -> str:
    return name_of(found(Workspace(), Document(text)), 100)


@pytest.mark.parametrize(("expression", "wanted"), EXPRESSIONS)
def test_the_type_of_an_expression_is_known(expression: str, wanted: str) -> None:
    """A table of expressions."""
    assert typed(f"{INPUT}{{{{ {expression} }}}}") == wanted


BOUND = [
    ("{% set a = steps[0] %}{{ a }}", "Step"),
    ("{% set a, b = pair %}{{ b }}", "int"),
    ("{% set a %}text{% endset %}{{ a }}", "str"),
    ("{% set a = 1 %}{% set a = a ~ 'x' %}{{ a }}", "str"),
    ("{% for s in steps %}{{ s }}", "Step"),
    ("{% for s in steps if s.id %}{{ s.next }}", "Step"),
    ("{% for s in steps %}{% for t in s.tags %}{{ t }}", "str"),
    ("{% for s in steps %}{% endfor %}{{ s }}", "any"),
    ("{% for k, v in many %}{{ v }}", "int"),
    ("{% for k, v in many %}{{ k }}", "str"),
    ("{% for k, v in many.items() %}{{ v }}", "int"),
    ("{% for k in many %}{{ k }}", "str"),
    ("{% for s in steps %}{{ loop.index }}", "int"),
    ("{% for s in steps %}{{ loop.previtem.kind }}", '"x" | "y"'),
    ("{% for s in who.name %}{{ s }}", "str"),
    ("{{ loop.index }}", "any"),
    ("{% with a = steps, b = 2 %}{{ a }}", "[Step]"),
    ("{% with a = steps %}{% endwith %}{{ a }}", "any"),
    ("{% macro m(a, b=1) %}{{ b }}", "int"),
    ("{{ m(n) }}{{ m(1) }}{% macro m(a, b) %}{{ a }}", "int"),
    ("{{ m(a=steps) }}{% macro m(a, b=none) %}{{ a }}", "[Step]"),
    ("{{ m(1, b=steps[0]) }}{% macro m(a, b=none) %}{{ b.kind }}", '"x" | "y"'),
    ("{% macro m(a) %}{{ m(a) }}{{ a }}", "any"),
    ("{% macro m() %}{% endmacro %}{{ m() }}", "str"),
    ("{% set_global a = n %}{{ a }}", "int<0,9>"),
    ("{% set ns = namespace(a=n) %}{{ ns.a }}", "int<0,9>"),
    ("{% if n %}{% set a = 1 %}{% endif %}{{ a }}", "int"),
    ("{% for s in steps %}{% set a = s %}{{ a.kind", '"x" | "y"'),
]


@pytest.mark.parametrize(("text", "wanted"), BOUND)
def test_names_have_the_types_of_what_they_are_bound_to(text: str, wanted: str) -> None:
    """Set names, loops, macros, and their scopes."""
    assert typed(INPUT + text) == wanted


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_valid_schemas_mean_what_they_mean_to_the_parser(path: Path) -> None:
    """The tolerant reader gives the JSON Schema of the parser."""
    text = path.read_text()
    try:
        schema = Schema.parse(text)
    except PdlError:
        pytest.skip("a limit")
    if schema.form not in ("json", "text"):
        pytest.skip("a form of the whole answer")
    document = Document(f"<|schema|>\n{text}")
    assert document_of(document.typed[0]) == json.loads(json.dumps(dict(schema.document)))


@given(st.integers(0, 5000), st.sampled_from(VALID), st.integers(0, 5000))
def test_a_cut_schema_still_says_something(at: int, path: Path, to: int) -> None:
    """No cut of a schema makes the reader fail, and each part has a schema."""
    text = path.read_text()[:2000]
    cut = text[: at % (len(text) + 1)] + text[to % (len(text) + 1) :]
    known = shape(Document(f"<|schema|>\n{cut}").typed[0])
    for index in known.nodes:
        assert isinstance(known.schema(index), dict)
    assert isinstance(known.document, dict)


BROKEN = [
    ("{ a: int, b: , c: str }", {"a": "int", "b": "any", "c": "str"}),
    ("{ a: int, b: [T], c: strr }", {"a": "int", "b": "[]", "c": "any"}),
    ("{ a: int<0, b: str", {"a": "int<0,>", "b": "str"}),
    ("{ a: [int, b: str }", {"a": "[int]", "b": "str"}),
    ("{ a: { b: int, c: str }\nT = int", {"a": "{ b: int, c: str }"}),
    ('{ a: "x" | , b: T }\nT = { c: int', {"a": '"x" | any', "b": "T"}),
    ('```json\n{"type": "object", "properties": {"a": {"type": "string"}}}\n```', {"a": "str"}),
    ("```json\n{", {}),
    ("int", {}),
    ("", {}),
]


@pytest.mark.parametrize(("text", "wanted"), BROKEN)
def test_an_input_turn_need_not_parse(text: str, wanted: dict[str, str]) -> None:
    """The other fields still have types."""
    found_types = inputs_of(Document(f"<|input|>\n{text}\n\n<|user|>\nHi"))
    assert {name: name_of(one) for name, one in found_types.items()} == wanted


def files(folder: Path, **texts: str) -> tuple[Workspace, dict[str, Document]]:
    """A workspace with some files."""
    for name, text in texts.items():
        (folder / f"{name}.pdl").write_text(text)
    workspace = Workspace((folder,))
    known = {name: workspace.document(folder / f"{name}.pdl") for name in texts}
    return workspace, {name: one for name, one in known.items() if one is not None}


def test_a_part_knows_what_the_prompts_that_include_it_know(tmp_path: Path) -> None:
    """Inputs of includers, and what they have set at the place."""
    workspace, known = files(
        tmp_path,
        one=INPUT + '{% for s in steps %}{% include "part.pdl" %}{% endfor %}',
        two='<|input|>\n{ n: str }\n<|user|>\n{% include "part.pdl" %}',
        part="{{ s.kind }}",
        other="{{ n }}",
        third="<|input|>\n{ n: [str] }\n<|user|>\n{% include 'other.pdl' %}",
    )
    assert name_of(found(workspace, known["part"])) == '"x" | "y"'
    assert name_of(found(workspace, known["other"])) == "[str]"
    assert set(Inference(workspace, known["part"]).variables(0)) >= {"n", "s", "steps"}


def test_a_layout_knows_the_inputs_of_what_extends_it(tmp_path: Path) -> None:
    """The blocks are rendered with the inputs of the main file."""
    workspace, known = files(
        tmp_path,
        main='{% extends "layout.pdl" %}\n<|input|>\n{ n: [int] }\n',
        layout="<|user|>\n{{ n[0] }}",
    )
    assert name_of(found(workspace, known["layout"])) == "int"


def test_imported_names_have_the_types_of_their_files(tmp_path: Path) -> None:
    """Of `from`, and of a cycle of files nothing."""
    workspace, known = files(
        tmp_path,
        main='{% from "lib.pdl" import most, row as r %}\n<|user|>\n{{ [most, r()] }}',
        lib="{% set most = 5 %}{% macro row() %}{% endmacro %}",
        a='{% from "b.pdl" import x %}{{ x }}',
        b='{% from "a.pdl" import x %}{{ x }}',
    )
    assert name_of(found(workspace, known["main"])) == "[int | str]"
    assert found(workspace, known["a"]) == ANY


def test_long_chains_of_names_end() -> None:
    """A name that is set by another one, and so on."""
    chain = "".join(f"{{% set a{n + 1} = a{n} %}}" for n in range(2000))
    assert typed("{% set a0 = 1 %}" + chain + "{{ a2000 }}") in ("int", "any")
    assert typed("{{ " + "not " * 5000 + "x }}") == "bool"
    assert typed("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}") == "any"
    assert typed("{{ x" + ".a" * 5000 + " }}") == "any"
    assert typed("{{ " + "x is a " * 3000 + " }}") is not None
    assert typed("{{ " + "1 + " * 3000 + "1 }}") in ("int", "any")


UNIONS = [
    (["int", "int"], "int"),
    (["int<0,5>", "int"], "int"),
    (['"a"', '"b" | "a"'], '"a" | "b"'),
    (["int", "null"], "int?"),
    (["{ a: int }", "str"], "{ a: int } | str"),
]


@pytest.mark.parametrize(("texts", "wanted"), UNIONS)
def test_unions_name_each_alternative_once(texts: list[str], wanted: str) -> None:
    """And leave out what another one covers."""
    schemas = [Schema.parse(text).document for text in texts]
    assert name_of(union([Type(one, one) for one in schemas])) == wanted


def test_parts_of_types() -> None:
    """Fields, items, and what is left without null."""
    schema = Schema.parse("{ a: N? } N = { v: [int]?, kids: [N] }").document
    whole = Type(schema, schema)
    node = field(whole, "a")
    assert node is not None
    assert name_of(node) == "N?"
    assert name_of(not_null(node)) == "N"
    assert to_dsl(not_null(node)).startswith("N\nN = {") or "kids" in to_dsl(not_null(node))
    value = field(node, "v")
    assert value is not None
    assert name_of(item(value)) == "int"
    assert field(node, "nothing") is None
