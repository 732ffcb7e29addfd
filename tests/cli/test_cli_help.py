"""Help teaches by example, and its examples are command lines that pdl takes."""

from __future__ import annotations

import re
import shlex

import click
import pytest
from click.testing import CliRunner

from pdl.cli.app import application
from pdl.cli.help import Command, LazyGroup

CONTEXT = click.Context(application, info_name="pdl")


def command(path: str) -> Command:
    """The command of a path such as `gbnf parse`."""
    found: click.Command = application
    for name in path.split():
        assert isinstance(found, LazyGroup)
        inner = found.get_command(CONTEXT, name)
        assert inner is not None
        found = inner
    assert isinstance(found, Command)
    return found


def below(path: str) -> list[str]:
    """The paths of the commands of a group, and of their own; none of another command."""
    group = command(path)
    names = group.list_commands(CONTEXT) if isinstance(group, LazyGroup) else []
    paths = [f"{path} {name}".strip() for name in names]
    return [one for outer in paths for one in (outer, *below(outer))]


COMMANDS = below("")
GROUPS = ["", *(path for path in COMMANDS if below(path))]


def pdl_words(line: str) -> list[str]:
    """The words after `pdl` in a shell line, up to the next pipe or redirection."""
    lexer = shlex.shlex(
        line.removeprefix('eval "$(').removesuffix(')"'), posix=True, punctuation_chars="|>;"
    )
    lexer.whitespace_split = True
    words = list(lexer)
    words = words[words.index("pdl") + 1 :]
    ends = [index for index, word in enumerate(words) if word in {"|", ">", ";", "2"}]
    return words[: min(ends, default=len(words))]


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_are_in_the_help_and_parse(name: str) -> None:
    taught = command(name)
    shown = CliRunner().invoke(application, [*name.split(), "--help"], prog_name="pdl")
    assert shown.exit_code == 0
    assert taught.examples
    for wish, line in taught.examples:
        assert f"  # {wish}\n  {line}\n" in shown.stdout
        words = pdl_words(line)
        size = len(name.split())
        assert words[:size] == name.split()
        taught.make_context(name, words[size:])


@pytest.mark.parametrize("group", GROUPS)
def test_the_overview_names_each_command_and_what_it_is_for(group: str) -> None:
    shown = CliRunner().invoke(application, [*group.split(), "--help"], prog_name="pdl")
    inside = [path for path in COMMANDS if path.rpartition(" ")[0] == group]
    assert inside
    for path in inside:
        assert f"  {path.rpartition(' ')[2]}" in shown.stdout
        assert str(command(path).short_help) in shown.stdout
    assert "..." not in shown.stdout.split("Commands:")[1]


def test_no_line_of_help_is_wider_than_the_terminal() -> None:
    for name in COMMANDS:
        shown = CliRunner().invoke(application, [*name.split(), "--help"], env={"COLUMNS": "80"})
        options = shown.stdout.split("Examples:")[0]
        assert max(map(len, options.splitlines())) <= 80


def options(path: str) -> dict[str, click.Parameter]:
    return {name: one for one in command(path).params for name in one.opts}


PRINTING = sorted({*COMMANDS} - {*GROUPS, "completion", "fmt", "git-textconv", "lsp", "play"})


@pytest.mark.parametrize("path", PRINTING)
def test_each_command_says_it_as_json_and_into_a_file(path: str) -> None:
    known = options(path)
    assert isinstance(known["--format"].type, click.Choice)
    assert {"text", "json"} <= set(known["--format"].type.choices)
    assert known["-o"] is known["--out"]
    shown = CliRunner().invoke(application, [*path.split(), "--help"]).stdout
    assert "\nJSON fields:\n" in shown
    assert "\nExit codes:\n  0  " in shown
    assert "\n  130  Interrupted by Ctrl-C.\n" in shown


@pytest.mark.parametrize("path", PRINTING)
def test_options_that_go_together_are_there_together(path: str) -> None:
    """Commands that read prompts take values and a directory."""
    known = options(path).keys()
    assert ("--set" in known) == ("--context" in known)
    assert "--root" in known or "--set" not in known
    schemas = {"--dsl", "--json-schema", "--registry"}
    assert known & schemas in ({*()}, schemas)
    # A type in place of two schemas would leave nothing to compare.
    assert ("--type" in known) == ("--set" in known and not path.startswith(("masks", "diff")))


def test_version() -> None:
    shown = CliRunner().invoke(application, ["--version"], prog_name="pdl")
    assert shown.stdout.startswith("pdl 0.")


@pytest.mark.parametrize("shell", ["zsh", "fish", "powershell"])
def test_a_completion_script_calls_pdl_back(shell: str) -> None:
    shown = CliRunner().invoke(application, ["completion", shell], prog_name="pdl")
    assert shown.exit_code == 0
    assert re.search(rf'_PDL_COMPLETE ?= ?"?{shell}_complete', shown.stdout)


@pytest.mark.parametrize("name", ["llama", "llama-server"])
def test_a_format_is_known_by_its_earlier_name_too(name: str) -> None:
    prompt = b"<|user|>\nhi\n<|schema|>\n{ a: int }\n"
    shown = CliRunner().invoke(application, ["render", "-", "--format", name], prompt)
    assert shown.exit_code == 0
    assert '"grammar": "root ::= ' in shown.stdout


def test_an_unknown_format_is_told_only_the_names_of_today() -> None:
    shown = CliRunner().invoke(application, ["render", "-", "--format", "foo"], b"<|user|>\nhi\n")
    assert shown.exit_code == 2
    assert "'llama-server'" in shown.stderr
    assert "'llama'" not in shown.stderr


def test_an_empty_path_is_an_error() -> None:
    shown = CliRunner().invoke(application, ["render", ""])
    assert shown.exit_code == 2
    assert shown.stderr.endswith("Error: Invalid value for 'FILE': the path is empty\n")
