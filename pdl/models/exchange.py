"""What is sent to a model and what comes back, whoever provides it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json
    from pdl.models.payloads.renaming import Renaming
    from pdl.models.payloads.undo import Undo
    from pdl.prompt import Message
    from pdl.schema import Schema
    from pdl.tools.calls import ToolCall
    from pdl.tools.toolset import ToolSet

Finish: TypeAlias = Literal["stop", "length", "tool", "filter", "other"]
"""Why a model ended: it was done, cut off by its limit, wants a tool, was stopped by a filter."""


def is_json(value: object) -> bool:
    """Whether a value is one that JSON has: of its types all through, and each number finite."""
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

    `config` holds the call's settings under the names that OpenAI's chat interface has
    (`temperature`, `max_tokens`, `stop`, `seed`, `top_p`, ...); each provider translates them, and
    hands on those that it does not know. `constrain` asks for the strongest thing that the
    provider has to hold the model to `schema` and `tools`; without it they are only described.
    `describe` says that this model does not take the form of the schema: words take its place.
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
    """Tokens of a call as the provider counted them; None where it did not say.

    `input_tokens` counts what was read, those of `cached_tokens` included; `output_tokens` what
    was written, those of `reasoning_tokens` included.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None

    def __add__(self, other: Usage) -> Usage:
        """The sum of two calls; what neither knows stays unknown."""
        return Usage(*(_sum(getattr(self, name), getattr(other, name)) for name in self.__slots__))

    def counts(self) -> dict[str, int]:
        """The counts that are known, by their names."""
        counts = {name: getattr(self, name) for name in self.__slots__}
        return {name: count for name, count in counts.items() if count is not None}


def _sum(left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return right if left is None else left
    return left + right


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why a reply is not an answer, by what its provider says of it, and in which words.

    `refusal`: the model or its provider declined, in these words (none if it gave no reason).
    `call`: the model called a tool in a way that cannot be read. `unfinished`: the reply stopped
    before its end, for a reason with this name.
    """

    kind: Literal["refusal", "call", "unfinished"]
    words: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said: its text, its reasoning apart from it, the tools that it wants called.

    `model` is the name that the provider gave, which may be more exact than the one asked for.
    `flaw` is what the provider says against the reply; None as a rule.
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
    """A piece of a reply that streams; what it does not tell is empty or None.

    A call of a tool comes whole, when all of it is there.
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
        """A reply that comes in one piece."""
        return cls(**{one.name: getattr(reply, one.name) for one in fields(cls)})


@dataclass(frozen=True, slots=True)
class Dropped:
    """A constraint that a provider's form of the schema cannot hold, so that only the check does.

    `pointer` is the JSON Pointer (RFC 6901) of the subschema, `keyword` what is left out there,
    `why` the reason in words.
    """

    pointer: str
    keyword: str
    why: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """A key of `Request.config` that a provider has no place for, and why it is not sent."""

    key: str
    why: str


@dataclass(frozen=True, slots=True)
class Payload:
    """The JSON body of a request, and what it leaves to the check.

    `dropped` is what the provider is not held to, `ignored` which settings it is not told. `begun`
    is the beginning of the answer that the request holds as its last message (a prefill): the
    provider's text goes on from there. `undo` takes back what the provider's form of the schema
    wants otherwise than the schema; None if its text is the answer as it stands.
    `renamed` are the tools, by name, whose calls come with other keys than their own.
    `Family.reply` and `Family.stream` heed all three. `more_tokens` is the higher limit that a
    reply may have which was cut off by one that no setting asks for.
    """

    body: dict[str, Json]
    dropped: tuple[Dropped, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    begun: str = ""
    undo: Undo | None = None
    renamed: Mapping[str, Renaming] = field(default_factory=dict)
    more_tokens: int | None = None
