"""What a shell completes beyond commands, options, choices and files, and PowerShell's script."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from click.shell_completion import ShellComplete, add_completion_class

from pdl.errors import PdlError

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem


def complete_inputs(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001  (click's signature)
    incomplete: str,
) -> list[str]:
    """`NAME=` for each input of the prompt that the command line names."""
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


def complete_models(
    ctx: click.Context,  # noqa: ARG001  (click's signature)
    param: click.Parameter,  # noqa: ARG001  (likewise)
    incomplete: str,
) -> list[str]:
    """What the names of models begin with: `openai:`."""
    known = import_module("pdl.models.connecting").SCHEMES
    return [f"{one}:" for one in sorted(known) if one.startswith(incomplete)]


class PowerShell(ShellComplete):
    """Completion in PowerShell, which completes files by itself where it is told nothing."""

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
        """The words before the one that is completed, and that one, which may be empty."""
        words = os.environ.get("COMP_WORDS", "").split("\n")[1:]
        word = os.environ.get("COMP_WORD", "").strip("'\"")
        return (words[:-1] if word and words[-1:] == [word] else words), word

    def format_completion(self, item: CompletionItem) -> str:
        """A line: the value, and a help that may not be empty."""
        return f"{item.value}\t{item.help or item.value}" if item.type == "plain" else ""


def teach_powershell() -> None:
    """Make click know it."""
    add_completion_class(PowerShell)
