"""Durations of ISO 8601 (RFC 3339, appendix A) as Python's."""

from __future__ import annotations

import datetime as dt
import re

_DURATION = re.compile(
    r"P(?:(?P<weeks>\d+)W|(?:(?P<years>\d+)Y)?(?:(?P<months>\d+)M)?(?:(?P<days>\d+)D)?"
    r"(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+)S)?)?)"
)


def duration(text: str) -> dt.timedelta:
    """`P1DT2H`. Raises ValueError for years and months, which have no fixed length."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no duration such as `P1DT2H`")
    if match["years"] or match["months"]:
        raise ValueError(f"{text!r} has years or months, which have no fixed length")
    named = ("weeks", "days", "hours", "minutes", "seconds")
    return dt.timedelta(**{name: int(match[name]) for name in named if match[name]})
