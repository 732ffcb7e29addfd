"""On what terms a model is asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypedDict

from pdl.errors import did_you_mean
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.models import options
from pdl.models.retry import Backoff
from pdl.reply import DIALECTS, Coercions, Dialects

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from pdl._types import Json
    from pdl.models.cache import Cache
    from pdl.models.exchange import Delta
    from pdl.models.hooks import Hook
    from pdl.tools.toolset import ToolSet


class NoDefault:
    """Stands for a default that was not given; None is one that was."""

    def __repr__(self) -> str:
        return "NO_DEFAULT"


NO_DEFAULT: Final = NoDefault()


class Given(TypedDict, total=False):
    """The keywords of `ask`; `Terms` says what each means."""

    retries: int
    default: Json
    seed: int | None
    timeout: float | None
    call_timeout: float | None
    max_output_tokens: int | None
    tools: ToolSet | None
    stream: bool
    on_delta: Callable[[Delta], object | Awaitable[object]] | None
    constrain: bool
    config: Mapping[str, Json]
    hooks: Sequence[Hook]
    cache: Cache | str | Path | None
    coercions: Coercions | None
    dialects: Dialects
    limits: Limits
    backoff: Backoff


@dataclass(frozen=True)
class Terms:
    """On what terms a model is asked.

    `retries`: attempts behind the first, whatever went wrong with one. `default`: the value that
    the answer has if no attempt gave one. `seed` and `config` go over what the prompt's config turn
    says. `timeout`: seconds of wall clock for everything, pauses included (in `ask`, None is no
    bound); `call_timeout`: for one attempt. `max_output_tokens`: tokens that all attempts together
    may write; where a provider does not count, four characters are taken for one. `tools`: instead
    of the prompt's own. `stream`: read the reply as it comes, and stop it at the first thing that
    is certainly wrong; `on_delta` is given each piece of such a reply. `constrain`: hold the model
    to the schema by whatever its provider has. `cache`: good replies are kept there, and given
    again; a path stands for the file of one. Raises TypeError and ValueError for what is none of
    these.
    """

    retries: int = 3
    default: Json = NO_DEFAULT
    seed: int | None = None
    timeout: float = 600.0
    call_timeout: float | None = None
    max_output_tokens: int | None = None
    tools: ToolSet | None = None
    stream: bool = False
    on_delta: Callable[[Delta], object] | None = None
    constrain: bool = True
    config: Mapping[str, Json] = field(default_factory=dict)
    hooks: Sequence[Hook] = ()
    cache: Cache | None = None
    coercions: Coercions | None = None
    dialects: Dialects = DIALECTS
    limits: Limits = DEFAULT_LIMITS
    backoff: Backoff = field(default_factory=Backoff)

    def __post_init__(self) -> None:
        """Refuse what is no bound."""
        options.check_count("retries", self.retries, 0)
        if self.max_output_tokens is not None:
            options.check_count("max_output_tokens", self.max_output_tokens, 1)
        options.check_seconds("timeout", self.timeout)
        if self.call_timeout is not None:
            options.check_seconds("call_timeout", self.call_timeout)
        options.check_kind("seed", self.seed, int, "an int", none=True)
        options.check_kind("stream", self.stream, bool, "a bool")
        options.check_kind("constrain", self.constrain, bool, "a bool")
        self._check_objects()
        object.__setattr__(self, "cache", options.cache_of(self.cache))

    def _check_objects(self) -> None:
        if not isinstance(self.default, NoDefault):
            options.check_default(self.default)
        options.check_config(self.config)
        options.check_hooks(self.hooks)
        options.check_function("on_delta", self.on_delta)
        options.check_tools(self.tools)
        options.check_kind("backoff", self.backoff, Backoff, "a Backoff")
        options.check_kind("coercions", self.coercions, Coercions, "Coercions", none=True)
        options.check_kind("dialects", self.dialects, Dialects, "Dialects")
        options.check_kind("limits", self.limits, Limits, "Limits")

    @classmethod
    def of(cls, given: Given) -> Terms:
        """The terms that keywords say. Raises TypeError for a keyword that there is not."""
        for name in given:
            if name not in cls.__dataclass_fields__:
                hint = did_you_mean(name, cls.__dataclass_fields__)
                advice = hint or "settings of the call, such as temperature, go into `config`"
                raise TypeError(f"ask has no option `{name}`: {advice}")
        if given.get("timeout", 0) is None:
            given = {**given, "timeout": options.LONGEST}
        return cls(**given)  # type: ignore[arg-type]  # `__post_init__` makes a cache of a path

    @property
    def streams(self) -> bool:
        """Whether replies are read as they come."""
        return self.stream or self.on_delta is not None
