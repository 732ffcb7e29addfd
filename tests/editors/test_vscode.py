"""The packaged VS Code extension in a real editor: code-server in a headless Chromium."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import pytest
from code_server import INTERPRETER, ROOT, Editor, browser, code_server, write_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.editor

MISTAKES = """\
<|config|>
model: openai:MODEL

<|input|>
{ review: str<1,2000>, lang: str = "en", unused: bool = false }

<|user|>
What does this {{ reveiw }} say, in {{ lang }}?

<|schema|>
{ mood: "good" | "bad", stars: int<5,1> }
"""
TIDY = """\
<|input|>
{ review: str<1,2000>,  lang: str="en" }
<|user|>
What does this {{review|trim}} say, in {{ lang }}? It is <b>bold</b>.


<|schema|>
{ mood: "good"|"bad",stars: int<1,5> }
"""


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vscode")


@pytest.fixture(scope="module")
def window(directory: Path) -> Iterator[tuple[str, Any]]:
    """The address of the server, and a browser."""
    with code_server(directory) as address, browser() as running:
        yield address, running


@pytest.fixture
def editor(
    window: tuple[str, Any], directory: Path, request: pytest.FixtureRequest
) -> Iterator[Editor]:
    """A new folder with prompts, in a window of its own, in which the language server is found."""
    address, running = window
    settings = {**INTERPRETER, **getattr(request, "param", {})}
    write_settings(directory, settings)
    # a test that runs again gets another one
    folder = Path(mkdtemp(prefix=re.sub(r"\W+", "_", request.node.name) + "_", dir=directory))
    (folder / "mistakes.pdl").write_text(MISTAKES, "utf-8")
    (folder / "tidy.pdl").write_text(TIDY, "utf-8")
    page = running.new_page(viewport={"width": 1400, "height": 900})
    opened = Editor.open(page, address, folder)
    yield opened
    opened.picture(f"end_of_{request.node.originalname}")
    page.close()


def pdl(*arguments: str, cwd: Path) -> str:
    """What a command prints."""
    command = [sys.executable, "-P", "-m", "pdl", *arguments]
    return subprocess.run(  # noqa: S603 - this package
        command, cwd=cwd, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    ).stdout


def test_problems_are_those_of_lint_and_each_is_shown_once(editor: Editor) -> None:
    output = pdl("lint", "--format", "json", "mistakes.pdl", cwd=editor.folder)
    expected = sorted(finding["code"] for finding in json.loads(output))
    assert "input/unused" in expected
    editor.show("mistakes.pdl")
    editor.wait(".squiggly-error")
    editor.picture("squiggles")
    codes = editor.problems(len(expected))
    editor.picture("problems")
    assert sorted(codes) == expected
    assert editor.texts(".squiggly-inline-unnecessary")


def test_inputs_are_completed(editor: Editor) -> None:
    editor.show("tidy.pdl")
    editor.wait(".codelens-decoration")
    editor.go_to("say", 4)
    editor.type("{{ ")
    editor.press("Control+Space")
    names = editor.wait(".suggest-widget .monaco-list-row .label-name", r"^review$")
    editor.picture("completion")
    assert {"review", "lang", "schema"} <= set(names)
    editor.type("lan")
    editor.wait(".suggest-widget .monaco-list-row.focused .label-name", r"^lang$")
    editor.press("Enter")
    editor.type(" }} ")
    editor.save("tidy.pdl", "trim}} {{ lang }} say")


def test_turns_are_completed_where_their_end_is_typed_already(editor: Editor) -> None:
    editor.show("tidy.pdl")
    editor.wait(".codelens-decoration")
    editor.press("Control+End")
    editor.type("\n<|")
    editor.wait(".suggest-widget .monaco-list-row .label-name", "assistant")
    editor.picture("turns")
    editor.type("assi")
    editor.wait(".suggest-widget .monaco-list-row.focused .label-name", "assistant")
    editor.press("Enter")
    text = editor.save("tidy.pdl", "assistant")
    assert text.rstrip() == f"{TIDY}\n<|assistant|>"


def test_a_quick_fix_mends_a_name(editor: Editor) -> None:
    editor.show("mistakes.pdl")
    editor.wait(".squiggly-error")
    editor.go_to("reveiw", 8)
    editor.press("Control+.")
    editor.wait(".action-widget .monaco-list-row", "review")
    editor.picture("quick_fix")
    editor.press("Enter")
    editor.page.wait_for_selector(".action-widget", state="hidden")
    editor.save("mistakes.pdl", "{{ review }} say")


def test_formatting_is_that_of_the_command(editor: Editor) -> None:
    editor.show("tidy.pdl")
    editor.wait(".codelens-decoration")
    editor.command("Format Document")
    editor.wait(".view-line", r"\{\{ review \| trim \}\}")
    editor.picture("formatted")
    formatted = editor.save("tidy.pdl", "{{ review | trim }}")
    pdl("fmt", "tidy.pdl", cwd=editor.folder)
    assert formatted == (editor.folder / "tidy.pdl").read_text("utf-8") != TIDY


def test_an_input_is_renamed_with_its_uses(editor: Editor) -> None:
    editor.show("tidy.pdl")
    editor.wait(".codelens-decoration")
    editor.go_to("lang", 2)
    editor.press("F2")
    editor.page.fill(".rename-box input", "language")
    editor.picture("rename")
    editor.press("Enter")
    editor.wait(".view-line", r"\{\{ language \}\}")
    text = editor.save("tidy.pdl", "language")
    assert text == TIDY.replace("lang", "language")


def test_a_hover_says_what_an_input_is(editor: Editor) -> None:
    editor.show("tidy.pdl")
    editor.wait(".codelens-decoration")
    editor.go_to("review", 4)
    editor.command("Show or Focus Hover")
    editor.wait(".monaco-hover-content", r"str<1,2000>")
    editor.picture("hover")


def test_the_preview_follows_the_text(editor: Editor) -> None:
    editor.show("tidy.pdl")
    lenses = editor.wait(".codelens-decoration a", "(?i)render")
    assert [lens for lens in lenses if re.search("(?i)run|grammar", lens)]
    editor.page.click(".codelens-decoration a >> text=/render/i")
    frame = editor.frame("section[data-role='user'] pre", "It is <b>bold</b>")
    assert frame.text_content("section[data-role='user'] h2") == "user"
    assert frame.query_selector("b") is None
    editor.picture("preview")
    editor.go_to("What", 4)
    editor.type("Tell me: ")
    editor.frame("section pre", "Tell me: What does")
    editor.type("{% if %}")
    problem = editor.frame("#problem:not([hidden])", "if")
    assert problem.query_selector("main.stale") is not None
    editor.picture("preview_problem")


def test_running_a_prompt_asks_first(editor: Editor) -> None:
    editor.show("mistakes.pdl")
    editor.wait(".codelens-decoration a", "(?i)run")
    editor.page.click(".codelens-decoration a >> text=/run/i")
    words = editor.wait(".monaco-dialog-box", "mistakes.pdl")
    editor.picture("run")
    assert "openai:MODEL" in words[0]
    editor.press("Escape")
    editor.page.wait_for_selector(".monaco-dialog-box", state="hidden")


def test_the_grammar_is_shown_beside(editor: Editor) -> None:
    editor.show("tidy.pdl")
    editor.page.click(".codelens-decoration a >> text=/grammar/i")
    editor.wait(".view-line", "root ::=")
    editor.picture("grammar")


@pytest.mark.parametrize("editor", [{"pdl.path": "/nowhere/pdl"}], indirect=True, ids=["nowhere"])
def test_without_the_command_there_are_colors_and_advice(editor: Editor) -> None:
    editor.show("tidy.pdl")
    buttons = editor.wait(".notification-list-item .monaco-button", "Install")
    assert set(buttons) >= {"Install", "Open Settings", "Show Output"}
    editor.picture("not_found")
    assert (
        len(
            {
                one.get_attribute("class")
                for one in editor.page.query_selector_all(".view-line span span")
            }
        )
        > 4
    )


def test_snapshots_of_the_grammar() -> None:
    """The colors of all shipped prompts, and the types of the client."""
    extension = ROOT / "editors" / "vscode"
    npm = shutil.which("npm")
    if npm is None or not (extension / "node_modules").is_dir():
        pytest.skip("needs npm, and `npm ci` in editors/vscode; scripts/install_editors.sh does it")
    ran = subprocess.run(  # noqa: S603 - of PATH
        [npm, "test"], cwd=extension, capture_output=True, text=True, check=False, timeout=300
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-4000:]


RESTRICTED = {
    "security.workspace.trust.enabled": True,
    "security.workspace.trust.startupPrompt": "never",
}


@pytest.mark.parametrize("editor", [RESTRICTED], indirect=True, ids=["restricted"])
def test_the_server_starts_as_soon_as_the_workspace_is_trusted(editor: Editor) -> None:
    editor.show("mistakes.pdl")
    editor.wait(".statusbar-item", "Restricted Mode")
    editor.page.click("#status\\.languageStatus")
    editor.wait(".hover-language-status", "not started in Restricted Mode")
    editor.picture("restricted")
    assert not editor.texts(".squiggly-error")
    editor.command("Workspaces: Manage Workspace Trust")
    editor.page.click(".workspace-trust-editor .monaco-button >> text=Trust")
    editor.wait(".squiggly-error")


@pytest.mark.parametrize("editor", [{"pdl.interpreter": ""}], indirect=True, ids=["workspace"])
def test_the_environment_of_the_workspace_is_found(editor: Editor) -> None:
    if sys.prefix == sys.base_prefix:
        pytest.skip("needs a virtual environment")
    (editor.folder / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    editor.show("mistakes.pdl")
    editor.wait(".squiggly-error")
