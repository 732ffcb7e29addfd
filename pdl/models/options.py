"""What the options of an asking may be; each refusal says which one is meant."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pdl.models.exchange import is_json

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.models.cache import Cache

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
