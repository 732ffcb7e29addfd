"""Help that teaches by example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

Example: TypeAlias = tuple[str, str]
"""What somebody wants, and the command line that does it."""


class TaughtCommand(click.Command):
    """A command whose help shows examples, below its options.

    `terms` are names that an option takes, under a heading, each with what it means.
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
