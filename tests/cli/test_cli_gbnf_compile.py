"""`pdl gbnf compile`: where schemas come from, how values are spelled, what is reported."""

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
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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


def test_a_type_of_a_module_in_a_package(directory: Path) -> None:
    """The current directory comes first, and only for this one import."""
    (directory / "stock").mkdir()
    (directory / "stock" / "models.py").write_text(MODELS)
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
def test_a_module_that_fails(directory: Path, source: str, told: str) -> None:
    name = f"failing_{abs(hash(source))}"
    (directory / f"{name}.py").write_text(source)
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

    monkeypatch.setattr("pdl.cli.commands.gbnf_compile.compile_schema", record)
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
    assert shown.stdout.splitlines()[-1].endswith(" enforced exactly")
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


def test_schemas_of_other_files() -> None:
    """They are known by their path in the directory and by their `$id`."""
    Path("all/deep").mkdir(parents=True)
    Path("all/a.json").write_text('{"x": {"$ref": "deep/b.json"}}')
    Path("all/deep/b.json").write_text('{"$id": "https://example.org/b", "enum": ["S", "M"]}')
    Path("one.json").write_text('{"$ref": "a.json#/x"}')
    Path("two.json").write_text('{"$ref": "https://example.org/b"}')
    for file in ("one.json", "two.json"):
        grammar = compiled("--json-schema", file, "--registry", "all")
        assert grammar.match('"M"')
        assert not grammar.match('"L"')


def test_what_is_wrong_in_another_file_is_shown_there() -> None:
    Path("b.json").write_text('{"$id": "https://example.org/b",\n "type": "objekt"}')
    Path("a.json").write_text('{"$ref": "https://example.org/b"}')
    shown = run("--json-schema", "a.json", "--registry", "b.json")
    assert shown.exit_code == 2
    assert shown.stderr.startswith("b.json:2:10: `type`: expected one of ")


def test_two_schemas_of_one_uri() -> None:
    for name in ("a", "b"):
        Path(f"{name}.json").write_text(f'{{"$id": "x:y", "const": "{name}"}}')
    shown = run("--json-schema", "a.json", "--registry", "a.json", "--registry", "b.json")
    assert shown.exit_code == 2
    assert "another schema of --registry is also `x:y`: a.json" in shown.stderr


@pytest.mark.parametrize("words", [("--dsl", "int"), ("--type", "typing:Any"), ("p.pdl",)])
def test_other_schemas_are_for_a_json_schema(words: tuple[str, ...]) -> None:
    shown = run(*words, "--registry", "all")
    assert shown.exit_code == 2
    assert "--registry requires --json-schema FILE" in shown.stderr


def test_a_type_that_is_no_name() -> None:
    shown = run("--type", "typing:list[int]")
    assert shown.exit_code == 2
    assert "`Answer = list[int]`, and use `typing:Answer`" in shown.stderr


def test_names_cannot_forge_lines_of_a_report() -> None:
    name = "a\n# type EXACT\x1b[31m"
    schema = {"properties": {name: {"type": "string"}}}
    Path("a.json").write_text(json.dumps(schema))
    shown = run("--json-schema", "a.json", "--explain")
    assert r"#/properties/a\n# type EXACT\x1b[31m" in shown.stdout
    assert not any(line.startswith("# type EXACT") for line in shown.stdout.splitlines())
    assert "\x1b" not in shown.stdout


def test_what_contradicts_itself_is_shown_in_the_file() -> None:
    schema = '{\n "definitions": {"a": {"const": "\\ud800"}},\n "$ref": "#/definitions/a"}'
    Path("a.json").write_text(schema)
    shown = run("--json-schema", "a.json")
    assert shown.exit_code == 2
    assert shown.stderr.startswith("a.json:2:33: no value satisfies this schema: `const` at ")
    assert r"`\ud800` is an unpaired surrogate" in shown.stderr


def test_a_rule_of_a_file_that_is_wrong_names_both() -> None:
    Path("a.json").write_text('{"definitions": {"a": {"x-gbnf": "[0-9"}}}')
    shown = run("--json-schema", "a.json")
    assert shown.stderr.startswith("a.json#/definitions/a/x-gbnf:1:1: ")


def test_a_json_schema_that_nests_too_deep() -> None:
    Path("a.json").write_text('{"not":' * 3000 + "{}" + "}" * 3000)
    shown = run("--json-schema", "a.json")
    assert shown.exit_code == 2
    assert "the JSON nests deeper than 800 levels" in shown.stderr
