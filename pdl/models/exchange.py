"""What is sent to a model and what comes back, whoever provides it: requests, replies, faults.

`Fault` is what can go wrong on the way to a model and back, told apart from bad answers. `Model` is
what a model is to the rest of pdl.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, get_args, runtime_checkable

from pdl.errors import PdlError, Problem

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

    from pdl._types import Json
    from pdl.models.payloads.renaming import Renaming
    from pdl.models.payloads.undo import Undo
    from pdl.prompt import Message
    from pdl.schema import Schema
    from pdl.tools.tool import ToolCall
    from pdl.tools.toolset import ToolSet


Kind: TypeAlias = Literal[
    "connection",
    "timeout",
    "cut",
    "rate_limited",
    "server",
    "not_json",
    "not_utf8",
    "content_type",
    "bad_payload",
    "too_large",
    "auth",
    "quota",
    "not_found",
    "redirect",
    "bad_request",
    "refusal",
    "failed",
    "exhausted",
    "unavailable",
]
"""What went wrong.

Worth another try: connection: no connection could be made; timeout: the time was up; cut: the
connection ended before the reply did; rate_limited: too many calls; server: the server has a
fault of its own; not_json, not_utf8, content_type: the reply is none that the interface has;
bad_payload: it is JSON, but not of the documented shape.

Not worth it: too_large: the reply goes beyond a limit; auth: the key is missing or wrong; quota:
no credit is left; not_found: no such model or address; redirect: the server points elsewhere;
bad_request: the server does not take the request; refusal: the model, or a filter of its provider,
declines to answer; failed: a function or a library raised an exception;
exhausted: no recorded reply is left; unavailable: a package or a file is missing.
"""

AFTER_REFUSAL = "ask in other words, or another model"
"""What may help after a refusal."""

TRANSIENT: frozenset[Kind] = frozenset(get_args(Kind)[: get_args(Kind).index("too_large")])
"""The kinds that another try may mend."""


class Fault(PdlError):  # noqa: N818 - what it says is no error of the caller's
    """A call that gave no reply.

    `status` is the HTTP status, if there was one; `retry_after` how many seconds the server asked
    to be left alone. `setting` is the setting that the server does not take, if that is all: the
    name that it has in `Request.config`; `is_of_form` says that it is the form of the schema, which
    words can take the place of. `is_transient` says whether another try may help.
    """

    def __init__(  # noqa: PLR0913 - all that is told of it
        self,
        kind: Kind,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        hint: str = "",
        setting: str = "",
        is_of_form: bool = False,
    ) -> None:
        super().__init__(Problem(f"model/{kind.replace('_', '-')}", message, hint=hint))
        self.kind: Kind = kind
        self.status = status
        self.retry_after = retry_after
        self.setting = setting
        self.is_of_form = is_of_form

    @property
    def is_transient(self) -> bool:
        """Whether another try may help."""
        return self.kind in TRANSIENT

    def __reduce__(self) -> tuple[Callable[..., Fault], tuple[object, ...]]:
        told = {
            "status": self.status,
            "retry_after": self.retry_after,
            "hint": self.problem.hint,
            "setting": self.setting,
            "is_of_form": self.is_of_form,
        }
        return _restored, (self.kind, self.problem.message, told)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""C0 and C1 but tabs and line breaks, and what turns the direction of text (UAX #9)."""


def shown(text: str) -> str:
    """Words of a server as they may be shown: what would steer a terminal stands as an escape."""
    return _CONTROL.sub(lambda found: ascii(found.group())[1:-1], text)


def _restored(kind: Kind, message: str, told: dict[str, Any]) -> Fault:
    return Fault(kind, message, **told)


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


@runtime_checkable
class Model(Protocol):
    """Something that answers requests: a provider's server, a file of weights, a function.

    `timeout` is in seconds of wall clock, for the call as a whole. What goes wrong on the way
    raises `Fault`; that an answer is bad is for others to find. A model is safe to call from
    several threads, and holds no key that its `repr` would show.
    """

    @property
    def name(self) -> str:
        """The model as a person would write it: `openai:MODEL`."""

    def reply(self, request: Request, *, timeout: float) -> Reply:
        """The whole reply."""

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:
        """The reply piece by piece; closing the iterator stops the call.

        A stream that ended before the reply did raises `Fault` of the kind `cut`.
        """

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109 - one protocol for both
        """The whole reply."""

    def stream_async(self, request: Request, *, timeout: float) -> AsyncIterator[Delta]:
        """The reply piece by piece; closing the iterator stops the call."""

    def dropped(self, request: Request) -> tuple[Dropped, ...]:
        """What this model's form of the schema cannot hold, and so leaves to the check."""

    def identity(self, request: Request) -> Json:
        """All that a reply depends on, as JSON without keys; None: never cache them."""


@runtime_checkable
class Choosy(Protocol):
    """A model that has no place for some settings."""

    def ignored(self, request: Request) -> tuple[Ignored, ...]:
        """The settings of a request that the model is not told."""
