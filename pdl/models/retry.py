"""When to retry, how long to wait before, and times as people read them."""

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
    from pdl.models.faults import Fault


_MINUTE = 60.0
_HOUR = 3600.0
_LONG = 2.0  # from so many on, the larger unit is easier to read


def in_words(seconds: float) -> str:
    """Write seconds with at most three significant digits: `0.3 s`, `2.5 minutes`, `48 hours`."""
    if seconds < _LONG * _MINUTE:
        return f"{_digits(seconds)} s"
    if seconds < _LONG * _HOUR:
        return f"{_digits(seconds / _MINUTE)} minutes"
    return f"{_digits(seconds / _HOUR)} hours"


def tenths(seconds: float) -> str:
    """Write a measured time, in which hundredths of a second mean nothing."""
    return f"{seconds:.1f} s" if seconds < _LONG * _MINUTE else in_words(seconds)


def _digits(number: float) -> str:
    rounded = float(f"{number:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:.5f}".rstrip("0").rstrip(".")  # noqa: PLR2004 - three digits


@dataclass(frozen=True)
class Backoff:
    """How long to wait after a transport error, in seconds.

    After the n-th consecutive fault any time from zero to `first * 2**(n - 1)`, at most `most`,
    with equal probability ("full jitter":
    https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter).
    A server that asks for a pause gets it, plus up to a tenth or one second, so that clients that
    were told the same don't all return at the same moment.
    """

    first: float = 0.5
    most: float = 30.0
    rng: random.Random = field(default_factory=random.Random, repr=False, compare=False)

    def pause(self, fault: Fault, faults: int) -> float:
        """Return the seconds to wait after a fault, the n-th consecutive one."""
        if fault.retry_after is not None:
            return fault.retry_after + self.rng.uniform(0, min(1.0, fault.retry_after / 10))
        doubled = min(self.most, self.first * 2.0 ** min(faults - 1, 60))
        return self.rng.uniform(0, doubled)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait; None if it doesn't.

    Reads `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3), and `retry-after-ms`,
    which is more exact. A date is compared with the server's own clock, if it sent the time. The
    names of `headers` are in lowercase or case-insensitive.
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
    """Return the seconds that a detail of Google's errors asks to wait (`google.rpc.RetryInfo`)."""
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
