"""`ProviderApi`: everything that is known about the interface of a provider.

`Payload` is the body of a request, and `DeltaReader` reads a stream.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from pdl.models.exchange import Delta
from pdl.models.payloads.reading import BadPayload
from pdl.models.payloads.settings_map import SettingsMap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pdl._types import Json
    from pdl.models.exchange import Dropped, Ignored, Reply
    from pdl.models.payloads.response_decoder import ResponseDecoder
    from pdl.models.payloads.tool_schemas import KeyRenaming
    from pdl.models.request import Request
    from pdl.tools.tool import ToolCall


DONE = "[DONE]"
"""The data of the event that ends OpenAI's streams: the only one that isn't JSON."""


@dataclass(frozen=True, slots=True)
class Payload:
    """The JSON body of a request, and what it leaves to the check.

    `dropped` lists the constraints that the provider doesn't enforce, `ignored` the settings that
    aren't sent. `prefill` is the beginning of the answer, if the last message of the request is
    one: the provider's text continues it. `decoder` converts the answer from the provider's form of
    the schema back to the schema's; None if they are the same. `renamed` are the tools, by name,
    whose calls arrive with other keys than their own. `ProviderApi.reply` and `ProviderApi.stream`
    apply all three. `more_tokens` is the higher limit for a reply that was cut off by one that no
    setting asks for.
    """

    body: dict[str, Json]
    dropped: tuple[Dropped, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    prefill: str = ""
    decoder: ResponseDecoder | None = None
    renamed: Mapping[str, KeyRenaming] = field(default_factory=dict)
    more_tokens: int | None = None

    @property
    def begun(self) -> str:
        """The older name of `prefill`."""
        return self.prefill

    @property
    def undo(self) -> ResponseDecoder | None:
        """The older name of `decoder`."""
        return self.decoder


class DeltaReader:
    """Reads the events of one stream; each provider has its own subclass.

    `is_done`: the event has arrived after which there are no others, so the rest need not be
    awaited. `is_finished`: the reply is complete, though events may follow, such as counts.
    """

    def __init__(self) -> None:
        self.is_done = False
        self.is_finished = False
        self.has_calls = False

    def feed(self, event: str, data: Json) -> Iterator[Delta]:
        """Yield the deltas of an event: its name (empty if it has none) and its data as JSON.

        Raises BadPayload for data of another shape and for an error that it reports.
        """
        raise NotImplementedError

    def close(self) -> Iterator[Delta]:
        """Yield what remains at the end of the stream.

        Raises BadPayload, with `is_cut`, if the stream ended before its documented end.
        """
        if not (self.is_done or self.is_finished):
            raise BadPayload("the stream was cut: it ended before the reply did", is_cut=True)
        yield from ()


def bearer(key: str) -> dict[str, str]:
    """Return the header of a key (RFC 6750); local servers have none."""
    return {"authorization": f"Bearer {key}"} if key else {}


@dataclass(frozen=True)
class ProviderApi:
    """The interface of a provider, as pure functions: nothing is sent.

    `payload(request, model)` builds the body of a request; it raises MediaError, TurnError or
    ConfigError for what the provider doesn't support. `read(body)` reads the body of an answer and
    `deltas()` a stream of them, as the provider wrote them; `reply` and `stream` do so too and
    apply `Payload.decoder` and `Payload.prefill`, so that their text is the whole answer. `framing`
    is how streams are split into events: SSE, or one line of JSON each. `endpoint` follows the base
    URL; it may be a function of the model and of whether it streams. `key_variable` is the
    environment variable that usually has the key; `settings` maps settings to the body, also to
    find the one that an error is about. `needs_key`: the server at `base_url` answers nobody
    without one. `repeats_prefill`: a whole reply may repeat the beginning that the prompt gave it;
    streams never do. `alternative` returns the interface of the same server for requests that this
    one doesn't support.
    """

    name: str
    base_url: str
    endpoint: str | Callable[[str, bool], str]
    payload: Callable[[Request, str], Payload]
    read: Callable[[Json], Reply]
    deltas: Callable[[], DeltaReader]
    headers: Callable[[str], dict[str, str]] = bearer
    key_variable: str = ""
    needs_key: bool = False
    framing: Literal["sse", "ndjson"] = "sse"
    repeats_prefill: bool = False
    settings: SettingsMap = field(default_factory=lambda: SettingsMap("the server"))
    alternative: Callable[[Request], ProviderApi | None] | None = None

    def path(self, model: str, stream: bool) -> str:  # noqa: FBT001 - one of two calls
        """Return what follows the base URL."""
        return self.endpoint if isinstance(self.endpoint, str) else self.endpoint(model, stream)

    def for_request(self, request: Request) -> ProviderApi:
        """Return the interface for a request: this one, or another of the same server."""
        return (self.alternative and self.alternative(request)) or self

    def reply(self, payload: Payload, body: Json) -> Reply:
        """Return what a model answered to a payload, its text in the request's own form."""
        return self.restored(payload, self.read(body))

    def restored(self, payload: Payload, reply: Reply) -> Reply:
        """Return a reply that the provider wrote with its text and calls in the request's form."""
        reply = replace(reply, calls=_own(reply.calls, payload))
        text = reply.text if payload.decoder is None else payload.decoder.text(reply.text)
        if self.repeats_prefill and text.startswith(payload.prefill):
            return replace(reply, text=text)
        return replace(reply, text=payload.prefill + text)

    def restorer(self, payload: Payload) -> DeltaRestorer:
        """Return what does the same for the deltas of a stream that answers a payload."""
        return DeltaRestorer(payload)

    def stream(self, payload: Payload) -> DeltaReader:
        """Return the reader of a stream that answers a payload, its text likewise."""
        return _Restored(self.deltas(), payload)


def _own(calls: tuple[ToolCall, ...], payload: Payload) -> tuple[ToolCall, ...]:
    """Calls with the tools' own keys."""
    return tuple(
        replace(one, arguments=payload.renamed[one.name].from_provider(one.arguments))
        if one.name in payload.renamed
        else one
        for one in calls
    )


class DeltaRestorer:
    """Puts the deltas of a stream into the form of the request's schema, as `restored` does."""

    def __init__(self, payload: Payload) -> None:
        self._payload = payload
        self._prefill = payload.prefill
        self._decoder = None if payload.decoder is None else payload.decoder.stream()

    def feed(self, delta: Delta) -> Delta:
        """Return a delta with as much of the text as is certain."""
        if delta.calls:
            delta = replace(delta, calls=_own(delta.calls, self._payload))
        if not delta.text:
            return delta
        text = delta.text if self._decoder is None else self._decoder.feed(delta.text)
        prefill, self._prefill = self._prefill, ""
        return replace(delta, text=prefill + text)

    def close(self) -> Iterator[Delta]:
        """Yield what was withheld."""
        rest = self._prefill + ("" if self._decoder is None else self._decoder.close())
        self._prefill = ""
        if rest:
            yield Delta(text=rest)


class _Restored(DeltaReader):
    """Deltas whose joined text is in the form of the request's schema."""

    def __init__(self, inner: DeltaReader, payload: Payload) -> None:
        super().__init__()
        self._inner = inner
        self._restorer = DeltaRestorer(payload)

    def feed(self, event: str, data: Json) -> Iterator[Delta]:
        yield from map(self._restorer.feed, self._inner.feed(event, data))
        self.is_done = self._inner.is_done

    def close(self) -> Iterator[Delta]:
        yield from map(self._restorer.feed, self._inner.close())
        yield from self._restorer.close()
