"""`pdl render`: a prompt file and data to messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pdl.cli.options import prompt_options
from pdl.cli.output import out_option
from pdl.cli.reports.rendered import rendered_json, transcript
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand

if TYPE_CHECKING:
    from pdl.cli.origin import PromptOrigin
    from pdl.cli.output import Output
    from pdl.prompt import Rendered

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
        "what a provider would be sent",
        "pdl render mail.pdl --context ctx.json --format anthropic --model MODEL",
    ),
)


_PROVIDERS = {
    **{name: name for name in ("openai", "openai-responses", "anthropic", "gemini", "ollama")},
    "llama": "llama-server",
    "vllm": "vllm",
    "litellm": "litellm",
}
"""The formats that are bodies of requests, and the providers' names in `pdl.models`."""


@click.command(
    "render",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    short_help="Show the messages that a prompt file makes.",
)
@prompt_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", *_PROVIDERS]),
    default="text",
    show_default=True,
    metavar="NAME",
    help="text: turns to read. json: an object with messages, schema (a JSON Schema, or null),"
    " form, config, reasoning, tools and warnings; media are in base64;"
    " an error is an object with ok (false) and problems. Or a"
    " provider, for the body of a request to it: openai, openai-responses, litellm (any server of"
    " OpenAI's shape), anthropic, gemini, ollama, llama (llama.cpp's server), vllm;"
    " what it leaves to the check is told on standard error.",
)
@click.option(
    "--model",
    metavar="NAME",
    default="",
    help="The model's name in such a body; without it that of the config turn.",
)
@click.option(
    "--no-grammar",
    is_flag=True,
    help="Leave the schema and the tools out of such a body: nothing but messages.",
)
@click.option(
    "--prefill", is_flag=True, help="Allow a last assistant turn, for the model to go on from."
)
@click.option(
    "--no-strict",
    is_flag=True,
    help="Go on where possible; what was passed over is listed on standard error.",
)
@out_option
def command(  # noqa: PLR0913 - one for each option
    *,
    origin: PromptOrigin,
    output: Output,
    form: str,
    model: str,
    no_grammar: bool,
    prefill: bool,
    no_strict: bool,
) -> None:
    """Fill the template FILE and show the messages that it makes.

    FILE is a prompt file, or - for the standard input. Nothing is sent anywhere. The exit code is
    0, or 2 if the file or its data are wrong.
    """
    if form not in _PROVIDERS and (model or no_grammar):
        raise click.UsageError("--model and --no-grammar go with the format of a provider")
    rendered = origin.fill(origin.load(strict=not no_strict), prefill=prefill)
    if form == "json":
        output.write_report(rendered_json(rendered))
        return
    screen = Screen.stderr()
    for warning in rendered.warnings:
        screen.write(screen.problem(warning, f"{screen.style('warning:', 'warning')} "))
    if form in _PROVIDERS:
        body, told = _body(rendered, _PROVIDERS[form], model, constrain=not no_grammar)
        output.write_report(body)
        if told:
            screen.write(told)
        return
    output.write_report(transcript(rendered, output.screen))


def _body(rendered: Rendered, provider: str, model: str, *, constrain: bool) -> tuple[str, str]:
    """The body of a request, and what the provider is not held to."""
    from pdl.cli.reports.sent import body_json, notes, payload_of  # noqa: PLC0415 - slow, seldom

    payload = payload_of(rendered, provider, model=model, constrain=constrain)
    return body_json(payload), notes(payload, Screen.stderr())
