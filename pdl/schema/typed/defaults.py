"""Defaults of Python fields as JSON values."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import math
from collections.abc import Mapping
from decimal import Decimal
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from pdl._types import Json

NO_DEFAULT: Any = object()
"""Stands for a default that JSON cannot hold, or that there is none."""

_EMPTY = (list, dict, set, frozenset, tuple, str, int, float, bool)


def json_default(value: Any) -> Json:
    """The JSON value of a default, or NO_DEFAULT."""
    if isinstance(value, enum.Enum):
        return json_default(value.value)
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float | Decimal):
        return _number(value)
    text = _text(value)
    return _collection(value) if text is NO_DEFAULT else text


def _text(value: Any) -> Json:
    """The text of a value that JSON has as a string, or NO_DEFAULT."""
    if isinstance(value, dt.datetime | dt.time) and value.tzinfo is None:
        return NO_DEFAULT  # RFC 3339 has no times without an offset
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, UUID | PurePath) or type(value).__module__ == "ipaddress":
        return str(value)
    return NO_DEFAULT


def _collection(value: Any) -> Json:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return _mapping({field.name: getattr(value, field.name) for field in fields})
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, list | tuple | set | frozenset):
        items = [json_default(item) for item in value]
        return NO_DEFAULT if any(item is NO_DEFAULT for item in items) else items
    return NO_DEFAULT


def made_default(factory: Any) -> Json:
    """What a factory makes, if it is a plain type; others may do anything, so are not run."""
    return json_default(factory()) if factory in _EMPTY else NO_DEFAULT


def _number(value: float | Decimal) -> Json:
    if isinstance(value, Decimal):
        value = int(value) if value == value.to_integral_value() else float(value)
    return value if math.isfinite(value) else NO_DEFAULT


def _mapping(value: Mapping[Any, Any]) -> Json:
    found = {key: json_default(inner) for key, inner in value.items()}
    wrong = any(inner is NO_DEFAULT or not isinstance(key, str) for key, inner in found.items())
    return NO_DEFAULT if wrong else found
