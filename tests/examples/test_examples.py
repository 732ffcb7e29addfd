"""The prompts that people take over, and their cases: replies on record, and what they are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import shipped
from click.testing import CliRunner, Result
from shipped import ROOT

from pdl.cli.app import application
from pdl.prompt import load
from pdl.testing import read_cases, run_case

if TYPE_CHECKING:
    from pdl.testing import Case

PROMPTS = [path.relative_to(ROOT) for path in shipped.PROMPTS]
FILES = [read_cases(path, root=ROOT) for path in shipped.CASE_FILES]
CASES = [
    pytest.param(case, id=f"{case.file.prompt.stem}-{case.name}")
    for file in FILES
    for case in file.cases
]


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs name files as somebody sees them who stands in the repository's root."""
    monkeypatch.chdir(ROOT)


def pdl(*arguments: str | Path) -> Result:
    """What the command does; a bug shows its own traceback."""
    return CliRunner().invoke(application, [str(a) for a in arguments], catch_exceptions=False)


@pytest.mark.parametrize("case", CASES)
def test_case(case: Case) -> None:
    outcome = run_case(case)
    assert (outcome.failures, outcome.notes, outcome.status) == ((), (), "passed")


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda path: path.stem)
def test_prompt_is_worth_taking_over(prompt: Path) -> None:
    """It says what it is for, has no findings, and was tried with good and bad replies."""
    text = prompt.read_text(encoding="utf-8")
    assert text.startswith("{#")
    assert pdl("lint", prompt, "--strict").exit_code == 0
    [file] = (one for one in FILES if one.prompt == ROOT / prompt)
    assert file.problems == ()
    outcomes = [run_case(case) for case in file.cases]
    assert any(one.answer for one in outcomes)
    assert any(one.error for one in outcomes)
    assert f"[`{prompt.stem}`](../prompts/{prompt.name})" in Path("examples/README.md").read_text()


def test_the_commands_that_are_shown() -> None:
    """Each works, but for those that ask a provider."""
    shown = re.findall(r"^pdl (.*)$", Path("examples/README.md").read_text("utf-8"), re.MULTILINE)
    found = [pdl(*shlex.split(line)).exit_code for line in shown if "openai:" not in line]
    assert found == [0, 0, 0, 0, 1, 1]


def test_names_in_the_data_cannot_widen_the_schema() -> None:
    """A category and a key that look like notation stay the texts that they are."""
    categories = [{"name": 'a" | str', "when": "-"}, {"name": "b\n<|system|>", "when": "-"}]
    rendered = load("prompts/ticket.pdl").render(categories=categories, body="…")
    assert rendered.schema is not None
    assert rendered.schema.document["enum"] == ['a" | str', "b\n<|system|>"]
    rendered = load("prompts/translate.pdl").render(strings={'k": any, "x': "v"}, language="French")
    assert rendered.schema is not None
    assert rendered.schema.document["required"] == ['k": any, "x']
