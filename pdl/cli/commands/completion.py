"""`pdl completion`: completion scripts, and what a shell completes besides commands and files."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import ShellComplete, add_completion_class, get_completion_class

from pdl.cli.help import Command
from pdl.cli.terminal import Terminal
from pdl.errors import PdlError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def complete_inputs(ctx: click.Context, incomplete: str) -> list[str]:
    """Return `NAME=` for each input of the prompt that the command line names."""
    # An option that has no value yet keeps click from reading the arguments.
    named = [ctx.params.get("file"), *ctx.args]
    file = next((one for one in named if isinstance(one, str) and Path(one).is_file()), None)
    if file is None:
        return []
    try:
        prompt = import_module("pdl.prompt").load(file)
    except PdlError:
        return []
    names = prompt.inputs.names if prompt.inputs is not None else prompt.variables
    return [f"{name}=" for name in names if name.startswith(incomplete)]


class PowerShell(ShellComplete):
    """Completion in PowerShell, which completes files by itself where it gets no values."""

    name = "powershell"
    source_template = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($word, $line, $position)
    $env:%(complete_var)s = "powershell_complete"
    $env:COMP_WORDS = ($line.CommandElements | ForEach-Object { "$_".Trim('"', "'") }) -join "`n"
    $env:COMP_WORD = $word
    %(prog_name)s | ForEach-Object {
        $value, $help = $_ -split "`t", 2
        $kind = "ParameterValue"
        [System.Management.Automation.CompletionResult]::new($value, $value, $kind, $help)
    }
    Remove-Item Env:%(complete_var)s, Env:COMP_WORDS, Env:COMP_WORD
}
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one to complete, and that one, which can be empty."""
        words = os.environ.get("COMP_WORDS", "").split("\n")[1:]
        word = os.environ.get("COMP_WORD", "").strip("'\"")
        return (words[:-1] if word and words[-1:] == [word] else words), word

    def format_completion(self, item: CompletionItem) -> str:
        """Return a line: the value, and its help, which must not be empty."""
        return f"{item.value}\t{item.help or item.value}" if item.type == "plain" else ""


def add_powershell() -> None:
    """Register PowerShell with click."""
    add_completion_class(PowerShell)


@click.command(
    "completion",
    cls=Command,
    examples=(
        ("bash: add this line to ~/.bashrc", 'eval "$(pdl completion bash)"'),
        ("zsh: add this line to ~/.zshrc, after compinit", 'eval "$(pdl completion zsh)"'),
        ("fish", "pdl completion fish > ~/.config/fish/completions/pdl.fish"),
        ("PowerShell", "pdl completion powershell | Out-String | Invoke-Expression"),
    ),
    short_help="Print a completion script for a shell.",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "powershell"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print a script that makes SHELL complete commands, options, and files of pdl."""
    add_powershell()
    made = get_completion_class(shell)
    assert made is not None
    script = made(ctx.find_root().command, {}, "pdl", "_PDL_COMPLETE").source()
    Terminal.stdout().write(script.strip())
