"""What `pdl lint` prints for programs."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pdl.cli.app import application
from pdl.cli.commands.lint import FORMATS, summary
from pdl.cli.files import files_below
from pdl.cli.terminal import Terminal
from pdl.errors import CasesError, FileError, Problem
from pdl.prompt import load
from pdl.prompt.lint import Finding
from pdl.source import Source

TERMINAL = Terminal(io.StringIO(), is_tty=False, has_color=False)
SOURCE = Source("first\nsecond line\nthird\n", "odd, name: 100%.pdl")


def test_github_gets_its_escapes() -> None:
    """In properties `:` and `,` are escaped, in messages only `%` and the ends of lines."""
    problem = Problem("turn/odd", "100%:\r\nso, so", SOURCE.span(6, 12), "try\nthis")
    line = FORMATS["github"]([Finding(problem)], TERMINAL)
    assert line == (
        "::error file=odd%2C name%3A 100%25.pdl,line=2,col=1,endColumn=7,title=pdl%3A turn/odd"
        "::100%25:%0D%0Aso, so%0Atry%0Athis"
    )


@pytest.mark.parametrize(
    ("severity", "level"), [("error", "error"), ("warning", "warning"), ("note", "notice")]
)
def test_github_has_a_level_for_each_severity(severity: str, level: str) -> None:
    finding = Finding(Problem("a/b", "words"), severity)  # type: ignore[arg-type]  # a parameter
    assert FORMATS["github"]([finding], TERMINAL) == f"::{level} title=pdl%3A a/b::words"


def test_json_ends_a_span_on_the_line_where_it_begins() -> None:
    [fields] = json.loads(
        FORMATS["json"]([Finding(Problem("a/b", "m", SOURCE.span(13, 20)))], TERMINAL)
    )
    assert (fields["line"], fields["column"], fields["end_column"]) == (2, 8, 12)


def test_json_gives_nulls_to_what_has_no_place() -> None:
    [fields] = json.loads(FORMATS["json"]([Finding(Problem("a/b", "m"))], TERMINAL))
    assert [fields[key] for key in ("path", "line", "column", "end_column")] == [None] * 4


def test_a_caret_behind_the_last_character_has_a_column_of_its_own() -> None:
    [fields] = json.loads(FORMATS["json"]([Finding(Problem("a/b", "m", SOURCE.span(5)))], TERMINAL))
    assert (fields["column"], fields["end_column"]) == (6, 7)


def test_the_summary_counts() -> None:
    findings = [Finding(Problem("a/b", "m"))] * 2 + [Finding(Problem("a/b", "m"), "note")]
    assert summary(findings, 3) == "3 files: 2 errors, 1 note"
    assert summary([], 1) == "1 file: no findings"


def test_a_directory_that_cannot_be_read_is_not_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("os.scandir", refuse)
    with pytest.raises(FileError, match="cannot be read: permission denied"):
        files_below(["."], ".pdl")


def test_files_of_cases_are_no_prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.pdl", "a.tests.pdl", "tests.pdl", ".b.tests.pdl"):
        Path(name).touch()
    assert files_below(["."], ".pdl") == ["a.pdl", "tests.pdl"]
    assert files_below(["."], ".tests.pdl") == ["a.tests.pdl"]
    assert files_below(["a.tests.pdl"], ".pdl") == ["a.tests.pdl"]
    with pytest.raises(CasesError, match=r"a\.tests\.pdl: this is a file of cases") as caught:
        load("a.tests.pdl")
    assert "`pdl test`" in str(caught.value)


FOLDERS = {
    "parts of parts, relative to the prompt": (
        {
            "main.pdl": "<|user|>\n{% include 'sub/rules.pdl' %}",
            "sub/rules.pdl": "Rules: {% include 'sub/deep.pdl' %}",
            "sub/deep.pdl": "deep",
        },
        [],
    ),
    "parts by way of a file that is no prompt": (
        {
            "main.pdl": "<|user|>\n{% include 'sub/rules.txt' %}",
            "sub/rules.txt": "Rules: {% include 'sub/deep.pdl' %}",
            "sub/deep.pdl": "deep {% include 'main.pdl' if 0 else 'none.pdl' %}",
        },
        [],
    ),
    "a part that is relative to itself": (
        {
            "main.pdl": "<|user|>\n{% include 'sub/rules.pdl' %}",
            "sub/rules.pdl": "Rules: {% include 'deep.pdl' %}",
            "sub/deep.pdl": "<|user|>\ndeep",
        },
        ["sub/rules.pdl:1:20 template/include"],
    ),
    "a part that no prompt includes": (
        {"sub/_rules.pdl": "{% include '_deep.pdl' %}", "sub/_deep.pdl": "deep"},
        [],
    ),
    "files that include each other": (
        {"a.pdl": "a {% include 'b.pdl' %}", "b.pdl": "b {% include 'a.pdl' %}"},
        [],
    ),
    "a file that includes itself": (
        {"a.pdl": "a {% if 0 %}{% include 'a.pdl' %}{% endif %}"},
        ["a.pdl:1:1 turn/no-role"],
    ),
    "parts whose names are computed": (
        {
            "main.pdl": "<|input|>\n{ a: str }\n<|user|>\n{% include 'tones/t_' ~ a ~ '.pdl' %}",
            "tones/t_kind.pdl": "Be kind. {% include 'tones/t_end.pdl' %}",
            "tones/t_end.pdl": "End.",
            "tones/other.pdl": "other",
        },
        ["tones/other.pdl:1:1 turn/no-role"],
    ),
    "a computed name says nothing of all others": (
        {"main.pdl": "<|user|>\n{% include a ~ '.pdl' %}", "other.pdl": "other"},
        ["other.pdl:1:1 turn/no-role"],
    ),
    "names that lead elsewhere": (
        {"sub/main.pdl": "<|user|>\n{% include '../out.pdl' %}", "out.pdl": "out"},
        ["out.pdl:1:1 turn/no-role", "sub/main.pdl:2:13 template/include"],
    ),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_parts_are_checked_as_the_prompts_use_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, expected = FOLDERS[name]
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    printed = CliRunner().invoke(application, ["lint", ".", "--format", "json"]).stdout
    found = [f"{one['path']}:{one['line']}:{one['column']} {one['code']}" for one in
             json.loads(printed)]  # fmt: skip
    assert sorted(found) == expected
