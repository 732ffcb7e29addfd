"""`pdl render`: a prompt file and data to messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pdl.cli.options import FILE, data_options
from pdl.cli.origin import load_prompt
from pdl.cli.reports.rendered import rendered_json, transcript
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand
from pdl.cli.texts import refuse_two_stdins

if TYPE_CHECKING:
    from pdl.cli.context import Data

_EXAMPLES = (
    ("with values from the command line", "pdl render classify.pdl --set text='It crashes'"),
    (
        "with values from a file, one of them changed",
        "pdl render rag.pdl --context ctx.json --set k=3",
    ),
    (
        "with values from another program",
        "jq '{text: .body}' mail.json | pdl render mail.pdl --context -",
    ),
    (
        "only the messages, for a provider",
        "pdl render mail.pdl --context ctx.json --format json | jq .messages",
    ),
)


@click.command(
    "render",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    short_help="Show the messages that a prompt file makes.",
)
@click.argument("file", type=FILE)
@data_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="text: turns to read. json: an object with messages, schema (a JSON Schema, or null),"
    " form, config, reasoning, tools and warnings; media are in base64.",
)
@click.option(
    "--prefill", is_flag=True, help="Allow a last assistant turn, for the model to go on from."
)
@click.option(
    "--no-strict",
    is_flag=True,
    help="Go on where possible; what was passed over is listed on standard error.",
)
def command(
    file: str,
    data: Data,
    form: str,
    *,
    prefill: bool,
    no_strict: bool,
) -> None:
    """Fill the template FILE and show the messages that it makes.

    FILE is a prompt file, or - for the standard input. Nothing is sent anywhere. The exit code is
    0, or 2 if the file or its data are wrong.
    """
    refuse_two_stdins(file, data.file)
    prompt = load_prompt(file, strict=not no_strict)
    rendered = prompt.render(data.read(), prefill=prefill)
    if form == "json":
        Screen.stdout().write(rendered_json(rendered))
        return
    screen = Screen.stderr()
    for warning in rendered.warnings:
        screen.write(screen.problem(warning, f"{screen.style('warning:', 'warning')} "))
    Screen.stdout().write(transcript(rendered, Screen.stdout()))
