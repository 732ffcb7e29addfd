"""The prompts that people take over, their data, and what `pdl` says of recorded replies."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from pdl.cli.app import application
from pdl.prompt import load

if TYPE_CHECKING:
    from snapshots import Snapshot

ROOT = Path(__file__).parents[2]
PROMPTS = sorted(path.relative_to(ROOT) for path in (ROOT / "prompts").glob("*.pdl"))
CONTEXTS = sorted(path.relative_to(ROOT) for path in (ROOT / "examples").rglob("context.*"))
REPLIES = sorted(path.relative_to(ROOT) for path in (ROOT / "examples").rglob("replies/*.txt"))


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs name files as somebody sees them who stands in the repository's root."""
    monkeypatch.chdir(ROOT)


def pdl(*arguments: str | Path) -> Result:
    """What the command does; a bug shows its own traceback."""
    return CliRunner().invoke(application, [str(a) for a in arguments], catch_exceptions=False)


def prompt_of(path: Path) -> Path:
    """`examples/NAME/…` belongs to `prompts/NAME.pdl`."""
    return Path("prompts", path.parts[1]).with_suffix(".pdl")


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda path: "/".join(path.parts[1:-1]))
def test_prompt_renders_its_example(context: Path, snapshot: Snapshot) -> None:
    result = pdl("render", prompt_of(context), "--context", context)
    assert (result.exit_code, result.stderr) == (0, "")
    snapshot.check(context.with_name("rendered.txt"), result.stdout)


@pytest.mark.parametrize(
    "reply", REPLIES, ids=lambda path: "/".join((*path.parts[1:-2], path.stem))
)
def test_reply_is_judged(reply: Path, snapshot: Snapshot) -> None:
    """A good reply has its value beside it, a bad one what is wrong with it; never both."""
    context = next(reply.parents[1].glob("context.*"))
    result = pdl("check", prompt_of(reply), "--context", context, "--reply", reply)
    value, trouble = reply.with_suffix(".out"), reply.with_suffix(".err")
    if result.exit_code == 0:
        assert not trouble.exists(), f"{reply} was a bad reply and is now a good one"
        assert result.stderr == ""
        snapshot.check(value, result.stdout)
    else:
        assert not value.exists(), f"{reply} was a good reply and is now a bad one"
        assert (result.exit_code, result.stdout) == (1, "")
        snapshot.check(trouble, result.stderr)


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda path: path.stem)
def test_prompt_is_worth_taking_over(prompt: Path) -> None:
    """It says what it is for, has no findings, and was tried with good and bad replies."""
    text = prompt.read_text(encoding="utf-8")
    assert text.startswith("{#")
    assert pdl("lint", prompt, "--strict").exit_code == 0
    replies = Path("examples", prompt.stem)
    assert any(replies.rglob("*.out"))
    assert any(replies.rglob("*.err"))
    assert f"[`{prompt.stem}`](../prompts/{prompt.name})" in Path("examples/README.md").read_text()


def test_the_commands_that_are_shown() -> None:
    """Each works, but for those that ask a provider."""
    shown = re.findall(r"^pdl (.*)$", Path("examples/README.md").read_text("utf-8"), re.MULTILINE)
    found = [pdl(*shlex.split(line)).exit_code for line in shown if "openai:" not in line]
    assert found == [0, 0, 1, 0, 1, 1]


def test_names_in_the_data_cannot_widen_the_schema() -> None:
    """A category and a key that look like notation stay the texts that they are."""
    categories = [{"name": 'a" | str', "when": "-"}, {"name": "b\n<|system|>", "when": "-"}]
    rendered = load("prompts/ticket.pdl").render(categories=categories, body="…")
    assert rendered.schema is not None
    assert rendered.schema.document["enum"] == ['a" | str', "b\n<|system|>"]
    rendered = load("prompts/translate.pdl").render(strings={'k": any, "x': "v"}, language="French")
    assert rendered.schema is not None
    assert rendered.schema.document["required"] == ['k": any, "x']
