"""`Family`: all that is to be known of a provider's interface."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

from pdl.models.exchange import Delta
from pdl.models.payloads.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl._types import Json
    from pdl.models.exchange import Payload, Reply, Request
    from pdl.tools.calls import ToolCall

DONE = "[DONE]"
"""The data of the event that ends OpenAI's streams: the one that is no JSON, fed as this string."""


class Deltas(Protocol):
    """Reads the events of one stream."""

    @property
    def is_done(self) -> bool:
        """Whether the event has come after which nothing does: the rest need not be waited for."""
        ...

    def feed(self, event: str, data: Json) -> Iterator[Delta]:
        """What an event tells: its name (empty where it has none) and its data as JSON.

        Raises BadPayload for data of another shape and for an error that it tells.
        """
        ...

    def close(self) -> Iterator[Delta]:
        """What is left when the stream has ended.

        Raises BadPayload, with `is_cut`, if the stream ended before its documented end.
        """
        ...


@dataclass(frozen=True)
class Family:
    """The interface of a provider: pure functions, nothing is sent.

    `payload(request, model)` makes the body of a request; it raises MediaError, TurnError or
    ConfigError for what the provider cannot take. `read(body)` reads the body of an answer and
    `deltas()` a stream of them, as the provider wrote them; `reply` and `stream` do so too and
    take back what `Payload.undo` and `Payload.begun` say: their text is the whole answer. `framing`
    is how streams are cut into events: SSE, or a line of JSON each. `path(model, stream)` goes
    behind the base URL. `key_variable` is the environment variable that by custom holds the key;
    `settings` tells where settings stand, by which an error's words find the one that is meant.
    `needs_key` says whether the server at `base_url` answers nobody without one. `repeats_begun`:
    a whole reply may have the beginning again that the prompt gave it; streams never do.
    `elsewhere` gives the interface of the same server for what this one does not take.
    """

    name: str
    base_url: str
    path: Callable[[str, bool], str]
    payload: Callable[[Request, str], Payload]
    read: Callable[[Json], Reply]
    deltas: Callable[[], Deltas]
    headers: Callable[[str], dict[str, str]]
    key_variable: str = ""
    needs_key: bool = False
    framing: Literal["sse", "ndjson"] = "sse"
    repeats_begun: bool = False
    settings: Settings = field(default_factory=lambda: Settings("the server"))
    elsewhere: Callable[[Request], Family | None] | None = None

    def by(self, request: Request) -> Family:
        """The interface that a request goes by: this one, or another of the same server."""
        return (self.elsewhere and self.elsewhere(request)) or self

    def reply(self, payload: Payload, body: Json) -> Reply:
        """What a model said to a payload, its text as the request's schema has it."""
        return self.restored(payload, self.read(body))

    def restored(self, payload: Payload, reply: Reply) -> Reply:
        """A reply as the provider wrote it, its text and calls as the request has them."""
        reply = replace(reply, calls=_own(reply.calls, payload))
        text = reply.text if payload.undo is None else payload.undo.text(reply.text)
        if self.repeats_begun and text.startswith(payload.begun):
            return replace(reply, text=text)
        return replace(reply, text=payload.begun + text)

    def stream(self, payload: Payload) -> Deltas:
        """Reads the events of a stream that answers a payload, its text likewise."""
        return _Restored(self.deltas(), payload)


def _own(calls: tuple[ToolCall, ...], payload: Payload) -> tuple[ToolCall, ...]:
    """Calls with the keys that the tools themselves have."""
    return tuple(
        replace(one, arguments=payload.renamed[one.name].back(one.arguments))
        if one.name in payload.renamed
        else one
        for one in calls
    )


class _Restored:
    """Deltas whose texts, joined, are in the form that the request's schema has."""

    def __init__(self, inner: Deltas, payload: Payload) -> None:
        self._inner = inner
        self._payload = payload
        self._begun = payload.begun
        self._undoing = None if payload.undo is None else payload.undo.stream()

    @property
    def is_done(self) -> bool:
        return self._inner.is_done

    def feed(self, event: str, data: Json) -> Iterator[Delta]:
        for delta in self._inner.feed(event, data):
            yield self._restored(delta)

    def close(self) -> Iterator[Delta]:
        for delta in self._inner.close():
            yield self._restored(delta)
        rest = self._begun + ("" if self._undoing is None else self._undoing.close())
        self._begun = ""
        if rest:
            yield Delta(text=rest)

    def _restored(self, delta: Delta) -> Delta:
        if delta.calls:
            delta = replace(delta, calls=_own(delta.calls, self._payload))
        if not delta.text:
            return delta
        text = delta.text if self._undoing is None else self._undoing.feed(delta.text)
        begun, self._begun = self._begun, ""
        return replace(delta, text=begun + text)
