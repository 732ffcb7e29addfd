"""What a function gave back, as text for a model."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import ipaddress
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

_LONGEST = 500  # characters of an error that a model is told
_HALF = re.compile(r"[\ud800-\udfff]")


class ResultError(Exception):
    """A function gave back what is neither text nor JSON."""


def as_text(value: Any) -> str:
    """A text as it is, other values as JSON. Raises ResultError where JSON has no way to write one.

    Halves of characters outside of the first plane become whole ones, or are replaced.
    """
    if isinstance(value, str):
        return _whole(str(value))
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_other)
    except (ValueError, TypeError, RecursionError) as error:
        raise ResultError(f"the result cannot be written as JSON: {_said(error)}") from error
    return _whole(text)


def _whole(text: str) -> str:
    if _HALF.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _other(value: Any) -> Any:
    """What `json.dumps` asks about a value that is none of JSON's."""
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    for kinds, read in _KINDS:
        if isinstance(value, kinds):
            return read(value)
    kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
    raise ResultError(f"the result holds a value of type {kind}, which is neither text nor JSON")


def _refused(value: Any) -> Any:
    raise ResultError(f"the result holds {type(value).__name__}, which are neither text nor JSON")


_ADDRESSES = (
    ipaddress.IPv4Address,
    ipaddress.IPv6Address,
    ipaddress.IPv4Network,
    ipaddress.IPv6Network,
    ipaddress.IPv4Interface,
    ipaddress.IPv6Interface,
)
_TEXTS = (Decimal, Fraction, UUID, dt.timedelta, dt.tzinfo, *_ADDRESSES)
"""Types whose values are written as `str` writes them."""
_KINDS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    ((bytes, bytearray, memoryview), _refused),
    (Mapping, lambda value: {str(key): inner for key, inner in value.items()}),
    (AbstractSet, lambda value: sorted(value, key=str)),
    ((dt.date, dt.time), lambda value: value.isoformat()),
    (enum.Enum, lambda value: value.value),
    (_TEXTS, str),
    (os.PathLike, os.fspath),
    (Iterable, list),
)


def error_text(error: BaseException) -> str:
    """One line that says what went wrong, without a traceback."""
    said = _said(error)
    if isinstance(error, ResultError):
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _said(error: BaseException) -> str:
    """The words of an error, if it has any: writing them is code of others, and may fail too."""
    try:
        said = " ".join(_whole(str(error)).split())
    except (Exception, SystemExit):  # noqa: BLE001 - whatever it is, the first error is the one to be told
        return ""
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"
