"""`pdl gbnf`: files, numbers, pictures; what a terminal shows is in the cases of `gbnf-*`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pdl import gbnf
from pdl.cli.app import application
from pdl.cli.output import Output
from pdl.errors import FileError

PDL = (sys.executable, "-c", "from pdl.cli import main; main()")
LIST = '# numbers\nroot   ::= "[" (number ("," number)*)? "]"\nnumber ::= "0" | [1-9] [0-9]*\n'


@pytest.fixture(autouse=True)
def grammar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = Path("list.gbnf")
    file.write_text(LIST)
    return file


def run(*words: str, data: bytes = b"") -> Result:
    result = CliRunner().invoke(application, ["gbnf", *words], data, prog_name="pdl")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def process(*words: str, **environment: str) -> str:
    """What the command prints as a separate process."""
    variables = {**os.environ, **environment}
    line = [*PDL, *words]
    done = subprocess.run(line, capture_output=True, check=False, timeout=60, env=variables)  # noqa: S603  (our own command)
    return done.stdout.decode()


def test_parse_writes_a_file_over_itself(grammar: Path) -> None:
    shown = run("parse", "list.gbnf", "-o", "list.gbnf")
    assert (shown.exit_code, shown.stdout, shown.stderr) == (0, "", "")
    assert grammar.read_text() == str(gbnf.parse(LIST))


@pytest.mark.parametrize("name", ["parse", "optimize", "generate"])
def test_a_wrong_grammar_leaves_the_file_as_it_was(grammar: Path, name: str) -> None:
    Path("bad.gbnf").write_text("root ::= gone\n")
    assert run(name, "bad.gbnf", "-o", "list.gbnf").exit_code == 2
    assert grammar.read_text() == LIST


def test_a_dash_is_the_standard_output() -> None:
    assert run("parse", "-o", "-", data=LIST.encode()).stdout == str(gbnf.parse(LIST))


def test_a_full_disk_is_an_error() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(FileError, match=r"^/dev/full: cannot be written: no space left on device$"):
        Output("/dev/full").write("text")


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        (("-o", "list.svg"), "<svg "),
        (("-o", "list.HTML"), "<!DOCTYPE html>"),
        (("-o", "list.html", "--to", "svg"), "<svg "),
        (("-o", "list", "--to", "html"), "<!DOCTYPE html>"),
    ],
)
def test_a_diagram_is_of_the_kind_that_its_file_says(words: tuple[str, ...], begins: str) -> None:
    assert run("diagram", "list.gbnf", *words).exit_code == 0
    assert Path(words[1]).read_text().startswith(begins)


def test_a_diagram_as_json_holds_the_picture() -> None:
    fields = json.loads(run("diagram", "list.gbnf", "--format", "json").stdout)
    assert (fields["to"], fields["root"], fields["rules"]) == ("svg", "root", ["root", "number"])
    assert fields["text"].startswith("<svg ")


def test_a_seed_that_was_told_makes_the_same_texts() -> None:
    first = run("generate", "list.gbnf", "-n", "20", "--format", "json")
    told = first.stderr.split()
    assert told[0] == "--seed"
    again = run("generate", "list.gbnf", "-n", "20", "--format", "json", *told[:2])
    assert again.stdout == first.stdout
    assert again.stderr == ""


def test_what_is_generated_matches_and_what_misses_does_not() -> None:
    parsed = gbnf.parse(LIST)
    texts = json.loads(run("generate", "list.gbnf", "-n", "30", "--format", "json").stdout)
    misses = json.loads(run("generate", "list.gbnf", "--near-misses", "--format", "json").stdout)
    assert len(texts) == 30
    assert len(misses) == 10
    assert all(parsed.match(text) for text in texts)
    assert not any(parsed.match(text) for text in misses)


def test_lines_that_are_generated_are_lines_that_match() -> None:
    lines = run("generate", "list.gbnf", "--in-order", "-n", "50").stdout
    shown = run("match", "list.gbnf", "--lines", data=lines.encode())
    assert shown.exit_code == 0
    assert shown.stderr == "50 texts: 50 match\n"


def test_an_optimized_grammar_takes_the_same_texts() -> None:
    made = gbnf.parse(run("optimize", "list.gbnf").stdout)
    assert all(made.match(text) for text in gbnf.parse(LIST).texts(200))


def test_an_empty_file_is_the_empty_text_but_no_line() -> None:
    Path("empty.txt").write_bytes(b"")
    Path("any.gbnf").write_text('root ::= "a"*\n')
    assert run("match", "any.gbnf", "empty.txt").stdout == "empty.txt: ok\n"
    shown = run("match", "any.gbnf", "empty.txt", "--lines")
    assert (shown.exit_code, shown.stdout, shown.stderr) == (0, "", "0 texts: 0 match\n")


def test_a_place_counts_bytes_and_characters() -> None:
    """The file can contain invalid UTF-8, and characters of several bytes."""
    Path("odd.gbnf").write_text("root ::= [^x]*\n")
    Path("odd.txt").write_bytes("ü🙂\nü".encode() + b"x\xff")
    [fields] = json.loads(run("match", "odd.gbnf", "odd.txt", "--format", "json").stdout)
    wanted = {"position": 9, "character": 4, "line": 2, "column": 2, "found": "x"}
    assert {name: fields[name] for name in wanted} == wanted


def test_bytes_of_the_command_line_are_matched_as_they_are() -> None:
    [fields] = json.loads(
        run("match", "list.gbnf", "--text", "[\udcff]", "--format", "json").stdout
    )
    assert (fields["position"], fields["found"]) == (1, "\N{REPLACEMENT CHARACTER}")


@pytest.mark.parametrize(
    ("words", "missing"),
    [(("parse",), "a grammar"), (("lint",), "a grammar"), (("match", "list.gbnf"), "text")],
)
def test_a_terminal_is_not_read_unasked(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], missing: str
) -> None:
    """Without a file it would wait forever."""
    monkeypatch.setattr("pdl.cli.files.is_terminal", lambda: True)
    shown = run(*words)
    assert shown.exit_code == 2
    assert shown.stderr.endswith(f"Error: expected a FILE, or {missing} on standard input\n")


def test_a_shell_gets_completions_of_the_commands_in_the_group() -> None:
    words = {"_PDL_COMPLETE": "zsh_complete", "COMP_CWORD": "2"}
    assert process(COMP_WORDS="pdl gbnf op", **words).splitlines()[:2] == ["plain", "optimize"]
    words["COMP_CWORD"] = "3"
    options = process(COMP_WORDS="pdl gbnf export --t", **words)
    assert options.splitlines()[:2] == ["plain", "--to"]
    words["COMP_CWORD"] = "4"
    months = process(COMP_WORDS="pdl gbnf lint --target 2023", **words)
    assert months.splitlines()[:2] == ["plain", "2023-07"]


def test_start_up_imports_only_the_command_that_runs() -> None:
    code = (
        "import sys\n"
        "from pdl.cli.app import application\n"
        "application.main(['gbnf', 'parse', '--check', 'list.gbnf'], standalone_mode=False)\n"
        "print(*sorted({'jinja2', 'jsonschema', 'pdl.cli.commands.render',"
        " 'pdl.cli.commands.lint', 'pdl.cli.commands.gbnf_match'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)  # noqa: S603  (our own code)
    assert done.stdout == b"\n"


def test_the_shortest_of_very_many_alternatives() -> None:
    """It needs no more than their lengths."""
    Path("many.gbnf").write_text('root ::= "bb"' + ' | "bb"' * 20_000 + ' | "a"')
    assert run("generate", "many.gbnf", "--shortest").stdout == "a\n"


def test_a_diagram_of_another_kind_is_not_written(tmp_path: Path) -> None:
    assert run("diagram", "list.gbnf", "-o", "list.pdf").exit_code == 2
    assert not (tmp_path / "list.pdf").exists()
    assert run("diagram", "list.gbnf", "-o", "list.txt", "--to", "svg").exit_code == 0
