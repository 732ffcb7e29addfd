"""On what terms a model is asked: what its options may be, and hooks that watch the asking.

Each refusal of an option says which one is meant. A `Hook` is what a program may watch while a
model is asked.
"""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypedDict

from pdl.errors import did_you_mean
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.models.exchange import is_json
from pdl.models.retry import Backoff
from pdl.reply import DIALECTS, Coercions, Dialects

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from pdl._types import Json
    from pdl.models.answer import Attempt
    from pdl.models.cache import Cache
    from pdl.models.exchange import Delta, Request
    from pdl.tools.toolset import ToolSet


class CacheWarning(UserWarning):
    """A cache could not be used. The model was asked all the same."""


class Hook:
    """Told before and after each attempt; subclass it and say what is to happen.

    A stored reply, for which no call is made, is told by `after` alone.

    What a hook raises ends the asking and reaches the caller.
    """

    def before(self, number: int, request: Request) -> None:
        """The attempt with this number, from 1 up, is about to be made."""

    def after(self, number: int, attempt: Attempt, pause: float | None) -> None:
        """It was made. `pause` is how many seconds later the next will be, None if none will."""


LONGEST = 1_000_000_000
"""Seconds, thirty years: clocks and locks of the operating system cannot be set for ever."""


def check_count(name: str, value: object, least: int) -> None:
    """Raise TypeError for what is no int, ValueError for less than `least`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if value < least:
        raise ValueError(f"{name} must be {least} or more, not {value}")


def check_seconds(name: str, value: object) -> None:
    """Raise TypeError for what is no number, ValueError for one that is no time to wait."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number of seconds, not {type(value).__name__}")
    if not 0 < value <= LONGEST:
        found = f", not {value}" if abs(value) <= LONGEST or isinstance(value, float) else ""
        raise ValueError(f"{name} must be a number of seconds above 0, {LONGEST:,} at most{found}")


def check_kind(name: str, value: object, kind: type[Any], what: str, *, none: bool = False) -> None:
    """Raise TypeError for what is not of a kind, nor None where that is allowed."""
    if none and value is None:
        return
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        or_none = " or None" if none else ""
        raise TypeError(f"{name} must be {what}{or_none}, not {_shown(value)}")


def check_config(config: object) -> None:
    """Raise TypeError for settings that are no JSON values under names."""
    if not isinstance(config, Mapping):
        raise TypeError(f"config must be a mapping, not {_shown(config)}")
    for key, value in config.items():
        if not isinstance(key, str):
            raise TypeError(f"config must have str keys, not {_shown(key)}")
        if not is_json(value):
            raise TypeError(f"config must hold JSON values; `{key}` is {_shown(value)}")


def check_default(value: Json) -> None:
    """Raise TypeError for a default that is no JSON value."""
    if not is_json(value):
        raise TypeError(f"default must be a JSON value, not {_shown(value)}")


def check_hooks(hooks: object) -> None:
    """Raise TypeError for what is no sequence of hooks."""
    if isinstance(hooks, str) or not isinstance(hooks, Sequence):
        raise TypeError(f"hooks must be a sequence of Hook objects, not {_shown(hooks)}")
    for hook in hooks:
        told = callable(getattr(hook, "before", None)) and callable(getattr(hook, "after", None))
        if not told or isinstance(hook, type):
            raise TypeError(f"hooks must be Hook objects, not {_shown(hook)}")
        if is_async(hook.before) or is_async(hook.after):
            raise TypeError("hooks are called, not awaited: `before` and `after` must not be async")


def check_function(name: str, value: object) -> None:
    """Raise TypeError for what cannot be called, and is not None."""
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be a function or None, not {_shown(value)}")


def is_async(function: Any) -> bool:
    """Whether what a function returns is to be awaited."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - whether it is asynchronous is the question
    )


def check_tools(value: object) -> None:
    """Raise TypeError for what is no set of tools."""
    if value is not None:  # the module is loaded where there are tools at all
        kind = importlib.import_module("pdl.tools.toolset").ToolSet
        check_kind("tools", value, kind, "a pdl.tools.ToolSet", none=True)


def cache_of(value: object) -> Cache | None:
    """A cache, or the one of a path. Raises TypeError for anything else."""
    if value is None:
        return None
    kind = importlib.import_module("pdl.models.cache").Cache  # SQLite takes time to load
    if isinstance(value, str | os.PathLike):
        made: Cache = kind(value)
        return made
    check_kind("cache", value, kind, "a pdl.models.Cache, a path", none=True)
    known: Cache = value  # type: ignore[assignment]  # just checked
    return known


def _shown(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


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
        check_count("retries", self.retries, 0)
        if self.max_output_tokens is not None:
            check_count("max_output_tokens", self.max_output_tokens, 1)
        check_seconds("timeout", self.timeout)
        if self.call_timeout is not None:
            check_seconds("call_timeout", self.call_timeout)
        check_kind("seed", self.seed, int, "an int", none=True)
        check_kind("stream", self.stream, bool, "a bool")
        check_kind("constrain", self.constrain, bool, "a bool")
        self._check_objects()
        object.__setattr__(self, "cache", cache_of(self.cache))

    def _check_objects(self) -> None:
        if not isinstance(self.default, NoDefault):
            check_default(self.default)
        check_config(self.config)
        check_hooks(self.hooks)
        check_function("on_delta", self.on_delta)
        check_tools(self.tools)
        check_kind("backoff", self.backoff, Backoff, "a Backoff")
        check_kind("coercions", self.coercions, Coercions, "Coercions", none=True)
        check_kind("dialects", self.dialects, Dialects, "Dialects")
        check_kind("limits", self.limits, Limits, "Limits")

    @classmethod
    def of(cls, given: Given) -> Terms:
        """The terms that keywords say. Raises TypeError for a keyword that there is not."""
        for name in given:
            if name not in cls.__dataclass_fields__:
                hint = did_you_mean(name, cls.__dataclass_fields__)
                advice = hint or "settings of the call, such as temperature, go into `config`"
                raise TypeError(f"ask has no option `{name}`: {advice}")
        if given.get("timeout", 0) is None:
            given = {**given, "timeout": LONGEST}
        return cls(**given)  # type: ignore[arg-type]  # `__post_init__` makes a cache of a path

    @property
    def streams(self) -> bool:
        """Whether replies are read as they come."""
        return self.stream or self.on_delta is not None
