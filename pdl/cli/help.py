"""Help with examples, exit codes, and JSON fields; groups that import their commands lazily."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from pdl.cli.output import failure_json
from pdl.cli.terminal import FAILED, INTERRUPTED, Terminal
from pdl.errors import PdlError, did_you_mean, unwritable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


Example: TypeAlias = tuple[str, str]
"""What it does, and the command line that does it."""

_FAILURE = {
    "problems": "If the command fails, with ok (false): a list of objects with path, line, column,"
    " end_column, code, message, and hint."
}


class Command(click.Command):
    """A command whose help lists terms, JSON fields, exit codes, and examples after its options.

    `terms` are values of an option, under a heading. `fields` are those of `--format json`, under
    which errors are JSON too: `ok` (false) and `problems`.
    """

    def __init__(
        self,
        *args: Any,
        examples: Sequence[Example] = (),
        terms: tuple[str, Mapping[str, str]] = ("", {}),
        fields: Mapping[str, str] | None = None,
        exit_codes: Mapping[int, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples
        codes = {**exit_codes, INTERRUPTED: "Interrupted by Ctrl-C."} if exit_codes else {}
        self.lists = (
            terms,
            ("JSON fields", {**fields, **_FAILURE} if fields else {}),
            ("Exit codes", {str(code): meaning for code, meaning in codes.items()}),
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Writes the help or the version, which can fail as any output."""
        try:
            return super().parse_args(ctx, args)
        except BrokenPipeError:
            raise click.exceptions.Exit(0) from None  # the reader has enough
        except OSError as error:
            Terminal.stderr().write_error(unwritable("<stdout>", error))
            raise click.exceptions.Exit(FAILED) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. With `--format json`, an error of pdl is written as JSON."""
        try:
            return super().invoke(ctx)
        except PdlError as error:
            if ctx.params.get("form") != "json" and not ctx.params.get("as_json"):
                raise
            Terminal.stdout().write(failure_json(error))
            raise click.exceptions.Exit(FAILED) from error

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lists, the examples, then the epilog."""
        for heading, rows in self.lists:
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(list(rows.items()))
        with formatter.section("Examples"):
            for purpose, line in self.examples:  # never wrapped, so that lines can be copied
                formatter.write(f"  # {purpose}\n  {line}\n")
        super().format_epilog(ctx, formatter)


class LazyGroup(Command, click.Group):
    """A group of commands, each imported when it is used, as imports take the most time.

    `lazy` has them by name, in the order in which they are used: as commands, or as `module` or
    `module:attribute` below `pdl.cli.commands`, where the attribute is by default `command`.
    """

    def __init__(self, *args: Any, lazy: Mapping[str, str | click.Command], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """Return the names of the commands."""
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  (click's signature)
        """Return a command, imported now."""
        found = self._lazy.get(cmd_name)
        if not isinstance(found, str):
            return found
        module, _, name = found.partition(":")
        imported = importlib.import_module(f"pdl.cli.commands.{module}")
        command: click.Command = getattr(imported, name or "command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments begin with. Raises UsageError with a suggestion."""
        known = not args or args[0] in self._lazy or args[0].startswith("-")
        if not known and not ctx.resilient_parsing:
            hint = did_you_mean(args[0], self._lazy) or f"expected one of {', '.join(self._lazy)}"
            name = f"{ctx.info_name} {args[0]}" if ctx.parent is not None else args[0]
            raise click.UsageError(f"unknown command `{name}`; {hint}", ctx)
        return super().resolve_command(ctx, args)
