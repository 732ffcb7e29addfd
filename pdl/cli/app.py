"""The commands by name, and the one place where pdl's errors end."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from pdl.cli.exits import STOPPED, USAGE
from pdl.cli.screen import Screen
from pdl.cli.teaching import LazyGroup
from pdl.errors import PdlError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.cli.teaching import Example

_COMMANDS = ("render", "run", "check", "lint", "schema", "gbnf", "masks", "completion")

_EXAMPLES: Sequence[Example] = (
    ("see what is sent to the model", "pdl render classify.pdl --set text='It crashes'"),
    ("ask a model", "pdl run classify.pdl --set text='It crashes' --model openai:MODEL"),
    ("find the answer in what it said", "pdl check classify.pdl --reply reply.txt"),
    ("look at all prompts, in an editor or in CI", "pdl lint prompts/"),
    ("get the schema that a provider takes", "pdl schema classify.pdl --to json-schema"),
    ("see why a text does not match a grammar", "pdl gbnf match json.gbnf reply.txt"),
)


class Application(LazyGroup):
    """The group of all commands, which prints the errors of them all."""

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
    package="pdl.cli.commands",
    names=_COMMANDS,
    examples=_EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96},
    epilog="`pdl COMMAND --help` explains a command. Colours are used on a terminal only, or"
    " if FORCE_COLOR is set, and never if NO_COLOR is set.",
)
@click.version_option(package_name="pdl-prompts", prog_name="pdl", message="%(prog)s %(version)s")
def application() -> None:
    """Prompt files in, checked replies out.

    A `.pdl` file holds a prompt as a template, and what its answer must look like. These commands
    render such files, ask models, check replies against their schemas, and look for mistakes in
    them. `gbnf` has commands of its own, for the grammars of llama.cpp, and so has `masks`, for the
    tokens that they allow.
    """


def main() -> NoReturn:
    """Run the command `pdl`; exits with 0, or with one of the codes of `exits`."""
    # A command is gone before most garbage is worth looking for.
    gc.set_threshold(100_000, 50, 100)
    code: Any = 0
    if os.environ.get("_PDL_COMPLETE", "").startswith("powershell"):
        import_module("pdl.cli.commands.completion").teach_powershell()
    try:
        application.main(prog_name="pdl")
    except SystemExit as leaving:
        code = leaving.code
    _leave(code if isinstance(code, int) else int(code is not None))


def _leave(code: int) -> NoReturn:
    """Leave without taking all modules apart first, which would take a tenth of the whole time."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # as the shell leaves it for `>&-`; who wrote to it was told
                stream.flush()
        except (OSError, ValueError):  # it is closed, or nobody reads it any more
            code = code or 1
    os._exit(code)
