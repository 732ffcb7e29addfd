"""What is sent to a model and what it returns, for all providers: requests and replies.

`Model` is the interface of a model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from pdl._types import Json
    from pdl.prompt import Message
    from pdl.schema import Schema
    from pdl.tools.tool import ToolCall
    from pdl.tools.toolset import ToolSet


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
class Request:
    """One call of a model.

    `config` has the settings of the call under their names in OpenAI's chat interface
    (`temperature`, `max_tokens`, `stop`, `seed`, `top_p`, ...); each provider translates them, and
    passes on unknown ones. `constrain` asks for the strongest method by which the provider can
    enforce `schema` and `tools`; without it they are only described. `describe`: this model rejects
    the form of the schema, so a description replaces it.
    """

    messages: tuple[Message, ...]
    schema: Schema | None = None
    tools: ToolSet | None = None
    config: Mapping[str, Json] = field(default_factory=dict)
    constrain: bool = True
    stream: bool = False
    describe: bool = False


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


@dataclass(frozen=True, slots=True)
class Dropped:
    """A constraint that a provider's form of the schema can't express; only the check enforces it.

    `pointer` is the JSON Pointer (RFC 6901) of the subschema, `keyword` what is left out there,
    `why` the reason.
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


@runtime_checkable
class DeclaresIgnored(Protocol):
    """A model that doesn't have some settings."""

    def ignored(self, request: Request) -> tuple[Ignored, ...]:
        """Return the settings of a request that aren't sent to the model."""
