"""`pdl gbnf`: the commands for grammars of llama.cpp, a module each."""

from __future__ import annotations

import click

from pdl.cli.teaching import LazyGroup

__all__ = ["command"]

_NAMES = ("compile", "parse", "lint", "match", "generate", "optimize", "diagram", "export")

_EXAMPLES = (
    ("what is wrong or slow in it", "pdl gbnf lint person.gbnf"),
    ("why a text does not match", "pdl gbnf match person.gbnf reply.txt"),
    ("what a model could say", "pdl gbnf generate person.gbnf -n 5"),
    ("see it", "pdl gbnf diagram person.gbnf -o person.html"),
)


@click.command(
    "gbnf",
    cls=LazyGroup,
    package=__name__,
    names=_NAMES,
    examples=_EXAMPLES,
    short_help="Read, check, try out and rewrite grammars (GBNF).",
    epilog="`pdl gbnf COMMAND --help` explains a command.",
)
def command() -> None:
    """Work with GBNF, the grammars that llama.cpp holds a model to.

    They are read exactly as llama.cpp reads them; whatever it refuses, hangs or crashes on is
    refused here with a place and a reason.
    """
