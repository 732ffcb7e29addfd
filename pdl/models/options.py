"""The options of `ask`, checked one by one, and hooks that observe a run."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict, get_args

from pdl.errors import did_you_mean
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.models.exchange import is_json
from pdl.models.faults import Backoff
from pdl.reply import DIALECTS, Coercions, Dialects

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from pdl._types import Json
    from pdl.models.answer import Attempt
    from pdl.models.ask_partial import AskPartial
    from pdl.models.budget import Budget
    from pdl.models.cache import Cache
    from pdl.models.exchange import Delta
    from pdl.models.request import Request
    from pdl.tools.toolset import ToolSet


Fallback: TypeAlias = Literal["answers", "refusals"]
"""Failures that are no transport errors, after which another model may be asked."""


class CacheWarning(UserWarning):
    """A cache couldn't be used. The model was asked nevertheless."""


class Hook:
    """Called before and after each attempt; subclass it and override the methods.

    For a cached reply, only `after` is called. An exception in a hook stops the run and propagates
    to the caller. In `ask_async` both can be `async` functions, which are awaited.
    """

    def before(self, number: int, request: Request) -> Awaitable[None] | None:
        """Called before the attempt with this number, starting at 1."""

    def after(self, number: int, attempt: Attempt, pause: float | None) -> Awaitable[None] | None:
        """Called after it. `pause` is the seconds until the next attempt, None after the last."""


LONGEST = 1_000_000_000
"""Seconds, thirty years: clocks and locks of the operating system can't be set forever."""


def check_seconds(name: str, value: object) -> None:
    """Raise TypeError for what is not a number, ValueError for one that is not a time to wait."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number of seconds, not {type(value).__name__}")
    if not 0 < value <= LONGEST:
        found = f", not {value}" if abs(value) <= LONGEST or isinstance(value, float) else ""
        raise ValueError(f"{name} must be a number of seconds above 0, {LONGEST:,} at most{found}")


def is_async(function: Any) -> bool:
    """Return whether the result of a function is to be awaited."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - whether it is asynchronous is the question
    )


def check_count(name: str, value: object, least: int) -> None:
    """Raise TypeError for what is not an int, ValueError for one that is too small."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if value < least:
        raise ValueError(f"{name} must be {least} or more, not {value}")


def _check_kind(
    name: str, value: object, kind: type[Any], what: str, *, none: bool = False
) -> None:
    """Raise TypeError for a value of another kind, also for None unless it is allowed."""
    if none and value is None:
        return
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        or_none = " or None" if none else ""
        raise TypeError(f"{name} must be {what}{or_none}, not {_shown(value)}")


def _check_config(config: object) -> None:
    if not isinstance(config, Mapping):
        raise TypeError(f"config must be a mapping, not {_shown(config)}")
    for key, value in config.items():
        if not isinstance(key, str):
            raise TypeError(f"config must have str keys, not {_shown(key)}")
        if not is_json(value):
            raise TypeError(f"config must contain JSON values; `{key}` is {_shown(value)}")


def _check_hooks(hooks: object) -> None:
    if isinstance(hooks, str) or not isinstance(hooks, Sequence):
        raise TypeError(f"hooks must be a sequence of Hook objects, not {_shown(hooks)}")
    for hook in hooks:
        told = callable(getattr(hook, "before", None)) and callable(getattr(hook, "after", None))
        if not told or isinstance(hook, type):
            raise TypeError(f"hooks must be Hook objects, not {_shown(hook)}")


def _cache_of(value: object) -> Cache | None:
    """A cache, or the one at a path. Raises TypeError for anything else."""
    if value is None:
        return None
    kind = importlib.import_module("pdl.models.cache").Cache  # SQLite takes time to load
    if isinstance(value, str | os.PathLike):
        value = kind(value)
    _check_kind("cache", value, kind, "a pdl.models.Cache, a path", none=True)
    known: Cache = value  # type: ignore[assignment]  # just checked
    return known


def _fallback_of(given: object) -> tuple[Fallback, ...]:
    """What else than faults lets the next model answer; one name is a tuple of one."""
    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, Collection):
        raise TypeError(f"fallback must be a collection of str, not {_shown(given)}")
    for name in names:
        if name not in get_args(Fallback):
            known = " and ".join(f"`{one}`" for one in get_args(Fallback))
            raise ValueError(f"fallback can contain {known}, not {name!r}")
    known_names: tuple[Fallback, ...] = tuple(names)
    return known_names


def _shown(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


NOT_AWAITED = "{} must not be async in ask: only ask_async awaits it"


class NoDefault:
    """The type of a default that was not given; None is a default."""

    def __repr__(self) -> str:
        return "NO_DEFAULT"


NO_DEFAULT: Final = NoDefault()


class AskKwargs(TypedDict, total=False):
    """The keywords of `ask`, for type checkers; `AskOptions` documents them."""

    retries: int
    default: Any
    validate: Callable[..., object] | None
    seed: int | None
    timeout: float | None
    call_timeout: float | None
    max_output_tokens: int | None
    budget: Budget | None
    fallback: Fallback | Collection[Fallback]
    tools: ToolSet | None
    stream: bool
    on_delta: Callable[[Delta], object | Awaitable[object]] | None
    on_partial: Callable[[AskPartial], object | Awaitable[object]] | None
    constrain: bool
    config: Mapping[str, Json]
    hooks: Sequence[Hook]
    cache: Cache | str | Path | None
    coercions: Coercions | None
    dialects: Dialects
    limits: Limits
    backoff: Backoff
    log_contents: bool


@dataclass(frozen=True)
class AskOptions:
    """The options of one run.

    `retries`: attempts after the first of a model, whatever the cause. `default`: the value of the
    answer if no attempt succeeds. `validate`: a rule for the value; it may take the rendered prompt
    as its second argument. `seed` and `config` override the prompt's config turn.
    `timeout`: seconds of wall-clock time for everything, pauses included (in `ask`, None is no
    bound); `call_timeout`: for one attempt. `max_output_tokens`: tokens that all attempts together
    can write; where a provider doesn't count, four characters count as one. `budget`: bounds that
    several runs share. `fallback`: with several models, what else than a transport error lets the
    next one answer: `answers` that stay invalid, `refusals`. `tools`: used instead of the prompt's
    own. `stream`: read the reply as it arrives, and stop it once it is certainly
    invalid; `on_delta` is called with each piece of such a reply, `on_partial` with the answer so
    far. `constrain`: constrain the model
    to the schema as far as its provider can. `cache`: stores good replies and returns them again;
    a path is the file of one. `log_contents`: log messages and replies, too. Raises TypeError and
    ValueError for invalid options.
    """

    retries: int = 3
    default: Any = NO_DEFAULT
    validate: Callable[..., object] | None = None
    seed: int | None = None
    timeout: float = 600.0
    call_timeout: float | None = None
    max_output_tokens: int | None = None
    budget: Budget | None = None
    fallback: Collection[Fallback] = ()
    tools: ToolSet | None = None
    stream: bool = False
    on_delta: Callable[[Delta], object] | None = None
    on_partial: Callable[[AskPartial], object] | None = None
    constrain: bool = True
    config: Mapping[str, Json] = field(default_factory=dict)
    hooks: Sequence[Hook] = ()
    cache: Cache | None = None
    coercions: Coercions | None = None
    dialects: Dialects = DIALECTS
    limits: Limits = DEFAULT_LIMITS
    backoff: Backoff = field(default_factory=Backoff)
    log_contents: bool = False

    def __post_init__(self) -> None:
        """Raise TypeError or ValueError for invalid options; make a cache of a path."""
        check_count("retries", self.retries, 0)
        if self.max_output_tokens is not None:
            check_count("max_output_tokens", self.max_output_tokens, 1)
        check_seconds("timeout", self.timeout)
        if self.call_timeout is not None:
            check_seconds("call_timeout", self.call_timeout)
        _check_config(self.config)
        _check_hooks(self.hooks)
        for name, function in (("on_delta", self.on_delta), ("on_partial", self.on_partial)):
            if function is not None and not callable(function):
                raise TypeError(f"{name} must be a function or None, not {_shown(function)}")
        if self.tools is not None:  # the module is loaded where there are tools at all
            kind = importlib.import_module("pdl.tools.toolset").ToolSet
            _check_kind("tools", self.tools, kind, "a pdl.tools.ToolSet", none=True)
        if self.budget is not None:
            kind = importlib.import_module("pdl.models.budget").Budget
            _check_kind("budget", self.budget, kind, "a pdl.Budget", none=True)
        if self.validate is not None:
            importlib.import_module("pdl.reply.typed").takes_rendered(self.validate)
        _check_kind("log_contents", self.log_contents, bool, "a bool")
        _check_kind("seed", self.seed, int, "an int", none=True)
        _check_kind("stream", self.stream, bool, "a bool")
        _check_kind("constrain", self.constrain, bool, "a bool")
        _check_kind("backoff", self.backoff, Backoff, "a Backoff")
        _check_kind("coercions", self.coercions, Coercions, "Coercions", none=True)
        _check_kind("dialects", self.dialects, Dialects, "Dialects")
        _check_kind("limits", self.limits, Limits, "Limits")
        object.__setattr__(self, "cache", _cache_of(self.cache))
        object.__setattr__(self, "fallback", _fallback_of(self.fallback))

    @classmethod
    def of(cls, given: AskKwargs) -> AskOptions:
        """Return the options of keywords. Raises TypeError for an unknown keyword."""
        for name in given:
            if name not in cls.__dataclass_fields__:
                hint = did_you_mean(name, cls.__dataclass_fields__)
                advice = hint or "settings of the call, such as temperature, go into `config`"
                raise TypeError(f"ask has no option `{name}`: {advice}")
        if given.get("timeout", 0) is None:
            given = {**given, "timeout": LONGEST}
        return cls(**given)  # type: ignore[arg-type]  # `__post_init__` makes a cache of a path

    def refuse_async(self) -> None:
        """Raise TypeError for a function that `ask` cannot await."""
        given: list[tuple[str, object]] = [
            ("on_delta", self.on_delta),
            ("on_partial", self.on_partial),
            ("validate", self.validate),
        ]
        given += [("hooks", call) for one in self.hooks for call in (one.before, one.after)]
        for name, function in given:
            if is_async(function) or inspect.isasyncgenfunction(function):
                raise TypeError(NOT_AWAITED.format(name))

    @property
    def streams(self) -> bool:
        """Whether replies are read as they arrive."""
        return self.stream or self.on_delta is not None or self.on_partial is not None
