"""`pdl diff` in real repositories, and the versions that it compares."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from repositories import Work, work_tree

import pdl
from pdl.cli.app import application

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

__all__ = ["work_tree"]

if shutil.which("git") is None:
    pytest.skip("needs git, which is not installed", allow_module_level=True)

PROMPT = "<|user|>\nHow urgent is this?\n\n<|schema|>\nint<1,5>\n"
NARROWER = PROMPT.replace("5", "3")
WIDER = PROMPT.replace("5", "9")


@pytest.fixture
def work(work_tree: Work, monkeypatch: pytest.MonkeyPatch) -> Work:
    """A repository with one commit of two prompts, of which one includes a part."""
    monkeypatch.chdir(work_tree.path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    work_tree.write("prompts/a.pdl", PROMPT)
    work_tree.write("prompts/b.pdl", '<|user|>\n{% include "deep/part.pdl" %}\n')
    work_tree.write("prompts/deep/part.pdl", "Be brief.")
    work_tree.commit()
    return work_tree


def diff(line: str, given: str | None = None) -> Result:
    """The result of `pdl diff`; an error that is not pdl's is a bug."""
    words = ["diff", *line.split()]
    return CliRunner().invoke(application, words, given, catch_exceptions=False, prog_name="pdl")


def changes(line: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(diff(f"{line} --format json").stdout)["changes"]
    return found


@pytest.mark.usefixtures("work")
def test_without_changes() -> None:
    result = diff("--against HEAD")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "3 files: no changes\n"
    assert diff("--against HEAD --format json").stdout == '{\n  "ok": true,\n  "changes": []\n}\n'


def test_the_work_tree_against_a_commit(work: Work) -> None:
    work.write("prompts/a.pdl", NARROWER)
    result = diff("--against HEAD")
    assert result.exit_code == 1
    assert "narrowed, breaks recordings: `$`: int<1,5> became int<1,3>" in result.stdout
    assert "  lost: `4` was valid, and no longer is" in result.stdout
    assert result.stderr == "3 files: 1 change, 1 breaks\n"
    work.commit()
    assert diff("--against HEAD").exit_code == 0
    assert diff("prompts --against HEAD~1").exit_code == 1
    assert diff("prompts/b.pdl prompts/deep --against HEAD~1").exit_code == 0
    assert diff("HEAD~1:prompts/a.pdl HEAD:prompts/a.pdl").exit_code == 1
    assert diff("HEAD:prompts HEAD:./prompts").exit_code == 0


def test_whose_breakage_counts(work: Work) -> None:
    work.write("prompts/a.pdl", NARROWER)
    assert diff("--against HEAD --for recordings").exit_code == 1
    assert diff("--against HEAD --for programs --for callers").exit_code == 0
    shown = diff("--against HEAD --for programs --format github").stdout
    assert shown.startswith("::warning file=prompts/a.pdl,line=")
    result = diff("--against HEAD --for programs --breaking")
    assert (result.exit_code, result.stdout) == (0, "")
    work.write("prompts/a.pdl", WIDER)
    assert diff("--against HEAD --for programs").exit_code == 1


def test_a_part_is_compared_through_its_prompts(work: Work) -> None:
    work.write("prompts/deep/part.pdl", "Be kind.")
    [change] = changes("--against HEAD")
    assert (change["file"], change["source"]) == ("prompts/b.pdl", "prompts/deep/part.pdl")
    assert changes("prompts/deep/part.pdl --against HEAD")  # if it is named, then as it is
    assert changes("--against HEAD --exclude deep") == [change]
    assert changes("--against HEAD --exclude b.pdl --exclude deep") == []


def test_a_part_from_below_another_root(work: Work) -> None:
    work.write("prompts/c.pdl", '<|user|>\n{% include "shared/_d.pdl" %}\n')
    work.write("shared/_d.pdl", "Be brief.")
    work.commit()
    work.write("shared/_d.pdl", "Be kind.")
    [change] = changes("prompts/c.pdl --against HEAD --root .")
    assert change["source"] == "shared/_d.pdl"
    result = diff("prompts/c.pdl --against HEAD --root ..")
    assert result.exit_code == 2
    assert "is outside the repository" in result.stderr


def test_added_and_removed_prompts(work: Work) -> None:
    work.write("prompts/new.pdl", "<|user|>\nHello")
    (work.path / "prompts/b.pdl").unlink()
    found = {one["file"]: one for one in changes("--against HEAD")}
    assert found["prompts/new.pdl"]["breaks"] == []
    assert found["prompts/b.pdl"]["breaks"] == ["programs", "recordings", "callers"]
    assert found["prompts/b.pdl"]["guess"] == ""
    [named] = changes("prompts/b.pdl --against HEAD")
    assert named["message"] == found["prompts/b.pdl"]["message"]


def test_a_renamed_prompt_is_a_guess(work: Work) -> None:
    """Its old name still breaks, and its text is compared with that of the old one."""
    work.write("prompts/c.pdl", NARROWER)
    work.write(
        "prompts/z.pdl", (work.path / "prompts/b.pdl").read_text().replace("include", " include ")
    )
    for name in "ab":
        (work.path / f"prompts/{name}.pdl").unlink()
    guesses = {one["file"]: one["guess"] for one in changes("--against HEAD")}
    assert guesses == {
        "prompts/a.pdl": "it was renamed to `prompts/c.pdl`, which has 70% of its text",
        "prompts/b.pdl": "it was renamed to `prompts/z.pdl`, which renders the same",
        "prompts/c.pdl": "it was `prompts/a.pdl`",
    }


def test_two_directories(work: Work) -> None:
    shutil.copytree(work.path / "prompts", work.path / "later")
    work.write("later/a.pdl", WIDER)
    work.write("later/.hidden/x.pdl", PROMPT)
    (work.path / "later/b.pdl").unlink()
    found = {one["file"]: one["breaks"] for one in changes("prompts later")}
    assert found["later/a.pdl"] == ["programs"]
    assert found["later/b.pdl"] == ["programs", "recordings", "callers"]
    assert diff("prompts later").exit_code == 1
    assert diff("prompts later/a.pdl").exit_code == 2


def test_untouched_prompts_are_not_parsed(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        work.write(f"prompts/{number}.pdl", PROMPT)
    work.commit()
    work.write("prompts/7.pdl", WIDER)
    loaded: list[str] = []
    original = pdl.loads

    def counted(text: str, *, name: str, **options: object) -> object:
        loaded.append(name)
        return original(text, name=name, **options)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr(pdl, "loads", counted)
    assert diff("--against HEAD").exit_code == 1
    assert {name.removeprefix("HEAD:") for name in loaded} == {"prompts/7.pdl"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.pdl", '<|user|>\n{%- from "parts/one.txt" import x -%} {{ x }}'),
        ("a.pdl", "<|user|>\n{% import 'parts/one.txt' as m %}{{ m.x }}"),
        ("a.pdl", '{% set f = "parts/one.txt" %}<|user|>\n{% include [f, "x"] ignore missing %}'),
        ("a.pdl", '{% extends "parts/base.txt" %}'),
        ("a.pdl", "<|user|>\nHi\n<|schema|>\n@parts/one.json"),
        ("a.pdl", "<|user|>\n<| media ( parts/one.svg ) |>"),
        ("a.pdl", "<|user|>\n{% include 'parts/./two.txt' %}"),
    ],
)
def test_each_way_to_name_a_file_is_noticed(work: Work, name: str, text: str) -> None:
    """A file of equal bytes is not skipped if what it reads has changed."""
    work.write(f"prompts/{name}", text)
    one = "prompts/parts/one"
    base = "<|user|>\n{% include 'parts/one.txt' %}"
    for number, maximum in enumerate((5, 3)):
        work.write(f"{one}.txt", f"{{% set x = {number} %}}{number}")
        work.write(f"{one}.json", f'{{"type": "integer", "maximum": {maximum}}}')
        work.write(f"{one}.svg", f"<svg>{number}</svg>")
        work.write("prompts/parts/two.txt", "{%+ include 'parts/one.txt' %}")
        work.write("prompts/parts/base.txt", base)
        if not number:
            work.commit()
    dynamic = "set f" in text  # the name is known only when it is rendered
    files = {change["file"] for change in changes("prompts/a.pdl --against HEAD")}
    assert files == (set() if dynamic else {"prompts/a.pdl"})


def test_a_commit_can_mend_an_invalid_prompt(work: Work) -> None:
    work.write("prompts/a.pdl", "<|user|>\n{{ }}")
    work.commit()
    result = diff("--against HEAD~1")
    assert result.exit_code == 2
    assert result.stderr.startswith("prompts/a.pdl:2:")
    failed = json.loads(diff("--against HEAD~1 --format json").stdout)
    assert (failed["ok"], failed["problems"][0]["path"]) == (False, "prompts/a.pdl")
    work.write("prompts/a.pdl", PROMPT)
    result = diff("--against HEAD")
    assert result.exit_code == 0
    assert "the old version was invalid and is not compared" in result.stdout


def test_a_type_that_is_not_allowed_is_undecided(work: Work) -> None:
    """The old version may have been valid where its types are allowed."""
    work.write("prompts/a.pdl", "<|user|>\nHi\n<|schema|>\n@type:os:nothing")
    work.commit()
    work.write("prompts/a.pdl", PROMPT)
    result = diff("--against HEAD")
    assert result.exit_code == 1
    assert "undecided, may break programs and recordings" in result.stdout


def test_all_invalid_prompts_are_named_at_once(work: Work) -> None:
    for name in "ab":
        work.write(f"prompts/{name}.pdl", "<|user|>\n{{ }}")
    result = diff("--against HEAD")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("expected an expression") == 2 or "2 problems" in result.stderr


def test_json_schemas(work: Work) -> None:
    work.write("a.json", '{"type": "integer", "maximum": 5}')
    work.write("b.json", '{"type": "integer", "maximum": 3}')
    result = diff("a.json b.json")
    assert result.exit_code == 1
    assert result.stdout.startswith("b.json:1:1: narrowed, breaks recordings: `$`:")
    assert diff("prompts/a.pdl a.json").exit_code == 1
    assert diff("a.json -", '{"type": "integer", "maximum": 5}').exit_code == 0
    assert diff("- prompts/a.pdl", PROMPT).exit_code == 0
    assert "has no `schema` turn" in diff("a.json prompts/b.pdl").stderr
    work.commit()
    assert diff("a.json --against HEAD").exit_code == 0
    (work.path / "a.json").rename(work.path / "c.json")
    assert changes("a.json --against HEAD")[0]["breaks"] == ["programs", "recordings", "callers"]
    assert changes("c.json --against HEAD")[0]["breaks"] == []
    assert diff("HEAD:a.json c.json").exit_code == 0


def test_what_is_rendered(work: Work) -> None:
    old = "<|input|>\n{ n: int }\n<|user|>\n{% if n > 3 %}Many{% else %}Few{% endif %}"
    work.write("old.pdl", old)
    work.write("new.pdl", old.replace("3", "5"))
    work.write("n.json", '{"n": 4}')
    assert [one["message"] for one in changes("old.pdl new.pdl")] == ["the text changed"]
    assert changes("old.pdl new.pdl --set n=9") == []
    [change] = changes("old.pdl new.pdl --context n.json")
    assert (change["old"], change["new"]) == ("Many", "Few")
    result = diff("old.pdl new.pdl --set n=x")
    assert result.exit_code == 2
    assert "input `n`" in result.stderr
    result = diff("--against HEAD --set n=1")
    assert (result.exit_code, "require two versions of one prompt" in result.stderr) == (2, True)


def test_types_are_imported_only_if_that_is_allowed(work: Work) -> None:
    work.write("made.py", "import pathlib\npathlib.Path('ran').touch()\nAge = int\n")
    for name, age in (("old", "1"), ("new", "2")):
        work.write(f"{name}.pdl", f"<|user|>\n{age}\n<|schema|>\n@type:made:Age")
    diff("old.pdl new.pdl")
    assert not (work.path / "ran").exists()
    assert diff("old.pdl new.pdl --types").exit_code == 0
    assert (work.path / "ran").exists()


def test_other_repositories_are_left_out(work: Work, tmp_path: Path) -> None:
    """A commit of this one has none of their files."""
    inner = Work(work.path / "vendor" / "lib")
    inner.write("x.pdl", PROMPT)
    inner.git("init", "-q")
    result = diff("--against HEAD")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "note: vendor/lib: is a repository of its own, which is not compared" in result.stderr
    assert tmp_path.exists()


HOSTILE = "::error::\x1b[31m\n`|<b>.pdl"


def test_hostile_names_of_files(work: Work) -> None:
    work.write(f"prompts/{HOSTILE}", PROMPT)
    result = diff("--against HEAD")
    assert result.exit_code == 0
    assert "\n`|<b>" not in result.stdout
    for form in ("github", "markdown", "json"):
        assert diff(f"--against HEAD --format {form}").exit_code == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "expected two files or directories, or --against GITREF; found no path"),
        ("prompts/a.pdl", "or --against GITREF; found one path"),
        ("a b c", "or --against GITREF; found 3 paths"),
        ("nope.pdl prompts/a.pdl", "nope.pdl: cannot be read: no such file or directory"),
        ("prompts/a.pdl HEAD:nope.pdl", "HEAD:nope.pdl: cannot be read: no such file"),
        ("HEAD:prompts prompts/a.pdl", "expected two files or two directories, found one of each"),
        ("nope.pdl --against HEAD", "nope.pdl: there is no such file or directory, and none in"),
        ("empty --against HEAD", "empty: there is no .pdl file"),
        ("--against HEAD --exclude prompts", "prompts: this excludes all files"),
        ("--against nope", "unknown commit, branch, or tag `nope`"),
        ("--against=-x", "expected a commit, a branch, or a tag; found `-x`"),
        ("nope:a.pdl prompts/a.pdl", "unknown commit, branch, or tag `nope`"),
        (".. --against HEAD", "is not in a git repository"),
        ("- -", "only one file can be `-`"),
        ("prompts/a.pdl prompts/b.pdl --for models", "'models' is not one of"),
    ],
)
def test_what_cannot_be_compared(work: Work, line: str, said: str) -> None:
    (work.path / "empty").mkdir()
    result = diff(line)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in " ".join(result.stderr.split())


@pytest.mark.skipif(os.name == "nt", reason="links are a privilege there")
def test_a_link_out_of_the_directory_is_not_read(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may come from somebody who cannot read what it leads to, such as the author of a patch."""
    secret = tmp_path / "secret.txt"
    secret.write_text("TOKEN", encoding="utf-8")
    for name in ("prompts/a.pdl", "prompts/deep/part.pdl"):
        (work.path / name).unlink()
        (work.path / name).symlink_to(secret)
    assert secret.is_relative_to(work.path.parent)
    lines = ("--against HEAD", "--against HEAD --format markdown", "HEAD:prompts prompts")
    for line in (*lines, "prompts/a.pdl --against HEAD"):
        result = diff(line)
        assert "TOKEN" not in result.output
        assert "prompts/a.pdl: is a link that points outside its directory" in result.stderr
        assert "`prompts/a.pdl`" in result.stdout or "prompts/a.pdl: breaks" in result.stdout
    monkeypatch.chdir(work.path.parent)
    assert "TOKEN" not in diff(f"{work.path.name}/prompts --against HEAD").output
    monkeypatch.chdir(work.path)
    (work.path / "prompts/c.pdl").symlink_to(work.path / ".git/config")
    assert "c.pdl: is a link" in diff("--against HEAD").stderr
    (work.path / "prompts/d.pdl").symlink_to(work.write("shared.pdl", PROMPT))
    assert "d.pdl: is a link" not in diff("--against HEAD").stderr
    linted = CliRunner().invoke(application, ["lint", "prompts"])
    assert "TOKEN" not in linted.output


@pytest.mark.skipif(os.name == "nt", reason="no file has such a name there")
def test_a_name_with_a_newline(work: Work) -> None:
    name = "prompts/\nn.pdl"
    work.write(name, PROMPT)
    work.commit()
    work.write(name, NARROWER)
    assert [one["verdict"] for one in changes("--against HEAD")] == ["narrowed"]


def test_invalid_prompts_do_not_hide_the_changes_of_others(work: Work) -> None:
    work.write("prompts/old.pdl", "<|user|>\nHi {{ x\n")
    work.commit()
    (work.path / "prompts/old.pdl").unlink()
    assert diff("--against HEAD").exit_code == 0  # whoever removes it needs to commit that
    work.write("prompts/a.pdl", NARROWER)
    work.write("prompts/bad.pdl", "<|user|>\n{{ y")
    (work.path / "prompts/latin.pdl").write_bytes(b"<|user|>\n\xe9")
    result = diff("--against HEAD")
    assert result.exit_code == 2
    assert "`$`: int<1,5> became int<1,3>" in result.stdout
    assert "prompts/bad.pdl:2:1: unclosed" in result.stderr
    assert "prompts/latin.pdl:2:1: this byte" in result.stderr
    for form in ("github", "markdown"):
        shown = diff(f"--against HEAD --format {form}").stdout
        assert "int<1,5>" in shown or "int&lt;1,5&gt;" in shown
        assert shown.count("the new version is invalid") == 2


def test_a_commit_without_a_path(work: Work) -> None:
    result = diff("HEAD prompts")
    assert result.exit_code == 2
    assert "`HEAD` is a commit, not a file: write `HEAD:`" in result.stderr
    assert diff("HEAD:prompts prompts").stderr == "3 files: no changes\n"
    work.git("checkout", "-q", "--orphan", "new")
    assert "there is no commit yet" in diff("--against HEAD").stderr
