"""A run as the text of a prompt file that renders to the messages that were sent.

It is written without the key of the model, which a reply may have repeated.
"""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pdl.errors import PromptError
from pdl.models.secret import NO_SECRET, Secret
from pdl.prompt.messages import Media, Text
from pdl.reply.phrases import count
from pdl.schema import Schema
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from pdl._types import Json
    from pdl.errors import PdlError
    from pdl.models.answer import Answer, Attempt
    from pdl.models.exchange import Request
    from pdl.prompt.messages import Part


@dataclass(frozen=True)
class Run:
    """One run of a prompt, until it was answered, given up or stopped.

    `prompt` is the name of the file, `model` that of the model, as a person would write it.
    `request` is the last one, which contains the whole conversation. There is an `answer`, or an
    `error`, or neither if the run was stopped. `seconds` is wall-clock time. `secret` is the key of
    the model, which isn't written.
    """

    prompt: str
    model: str
    started: datetime
    request: Request = field(repr=False)
    attempts: tuple[Attempt, ...] = field(repr=False)
    answer: Answer | None = None
    error: PdlError | None = None
    seconds: float = 0.0
    secret: Secret = field(default=NO_SECRET, repr=False)

    @property
    def outcome(self) -> str:
        """How it ended, in a few words."""
        tried = count(len(self.attempts), "attempt")
        if self.answer is not None:
            given = "the default was used" if self.answer.is_default else "answered"
            return f"{given} after {tried}"
        return f"{'no answer' if self.error is not None else 'stopped'} after {tried}"


_SPECIAL = re.compile(r"\{*(?:\{[{%#]|<\||\|>|&lt;\||\|&gt;|&amp;|[\r\ud800-\udfff])")
"""What a prompt file doesn't read as plain text, with the braces before it, which would run into
those that escape it."""

_TOLD = (ToolCall, ToolResult)
_KEY = re.compile(r"[A-Za-z_][\w.-]*")
_NO_ANSWER_YET = """\
{# The last reply. It is left out, so this file asks for it again; to include it:
   pdl render THIS_FILE --set replied=true --prefill #}
{% if replied is defined and replied %}
"""


def prompt_source(run: Run) -> str:
    """Return a prompt file with the last request's messages, schema, tools and settings.

    It renders to the same messages, including the replies that were sent back; white space at the
    ends of a message is lost, since a turn has none. The reply of the last attempt is at the end,
    where it is rendered only on request.
    """
    request = run.request
    parts = [_heading(run), *_settings(run), *_conversation(run)]
    if request.schema is not None:
        parts.append(f"<|schema|>\n{escaped(_schema_text(request.schema))}\n")
    return "\n".join(part for part in parts if part)


def escaped(text: str) -> str:
    """Escape a text for the source of a template, so that it renders as it is."""
    return _SPECIAL.sub(lambda found: f"{{{{ {json.dumps(found.group())} }}}}", text)


def _heading(run: Run) -> str:
    when = run.started.strftime("%Y-%m-%d %H:%M:%S %Z").strip()
    words = f"{run.prompt}, asked of {run.model} on {when}: {run.outcome}."
    return f"{{# {words.replace('#}', '# }')}\n   It can be rendered and run again. #}}\n"


def _settings(run: Run) -> Iterator[str]:
    """The turns about the call."""
    config: Mapping[str, Json] = {"model": run.model, **run.request.config}
    lines = [f"{key}: {json.dumps(config[key])}" for key in config if _KEY.fullmatch(key)]
    yield f"<|config|>\n{escaped(chr(10).join(lines))}\n"
    if run.request.tools is not None:
        yield f"<|tools|>\n{escaped(run.request.tools.to_text())}\n"


def _conversation(run: Run) -> Iterator[str]:
    """The turns that are sent, the reasoning of the replies, which isn't, and the last reply."""
    thoughts, secret = _thoughts(run), run.secret
    for number, message in enumerate(run.request.messages):
        yield _reasoning(thoughts.get(number, ""), secret)
        yield _turn(message.role, _parts(message.parts, secret))
    last = run.attempts[-1].reply if run.attempts else None
    if last is not None and (last.text.strip() or last.reasoning.strip()):
        reply = _reasoning(last.reasoning, secret)
        reply += _turn("assistant", escaped(secret.redact(last.text)))
        yield f"{_NO_ANSWER_YET}{reply}{{% endif %}}\n"


def _thoughts(run: Run) -> dict[int, str]:
    """The reasoning of earlier replies, by the indexes of the messages that they became."""
    if not run.attempts:
        return {}
    start = len(run.attempts[0].request.messages)
    said = (one.reply for one in run.attempts[:-1] if one.reply is not None and one.fault is None)
    added = enumerate(run.request.messages[start:], start)
    places = (number for number, message in added if message.role == "assistant")
    return {number: reply.reasoning for number, reply in zip(places, said, strict=False)}


def _reasoning(text: str, secret: Secret) -> str:
    return _turn("reasoning", escaped(secret.redact(text))) if text.strip() else ""


def _turn(role: str, content: str) -> str:
    return f"<|{role}|>\n{content}\n"


def _parts(parts: tuple[Part, ...], secret: Secret) -> str:
    """Parts in their order; calls and results are on separate lines."""
    pieces: list[str] = []
    parts = tuple(_joined_texts(parts))
    for number, part in enumerate(parts):
        before = parts[number - 1] if number else None
        if before and (isinstance(part, _TOLD) or isinstance(before, _TOLD)):
            pieces.append("\n")
        pieces.append(_part(part, secret))
    return "".join(pieces)


def _joined_texts(parts: tuple[Part, ...]) -> Iterator[Part]:
    """The parts with consecutive texts joined: `{` and `{` would open an expression."""
    for is_text, run in itertools.groupby(parts, lambda part: isinstance(part, Text)):
        if is_text:
            yield Text("".join(part.text for part in run if isinstance(part, Text)))
        else:
            yield from run


def _part(part: Part, secret: Secret) -> str:
    if isinstance(part, Text):
        return escaped(secret.redact(part.text))
    if isinstance(part, Media):
        if part.url:
            return f"<|media({escaped(part.url)})|>"
        return f"<|raw_media({part.kind}:{part.base64})|>"
    # A prompt file has no turns for tool calls: they are written as text.
    if isinstance(part, ToolCall):
        arguments = secret.redact_json(dict(part.arguments))
        return escaped(json.dumps({"name": secret.redact(part.name), "arguments": arguments}))
    said = "failed" if part.failed else "returned"
    return escaped(secret.redact(f"{part.call.name} {said}:\n{part.text}"))


def _schema_text(schema: Schema) -> str:
    """The schema DSL, if it can express all of the schema; otherwise a JSON Schema."""
    try:
        text = schema.to_dsl()
        if Schema.parse(text) == schema:
            return text
    except PromptError:
        pass  # the DSL can't express it
    document = json.dumps(schema.document, ensure_ascii=False, indent=2)
    return f"```json\n{document}\n```"
