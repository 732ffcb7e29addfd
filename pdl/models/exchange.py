"""What a model returns, for all providers, and `Model`, the interface of a model."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from pdl._lazy import lazy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from pdl._types import Json
    from pdl.models.request import Request
    from pdl.tools.tool import ToolCall


__getattr__ = lazy(__name__, {"Request": "pdl.models.request"})  # where it was before

TOKEN_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
"""Names of the setting that bounds what a model may write."""

Finish: TypeAlias = Literal["stop", "length", "tool", "filter", "other"]
"""Why a model ended: done, cut off by its limit, requests a tool, stopped by a filter."""


def is_json(value: object) -> bool:
    """Return whether a value is a JSON value: of its types throughout, and each number finite."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            if not all(isinstance(key, str) for key in one):
                return False
            pending += one.values()
        elif isinstance(one, list):
            pending += one
        elif isinstance(one, float):
            if not math.isfinite(one):
                return False
        elif not (one is None or isinstance(one, str | int)):
            return False
    return True


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a call as the provider counted them; None where it didn't.

    `input_tokens` includes `cached_tokens`, and `output_tokens` includes `reasoning_tokens`.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None

    def __add__(self, other: Usage) -> Usage:
        """Return the sum of two calls; what neither knows stays unknown."""
        return Usage(*(_sum(getattr(self, name), getattr(other, name)) for name in self.__slots__))

    def counts(self) -> dict[str, int]:
        """Return the known counts by name."""
        counts = {name: getattr(self, name) for name in self.__slots__}
        return {name: count for name, count in counts.items() if count is not None}


def _sum(left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return right if left is None else left
    return left + right


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why a reply is not an answer according to its provider, and its words.

    `refusal`: the model or its provider declined, in these words (empty without a reason).
    `call`: the model wrote a tool call that can't be parsed. `unfinished`: the reply stopped before
    its end, for a reason with this name.
    """

    kind: Literal["refusal", "call", "unfinished"]
    words: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said: its text, its separate reasoning, and the tool calls that it requests.

    `model` is the name that the provider returned, which may be more exact than the requested one.
    `flaw` is why it isn't an answer according to the provider; None as a rule.
    """

    text: str
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    usage: Usage = Usage()
    model: str = ""
    flaw: Flaw | None = None


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a streaming reply; what it doesn't report is empty or None.

    A tool call arrives whole, once all of it is there.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: Finish | None = None
    usage: Usage | None = None
    model: str = ""
    flaw: Flaw | None = None

    @classmethod
    def whole(cls, reply: Reply) -> Delta:
        """Return a whole reply as one piece."""
        return cls(**{one.name: getattr(reply, one.name) for one in fields(cls)})


class ReplyBuilder:
    """Adds up the deltas of a stream; `reply` is what they are so far."""

    def __init__(self) -> None:
        self._text, self._reasoning = _TextBuffer(), _TextBuffer()
        self._rest = Reply("")

    def add(self, delta: Delta) -> None:
        """Add a delta. Later counts and reasons to finish replace earlier ones."""
        self._text.add(delta.text)
        self._reasoning.add(delta.reasoning)
        rest, usage = self._rest, self._rest.usage
        if delta.usage is not None:
            usage = replace(usage, **delta.usage.counts())
        self._rest = Reply(
            text="",
            calls=rest.calls + delta.calls,
            finish=delta.finish or rest.finish,
            usage=usage,
            model=delta.model or rest.model,
            flaw=delta.flaw or rest.flaw,
        )

    @property
    def text(self) -> str:
        """The text so far."""
        return self._text.joined

    @property
    def reply(self) -> Reply:
        """The reply so far."""
        return replace(self._rest, text=self.text, reasoning=self._reasoning.joined)


_CHUNK = 4_096  # pieces of text that are joined


class _TextBuffer:
    """Text that arrives in pieces. A separate piece costs 50 bytes besides its characters."""

    def __init__(self) -> None:
        self._chunks: list[str] = []
        self._new: list[str] = []

    def add(self, piece: str) -> None:
        if piece:
            self._new.append(piece)
        if len(self._new) >= _CHUNK:
            self._chunks.append("".join(self._new))
            self._new.clear()

    @property
    def joined(self) -> str:
        return "".join((*self._chunks, *self._new))


@dataclass(frozen=True, slots=True)
class Dropped:
    """What a model doesn't get of a request; only the check enforces it.

    Of the schema, `pointer` is the JSON Pointer (RFC 6901) of the subschema, `keyword` what is left
    out there, `why` the reason. Of the rest, `pointer` is empty, and `keyword` is the name of the
    part: `tools` or `config`.
    """

    pointer: str
    keyword: str
    why: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """A key of `Request.config` that a provider doesn't have, and why it is not sent."""

    key: str
    why: str


@runtime_checkable
class Model(Protocol):
    """Something that answers requests: a server of a provider, a model file, a function.

    `timeout` is in seconds of wall-clock time, for the whole call. A transport error raises
    `Fault`; whether an answer is valid is not the model's concern. A model is safe to call from
    several threads, and its `repr` contains no key.
    """

    @property
    def name(self) -> str:
        """The model as a person would write it: `openai:MODEL`."""

    def reply(self, request: Request, *, timeout: float) -> Reply:
        """Return the whole reply."""

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:
        """Yield the reply in pieces; closing the iterator stops the call.

        A stream that ended before the reply did raises `Fault` of the kind `cut`.
        """

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109 - one protocol for both
        """Return the whole reply."""

    def stream_async(self, request: Request, *, timeout: float) -> AsyncIterator[Delta]:
        """Yield the reply in pieces; closing the iterator stops the call."""

    def dropped(self, request: Request) -> tuple[Dropped, ...]:
        """Return what this model's form of the schema can't express, so only the check does."""

    def identity(self, request: Request) -> Json:
        """Return everything that a reply depends on, as JSON without keys; None: never cache."""
