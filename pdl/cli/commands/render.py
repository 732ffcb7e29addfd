"""`pdl render`: a prompt file and data to messages.

The rendered prompt is shown as a transcript for people, as JSON for programs, or as a provider
would be sent it, with notes on what it would not be sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pdl.cli.options import prompt_options
from pdl.cli.output import out_option
from pdl.cli.reports.json_text import json_document, problem_fields
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand
from pdl.models.exchange import Request
from pdl.models.payloads import FAMILIES
from pdl.prompt.messages import Text
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.cli.origin import PromptOrigin
    from pdl.cli.output import Output
    from pdl.models.exchange import Payload
    from pdl.prompt import Message, Rendered
    from pdl.prompt.messages import Part


def transcript(rendered: Rendered, screen: Screen) -> str:
    """What `str(rendered)` is, for a screen."""
    return "\n\n".join(
        f"{screen.style(f'<|{role}|>', 'strong')}\n{screen.safe(text)}"
        for role, text in rendered.turns()
    )


def rendered_json(rendered: Rendered) -> str:
    """All of a rendered prompt, as an object; media with their bytes in base64, or their URL."""
    schema = rendered.schema
    return json_document(
        {
            "messages": [_message_fields(message) for message in rendered.messages],
            "schema": schema.to_json_schema() if schema is not None else None,
            "form": schema.form if schema is not None else None,
            "config": dict(rendered.config),
            "reasoning": list(rendered.reasoning),
            "tools": rendered.tools.to_openai() if rendered.tools is not None else None,
            "warnings": [problem_fields(problem) for problem in rendered.warnings],
        }
    )


def _message_fields(message: Message) -> dict[str, Any]:
    return {"role": message.role, "content": [_part_fields(part) for part in message.parts]}


def _part_fields(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, ToolCall):
        call = {"id": part.id, "name": part.name, "arguments": dict(part.arguments)}
        return {"type": "tool_call", **call}
    if isinstance(part, ToolResult):
        result = {"id": part.call.id, "name": part.call.name, "text": part.text}
        return {"type": "tool_result", **result, "failed": part.failed}
    where = {"url": part.url} if part.url else {"data": part.base64}
    return {"type": "media", "mime_type": part.mime_type, **where}


UNNAMED = "MODEL"
"""The model's name in a body, where nobody says one."""


def payload_of(rendered: Rendered, provider: str, *, model: str, constrain: bool) -> Payload:
    """The body of a request, which is not sent. Raises the errors of `Family.payload`."""
    request = Request(
        rendered.messages, rendered.schema, rendered.tools, rendered.config, constrain=constrain
    )
    named = model or str(rendered.config.get("model", "")) or UNNAMED
    scheme, _, rest = named.partition(":")
    api = FAMILIES[provider].for_request(request)
    return api.payload(request, rest if scheme in FAMILIES and rest else named)


def body_json(payload: Payload) -> str:
    """The body, as JSON for people."""
    return json_document(payload.body)


def notes(payload: Payload, screen: Screen) -> str:
    """What the provider is not held to and not told, a line each; empty if there is nothing."""
    return "\n".join(
        f"{screen.style('note:', 'note')} {screen.safe(one)}" for one in _told(payload)
    )


def _told(payload: Payload) -> Iterator[str]:
    for one in payload.dropped:
        place = f"{one.pointer} {one.keyword}" if one.keyword else "the schema"
        yield f"left to the check: {place}: {one.why}"
    for key in payload.ignored:
        yield f"not sent: {key.key}: {key.why}"
    if payload.decoder is not None and payload.decoder.key:
        yield f'the answer comes in an object: {{"{payload.decoder.key}": …}}'
    names = sorted(payload.decoder.nulls) if payload.decoder is not None else []
    if names:
        yield f"null says that a key is absent: {', '.join(names)}"
    if payload.prefill:
        yield "the answer goes on from the last assistant turn"


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
    payload = payload_of(rendered, provider, model=model, constrain=constrain)
    return body_json(payload), notes(payload, Screen.stderr())
