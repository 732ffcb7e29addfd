"""The messages as they are sent, and the body that each provider is sent."""

from __future__ import annotations

from dataclasses import asdict
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from pdl.errors import PdlError
from pdl.play.looking.bounds import MOST_LISTED, MOST_MEDIA, MOST_TEXT
from pdl.play.looking.problems import problem
from pdl.play.looking.schemas import check_grammar
from pdl.prompt.messages import Media, Text

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.play.looking.subject import Draft, Subject
    from pdl.prompt.messages import Part
    from pdl.source import Span

_KINDS = ("image", "audio")
_WITH_GRAMMAR = ("llama-server", "vllm")


def turns(subject: Subject) -> Json:
    """Return the messages with their places in the prompt, and what is not sent."""
    draft, rendered = subject.draft, subject.filled.rendered
    places = rendered.origin.turns if rendered.origin is not None else ()
    media = _Media()
    return {
        "messages": [
            {
                "role": message.role,
                "characters": len(message.text),
                "line": _line(draft, place),
                "parts": [media.part(part) for part in message.parts],
            }
            for message, place in zip_longest(rendered.messages, places[: len(rendered.messages)])
        ],
        "reasoning": list(rendered.reasoning),
        "warnings": [problem(draft, one) for one in rendered.warnings],
        "config": dict(rendered.config),
        "transcript": str(rendered),
        "characters": sum(len(one.text) for one in rendered.messages),
    }


def _line(draft: Draft, place: Span | None) -> int | None:
    """The line of the prompt's text in which a turn begins; None if another file has it."""
    origin = place.origin() if place is not None else None
    if origin is None or not draft.lines.is_of(origin.source):
        return None
    return draft.lines.range(origin)[0]


class _Media:
    """The parts of messages; the bytes of files are shown as long as all are few."""

    def __init__(self) -> None:
        self.left = MOST_MEDIA

    def part(self, part: Part) -> Json:
        if isinstance(part, Text):
            return {"kind": "text", "text": part.text}
        assert isinstance(part, Media), "nothing else is rendered"
        kind = part.mime_type.partition("/")[0]
        told: dict[str, Json] = {
            "kind": kind if kind in _KINDS else "document",
            "media_type": part.mime_type,
            "bytes": len(part.data),
        }
        if part.url:
            return {**told, "url": part.url}
        is_shown = len(part.data) <= self.left
        self.left -= len(part.data) if is_shown else 0
        return {**told, "data": part.base64 if is_shown else None}


def requests(subject: Subject) -> Json:
    """Return the body for each family of providers, what it leaves out, and where it is posted.

    In the headers, a key is the name of its environment variable, as in a shell: `$OPENAI_API_KEY`.
    `shortened` counts the strings of the body that are cut. Without a body, `left_out` says why.
    """
    from pdl.models.payloads import FAMILIES  # noqa: PLC0415 - slow to load
    from pdl.models.request import Request  # noqa: PLC0415

    request = Request.of(subject.filled.rendered)
    found: dict[str, Json] = {}
    for family in FAMILIES:
        try:
            if family in _WITH_GRAMMAR and request.schema is not None and not request.tools:
                check_grammar(request.schema)
            api, payload = request.payload(family)
        except PdlError as error:
            found[family] = {"body": None, "left_out": [one.message for one in error.problems]}
            continue
        cut = _Shortener()
        left: list[Any] = [*map(asdict, payload.dropped)]
        left += map(asdict, payload.ignored)
        path = api.path(request.model_for(api) or "MODEL", request.stream)
        found[family] = {
            "body": cut.short(payload.body),
            "shortened": cut.count,
            "left_out": left[:MOST_LISTED],
            "url": api.base_url + path,
            "headers": {**api.headers(f"${api.key_variable}" if api.needs_key else "")},
        }
    return found


class _Shortener:
    """Copies JSON with long strings cut, such as images, and counts these."""

    def __init__(self) -> None:
        self.count = 0

    def short(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self.short(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.short(one) for one in value]
        if isinstance(value, str) and len(value) > MOST_TEXT:
            self.count += 1
            return f"{value[:MOST_TEXT]}… ({len(value):,} characters)"
        return value
