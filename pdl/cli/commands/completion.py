"""`pdl completion`: the script that completes commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from pdl.cli.completing import teach_powershell
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand

_VARIABLE = "_PDL_COMPLETE"  # click derives it from the command's name

_EXAMPLES = (
    ("bash: put this line into ~/.bashrc", 'eval "$(pdl completion bash)"'),
    ("zsh: put this line into ~/.zshrc, below compinit", 'eval "$(pdl completion zsh)"'),
    ("fish", "pdl completion fish > ~/.config/fish/completions/pdl.fish"),
    ("PowerShell", "pdl completion powershell | Out-String | Invoke-Expression"),
)


@click.command(
    "completion",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    short_help="Print a completion script for a shell.",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "powershell"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print a script that makes SHELL complete pdl's commands, options and files."""
    teach_powershell()
    made = get_completion_class(shell)
    assert made is not None
    script = made(ctx.find_root().command, {}, "pdl", _VARIABLE).source()
    Screen.stdout().write(script.strip())
