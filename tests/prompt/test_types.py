"""`@type:module:Name` in a schema turn: types that the program allows, and where errors are."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

import pdl
from pdl.cli.inputs import RowSchemas, Shipped, read_type
from pdl.prompt.lint import lint_file

if TYPE_CHECKING:
    from pathlib import Path

MODULE = """
import dataclasses
import datetime as dt

print("imported")

class Outer:
    @dataclasses.dataclass
    class Inner:
        day: dt.date

Days = list[dt.date]
function = print
number = 5
nothing = complex
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package `typed_prompts` whose module says when it is imported."""
    folder = tmp_path / "typed_prompts"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "models.py").write_text(MODULE)
    (folder / "broken.py").write_text("raise SystemExit('stop')")
    (folder / "needy.py").write_text("import no_such_module_at_all")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("typed_prompts", *(f"typed_prompts.{n}" for n in ("models", "broken", "needy"))):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


@dataclass
class Invoice:
    """A bill."""

    total: int


NAME = f"{__name__}:Invoice"
PROMPT = "<|user|>\n{{ schema }}\n<|schema|>\n@type:"


def test_a_list_allows_its_classes_without_an_import() -> None:
    rendered = pdl.loads(f"{PROMPT}{NAME}", types=[Invoice]).render()
    assert "// A bill." in rendered.messages[0].text
    assert rendered.check('{"total": 5}').value == Invoice(5)


def test_a_mapping_allows_any_types_by_names() -> None:
    types: dict[str, Any] = {"Bills": list[Invoice], "Invoice": Invoice}
    prompt = pdl.loads(f"{PROMPT}Bills", types=types)
    assert prompt.render().check('[{"total": 5}]').value == [Invoice(5)]


def test_a_schema_that_replaces_the_turn_names_its_type() -> None:
    rendered = pdl.loads(f"{PROMPT}{NAME}").render(schema=Invoice)
    assert rendered.check('{"total": 5}').value == Invoice(5)


def test_all_types_of_modules_that_rendering_imports(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = package / "a.pdl"
    path.write_text(f"{PROMPT} typed_prompts.models:Outer.Inner ")
    prompt = pdl.load(path, types=True)
    assert capsys.readouterr().out == ""
    value = prompt.render().check('{"day": "2024-02-03"}').value
    assert capsys.readouterr().out == "imported\n"
    inner = sys.modules["typed_prompts.models"].Outer.Inner
    assert isinstance(value, inner)
    assert lint_file(path, types=True) == ()


@pytest.mark.parametrize("types", [False, True, [Invoice], {"Invoice": Invoice}])
def test_a_prompt_with_types_pickles(types: Any) -> None:
    prompt = pdl.loads("<|user|>\nHi", types=types)
    assert pickle.loads(pickle.dumps(prompt)).types == prompt.types  # noqa: S301 - our own


def test_a_prompt_that_is_unpickled_allows_the_same_types() -> None:
    prompt = pickle.loads(pickle.dumps(pdl.loads(f"{PROMPT}Bill", types={"Bill": Invoice})))  # noqa: S301 - our own
    assert prompt.render().check('{"total": 5}').value == Invoice(5)


PARTS = {
    "shown.pdl": "{{ schema }}",
    "turn.pdl": "<|schema|>\n[str]\n",
    "user.pdl": "<|user|>\n{{ schema }}\n",
    "base.pdl": "<|user|>\n{% block inner %}{% endblock %}",
    "macro.pdl": "{% macro shown() %}{{ schema }}{% endmacro %}",
    "argument.pdl": "{% macro shown(text) %}{{ text }}{% endmacro %}",
}
INCLUDING = [
    "<|user|>\n{% include 'shown.pdl' %}",
    "{% include 'user.pdl' %}",
    "{% include 'user.pdl' %}\n{% include 'turn.pdl' %}",
    "<|user|>\n{{ schema }}\n<|schema|>\n[int]",
    "<|user|>\n{{ schema }}\n<|schema|>\n{% if absent %}int{% else %}str{% endif %}",
    "{% extends 'base.pdl' %}{% block inner %}{{ schema }}{% endblock %}",
    "{% import 'macro.pdl' as all with context %}<|user|>\n{{ all.shown() }}",
    "{% import 'argument.pdl' as all %}<|user|>\n{{ all.shown(schema) }}",
    "<|user|>\n{% if schema %}{{ schema }}{% endif %}",
    "<|user|>\n{% set text = schema %}{{ text }}",
]


@pytest.mark.parametrize("text", INCLUDING)
def test_a_schema_that_is_passed_is_described_wherever_the_prompt_prints_it(
    text: str, tmp_path: Path
) -> None:
    for name, content in PARTS.items():
        (tmp_path / name).write_text(content)
    rendered = pdl.loads(text, base=tmp_path).render(schema=Invoice)
    assert rendered.messages[0].text == pdl.Schema.from_type(Invoice).describe()
    assert rendered.check('{"total": 5}').value == Invoice(5)


REFUSED: list[tuple[str, Any, str]] = [
    (NAME, False, f"4:1: this program does not allow the type `{NAME}`"),
    (NAME, False, "hint: if you trust its module, pass `types=True`, on the command line"),
    ("Invoic", {"Invoice": Invoice}, "did you mean `Invoice`?"),
    ("Other", {"Invoice": Invoice, "Bill": Invoice}, "hint: it allows `Invoice`, `Bill`"),
    ("typed_prompts.models", True, "4:1: expected MODULE:NAME, such as app.models:Person"),
    ("typed_prompts models:A", True, "4:1: expected MODULE:NAME"),
    ("", True, "4:1: expected MODULE:NAME"),
    ("typed_prompts.absent:A", True, "4:1: there is no module `typed_prompts.absent`"),
    ("typed_absent.models:A", True, "4:1: there is no module `typed_absent`"),
    (
        "typed_prompts.broken:A",
        True,
        "4:1: the module `typed_prompts.broken` cannot be imported: SystemExit: stop",
    ),
    ("typed_prompts.needy:A", True, "cannot be imported: ModuleNotFoundError: No module named"),
    ("typed_prompts.models:Out", True, "4:1: `typed_prompts.models` has no `Out`"),
    ("typed_prompts.models:Out", True, "did you mean `Outer`?"),
    ("typed_prompts.models:Outer.In", True, "4:1: `Outer` has no `In`"),
    ("typed_prompts.models:list[int]", True, "4:1: `list[int]` is not a name in"),
    ("typed_prompts.models:number", True, "4:1: the type `5` cannot be a schema: it is a value"),
    ("typed_prompts.models:function", True, "4:1: the type `print` cannot be a schema"),
    ("typed_prompts.models:nothing", True, "4:1: the type `complex` cannot be a schema"),
]


@pytest.mark.parametrize(("name", "types", "message"), REFUSED)
@pytest.mark.usefixtures("package")
def test_a_name_that_leads_to_no_type(name: str, types: Any, message: str) -> None:
    with pytest.raises(pdl.SchemaError) as caught:
        pdl.loads(f"{PROMPT}{name}", name="a.pdl", types=types).render()
    assert f"a.pdl:{message}" in str(caught.value) or message in str(caught.value)
    assert caught.value.problem.span is not None


@pytest.mark.parametrize(
    "text",
    [
        "@type:{{ value }}",
        "@type:typed_prompts.{{ value }}:A",
        "{{ value }}",
        "@{{ value }}:models:A",
    ],
)
@pytest.mark.usefixtures("package")
def test_a_value_can_name_no_type(text: str) -> None:
    """Data would choose which code runs."""
    prompt = pdl.loads(f"<|user|>\nHi\n<|schema|>\n{text}", types=True)
    for value in ("typed_prompts.models:Days", "@type:typed_prompts.models:Days", "models", "type"):
        with pytest.raises(pdl.SchemaError):
            prompt.render(value=value)
    assert "typed_prompts.models" not in sys.modules


def test_a_branch_can_name_a_type() -> None:
    text = "<|user|>\nHi\n<|schema|>\n{% if many %}@type:Many{% else %}@type:One{% endif %}"
    prompt = pdl.loads(text, types={"Many": list[Invoice], "One": Invoice})
    assert prompt.render(many=True).check('[{"total": 1}]').value == [Invoice(1)]
    assert prompt.render(many=False).check('{"total": 1}').value == Invoice(1)


def test_an_include_can_name_a_type(tmp_path: Path) -> None:
    (tmp_path / "part.pdl").write_text(f"<|schema|>\n@type:{NAME}\n")
    text = "<|user|>\n{{ schema }}\n{% include 'part.pdl' %}"
    rendered = pdl.loads(text, base=tmp_path, types=[Invoice]).render()
    assert "// A bill." in rendered.messages[0].text
    with pytest.raises(pdl.SchemaError, match=r"part\.pdl:2:1: this program does not allow"):
        pdl.loads(text, base=tmp_path).render()


@pytest.mark.parametrize(
    ("types", "message"),
    [
        (5, "types must be a bool, a mapping of names to types, or a list of classes, not int"),
        (
            "app:A",
            "types must be a bool, a mapping of names to types, or a list of classes, not str",
        ),
        (Invoice, "or a list of classes, not the class Invoice"),
        ([Invoice(1)], "a list of types must contain classes, not Invoice"),
        ([list[int]], "a list of types must contain classes, not GenericAlias: give it a name"),
        ({1: Invoice}, "the names in types must be str, not int"),
        ({"A": 1}, "types['A'] must be a Python type, not int"),
    ],
)
def test_what_is_no_type_is_refused_when_the_prompt_is_loaded(types: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        pdl.loads("<|user|>\nHi", types=types)
    assert message in str(caught.value)


def test_lint_refuses_types_by_default(tmp_path: Path) -> None:
    path = tmp_path / "a.pdl"
    path.write_text("<|user|>\nHi\n<|schema|>\n@type:app:A\n")
    [finding] = lint_file(path)
    assert (finding.severity, finding.problem.code) == ("error", "schema/type-not-allowed")
    assert str(finding.problem).startswith(f"{path}:4:1: this program does not allow the type")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("render a.pdl", 2),
        ("render --types a.pdl", 0),
        ("lint a.pdl", 1),
        ("lint --types a.pdl", 0),
        ("schema a.pdl", 2),
        ("schema --types a.pdl --to dsl", 0),
        ("check --types a.pdl --reply reply.txt", 0),
        ("run --types a.pdl --model replay:replies.jsonl", 0),
        ("check --types a.pdl --batch many.jsonl --jobs 2", 0),
        ("check --type typed_prompts.models:Days --batch many.jsonl --jobs 2", 0),
        ("schema --types --dsl int", 2),
    ],
)
def test_the_command_allows_types_with_an_option(package: Path, command: str, code: int) -> None:
    """Modules of the current directory are found, and what they print is not in the result."""
    (package / "a.pdl").write_text(f"{PROMPT}typed_prompts.models:Days")
    (package / "reply.txt").write_text('["2024-02-03"]')
    (package / "replies.jsonl").write_text(json.dumps({"text": '["2024-02-03"]'}))
    (package / "many.jsonl").write_text('"[\\"2024-02-03\\"]"\n' * 2)
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "pdl", *command.split()],
        cwd=package,
        env={**os.environ, "PYTHONSAFEPATH": "1"},  # as the installed command runs
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    assert "imported" not in done.stdout
    assert ("imported" in done.stderr) == (code == 0)
    assert "Traceback" not in done.stderr


def test_a_worker_process_finds_the_modules_of_types(
    package: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(package)
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one != str(package)])
    rows = RowSchemas(read_type("typed_prompts.models:Outer.Inner"))
    data = pickle.dumps(Shipped(rows, has_types=rows.has_types))
    monkeypatch.delitem(sys.modules, "typed_prompts.models")
    capsys.readouterr()
    assert pickle.loads(data).default == rows.default  # noqa: S301 - our own
    assert capsys.readouterr() == ("", "imported\n")
