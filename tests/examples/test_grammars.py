"""Grammars that people take over, what `pdl gbnf` says of them, and what its pages claim."""

from __future__ import annotations

import json
import re
import runpy
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args, get_type_hints

import pytest
from click.testing import CliRunner, Result
from llama import llama, needs_llama

from pdl import gbnf
from pdl.cli.app import application
from pdl.gbnf import Options
from pdl.limits import DEFAULT_LIMITS
from pdl.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snapshots import Snapshot

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "gbnf.md").read_text(encoding="utf-8")
COMPILED = (ROOT / "docs" / "grammars.md").read_text(encoding="utf-8")
GRAMMARS = sorted(path.relative_to(ROOT) for path in (ROOT / "examples/grammars").glob("*.gbnf"))
TEXTS = sorted(path.relative_to(ROOT) for path in (ROOT / "examples/grammars").glob("*/*.txt"))
CLAIMS = {
    'root ::= ("ab"*)': (["", "ab", "abab"], ["abb"]),
    "root ::= [^a] .": (["\n\n", "ba"], ["ab"]),
    r"root ::= [\x30-\x39-] [a^]": (["-^", "5a"], ["+a"]),
    r'root ::= "\xC3\xA9"': (["Ã©"], ["é"]),
    'root ::= "a" [] [^] () "b"': (["ab"], ["axb"]),
    'root ::= "a" |': (["", "a"], ["b"]),
    'root ::= "a"\nroot ::= "b"': (["b"], ["a"]),
    'root ::= "a"{0,2000}': (["a" * 2000], ["a" * 2001]),
    'root ::= "a"{0,2001}': (["a" * 3000], []),
    "root ::= [z-a]": ([], ["a", "m", "z"]),
    "root ::= [^z-a]": (["a", "m", "z"], [""]),
    'root ::= x{0} "a"': (["a"], []),
    'root ::= x{45}\nx ::= "a"{0,45} ","': (["a," * 45, "aaa," * 45], ["a," * 46]),
    'root ::= ("a"?)*': (["", "aa"], ["b"]),
    'root ::= "a" |\n\n# here\n  "b"': (["a", "b"], []),
    'root ::= (\n "a" # one\n | "b"\n)': (["a", "b"], []),
    'root ::= 1 -\n1 ::= "a" *\n- ::= "b"{ 1 , 2 }': (["aabb"], ["a"]),
}
"""Grammars of the page, texts that they match, and texts that they do not."""
REFUSED = (
    'root ::= "a"\n | "b"', 'root ::= "a" |\nx ::= "b"', 'root ::= a_b\na_b ::= "x"',
    r'root ::= "\/"', r'root ::= "\b"', r"root ::= [\d]", r"root ::= [\^]", 'root ::= "a"{,5}',
    'root ::= "a"?*', 'root ::= "a"{2001}', 'root ::= ("a"{0,45} ","){45}', 'root ::= ("a" | "")*',
    'root ::= list\nlist ::= list "," "a" | "a"', 'root ::= "a"\nx ::= y', 'root ::= "a" x ::= "b"',
    'root ::= "a"\n*', 'root\n ::= "a"',
)  # fmt: skip


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs name files as somebody sees them who stands in the repository's root."""
    monkeypatch.chdir(ROOT)


def pdl(*arguments: str | Path) -> Result:
    """What the command does; a bug shows its own traceback."""
    words = ["gbnf", *(str(one) for one in arguments)]
    return CliRunner().invoke(application, words, catch_exceptions=False)


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.stem)
def test_findings(path: Path, snapshot: Snapshot) -> None:
    """One without a file of findings has none."""
    expected = path.with_suffix(".lint")
    result = pdl("lint", path, *(["--must-be-json"] if expected.exists() else []))
    if expected.exists():
        snapshot.check(expected, result.stdout)
    else:
        assert (result.exit_code, result.stdout) == (0, "")


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.stem)
def test_optimized(path: Path, snapshot: Snapshot) -> None:
    """What is written beside a grammar with findings is what `pdl gbnf optimize` makes of it."""
    if path.with_suffix(".lint").exists():
        snapshot.check(path.with_suffix(".optimized"), pdl("optimize", path).stdout)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_texts(path: Path, snapshot: Snapshot) -> None:
    result = pdl("match", path.parent.with_suffix(".gbnf"), "--chomp", path)
    assert result.exit_code == (": ok" not in result.output)
    snapshot.check(path.with_suffix(".out"), result.output)


@needs_llama
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_texts_in_llama(path: Path) -> None:
    text = path.read_text(encoding="utf-8").removesuffix("\n")
    grammar = path.parent.with_suffix(".gbnf").read_text(encoding="utf-8")
    with llama(grammar) as judge:
        assert judge is not None
        assert judge.match(text)[0] == bool(gbnf.parse(grammar).match(text))


def test_a_model_is_held(snapshot: Snapshot, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path("examples/grammar.py", run_name="__main__")
    snapshot.check(ROOT / "examples" / "grammar.out", capsys.readouterr().out)


def test_a_prompt_has_a_grammar(snapshot: Snapshot, capsys: pytest.CaptureFixture[str]) -> None:
    """What the grammar leaves to the checker goes back to the model."""
    runpy.run_path("examples/prompt_grammar.py", run_name="__main__")
    snapshot.check(ROOT / "examples" / "prompt_grammar.out", capsys.readouterr().out)


def test_a_model_that_can_say_nothing_is_an_error() -> None:
    example = runpy.run_path("examples/grammar.py")
    with pytest.raises(LookupError, match=r"can only say `\{\"name\": \"`"):
        example["said"](example["TOOL_CALL"], [("no",)])


def sizes() -> Iterator[tuple[str, int, int]]:
    """The rows of the table of what options cost."""
    for options, chars, rules in re.findall(
        r"^\| (`.+) \| ([\d,]+) \| (\d+) \|$", COMPILED, re.MULTILINE
    ):
        yield options, int(chars.replace(",", "")), int(rules)


@pytest.mark.parametrize(("words", "chars", "rules"), list(sizes()))
def test_what_options_cost(words: str, chars: int, rules: int) -> None:
    """The page says about how much; it need not be mended for a few characters."""
    (dsl,) = re.findall(r"^`(\{ title: .+\})`:$", COMPILED, re.MULTILINE)
    preset, *changes = re.findall(r"`(.+?)`", words)
    options = {
        "generate()": Options.generate(),
        "Options()": Options(),
        "accept()": Options.accept(),
    }[preset]
    for change in changes:
        name, value = change.split("=")
        options = replace(options, **{name: value.strip('"')})
    grammar = gbnf.compile(Schema.parse(dsl), options).grammar
    assert len(str(grammar)) == pytest.approx(chars, rel=0.25)
    assert len(grammar.rules) == pytest.approx(rules, rel=0.25, abs=2)


@pytest.mark.parametrize(
    ("number", "chars"),
    re.findall(r"(\d+) takes\s([\d,]+)", COMPILED),
)
def test_what_multiples_cost(number: str, chars: str) -> None:
    schema = Schema.from_json_schema({"type": "integer", "multipleOf": int(number)})
    size = len(gbnf.to_gbnf(schema))
    assert size == pytest.approx(int(chars.replace(",", "")), rel=0.15)


def test_the_page_names_each_option() -> None:
    for one in fields(Options):
        assert f"| `{one.name}` |" in COMPILED, one.name
        for value in get_args(get_type_hints(Options)[one.name]):
            assert f"`{value}`" in COMPILED, value


def test_each_grammar_is_named_in_the_list() -> None:
    listed = Path("examples/README.md").read_text(encoding="utf-8")
    for path in GRAMMARS:
        assert f"]({path.relative_to('examples')})" in listed


@needs_llama
@pytest.mark.parametrize("text", CLAIMS)
def test_what_the_page_says_of_grammars(text: str) -> None:
    good, bad = CLAIMS[text]
    grammar = gbnf.parse(text)
    with llama(text) as judge:
        assert judge is not None
        for one in (*good, *bad):
            assert judge.match(one)[0] == bool(grammar.match(one)) == (one in good), one


@needs_llama
@pytest.mark.parametrize("text", REFUSED)
def test_what_the_page_says_is_refused(text: str) -> None:
    assert any(one.severity == "error" for one in gbnf.lint(text))
    with llama(text) as judge:
        assert judge is None


def test_the_page_names_each_finding() -> None:
    folder = ROOT / "pdl" / "gbnf" / "linting"
    codes = re.findall(r'"(gbnf/[a-z-]+)": \(', (folder / "finding.py").read_text(encoding="utf-8"))
    assert len(codes) > 20
    for code in codes:
        assert f"`{code}`" in PAGE, code


def test_the_page_names_each_bound() -> None:
    for one in fields(DEFAULT_LIMITS):
        if one.name.startswith("grammar_"):
            assert f"| `{one.name}` | {getattr(DEFAULT_LIMITS, one.name):,.0f} |" in PAGE, one.name


def test_the_page_names_each_target() -> None:
    assert re.findall(r"^\| (\d{4}-\d\d) \|", PAGE, re.MULTILINE) == list(gbnf.TARGETS)


def test_the_grammar_that_is_not_json_says_so() -> None:
    found = json.loads(pdl("lint", GRAMMARS[0], "--must-be-json", "--format", "json").stdout)
    assert "gbnf/not-json" in {one["code"] for one in found}
