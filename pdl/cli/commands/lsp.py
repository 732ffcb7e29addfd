"""`pdl lsp`: the language server for editors."""

from __future__ import annotations

import click

from pdl.cli.help import Command
from pdl.errors import missing_package


@click.command(
    "lsp",
    cls=Command,
    exit_codes={
        0: "The editor ended it.",
        1: "The editor went away without ending it.",
        2: "pygls is not installed, or an option is invalid.",
    },
    examples=(("started by an editor", "pdl lsp"),),
    short_help="Run the language server, for editors.",
)
@click.option("--stdio", is_flag=True, help="Use standard input and output. Always the case.")
def command(*, stdio: bool) -> None:
    """Run the language server, for editors.

    Speaks the Language Server Protocol on standard input and output: diagnostics, completion,
    hover, definitions, references, rename, symbols, formatting, quick fixes, and more. Editors
    start it themselves. It needs pygls: `pip install 'pdl-prompts[lsp]'`.
    """
    del stdio
    try:
        from pdl.lsp.server import serve  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol", "attrs", "cattrs"):
            raise
        raise missing_package("the language server needs", "pygls", "lsp") from error
    raise click.exceptions.Exit(serve())
