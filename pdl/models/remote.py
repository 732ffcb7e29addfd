"""A model behind a provider's HTTP interface."""

from __future__ import annotations

import json
import re
from collections import deque
from contextlib import aclosing, closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.models import blocking_portal
from pdl.models.bodies import BYTES_PER_CHAR, StreamReader, other_type, parsed, too_long
from pdl.models.exchange import Delta, Reply
from pdl.models.faults import Fault, shown
from pdl.models.payloads import BadPayload, ProviderApi
from pdl.models.payloads.turns import described
from pdl.models.secret import NO_SECRET, Secret
from pdl.models.statuses import fault_of_body
from pdl.models.transport import HttpCall, Opened, send

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator

    from pdl._types import Json
    from pdl.models.exchange import Dropped, Ignored
    from pdl.models.payloads.provider_api import Payload
    from pdl.models.request import Request

_PREFACE = re.compile(r"\A.*?(?:an error|status \d+)(?: \([^)]*\))?: ", re.DOTALL)
"""What pdl writes before the message of a provider."""
_STREAMED = 32  # a stream has 50 to 300 bytes a word: its bound in bytes, as a multiple


@dataclass(frozen=True)
class RemoteModel:
    """A model of a provider, or of any server with a provider's interface.

    `base_url` precedes the interface's own path. `limits.reply_chars` bounds the characters of a
    reply; no more are read.
    """

    api: ProviderApi
    model: str
    base_url: str
    key: Secret = NO_SECRET
    limits: Limits = field(default=DEFAULT_LIMITS, repr=False)
    _last: deque[tuple[Request, Payload]] = field(
        default_factory=lambda: deque(maxlen=1), init=False, repr=False, compare=False
    )

    @property
    def name(self) -> str:
        """The provider and its name of the model: `openai:MODEL`."""
        return f"{self.api.name}:{self.model}"

    def reply(self, request: Request, *, timeout: float) -> Reply:
        """Return the whole reply. Raises `Fault`; MediaError and similar for what can't be sent."""
        return blocking_portal.run(self.reply_async(request, timeout=timeout))

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:
        """Yield the reply in pieces; closing the iterator stops the call."""
        with closing(blocking_portal.iterate(self._batches(request, timeout))) as batches:
            for batch in batches:
                yield from batch

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109 - handed on
        """Return the whole reply."""
        api, payload = self._sent(request, stream=False)
        try:
            async with send(self._call(api, payload, timeout, stream=False)) as opened:
                return await self._whole(api, opened, payload)
        except (BadPayload, Fault) as error:
            said = _said(error, api, payload)
            if said is not None:
                return said
            fault = self._redacted(error, api, request, payload)
        raise fault  # out here, so that no `__context__` contains what the server said

    async def stream_async(self, request: Request, *, timeout: float) -> AsyncIterator[Delta]:  # noqa: ASYNC109
        """Yield the reply in pieces."""
        async with aclosing(self._batches(request, timeout)) as batches:
            async for batch in batches:
                for delta in batch:
                    yield delta

    async def _batches(self, request: Request, seconds: float) -> AsyncGenerator[list[Delta]]:
        """The deltas of a stream, grouped as they arrived."""
        api, payload = self._sent(request, stream=True)
        try:
            async with send(self._call(api, payload, seconds, stream=True)) as opened:
                if opened.format == "json" and api.framing == "sse":
                    # Some servers never stream.
                    yield [Delta.whole(await self._whole(api, opened, payload))]
                else:
                    async with aclosing(self._streamed(api, opened, payload)) as batches:
                        async for batch in batches:
                            yield batch
        except (BadPayload, Fault) as error:
            said = _said(error, api, payload)
            fault = self._redacted(error, api, request, payload)
        else:
            return
        if said is not None:
            yield [Delta.whole(said)]
            return
        raise fault  # out here, so that no `__context__` contains what the server said

    async def _streamed(
        self, api: ProviderApi, opened: Opened, payload: Payload
    ) -> AsyncGenerator[list[Delta]]:
        deltas = StreamReader(api, payload, self.limits.reply_chars)
        deltas.check_type(opened)
        async for piece in opened.pieces():
            for batch in deltas.feed(piece):
                yield self._without_key(batch)
            if deltas.is_done:
                return
        for batch in deltas.close():
            yield self._without_key(batch)

    def dropped(self, request: Request) -> tuple[Dropped, ...]:
        """Return what the provider's form of the schema can't express."""
        return self._sent(request, stream=request.stream)[1].dropped

    def ignored(self, request: Request) -> tuple[Ignored, ...]:
        """Return the settings that the provider doesn't have."""
        return self._sent(request, stream=request.stream)[1].ignored

    def more_tokens(self, request: Request) -> int | None:
        """Return a higher token limit, if the request has one that no setting asks for."""
        return self._sent(request, stream=request.stream)[1].more_tokens

    def identity(self, request: Request) -> Json:
        """Return the address and the body."""
        api, payload = self._sent(request, stream=False)
        return {"family": api.name, "base_url": self.base_url, "body": payload.body}

    def _sent(self, request: Request, *, stream: bool) -> tuple[ProviderApi, Payload]:
        """The payload of a request, and the interface that sends it.

        The last one is kept, since compiling a grammar takes time.
        """
        asked = replace(request, stream=stream)
        api = self.api.for_request(asked)
        last = self._last[-1] if self._last else None
        if last is not None and last[0] == asked:
            return api, last[1]
        payload = api.payload(described(asked), self.model)
        self._last.append((asked, payload))
        return api, payload

    def _call(
        self, api: ProviderApi, payload: Payload, timeout: float, *, stream: bool
    ) -> HttpCall:
        accepted = "application/json"
        if stream and api.framing == "sse":
            accepted = "text/event-stream"
        most = self.limits.reply_chars * (_STREAMED if stream else BYTES_PER_CHAR)
        return HttpCall(
            url=self.base_url.rstrip("/") + api.path(self.model, stream),
            headers={"accept": accepted, **api.headers(self.key.text)},
            body=_written(payload.body),
            timeout=timeout,
            most=most,
            key=self.key,
        )

    async def _whole(self, api: ProviderApi, opened: Opened, payload: Payload) -> Reply:
        if opened.format not in {"json", "unsaid"}:
            raise other_type("JSON", opened)
        most = self.limits.reply_chars * BYTES_PER_CHAR  # also if a stream was requested
        reply = api.reply(payload, parsed(await opened.body(most)))
        reply = replace(reply, model=self.key.redact(reply.model))
        if len(reply.text) + len(reply.reasoning) > self.limits.reply_chars:
            raise too_long(self.limits.reply_chars)
        return reply

    def _without_key(self, batch: list[Delta]) -> list[Delta]:
        """Redact the key in names of the model; text is a value, and stays as it is."""
        return [
            replace(one, model=self.key.redact(one.model)) if one.model else one for one in batch
        ]

    def _redacted(
        self, error: BadPayload | Fault, api: ProviderApi, request: Request, payload: Payload
    ) -> Fault:
        """The same fault without the key, which a server may have repeated."""
        fault = fault_of_body(error) if isinstance(error, BadPayload) else error
        message, setting, is_of_form = fault.problem.message, None, False
        if fault.kind == "bad_request":
            words = _PREFACE.sub("", message)
            setting = api.settings.blamed(fault.setting, words, request.config)
            is_of_form = api.settings.blames_form(fault.setting, words)
            is_of_form = is_of_form and self._has_form(api, request, payload)
            if is_of_form and fault.setting:
                setting = None
        return Fault(
            fault.kind,
            shown(self.key.redact(message)),
            status=fault.status,
            retry_after=fault.retry_after,
            hint=shown(self.key.redact(fault.problem.hint)),
            setting=setting or "",
            is_of_form=is_of_form and not setting,
        )

    def _has_form(self, api: ProviderApi, request: Request, payload: Payload) -> bool:
        """Whether a payload enforces the schema, so that a description can replace it."""
        if request.schema is None or request.describe:
            return False
        bare = replace(request, schema=None, stream=bool(payload.body.get("stream")))
        return api.payload(bare, self.model).body != payload.body


def _said(error: BadPayload | Fault, api: ProviderApi, payload: Payload) -> Reply | None:
    """What the model said, if the error is that its provider can't parse that."""
    if isinstance(error, Fault) or error.reply is None:
        return None
    return api.restored(payload, error.reply)


def _written(body: dict[str, Json]) -> bytes:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:  # an unpaired surrogate, which JSON can write only in ASCII
        return json.dumps(body, separators=(",", ":")).encode()
