"""`pdl eval`: evaluations, and what differs between two of them."""

from __future__ import annotations

from typing import Any

import click

from pdl.cli.help import LazyGroup


class _RunByDefault(LazyGroup):
    """A group whose command is `run` if none is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, of `run` if they don't begin with a command."""
        is_named = not args or args[0] in self._lazy or args[0] in ctx.help_option_names
        return super().parse_args(ctx, args if is_named else ["run", *args])


@click.command(
    "eval",
    cls=_RunByDefault,
    lazy={"run": "eval_run", "compare": "eval_compare"},
    examples=(
        ("two models on the cases of a prompt", "pdl eval mail.pdl --model A --model B --out run/"),
        ("two prompts on the same cases", "pdl eval a.pdl b.pdl --cases mail.tests.pdl --out run/"),
        ("what it would ask, and cost", "pdl eval mail.pdl --dry-run --repeat 5"),
        ("go on where it was killed", "pdl eval --resume run/"),
        ("what a change has changed", "pdl eval compare before/ after/"),
    ),
    short_help="Measure prompts and models on cases.",
    epilog="Run `pdl eval COMMAND --help` for a command.",
)
def command(**_: Any) -> None:
    """Ask models all cases of prompts, and measure their answers.

    `pdl eval PROMPT` is short for `pdl eval run PROMPT`.
    """
