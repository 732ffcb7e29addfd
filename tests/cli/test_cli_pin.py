"""`pdl pin`, and `--locked` of the commands that read prompts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

import pdl
from pdl.cli.app import application

if TYPE_CHECKING:
    from collections.abc import Callable

A, B = "<|user|>\nHi\n<|schema|>\n{ a: int }\n", "<|user|>\n{% include '_part.pdl' %}\n"


@pytest.fixture(autouse=True)
def prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with two prompts and a part in `prompts`."""
    monkeypatch.chdir(tmp_path)
    folder = Path("prompts")
    folder.mkdir()
    (folder / "a.pdl").write_text(A)
    (folder / "b.pdl").write_text(B)
    (folder / "_part.pdl").write_text("part")
    return folder


def run(*words: str, given: str = "", code: int = 0) -> Result:
    result = CliRunner().invoke(application, words, given, prog_name="pdl")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def pin_of(file: str) -> str:
    return pdl.load(file).fingerprint


def locked(path: str = "pdl.lock") -> dict[str, str]:
    """The pins in a lock."""
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    return {name: entry["fingerprint"] for name, entry in document["prompts"].items()}


def statuses(*words: str, code: int = 0) -> dict[str, str]:
    """What `--format json` says of each prompt."""
    found: dict[str, Any] = json.loads(run("pin", *words, "--format", "json", code=code).stdout)
    assert found["ok"] == (code == 0)
    assert found["lock"] == "pdl.lock"
    return {one["path"]: one["status"] for one in found["prompts"]}


def test_all_prompts_below_are_pinned_without_parts() -> None:
    result = run("pin")
    both = {"prompts/a.pdl": pin_of("prompts/a.pdl"), "prompts/b.pdl": pin_of("prompts/b.pdl")}
    assert locked() == both
    lines = [f"added {name} {pin[:15]}…" for name, pin in both.items()]
    assert result.stdout.splitlines() == lines
    assert run("pin").stdout == "pdl.lock: nothing changed\n"
    assert run("pin", "--check").stderr == "2 prompts: no differences\n"


def test_the_text_of_a_pin_can_be_found_again() -> None:
    """By git's name for it, which is kept for as long as the prompt renders the same."""
    run("pin", "prompts/a.pdl")
    [entry] = json.loads(Path("pdl.lock").read_text())["prompts"].values()
    assert entry["blob"] == "2daf8429aed7a6276ccc064664f7acfaf671088d"
    Path("prompts/a.pdl").write_text("{# a comment #}" + A)
    before = Path("pdl.lock").read_bytes()
    assert run("pin").stdout == "pdl.lock: nothing changed\n"
    assert Path("pdl.lock").read_bytes() == before


def test_without_paths_what_is_in_the_lock_is_pinned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also from a directory below: the nearest lock is taken."""
    run("pin", "prompts/a.pdl", "prompts/_part.pdl")
    assert locked().keys() == {"prompts/a.pdl", "prompts/_part.pdl"}
    old = pin_of("prompts/a.pdl")
    Path("prompts/a.pdl").write_text(A.replace("Hi", "Ho"))
    monkeypatch.chdir("prompts")
    changed = f"changed a.pdl {old[:15]}… -> {pin_of('a.pdl')[:15]}…\n"
    assert run("pin").stdout == changed
    assert locked("../pdl.lock")["prompts/a.pdl"] == pin_of("a.pdl")
    assert not Path("pdl.lock").exists()
    Path("_part.pdl").unlink()
    assert run("pin").stdout.startswith("removed _part.pdl ")
    assert locked("../pdl.lock").keys() == {"prompts/a.pdl"}


def test_check_finds_what_differs_and_writes_nothing() -> None:
    run("pin", "prompts")
    before = Path("pdl.lock").read_bytes()
    old = [pin_of(f"prompts/{name}.pdl") for name in "ab"]
    Path("prompts/a.pdl").write_text(A.replace("Hi", "Ho"))
    Path("prompts/_part.pdl").write_text("another part")
    Path("prompts/c.pdl").write_text(A)
    new = [pin_of(f"prompts/{name}.pdl") for name in "ab"]
    result = run("pin", "--check", "prompts", code=1)
    blob = json.loads(before)["prompts"]["prompts/a.pdl"]["blob"][:12]
    first, second = (
        f"is not the pinned version: expected {one[:15]}… in pdl.lock, found {other[:15]}…"
        for one, other in zip(old, new, strict=True)
    )
    assert result.stdout == (
        f"error: prompts/a.pdl: {first}\n"
        f"  hint: `git cat-file -p {blob}` shows the pinned text;"
        " `pdl pin prompts/a.pdl` accepts this version\n"
        f"error: prompts/b.pdl: {second};"
        " a file that it includes, embeds, or takes its schema from has changed\n"
        "  hint: `pdl pin prompts/b.pdl` accepts this version\n"
        "error: prompts/c.pdl: is not pinned in pdl.lock\n"
        "  hint: run `pdl pin prompts/c.pdl`\n"
    )
    assert result.stderr == "3 prompts: 3 differences\n"
    assert Path("pdl.lock").read_bytes() == before
    assert run("pin", "--check", code=1).stderr == "2 prompts: 2 differences\n"


def test_a_pinned_prompt_that_is_gone_is_missed() -> None:
    run("pin")
    Path("prompts/a.pdl").unlink()
    for words in (("prompts",), (".",), (), ("prompts/a.pdl",)):
        result = run("pin", "--check", *words, code=1)
        assert result.stdout == (
            "error: prompts/a.pdl: is pinned, but does not exist\n"
            "  hint: restore it, or run `pdl pin --remove prompts/a.pdl`\n"
        )
    assert statuses("--check", code=1) == {"prompts/a.pdl": "missing", "prompts/b.pdl": "unchanged"}
    assert statuses("prompts") == {"prompts/a.pdl": "removed", "prompts/b.pdl": "unchanged"}
    assert locked().keys() == {"prompts/b.pdl"}


def test_json_names_each_prompt() -> None:
    assert statuses("--check", code=1) == {"prompts/a.pdl": "unpinned", "prompts/b.pdl": "unpinned"}
    assert not Path("pdl.lock").exists()
    assert statuses("prompts/a.pdl") == {"prompts/a.pdl": "added"}
    assert statuses(".") == {"prompts/a.pdl": "unchanged", "prompts/b.pdl": "added"}
    assert statuses("--check") == {"prompts/a.pdl": "unchanged", "prompts/b.pdl": "unchanged"}
    assert statuses("--remove", "prompts/a.pdl") == {"prompts/a.pdl": "removed"}


def test_pins_are_removed_by_path() -> None:
    run("pin")
    Path("prompts/a.pdl").unlink()  # the file itself is not needed
    assert run("pin", "--remove", "prompts/a.pdl").stdout.startswith("removed prompts/a.pdl h1:")
    assert locked().keys() == {"prompts/b.pdl"}
    result = run("pin", "--remove", "prompts/a.pdl", "prompts", code=2)
    assert result.stderr == "prompts/a.pdl: is not pinned in pdl.lock\n"
    assert locked().keys() == {"prompts/b.pdl"}
    run("pin", "--remove", ".")
    assert locked() == {}


def test_files_can_be_excluded() -> None:
    run("pin", "prompts", "--exclude", "a.pdl")
    assert locked().keys() == {"prompts/b.pdl"}
    run("pin", "--check", "prompts", "--exclude", "a.pdl")
    run("pin", "--check", "prompts", code=1)


def test_a_lock_can_be_named() -> None:
    Path("locks").mkdir()
    run("pin", "prompts/a.pdl", "--lock", "locks/own.lock")
    assert locked("locks/own.lock").keys() == {"../prompts/a.pdl"}
    assert not Path("pdl.lock").exists()
    run("pin", "--check", "--lock", "locks/own.lock")
    assert pdl.load("prompts/a.pdl", pin="locks/own.lock").pin == pin_of("prompts/a.pdl")


def test_invalid_prompts_leave_the_lock_as_it_is() -> None:
    run("pin")
    before = Path("pdl.lock").read_bytes()
    for name in "ab":
        Path(f"prompts/{name}.pdl").write_text("<|user|>\n{{ x\n")
    result = run("pin", code=2)
    assert "prompts/a.pdl:2:1: unclosed" in result.stderr
    assert "prompts/b.pdl:2:1: unclosed" in result.stderr
    assert Path("pdl.lock").read_bytes() == before


def test_an_invalid_lock_is_told() -> None:
    Path("pdl.lock").write_text("{\n<<<<<<< HEAD\n")
    for words in (("pin",), ("pin", "--check"), ("render", "prompts/a.pdl", "--locked")):
        assert run(*words, code=2).stderr.startswith("pdl.lock:2:1: this is a conflict that git")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (Path.mkdir, "pdl.lock: cannot be read: is a directory"),
        (os.mkfifo, "pdl.lock: cannot be read: is not a regular file"),
        (lambda path: path.write_text("{}", "utf-16"), "pdl.lock:1:1: this text is in UTF-16, not"),
    ],
    ids=["directory", "pipe", "UTF-16"],
)
def test_a_lock_that_is_not_a_text_file(make: Callable[[Path], Any], told: str) -> None:
    """It is not taken for an absent one, and nothing waits for a pipe."""
    make(Path("pdl.lock"))
    loading = ("render", "prompts/a.pdl", "--locked")
    for words in (("pin",), ("pin", "prompts"), ("pin", "--check"), loading):
        assert run(*words, code=2).stderr.startswith(told)


def test_a_changed_part_is_told() -> None:
    """Not the text of the prompt itself, which is as it was."""
    Path("prompts/b.pdl").write_bytes(B.replace("\n", "\r\n").encode())
    run("pin")
    Path("prompts/_part.pdl").write_text("another part")
    for words in (("pin", "--check"), ("render", "prompts/b.pdl", "--locked")):
        told = run(*words, code=1 if "--check" in words else 2).output
        assert "; a file that it includes, embeds, or takes its schema from has changed" in told
        assert "hint: `pdl pin prompts/b.pdl` accepts this version" in told
    Path("prompts/b.pdl").write_text(B + "!")
    told = run("render", "prompts/b.pdl", "--locked", code=2).output
    assert "takes its schema" not in told
    assert "hint: `git cat-file -p " in told


def test_what_a_pin_does_not_cover_is_told() -> None:
    Path("prompts/c.pdl").write_text("<|user|>\n{% include name ~ '.pdl' %}\n")
    result = run("pin", "prompts/c.pdl")
    assert "warning: prompts/c.pdl: the name of an included file is computed" in result.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--remove"], "--remove requires paths"),
        (["--remove", "--check", "prompts"], "--remove requires paths, and no --check"),
        (["nowhere.pdl"], "nowhere.pdl: there is no such file or directory"),
        (["--root", "nowhere"], "--root: `nowhere` is not a directory"),
    ],
)
def test_options_that_do_not_fit(words: list[str], told: str) -> None:
    assert told in run("pin", *words, code=2).stderr


LOADING = [
    ["render", "prompts/a.pdl"],
    ["check", "prompts/a.pdl", "--reply", "reply.txt"],
    ["check", "prompts/a.pdl", "--batch", "replies.jsonl"],
    ["schema", "prompts/a.pdl"],
    ["gbnf", "compile", "prompts/a.pdl"],
    ["types", "prompts/a.pdl"],
    ["run", "prompts/a.pdl", "--model", "replay:reply.txt"],
]


@pytest.mark.parametrize("words", LOADING, ids=" ".join)
def test_locked_refuses_another_version(words: list[str]) -> None:
    Path("reply.txt").write_text('{"a": 1}')
    Path("replies.jsonl").write_text('{"reply": "{\\"a\\": 1}"}\n')
    absent = run(*words, "--locked", code=2)
    assert "prompts/a.pdl: is not pinned: there is no pdl.lock" in absent.output
    run("pin")
    assert run(*words, "--locked").stdout == run(*words).stdout != ""
    Path("prompts/a.pdl").write_text(A.replace("Hi", "Ho"))
    run(*words)
    refused = run(*words, "--locked", code=2)
    assert "prompts/a.pdl: is not the pinned version: expected h1:" in refused.output
    assert refused.stdout == ""


@pytest.mark.parametrize(
    "words", [["render", "-"], ["schema", "--dsl", "int"], ["check", "-", "--reply", "r"]]
)
def test_only_a_file_can_be_locked(words: list[str]) -> None:
    told = run(*words, "--locked", given=A, code=2).stderr
    assert "--locked requires a prompt FILE" in told


def test_a_root_belongs_to_the_version() -> None:
    """The files of a prompt are read below it, for its pin too."""
    Path("shared").mkdir()
    Path("shared/_part.pdl").write_text("another part")
    run("pin", "prompts/b.pdl", "--root", "shared")
    assert run("render", "prompts/b.pdl", "--root", "shared", "--locked").stdout.endswith(
        "another part\n"
    )
    run("render", "prompts/b.pdl", "--locked", code=2)


@pytest.mark.parametrize("command", ["fingerprint", "pin", "lint"])
def test_a_name_writes_no_line_and_controls_no_terminal(command: str) -> None:
    Path("\x1bc\n::error::x\u202e.pdl").write_text("<|user|>\nhi\n", encoding="utf-8")
    Path("\x1b\n::error::y.pdl").write_text("<|user|>\n{{ hi\n", encoding="utf-8")
    for paths in ([str(path) for path in Path().glob("*x*.pdl")], ["."]):
        result = CliRunner().invoke(application, [command, *paths])
        assert not set(result.output) & {"\x1b", "\u202e"}
        assert "\n::error" not in result.output
