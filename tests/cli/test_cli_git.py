"""`pdl git-setup` and the hooks of `.pre-commit-hooks.yaml`, in real repositories of a real git."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from click.testing import CliRunner

from pdl.cli.app import application
from pdl.edit.formatting.format import formatted

if TYPE_CHECKING:
    from click.testing import Result

if shutil.which("git") is None:
    pytest.skip("needs git, which is not installed", allow_module_level=True)

ROOT = Path(__file__).parents[2]
LINE = b"*.pdl diff=pdl"
LONG = "\n".join(f"line {number}" for number in range(12))
PROMPT = f"<|system|>\n{LONG}\n<|user|>\n{{{{ schema }}}}\n{LONG}\n <| Schema |> \n{{ a: int }}\n"
GOOD = formatted(PROMPT)
ROLE = f"<|user|>\n{LONG}\n<|{{{{ role | lower }}}}|>\n{LONG}\nend\n"
YAML = "description: a program of IBM's PDL\ntext:\n- model: ollama/m\n  input: Hi\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository, with no configuration but its own."""
    home, top = tmp_path / "home", tmp_path / "a repository"
    for folder in (home, top):
        folder.mkdir()
    for name in [one for one in os.environ if one.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_PAGER", "cat")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # for the driver, which is another process
    monkeypatch.chdir(top)
    git("init", "-q", ".")
    git("config", "user.name", "Ann")
    git("config", "user.email", "ann@example.com")
    git("config", "core.autocrlf", "false")
    return top


def git(*words: str) -> str:
    """What git prints, run in the current directory."""
    done = subprocess.run(  # noqa: S603 - our own words
        [str(shutil.which("git")), *words], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def pdl(*words: str) -> Result:
    result = CliRunner().invoke(application, words, prog_name="pdl")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def changed(before: str, after: str, *options: str) -> str:
    """What `git diff` shows of a change of a prompt, without its first four lines."""
    file = Path("a.pdl")
    file.write_bytes(before.encode())
    git("add", "a.pdl")
    git("commit", "-q", "-m", "Add a prompt")
    file.write_bytes(after.encode())
    return "".join(git("diff", "-U0", *options, "a.pdl").splitlines(keepends=True)[4:])


@pytest.mark.parametrize(
    ("text", "old", "new", "header"),
    [
        (PROMPT, "a: int", "a: str", "@@ -29 +29 @@ <| Schema |>"),
        (PROMPT, "{{ schema }}", "{{schema}}", "@@ -15 +15 @@ <|user|>"),
        (PROMPT, "line 11\n <", "x\n <", "@@ -27 +27 @@ <|user|>"),
        (PROMPT.replace("\n", "\r\n"), "a: int", "a: str", "@@ -29 +29 @@ <| Schema |>"),
        (ROLE, "end", "END", "@@ -27 +27 @@ <|{{ role | lower }}|>"),
        (f"<|user|>\n{LONG}\n<|media(a.png)|>\n{LONG}\nend\n", "end", "END", "<|user|>"),
        (f"<|user|>\n{LONG}\n<|user|> is no marker\n{LONG}\nend\n", "end", "END", "@@ <|user|>"),
    ],
)
def test_each_hunk_names_its_turn(
    repository: Path, text: str, old: str, new: str, header: str
) -> None:
    """The header shows the last marker above the hunk, as the file has it."""
    assert pdl("git-setup").exit_code == 0
    assert (repository / ".gitattributes").read_bytes() == LINE + b"\n"
    assert changed(text, text.replace(old, new)).splitlines()[0].endswith(header)


def test_a_diff_can_be_applied(repository: Path) -> None:
    """Without `--textconv`, git compares what the files contain."""
    pdl("git-setup")
    changed(PROMPT, PROMPT.replace("int", "str"))
    patch = repository / "change.patch"
    patch.write_text(git("diff", "a.pdl"))
    git("checkout", "-q", "a.pdl")
    git("apply", str(patch))
    assert (repository / "a.pdl").read_text() == PROMPT.replace("int", "str")


def test_a_second_run_changes_nothing_and_removal_undoes_the_first(repository: Path) -> None:
    config, attributes = repository / ".git" / "config", repository / ".gitattributes"
    before = config.read_bytes()
    assert pdl("git-setup", "--check").exit_code == 1
    assert not attributes.exists()
    first = pdl("git-setup", "--textconv")
    assert len(first.stdout.splitlines()) == 3
    written = config.read_bytes()
    for words in ((), ("--check",), ("--textconv",), ("--check", "--textconv")):
        again = pdl("git-setup", *words)
        assert (again.stdout, again.exit_code) == ("nothing to do\n", 0)
    assert (config.read_bytes(), attributes.read_bytes()) == (written, LINE + b"\n")
    assert pdl("git-setup", "--no-textconv").stdout == "git config: remove diff.pdl.textconv\n"
    assert pdl("git-setup", "--remove").exit_code == 0
    assert (config.read_bytes(), attributes.exists()) == (before, False)
    assert pdl("git-setup", "--remove").stdout == "nothing to do\n"


@pytest.mark.parametrize(
    ("before", "after", "removed"),
    [
        (b"*.png binary\n", b"*.png binary\n*.pdl diff=pdl\n", b"*.png binary\n"),
        (b"*.png binary", b"*.png binary\n*.pdl diff=pdl\n", b"*.png binary\n"),
        (b"# \xe9\r\n", b"# \xe9\r\n*.pdl diff=pdl\r\n", b"# \xe9\r\n"),
        (b"*.pdl text\n", b"*.pdl text\n*.pdl diff=pdl\n", b"*.pdl text\n"),
        (b"*.pdl  diff=pdl text\n", b"*.pdl  diff=pdl text\n", b"*.pdl text\n"),
        (b"* diff=pdl\n", b"* diff=pdl\n", b"* diff=pdl\n"),
        (b"\xef\xbb\xbf*.pdl diff=pdl\n", b"\xef\xbb\xbf*.pdl diff=pdl\n", b""),
    ],
)
def test_lines_of_others_are_kept(
    repository: Path, before: bytes, after: bytes, removed: bytes
) -> None:
    file = repository / ".gitattributes"
    file.write_bytes(before)
    for _ in range(2):
        pdl("git-setup")
        assert file.read_bytes() == after
    pdl("git-setup", "--remove")
    assert (file.read_bytes() if file.exists() else b"") == removed


def test_the_repository_is_found_from_a_directory_in_it(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = repository / "prompts" / "deep"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert pdl("git-setup").exit_code == 0
    assert (repository / ".gitattributes").exists()


@pytest.mark.parametrize("given", ["*.pdl diff=python", "*.pdl -diff", "*.pdl binary"])
def test_another_driver_is_not_replaced(repository: Path, given: str) -> None:
    (repository / ".gitattributes").write_text(given)
    result = pdl("git-setup")
    assert result.exit_code == 2
    assert "prompt files already have the attribute `" in result.stderr
    assert (repository / ".gitattributes").read_text() == given
    assert git("config", "--list", "--local").count("diff.pdl") == 0


@pytest.mark.parametrize("name", ["diff.pdl.xfuncname", "diff.pdl.textconv"])
@pytest.mark.parametrize("value", ["mine", "", "mine\n2"])
def test_settings_of_others_are_kept(repository: Path, name: str, value: str) -> None:
    git("config", name, value)
    file, config = repository / ".gitattributes", repository / ".git" / "config"
    before = config.read_bytes()
    for words in (("--textconv",), ("--check", "--textconv")):
        result = pdl("git-setup", *words)
        assert result.exit_code == 2
        assert f"git's setting `{name}` already has another value" in result.stderr
        assert (config.read_bytes(), file.exists()) == (before, False)
    file.write_bytes(LINE)
    assert pdl("git-setup", "--remove").exit_code == 0
    assert config.read_bytes() == before
    assert file.exists() == (name == "diff.pdl.xfuncname")


def test_one_of_two_values_is_of_others(repository: Path) -> None:
    """Then git uses the last one, and neither is deleted."""
    pdl("git-setup")
    git("config", "--add", "diff.pdl.xfuncname", "mine")
    before = (repository / ".git" / "config").read_bytes()
    for word in ("--check", "--remove"):
        pdl("git-setup", word)
        assert (repository / ".git" / "config").read_bytes() == before


def test_problems_of_git_are_told(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = repository / ".git" / "config.lock"
    lock.touch()  # as if another git were writing it
    result = pdl("git-setup")
    assert result.exit_code == 2
    assert "git config failed: could not lock config file .git/config" in result.stderr
    lock.unlink()
    attributes = repository / ".gitattributes"
    attributes.unlink()
    attributes.mkdir()
    assert ".gitattributes: cannot be read: is a directory" in pdl("git-setup").stderr
    attributes.rmdir()
    attributes.symlink_to("elsewhere")
    assert "is a symbolic link, which git ignores" in pdl("git-setup").stderr
    monkeypatch.chdir(repository / ".git")
    assert "git rev-parse failed: this operation must be run in a work tree" in (
        pdl("git-setup").stderr
    )
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.chdir(tmp_path / "home")
    result = pdl("git-setup")
    assert f"{tmp_path / 'home'}: is not in a git repository\n  hint: " in result.stderr
    assert result.exit_code == 2
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git is not installed" in pdl("git-setup").stderr


@pytest.mark.usefixtures("repository")
def test_textconv_shows_what_the_model_reads() -> None:
    assert pdl("git-setup", "--textconv").exit_code == 0
    shown = changed(PROMPT, PROMPT.replace("int", "str"))
    assert '-  "a": integer\n+  "a": string\n' in shown
    assert "-{ a: int }\n+{ a: str }\n" in shown
    assert shown.splitlines()[0] == "@@ -29 +29 @@ <| Schema |>"
    plain = git("diff", "-U0", "--no-textconv", "a.pdl")
    assert "integer" not in plain
    assert "@@ <| Schema |>" in plain


def test_textconv_does_not_depend_on_other_files(repository: Path) -> None:
    """Git has the older version in a temporary file, apart from what the prompt includes."""
    pdl("git-setup", "--textconv")
    text = "<|user|>\nHi\n<|schema|>\n{% include 'part.pdl' %}\n"
    (repository / "part.pdl").write_text("{ a: int }")
    shown = changed(text, text.replace("Hi", "Ho"))
    assert [line for line in shown.splitlines() if line[0] in "+-"] == ["-Hi", "+Ho"]


def test_textconv_shows_the_file_if_its_python_is_gone(repository: Path) -> None:
    pdl("git-setup", "--textconv")
    config = repository / ".git" / "config"
    config.write_text(config.read_text().replace(sys.executable, "/no where/python"))
    assert "+{ a: str }" in changed(PROMPT, PROMPT.replace("int", "str"))


def test_textconv_shows_a_file_whose_name_looks_like_an_option(repository: Path) -> None:
    """Git passes the names of files in the work tree as they are."""
    pdl("git-setup", "--textconv")
    file = repository / "--help.pdl"
    file.write_text(PROMPT)
    git("add", ".")
    file.write_text(PROMPT.replace("int", "str"))
    assert '-  "a": integer\n+  "a": string\n' in git("diff")


@pytest.mark.usefixtures("repository")
def test_textconv_imports_nothing_of_the_repository() -> None:
    """Else a repository could run its code when somebody looks at its history."""
    pdl("git-setup", "--textconv")
    for name in ("pdl.py", "click.py", "json.py"):
        Path(name).write_text("open('imported', 'w').close()\nraise SystemExit(0)")
    assert "integer" in changed(PROMPT, PROMPT.replace("int", "str"))
    assert not Path("imported").exists()


@pytest.mark.parametrize(
    "data",
    [
        YAML.encode(),
        YAML.encode().rstrip(b"\n"),
        YAML.replace("\n", "\r\n").encode(),
        b"",
        b"<|user|>\n\xff\n<|schema|>\nint\n",
        b"<|user|>\n{{ a\n<|schema|>\nint\n",
        b"<|user|>\nHi\n<|schema|>\n{ a: nothing }\n",
        b"<|user|>\nHi\n<|schema|>\n@file.json\n",
        b"<|user|>\nHi\n{% if x %}\n<|schema|>\nint\n{% endif %}",
        b"<|user|>\nHi\n<|schema|>\n" + b"[" * 5_000,
    ],
)
def test_textconv_leaves_what_it_cannot_describe_as_it_is(tmp_path: Path, data: bytes) -> None:
    """IBM's files of this suffix above all; and a file with errors, which git still has to show."""
    file = tmp_path / "a.pdl"
    file.write_bytes(data)
    result = pdl("git-textconv", str(file))
    assert (result.stdout_bytes, result.exit_code) == (data, 0)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_textconv_appends_to_the_text(tmp_path: Path, newline: str) -> None:
    file = tmp_path / "a.pdl"
    text = "<|user|>\nHi\n<|schema|>\n  {a:int,}".replace("\n", newline)
    file.write_bytes(text.encode())
    shown = pdl("git-textconv", str(file)).stdout_bytes.decode()
    assert shown.startswith(f"{text}{newline}{newline}=== {{{{ schema }}}} prints ===")
    assert shown.endswith(f"{newline}{{ a: int }}{newline}")
    assert shown.count("\n") == shown.count(newline)


HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
@pytest.mark.usefixtures("repository")
def test_each_hook_passes_good_prompts_and_stops_bad_ones(hook: dict[str, object]) -> None:
    """Each runs as pre-commit runs it: the words of `entry`, then those of `args`."""
    line = hook["entry"]
    assert isinstance(line, str)
    assert hook["language"] == "python"  # which installs pdl
    args = hook.get("args", [])
    assert isinstance(args, list)
    files = ["a.pdl"] if hook.get("pass_filenames", True) else []
    command, *words = line.split() + args + files
    assert command == "pdl"
    Path("a.pdl").write_text(GOOD)
    git("add", ".")
    git("commit", "-q", "-m", "Add a prompt")
    for step in BREAKING[str(hook["id"])][0]:
        assert pdl(*step).exit_code == 0
    good = pdl(*words)
    assert good.exit_code == 0, good.output
    assert Path("a.pdl").read_text() == GOOD
    Path("a.pdl").write_text(BREAKING[str(hook["id"])][1])
    bad = pdl(*words)
    if Path("a.pdl").read_text() == GOOD:
        return  # pre-commit stops a commit if a hook changes files
    assert bad.exit_code == 1, bad.output
    assert "a.pdl" in bad.output


@pytest.mark.skipif(find_spec("pre_commit") is None, reason="needs pre-commit: see .ci/run")
def test_pre_commit_runs_them(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It clones pdl and installs it into an environment of its own."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(repository.parent / "hooks"))
    hooks = [{"id": hook["id"]} for hook in HOOKS]
    commit = git("-C", str(ROOT), "rev-parse", "HEAD").strip()
    config = {"repos": [{"repo": str(ROOT), "rev": commit, "hooks": hooks}]}
    Path(".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    Path("a.pdl").write_text(GOOD)
    pdl("pin")
    git("add", ".")
    git("commit", "-q", "-m", "Add a prompt")
    line = [sys.executable, "-m", "pre_commit", "run"]
    good = subprocess.run([*line, "--all-files"], capture_output=True, check=False)  # noqa: S603
    assert good.returncode == 0, good.stdout
    assert good.stdout.count(b"Passed") == len(HOOKS)
    Path("a.pdl").write_text("<|user|>\n{{ a\n")
    git("add", ".")
    bad = subprocess.run(line, capture_output=True, check=False)  # noqa: S603
    assert bad.returncode == 1
    assert b"a.pdl:2:1: error: unclosed" in bad.stdout


BREAKING: dict[str, tuple[list[tuple[str, ...]], str]] = {
    "pdl-lint": ([], "<|user|>\n{{ a\n"),
    "pdl-fmt": ([], PROMPT),
    "pdl-diff": ([], GOOD.replace("int", "str")),
    "pdl-pins": ([("pin",)], GOOD.replace("int", "str")),
}
"""For each hook the commands before it, and a prompt that it stops."""
