"""The formats that the notation has words for: the shape and the lengths of their strings.

These are necessary conditions, enough to refuse an author's mistake; an answer is checked
elsewhere, by all of the formats' rules (RFC 3339, 4122, 5321, 3986).
"""

from __future__ import annotations

import re
from types import MappingProxyType

_DATE = r"\d{4}-\d\d-\d\d"
_TIME = r"\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)"

_SHAPES = MappingProxyType(
    {
        "date": _DATE,
        "time": _TIME,
        "date-time": f"{_DATE}[Tt]{_TIME}",
        "duration": r"P[\dYMWDTHS]+",
        "email": r".+@.+",
        "uri": r"[A-Za-z][A-Za-z0-9+.-]*:\S*",
        "uuid": r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
        "ipv4": r"\d{1,3}(?:\.\d{1,3}){3}",
        "ipv6": r"[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*",
    }
)
_LENGTHS = MappingProxyType(
    {
        "date": (10, 10),
        "time": (9, None),
        "date-time": (20, None),
        "duration": (3, None),
        "email": (3, None),
        "uri": (2, None),
        "uuid": (36, 36),
        "ipv4": (7, 15),
        "ipv6": (2, 45),
    }
)


def lengths(name: str) -> tuple[int, int | None]:
    """The fewest and the most characters of a string of a format; None for no end."""
    return _LENGTHS.get(name, (0, None))


def is_like(name: str, text: str) -> bool:
    """Whether a text has the shape of a format; true for a format that is not known here."""
    shape = _SHAPES.get(name)
    if shape is None:
        return True
    if not re.fullmatch(shape, text, re.ASCII):
        return False
    return not name.startswith("date") or _is_day(text[:10])


def _is_day(text: str) -> bool:
    import datetime as dt  # noqa: PLC0415 - only defaults need it, and few schemas have any

    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return text.startswith("0000")  # a year that RFC 3339 has and Python has not
    return True
