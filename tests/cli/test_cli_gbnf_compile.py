"""`pdl gbnf compile`: where schemas come from, how texts are spelled, what is told."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from pdl import gbnf
from pdl.cli.app import application
from pdl.gbnf.compiling.compiled import Compiled, compile_schema
from pdl.gbnf.compiling.options import Options

if TYPE_CHECKING:
    from pdl.schema import Schema

MODELS = """
from dataclasses import dataclass


class Shop:
    @dataclass
    class Order:
        number: int
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str, data: bytes = b"") -> Result:
    result = CliRunner().invoke(application, ["gbnf", "compile", *words], data, prog_name="pdl")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def compiled(*words: str) -> gbnf.Grammar:
    """The grammar that is written."""
    shown = run(*words)
    assert (shown.exit_code, shown.stderr) == (0, "")
    return gbnf.parse(shown.stdout)


def test_a_prompt_with_values() -> None:
    Path("p.pdl").write_text('<|user|>\n{{ who }}\n<|schema|>\n"{{ who }}" | "nobody"\n')
    grammar = compiled("p.pdl", "--set", "who=Ann")
    assert grammar.match('"Ann"')
    assert grammar.match('"nobody"')
    assert not grammar.match('"Bob"')


def test_a_json_schema_on_the_standard_input() -> None:
    shown = run("--json-schema", "-", data=b'{"const": "x"}')
    assert gbnf.parse(shown.stdout).match('"x"')


def test_a_type_of_a_module_in_a_package(folder: Path) -> None:
    """The current folder comes first, and only for this one import."""
    (folder / "stock").mkdir()
    (folder / "stock" / "models.py").write_text(MODELS)
    before = list(sys.path)
    assert compiled("--type", "stock.models:Shop.Order").match('{"number": 5}')
    assert sys.path == before


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("raise ValueError('no data')", "cannot be imported: ValueError: no data"),
        ("import sys\nsys.exit(3)", "cannot be imported: SystemExit: 3"),
        ("def", "cannot be imported: SyntaxError: "),
    ],
)
def test_a_module_that_fails(folder: Path, source: str, told: str) -> None:
    name = f"failing_{abs(hash(source))}"
    (folder / f"{name}.py").write_text(source)
    shown = run("--type", f"{name}:Order")
    assert shown.exit_code == 2
    assert shown.stderr.startswith(f"--type: the module `{name}` {told}")


def test_presets_and_what_changes_them() -> None:
    dsl = ("--dsl", "{ a: float, b?: bool }")
    narrow, wide = compiled(*dsl), compiled(*dsl, "--preset", "accept")
    odd = '\n{\t"b" : true,"\\u0061":1.50E1}'
    assert narrow.match('{"a": 1.5, "b": true}')
    assert not narrow.match(odd)
    assert wide.match(odd)
    assert not compiled(*dsl, "--preset", "accept", "--key-order", "declared").match(odd)
    assert not compiled(*dsl, "--preset", "accept", "--escapes", "canonical").match(odd)
    assert not compiled(*dsl, "--preset", "accept", "--numbers", "plain").match(odd)
    assert not compiled(*dsl, "--preset", "accept", "--whitespace", "bounded").match(odd)
    assert not compiled(*dsl, "--whitespace", "compact").match('{"a": 1}')


def test_each_option_is_one_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Options] = []

    def record(schema: Schema, options: Options, *, strict: bool) -> Compiled:
        asked.append(options)
        return compile_schema(schema, options, strict=strict)

    monkeypatch.setattr("pdl.cli.commands.gbnf.compile.compile_schema", record)
    chosen = {"whitespace": "any", "objects": "closed", "key_order": "any", "escapes": "any"}
    words = [f"--{name.replace('_', '-')}={value}" for name, value in chosen.items()]
    compiled("--dsl", "bool", *words, "--numbers=plain")
    assert asked == [replace(Options.generate(), **chosen, numbers="plain")]  # type: ignore[arg-type]  # one of each


def test_a_template_has_escapes() -> None:
    r"""A shell leaves `\n` as it is."""
    grammar = compiled("--dsl", "yesno", "--wrap", r"<think>\n...\\\n</think>\n\n")
    assert grammar.match("<think>\nwell\\\n</think>\n\nyes")


def test_the_report_stands_beside_a_file() -> None:
    shown = run("--dsl", "{ a: bool }", "--explain", "-o", "a.gbnf")
    assert shown.stdout.splitlines()[-1].endswith(" held exactly")
    assert gbnf.parse(Path("a.gbnf").read_text()).match('{"a": true}')


def test_json_has_both() -> None:
    shown = run("--dsl", '[str { pattern: "(a)\\\\1" }]', "--format", "json")
    found = json.loads(shown.stdout)
    assert found["ok"] is True
    assert gbnf.parse(found["grammar"]).match('["aa"]')
    levels = {(one["pointer"], one["keyword"]): one["level"] for one in found["report"]}
    assert levels["#/items", "pattern"] == "POST_HOC"
    assert levels["#", "items"] == "EXACT"


def test_an_error_as_json() -> None:
    shown = run("--dsl", "{ a: intt }", "--format", "json")
    found = json.loads(shown.stdout)
    assert (shown.exit_code, found["ok"], found["problems"][0]["line"]) == (2, False, 1)
