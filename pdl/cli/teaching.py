"""Help that teaches by example, and errors in the form of the results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import click

from pdl.cli.exits import USAGE
from pdl.cli.reports.json_text import failure_json
from pdl.cli.screen import Screen
from pdl.errors import PdlError

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
