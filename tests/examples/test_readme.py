"""What the README and the pages of docs/ show is true: commands, snippets, tables."""

from __future__ import annotations

import json
import logging
import re
import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from doc_blocks import ROOT, Block, blocks
from opentelemetry import trace

from pdl.cli.app import application
from pdl.cli.commands.run import command as run_command
from pdl.models import AskOptions, ask
from pdl.reply import violations
from pdl.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = blocks(README)
OTHERS = {ROOT / "docs" / name for name in ("clients.md", "engines.md")}
PAGES = sorted({*(ROOT / "docs").glob("*.md")} - OTHERS)
"""All but those whose code needs SDKs and engines: test_clients.py and test_engines.py run it."""

NEEDED = {"batch": ("pyarrow",)}
"""Packages that the code of a page needs, which no extra for tests has."""


def run(command: str) -> str:
    """What a terminal shows for `pdl …`, for `echo '…' | pdl …`, or for `sed … > FILE`."""
    words, given = shlex.split(command), None
    if words[0] == "sed":
        subprocess.run(command, shell=True, check=True)  # noqa: S602  (our own text)
        return ""
    if words[0] == "echo":
        pipe = words.index("|")
        given, words = " ".join(words[1:pipe]) + "\n", words[pipe + 1 :]
    assert words[0] == "pdl"
    return CliRunner().invoke(application, words[1:], given, catch_exceptions=False).output


@dataclass
class Follower:
    """Somebody who does all that the README says, in order."""

    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "readme"})
    printed: str = ""

    def follow(self, block: Block, capsys: pytest.CaptureFixture[str]) -> None:
        if block.file:
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            assert session(block.text) == block.text
        elif block.language == "python":
            assert self.printed == "", "what the code before prints is not shown"
            code = compile(block.text, "README.md", "exec", dont_inherit=True)
            exec(code, self.names)  # noqa: S102  (our own text)
            self.printed = capsys.readouterr().out
        elif block.language == "text":
            assert self.printed == block.text
            self.printed = ""


def session(text: str) -> str:
    """The commands of a terminal session, each with what it prints now."""
    commands = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
    return "".join(f"$ {command}\n{run(command)}" for command in commands)


def test_the_tour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("prompts", "examples"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    follower = Follower()
    for block in BLOCKS:
        follower.follow(block, capsys)
    assert follower.printed == ""


@pytest.fixture
def _own_tracer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that traces sets the tracer of the whole process, which can be set but once."""

    def install(provider: object) -> None:
        monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)

    monkeypatch.setattr(trace, "set_tracer_provider", install)


@pytest.fixture
def _own_log() -> Iterator[None]:
    """A page sets the level of the logger of the whole process."""
    log = logging.getLogger("pdl")
    yield
    log.setLevel(logging.NOTSET)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.usefixtures("_own_tracer", "_own_log")
def test_the_pages(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for package in NEEDED.get(page.stem, ()):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    follower = Follower()
    for block in blocks(page.read_text(encoding="utf-8")):
        follower.follow(block, capsys)
    assert follower.printed == ""


def test_it_begins_with_two_lines_for_a_shell() -> None:
    """One that shows pdl at work, one that passes the tests; both begin from nothing."""
    first, second, *others = BLOCKS
    assert [first.language, second.language] == ["sh", "sh"]
    assert all(block.language != "sh" for block in others)
    assert all(block.text.startswith("python3 -m venv") for block in (first, second))
    assert all(block.text.count("\n") == 1 for block in (first, second))
    assert README.count("\n") <= 200


def test_the_first_line_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    steps = BLOCKS[0].text.strip().split(" && ")
    commands = [step.removeprefix(".venv/bin/") for step in steps if "/bin/pdl " in step]
    rendered, value = (run(command) for command in commands)
    assert rendered.startswith("<|system|>")
    assert json.loads(value)["number"] == "2024-0193"


def rows() -> Iterator[tuple[str, list[str], str, str]]:
    """The rows of the table of the notation: an id, its schemas, what fits, what does not."""
    page = (ROOT / "docs" / "schemas.md").read_text(encoding="utf-8")
    for line in page.split("| write | it means |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]:
        write, _, good, bad = (
            cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]
        )
        yield write, re.findall(r"`([^`]+)`", write), good.strip("`"), bad.strip("`")


@pytest.mark.parametrize(("dsl", "good", "bad"), [pytest.param(*r[1:], id=r[0]) for r in rows()])
def test_the_table_of_the_notation(dsl: list[str], good: str, bad: str) -> None:
    schemas = [Schema.parse(text) for text in dsl]
    assert schemas
    if good:
        assert violations(schemas[0], json.loads(good)) == ()
        assert violations(schemas[0], json.loads(bad)) != ()


def test_the_table_of_repairs() -> None:
    """It names each kind of repair that the cases know."""
    rows = (ROOT / "docs" / "replies.md").read_text(encoding="utf-8").split("| kind |", 1)[1]
    named = set(
        re.findall(r"`([^`]+)`", "\n".join(re.findall(r"^\| (`.*?) \|", rows, re.MULTILINE)))
    )
    cases = json.loads((ROOT / "tests" / "cases" / "tolerant" / "read.json").read_text("utf-8"))
    assert {kind for *_, kinds in cases for kind in kinds} <= named


def test_the_options_of_asking() -> None:
    """The page of `pdl run` and the docstring of `ask` name each option, and none that is not."""
    page = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    commanded, asked = (
        set(re.findall(mark, table.split("\n\n", 1)[0], re.MULTILINE))
        for mark, table in (
            (r"^\| `(--[\w-]+)", page.split("| option | |", 1)[1]),
            (r"`(\w+)`(?=[^|]*\|[^|]*\|[^|]*\|$)", page.split("| option | by default | |", 1)[1]),
        )
    )
    assert commanded == {parameter.opts[0] for parameter in run_command.params[1:]}
    assert asked == set(AskOptions.__dataclass_fields__)
    assert set(re.findall(r"^ +- `(\w+)` \(", ask.__doc__ or "", re.MULTILINE)) == asked


MADE = {"cli", "api", "changelog"}
"""Pages of the site that scripts/build_site.py makes."""


def test_its_links_lead_somewhere() -> None:
    """They are absolute, since PyPI shows the README too: to pages of the site, or to files."""
    site, repository = "https://pdl-prompts.github.io/pdl/", "https://github.com/pdl-prompts/pdl/"
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", README):
        assert target.startswith("https://"), target
        if target.startswith(site) and target != site:
            page = target.removeprefix(site).removesuffix("/")
            assert page in MADE or (ROOT / "docs" / f"{page}.md").exists(), target
        elif target.startswith(repository):
            kind, branch, path = target.removeprefix(repository).split("/", 2)
            assert (kind, branch) == ("tree" if (ROOT / path).is_dir() else "blob", "main")
            assert (ROOT / path).exists(), target


NAMED = re.compile(r"\b(?:gpt-[3-9]|claude-[a-z]*-?\d|gemini-\d|o\d-(?:mini|pro)|grok-\d)[\w.-]*")
"""Names of models that their providers will retire."""


def test_models_are_named_at_one_place() -> None:
    """In the table of docs/running.md, each once: elsewhere a name would outlive its model."""
    places = [
        ROOT / "README.md",
        *(ROOT / "examples").rglob("*.*"),
        *(ROOT / "prompts").rglob("*.pdl"),
    ]
    places += [*(ROOT / "docs").rglob("*.md"), *(ROOT / "pdl").rglob("*.py")]
    texts = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in places
        if path.suffix in {".md", ".py", ".pdl", ".json", ".jsonl", ".txt", ".toml"}
    }
    found = {name: NAMED.findall(text) for name, text in texts.items() if NAMED.search(text)}
    assert found.keys() == {"docs/running.md"}
    [named] = found.values()
    assert len(named) == len(set(named)) == 3


def named(text: str) -> Iterator[list[str]]:
    """The words of each command of pdl that a page names, in a sentence, for a shell, or for CI."""
    for block in blocks(text):
        if block.language in {"sh", "shell", "yaml"}:
            for line in re.findall(r"(?:^|run: |bin/)pdl (.+?)(?= &&|$)", block.text, re.MULTILINE):
                yield shlex.split(line, comments=True)
    for code in re.findall(r"(?<!`)`pdl ([^`]+)`", text):
        if "|" not in code:
            yield shlex.split(code)


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_commands_have_the_options_that_a_page_names(page: Path) -> None:
    for words in named(page.read_text(encoding="utf-8")):
        value = ["x"] if words[-1].startswith("-") else []
        told = CliRunner().invoke(application, [*words, *value, "--help"])
        assert told.exit_code == 0, f"pdl {shlex.join(words)}: {told.output}"
