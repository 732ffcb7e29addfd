"""Help that teaches by example, errors in the form of the results, and lazily loaded subcommands.

`LazyGroup` is a command of commands, each of which is imported when it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from pdl.cli.exits import USAGE
from pdl.cli.reports.json_text import failure_json
from pdl.cli.screen import Screen
from pdl.errors import PdlError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence


Example: TypeAlias = tuple[str, str]
"""What somebody wants, and the command line that does it."""

AS_JSON = "as_json"
"""The parameter of `--json`, an older name of `--format json`."""


class TaughtCommand(click.Command):
    """A command whose help shows examples, below its options.

    `terms` are names that an option takes, under a heading, each with what it means. With
    `--format json` (a parameter `form`) its errors are JSON as well: `ok` (false) and `problems`.
    """

    def __init__(
        self,
        *args: Any,
        examples: Sequence[Example] = (),
        terms: tuple[str, Sequence[tuple[str, str]]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples
        self.terms = terms

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except PdlError as error:
            if ctx.params.get("form") != "json" and not ctx.params.get(AS_JSON):
                raise
            Screen.stdout().write(failure_json(error))
            raise click.exceptions.Exit(USAGE) from error

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the terms, the examples, then the words at the end."""
        if self.terms:
            heading, rows = self.terms
            with formatter.section(heading):
                formatter.write_dl(list(rows))
        write_examples(self.examples, formatter)
        super().format_epilog(ctx, formatter)


def write_examples(examples: Sequence[Example], formatter: click.HelpFormatter) -> None:
    """Write a section of examples; their lines are never wrapped, so that they can be copied."""
    with formatter.section("Examples"):
        for wish, line in examples:
            formatter.write(f"  # {wish}\n  {line}\n")


class LazyGroup(TaughtCommand, click.Group):
    """A group whose commands are the modules of a package, each with its `command`.

    `names` are those of the commands, in the order in which they are used. Each brings imports of
    its own; only the one that runs shall cost its time.
    """

    def __init__(self, *args: Any, package: str, names: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._package = package
        self._names = tuple(names)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """The names of the commands."""
        return list(self._names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  (likewise)
        """The command of that name, imported now."""
        if cmd_name not in self._names:
            return None
        module = importlib.import_module(f"{self._package}.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments begin with; advice if there is none of that name."""
        known = not args or args[0] in self._names or args[0].startswith("-")
        if not known and not ctx.resilient_parsing:
            advice = did_you_mean(args[0], self._names) or f"there are {', '.join(self._names)}"
            name = _said(ctx, args[0])
            raise click.UsageError(f"there is no command `{name}`; {advice}", ctx)
        return super().resolve_command(ctx, args)


def _said(ctx: click.Context, name: str) -> str:
    """A command with the group that it should be in, but for the outermost."""
    return f"{ctx.info_name} {name}" if ctx.parent is not None else name
