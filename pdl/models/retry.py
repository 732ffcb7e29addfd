"""Backoff: when to try again, and how long to wait before; and times as people read them."""

from __future__ import annotations

import math
import random
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json
    from pdl.models.exchange import Fault


_MINUTE = 60.0
_HOUR = 3600.0
_LONG = 2.0  # from so many on, the larger unit is easier to read


def in_words(seconds: float) -> str:
    """Seconds in three significant digits at most: `0.3 s`, `2.5 minutes`, `48 hours`."""
    if seconds < _LONG * _MINUTE:
        return f"{_digits(seconds)} s"
    if seconds < _LONG * _HOUR:
        return f"{_digits(seconds / _MINUTE)} minutes"
    return f"{_digits(seconds / _HOUR)} hours"


def tenths(seconds: float) -> str:
    """A time that was measured, of which hundredths of a second say nothing."""
    return f"{seconds:.1f} s" if seconds < _LONG * _MINUTE else in_words(seconds)


def _digits(number: float) -> str:
    rounded = float(f"{number:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:.5f}".rstrip("0").rstrip(".")  # noqa: PLR2004 - three digits


@dataclass(frozen=True)
class Backoff:
    """How long to wait behind a fault, in seconds.

    Behind the n-th fault in a row any time from none to `first * 2**(n - 1)`, `most` at most, each
    as likely ("full jitter": https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter).
    A server that says how long it wants to be left alone is obeyed, and a part of a tenth or a
    second is added, so that those whom it told the same do not all come back at once.
    """

    first: float = 0.5
    most: float = 30.0
    rng: random.Random = field(default_factory=random.Random, repr=False, compare=False)

    def pause(self, fault: Fault, faults: int) -> float:
        """Seconds to wait behind a fault, which is the n-th in a row."""
        if fault.retry_after is not None:
            return fault.retry_after + self.rng.uniform(0, min(1.0, fault.retry_after / 10))
        doubled = min(self.most, self.first * 2.0 ** min(faults - 1, 60))
        return self.rng.uniform(0, doubled)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds for which a server asks to be left alone; None if it says nothing of use.

    `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3), and `retry-after-ms`, which is
    more exact. A date is held against the server's own clock, if it told the time. The names of
    `headers` are in lower case or do not mind.
    """
    exact = _number(headers.get("retry-after-ms", ""))
    if exact is not None:
        return exact / 1000
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    if seconds is not None:
        return seconds
    until = _date(value)
    if until is None:
        return None
    told = _date(headers.get("date", ""))
    return max(0.0, until - (told or time.time()))


def retry_info(detail: Mapping[str, Json]) -> float | None:
    """Seconds that a detail of Google's errors asks to wait (`google.rpc.RetryInfo`)."""
    delay = detail.get("retryDelay")
    return _number(delay.removesuffix("s")) if isinstance(delay, str) else None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < math.inf else None


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None
