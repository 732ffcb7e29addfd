"""`GrammarCompiler`: each row is what `pdl.gbnf.compile` makes of its schema."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from batches import CONTAINERS, called

import pdl
from pdl.batch import GrammarCompiler
from pdl.batch.checker import schema_digest

DSL = "{ name: str<1,20>, born?: date }"
DOCUMENT = {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}
CELLS = [DSL, json.dumps(DOCUMENT), "{ a: itn }", "yesno", None, '{"type": "string", "not": {}}']


@pytest.fixture(params=CONTAINERS)
def container(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_each_row_is_its_grammar(container: str) -> None:
    made = called(GrammarCompiler(), container, {"id": [*range(6)], "schema": CELLS})
    known = {0: pdl.Schema.parse(DSL), 1: pdl.Schema.from_json_schema(DOCUMENT)}
    known[3] = pdl.Schema.parse("yesno")
    for row, schema in known.items():
        found = pdl.gbnf.compile(schema, pdl.gbnf.Options.generate())
        assert made["gbnf"][row] == str(found.grammar) == pdl.to_gbnf(schema)
        assert made["report"][row] == found.report.to_json()
        assert made["exact"][row] == found.report.is_exact
        assert made["schema_digest"][row] == schema_digest(schema, pdl.Coercions())
        assert made["error"][row] is None
    assert made["exact"] == [True, False, False, True, False, False]
    assert made["gbnf"][2] is made["report"][2] is None
    assert "did you mean `int`?" in made["error"][2]
    assert made["error"][4] == "expected a schema, found null"
    assert "no value" in made["error"][5]


def test_objects_are_json_schemas() -> None:
    made = GrammarCompiler("s")({"s": [DOCUMENT]})
    assert made["gbnf"] == [pdl.to_gbnf(pdl.Schema.from_json_schema(DOCUMENT))]


def test_what_the_grammar_can_not_enforce_is_an_error_if_strict() -> None:
    made = GrammarCompiler(strict=True)({"schema": CELLS[:2]})
    assert made["error"][0] is None
    assert "uniqueItems" in made["error"][1]


def test_options() -> None:
    options = pdl.gbnf.Options(whitespace="compact")
    made = GrammarCompiler(options=options)({"schema": [DSL]})
    assert made["gbnf"] == [pdl.to_gbnf(pdl.Schema.parse(DSL), options)]


def test_a_prompt_with_the_values_of_each_row(container: str) -> None:
    text = "<|input|>\n{ n: int }\n<|user|>\nx\n<|schema|>\n{ a: int<0,{{ n }}> }"
    made = called(GrammarCompiler.of(pdl.loads(text)), container, {"n": [3, 4, 3, -1]})
    wanted = [pdl.to_gbnf(pdl.Schema.parse(f"{{ a: int<0,{n}> }}")) for n in (3, 4, 3)]
    assert made["gbnf"][:3] == wanted
    assert made["gbnf"][3] is None


def test_a_prompt_without_a_schema() -> None:
    made = GrammarCompiler.of(pdl.loads("<|user|>\n{{ x }}"))({"x": ["a"]})
    assert made["error"] == ["this prompt has no `schema` turn"]


def test_an_empty_batch_has_the_same_types() -> None:
    pa = pytest.importorskip("pyarrow")
    compiler = GrammarCompiler()
    table = pa.table({"schema": pa.array(CELLS)})
    for rows in (table, table.slice(0, 0), pa.table({"schema": pa.nulls(2)})):
        wanted = compiler.arrow_schema(rows.schema)
        assert compiler(rows).schema.equals(wanted, check_metadata=True)


def test_a_pickle_compiles_alike() -> None:
    compiler = GrammarCompiler(strict=True, keep=())
    packed = pickle.dumps(compiler)
    again = pickle.loads(packed)  # noqa: S301
    assert again is pickle.loads(packed)  # noqa: S301
    assert again({"schema": CELLS}) == compiler({"schema": CELLS})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"schema": 3}, "schema must name a column, not be an int"),
        ({"options": "fast"}, "options must be gbnf.Options, not str"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        GrammarCompiler(**arguments)
