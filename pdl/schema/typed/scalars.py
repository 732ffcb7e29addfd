"""Python types without parts, and what JSON has for them."""

from __future__ import annotations

import datetime as dt
import os
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pdl.schema.notation.unions import NULL

if TYPE_CHECKING:
    from pdl._types import Json

_SCALARS: MappingProxyType[Any, dict[str, Json]] = MappingProxyType(
    {
        str: {"type": "string"},
        bool: {"type": "boolean"},
        int: {"type": "integer"},
        float: {"type": "number"},
        Decimal: {"type": "number"},
        None: dict(NULL),
        type(None): dict(NULL),
        Any: {},
        object: {},
        dt.datetime: {"type": "string", "format": "x-date-time"},
        dt.date: {"type": "string", "format": "date"},
        dt.time: {"type": "string", "format": "x-time"},
        dt.timedelta: {"type": "string", "format": "duration"},
        UUID: {"type": "string", "format": "uuid"},
    }
)
_ADDRESSES: MappingProxyType[str, dict[str, Json]] = MappingProxyType(
    {
        "IPv4Address": {"type": "string", "format": "ipv4"},
        "IPv6Address": {"type": "string", "format": "ipv6"},
    }
)


def scalar_schema(form: Any) -> dict[str, Json] | None:
    """The schema of a type without parts; those of modules that few import go by their names."""
    if form in _SCALARS:
        return _SCALARS[form]
    if isinstance(form, type) and issubclass(form, os.PathLike):
        return {"type": "string"}
    if isinstance(form, type) and form.__module__ == "ipaddress":
        return _ADDRESSES.get(form.__name__)
    return None
