"""`pdl render`: the messages of a prompt, as text, as JSON, or as a provider's request body."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import click

from pdl.cli.batch import BatchInput, rows_options
from pdl.cli.help import Command
from pdl.cli.options import out_option, prompt_options
from pdl.cli.output import json_document, problem_fields
from pdl.cli.terminal import Terminal
from pdl.models.payloads import FAMILIES
from pdl.models.request import Request, provider_and_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.cli.inputs import PromptInput
    from pdl.cli.output import Output
    from pdl.models.payloads.provider_api import Payload
    from pdl.prompt import Rendered

_PROVIDERS = (
    *("openai", "openai-responses", "anthropic", "gemini"),
    *("ollama", "llama-server", "vllm", "litellm"),
)
_DEFAULT_MODEL = "MODEL"


class _FormatChoice(click.Choice[str]):
    """The formats; `llama`, the name of `llama-server` in earlier versions, is not listed."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the format of a name. Raises BadParameter."""
        return super().convert("llama-server" if value == "llama" else value, param, ctx)


def _text(rendered: Rendered, terminal: Terminal) -> str:
    """What `str(rendered)` is, with styles."""
    return "\n\n".join(
        f"{terminal.style(f'<|{role}|>', 'strong')}\n{terminal.safe(text)}"
        for role, text in rendered.turns()
    )


def _json(rendered: Rendered) -> str:
    warnings = [problem_fields(problem) for problem in rendered.warnings]
    return json_document({**rendered.to_json(), "warnings": warnings})


def _payload(rendered: Rendered, provider: str, *, model: str, constrain: bool) -> Payload:
    """The body of a request, which is not sent.

    Raises the errors of the provider's payload, and ConfigError for an address or a key.
    """
    request = Request.of(rendered, constrain=constrain)
    api = FAMILIES[provider].for_request(request)
    named = provider_and_name(model)[1] or request.model_for(api) or _DEFAULT_MODEL
    return api.payload(request, named)


def _notes(payload: Payload) -> Iterator[str]:
    """What the provider does not enforce and is not sent, and how the answer is encoded."""
    for one in payload.dropped:
        place = f"{one.pointer} {one.keyword}" if one.keyword else "the schema"
        yield f"not enforced: {place}: {one.why}"
    for key in payload.ignored:
        yield f"not sent: {key.key}: {key.why}"
    if payload.decoder is not None and payload.decoder.key:
        yield f'the answer is wrapped in an object: {{"{payload.decoder.key}": …}}'
    names = sorted(payload.decoder.nulls) if payload.decoder is not None else []
    if names:
        yield f"null represents an absent key: {', '.join(names)}"
    if payload.prefill:
        yield "the answer continues the last assistant turn"


@click.command(
    "render",
    cls=Command,
    fields={
        "fingerprint": "Identifies the version of the prompt, whatever its values.",
        "messages": "Objects with role and content, a list of parts; media are in base64.",
        "schema": "The JSON Schema of the answer, or null.",
        "form": "json, text, yesno, code, tasklist, or null.",
        "config, reasoning, tools": "Those of the prompt.",
        "warnings": "What --no-strict ignored.",
    },
    exit_codes={0: "Done.", 2: "The prompt, its values, or an option is invalid."},
    examples=(
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
            "the request body for a provider",
            "pdl render mail.pdl --context ctx.json --format anthropic --model MODEL",
        ),
    ),
    short_help="Render a prompt file to messages.",
)
@prompt_options
@click.option(
    "--format",
    "form",
    type=_FormatChoice(["text", "json", *_PROVIDERS]),
    default="text",
    show_default=True,
    metavar="NAME",
    help="Output format: text to read, JSON with the fields below, or the request body for a"
    f" provider: {', '.join(_PROVIDERS)} (litellm is for any OpenAI-compatible server). Standard"
    " error reports what the provider does not enforce.",
)
@click.option(
    "--model",
    metavar="NAME",
    default="",
    help="Model name in a request body. Default: `model` of the config turn.",
)
@click.option(
    "--no-grammar",
    is_flag=True,
    help="Leave the schema and the tools out of a request body.",
)
@click.option(
    "--prefill", is_flag=True, help="Allow a last assistant turn, for the model to continue."
)
@click.option(
    "--no-strict",
    is_flag=True,
    help="Continue after errors where possible, and report them on standard error.",
)
@rows_options
@out_option
def command(  # noqa: PLR0913 - one for each option
    *,
    prompt: PromptInput,
    output: Output,
    form: str,
    model: str,
    no_grammar: bool,
    prefill: bool,
    no_strict: bool,
    batch: BatchInput | None,
) -> None:
    """Render a prompt file to messages, without sending them.

    FILE is a prompt file, or - for standard input.

    With --batch, prints a JSON object on a line for each row, in their order: its line, its id, and
    the fields below, of which those that are not text are JSON texts; and `error` if it could not
    be rendered. A row's values are its object `context`, or without one its keys that are variables
    of the prompt; they override --context and --set.
    """
    is_body = form in _PROVIDERS
    if not is_body and (model or no_grammar):
        raise click.UsageError("--model and --no-grammar require the --format of a provider")
    if batch is not None:
        if no_strict:
            raise click.UsageError("--no-strict can't be used with --batch")
        render_batch = importlib.import_module("pdl.cli.batch.prompting").render_batch
        family = form if is_body else None
        code = render_batch(batch, prompt, output.file, family=family, model=model, prefill=prefill)
        raise click.exceptions.Exit(code)
    rendered = prompt.render(prompt.load(strict=not no_strict), prefill=prefill)
    if form == "json":
        output.write_report(_json(rendered))
        return
    terminal = Terminal.stderr()
    for warning in rendered.warnings:
        terminal.write(terminal.problem(warning, "warning"))
    if not is_body:
        output.write_report(_text(rendered, output.terminal))
        return
    payload = _payload(rendered, form, model=model, constrain=not no_grammar)
    output.write_report(json_document(payload.body))
    for note in _notes(payload):
        terminal.write(f"{terminal.style('note:', 'note')} {terminal.safe(note)}")
