"""The commands by name, and the one place where pdl's errors end."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from pdl.cli.exits import STOPPED, USAGE
from pdl.cli.screen import Screen
from pdl.cli.teaching import Example, write_examples
from pdl.errors import PdlError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMANDS = ("render", "check", "lint", "schema", "completion")

_EXAMPLES: Sequence[Example] = (
    ("see what is sent to the model", "pdl render classify.pdl --set text='It crashes'"),
    ("find the answer in what it said", "pdl check classify.pdl --reply reply.txt"),
    ("look at all prompts, in an editor or in CI", "pdl lint prompts/"),
    ("get the schema that a provider takes", "pdl schema classify.pdl --to json-schema"),
)


class Application(click.Group):
    """A group that imports a command when it is used, and prints the errors of them all."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """The names of the commands, in the order in which they are used."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  (likewise)
        """The command of that name, imported now."""
        if cmd_name not in _COMMANDS:
            return None
        # Each command brings imports of its own; only the one that runs shall cost its time.
        module = importlib.import_module(f"pdl.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments begin with; advice if there is none of that name."""
        known = not args or args[0] in _COMMANDS or args[0].startswith("-")
        if not known and not ctx.resilient_parsing:
            advice = did_you_mean(args[0], _COMMANDS) or f"there are {', '.join(_COMMANDS)}"
            raise click.UsageError(f"there is no command `{args[0]}`; {advice}", ctx)
        return super().resolve_command(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then the words at the end."""
        write_examples(_EXAMPLES, formatter)
        super().format_epilog(ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. An error of pdl is printed; any other is a bug and keeps its traceback."""
        try:
            return super().invoke(ctx)
        except PdlError as error:
            Screen.stderr().write_error(error)
            raise click.exceptions.Exit(USAGE) from error
        except KeyboardInterrupt as stop:
            raise click.exceptions.Exit(STOPPED) from stop


@click.command(
    cls=Application,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96},
    epilog="`pdl COMMAND --help` explains a command. Colours are used on a terminal only, and"
    " never if NO_COLOR is set.",
)
@click.version_option(package_name="pdl-prompts", prog_name="pdl", message="%(prog)s %(version)s")
def application() -> None:
    """Prompt files in, checked replies out.

    A `.pdl` file holds a prompt as a template, and what its answer must look like. These commands
    render such files, check replies against their schemas, and look for mistakes in them.
    """


def main() -> NoReturn:
    """Run the command `pdl`; exits with 0, or with one of the codes of `exits`."""
    # A command is gone before most garbage is worth looking for.
    gc.set_threshold(100_000, 50, 100)
    code: Any = 0
    try:
        application.main(prog_name="pdl")
    except SystemExit as leaving:
        code = leaving.code
    _leave(code if isinstance(code, int) else int(code is not None))


def _leave(code: int) -> NoReturn:
    """Leave without taking all modules apart first, which would take a tenth of the whole time."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # it is closed, or nobody reads it any more
            code = code or 1
    os._exit(code)
