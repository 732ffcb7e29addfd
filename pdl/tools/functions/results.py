"""What a function gave back, as text for a model."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import json
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

_LONGEST = 500  # characters of an error that a model is told


def as_text(value: Any) -> str:
    """A text as it is, other values as JSON; what JSON has not, as `str` writes it."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=_other)


def _other(value: Any) -> Any:
    """What `json.dumps` asks about a value that is none of JSON's."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    return next((read(value) for kind, read in _KINDS if isinstance(value, kind)), str(value))


_KINDS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (Mapping, lambda value: {str(key): inner for key, inner in value.items()}),
    (AbstractSet, lambda value: sorted(value, key=str)),
    ((dt.date, dt.time), lambda value: value.isoformat()),
    (enum.Enum, lambda value: value.value),
    (Iterable, list),
)


def error_text(error: BaseException) -> str:
    """One line that says what went wrong, without a traceback."""
    said = " ".join(str(error).split())
    said = said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
