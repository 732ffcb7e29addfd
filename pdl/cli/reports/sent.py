"""A rendered prompt as a provider would be sent it, and what it would not be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.cli.reports.json_text import json_document
from pdl.models.exchange import Request
from pdl.models.payloads import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.cli.screen import Screen
    from pdl.models.exchange import Payload
    from pdl.prompt import Rendered

UNNAMED = "MODEL"
"""The model's name in a body, where nobody says one."""


def payload_of(rendered: Rendered, provider: str, *, model: str, constrain: bool) -> Payload:
    """The body of a request, which is not sent. Raises the errors of `Family.payload`."""
    request = Request(
        rendered.messages, rendered.schema, rendered.tools, rendered.config, constrain=constrain
    )
    named = model or str(rendered.config.get("model", "")) or UNNAMED
    scheme, _, rest = named.partition(":")
    family = FAMILIES[provider].by(request)
    return family.payload(request, rest if scheme in FAMILIES and rest else named)


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
    if payload.undo is not None and payload.undo.key:
        yield f'the answer comes in an object: {{"{payload.undo.key}": …}}'
    names = sorted(payload.undo.nulls) if payload.undo is not None else []
    if names:
        yield f"null says that a key is absent: {', '.join(names)}"
    if payload.begun:
        yield "the answer goes on from the last assistant turn"
